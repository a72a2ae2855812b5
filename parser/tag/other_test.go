package tag

import (
	"math"
	"sync"
	"testing"
)

func TestOther(t *testing.T) {
	m := trainToy(t)
	is := func(want string) func(string) bool { return func(upos string) bool { return upos == want } }
	s := sentence("the walks walks some cat .")
	m.Tag(&s, true)
	for i, want := range []string{"NOUN", "VERB"} {
		if s.Words[i+1].UPOS != want {
			t.Fatalf("%+v", s.Words)
		}
	}
	before := s.Words[1]
	w, odds, found := m.Other(&s, 1, Request{}, math.MaxInt64, is("VERB"))
	if !found || odds <= 0 || w.UPOS != "VERB" || w.XPOS != "VBZ" || w.Lemma != "walk" || w.Feats != "Person=3|Tense=Pres|VerbForm=Fin" || s.Words[1] != before {
		t.Errorf("%+v with odds %d, found %v", w, odds, found)
	}
	if _, _, found := m.Other(&s, 1, Request{}, odds-1, is("VERB")); found {
		t.Error("a tag is found that is too bad")
	}
	// A tagger that has not met the words before says the same.
	m.pool = sync.Pool{}
	if again, same, _ := m.Other(&s, 1, Request{}, math.MaxInt64, is("VERB")); again != w || same != odds {
		t.Errorf("without scratch: %+v with odds %d, want %d", again, same, odds)
	}
	// What the tagger would not have chosen is worse than what it chooses.
	c := s
	c.Words[1] = w
	if w, back, found := m.Other(&c, 1, Request{}, math.MaxInt64, is("NOUN")); !found || back != -odds || w != before {
		t.Errorf("back: %+v with odds %d, want %d", w, back, -odds)
	}
	if _, _, found := m.Other(&s, 1, Request{}, math.MaxInt64, is("none")); found {
		t.Error("there is a tag that does not exist")
	}
}
