package model

import "testing"

// A language of the world knows irregular verbs that its treebank lacks.
func TestIrregularVerbsOfALanguage(t *testing.T) {
	m, err := Open("world:de")
	if err != nil {
		t.Skip(err) // built without the world
	}
	for _, s := range m.Segment("Kannst du mir helfen?", 0) {
		m.Tag(&s, false)
		if w := s.Words[0]; w.Lemma != "können" {
			t.Errorf("%s has the lemma %s", w.Form, w.Lemma)
		}
	}
}
