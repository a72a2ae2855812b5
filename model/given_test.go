package model_test

import (
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
)

const ambiguous = "Time flies like an arrow. The old man the boats. I saw her duck under the table. " +
	"They can fish in the cooling water. Fat people eat accumulates. Police help dog bite victim. " +
	"In the morning, before the first ferry leaves, the fishermen sort their nets on the quay and talk about the weather."

// columns are those beside UPOS that an input may give.
var columns = map[string]func(w *syntax.Word) *string{
	"XPOS":  func(w *syntax.Word) *string { return &w.XPOS },
	"FEATS": func(w *syntax.Word) *string { return &w.Feats },
	"LEMMA": func(w *syntax.Word) *string { return &w.Lemma },
}

// givenAlone returns s with one column of the tagger's as if the input had it alone,
// tagged again.
func givenAlone(m *model.Model, s *syntax.Sentence, column func(w *syntax.Word) *string) syntax.Sentence {
	given := *s
	given.Words, given.TagProb = nil, nil
	for i := range s.Words {
		w := syntax.Word{Form: s.Words[i].Form, Head: syntax.NoHead}
		*column(&w) = *column(&s.Words[i])
		given.Words = append(given.Words, w)
	}
	m.Tag(&given, false)
	return given
}

// What the input gives beside open UPOS stays, also where the tagger would say the
// same: labels may not write over it.
func TestGivenColumnsStay(t *testing.T) {
	m := must(model.Open(model.Embedded))
	labelled := map[string]int{}
	for _, s := range m.Segment(ambiguous, 1000) {
		m.Tag(&s, true)
		for name, column := range columns {
			differ := func(got, want []syntax.Word) bool {
				for i := range got {
					if *column(&got[i]) != *column(&want[i]) {
						return true
					}
				}
				return false
			}
			given := givenAlone(m, &s, column)
			for _, deprel := range []string{"det", "aux", "case", "advmod", "nummod", "cc", "mark", "expl"} {
				for i := range s.Words {
					change := func(s syntax.Sentence) []syntax.Word {
						s = syntax.Clone([]syntax.Sentence{s})[0]
						for k := range s.Words {
							s.Words[k].Head, s.Words[k].Deprel = int32(k), "dep"
						}
						s.Words[i].Deprel = deprel
						m.Retag(&s)
						return s.Words
					}
					if differ(change(s), s.Words) {
						labelled[name]++
					}
					if differ(change(given), s.Words) {
						t.Errorf("%s of %s becomes another one with its relation %s", name, given.Words[i].Form, deprel)
					}
				}
			}
		}
	}
	for name := range columns {
		if labelled[name] == 0 {
			t.Errorf("%s: relations change it nowhere: the test says nothing", name)
		}
	}
}
