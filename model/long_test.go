package model

import (
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Heads in a sentence of over 1,000 words do not depend on where its windows
// begin and end: determiners, adjectives and subjects of clauses that come again and
// again have the same ones everywhere.
func TestLongSentenceAcrossWindows(t *testing.T) {
	m := must(Open(Embedded))
	clause := strings.Fields("the old man saw a small dog and")
	heads := map[int]int{0: 2, 1: 2, 2: 3, 4: 6, 5: 6, 6: 3} // of the words of a clause
	for _, projective := range []bool{false, true} {
		var s syntax.Sentence
		for len(s.Words) < 2*syntax.MaxWholeWords {
			for _, form := range clause {
				s.Words = append(s.Words, syntax.Word{Form: form, Head: syntax.NoHead})
			}
		}
		m.Tag(&s, false)
		m.Prune(&s)
		if err := m.Parse(&s, search.Options{Seed: 1, Projective: projective}); err != nil {
			t.Fatal(err)
		}
		wrong, across := 0, 0
		for _, w := range s.Windows() {
			for i := w.From; i < w.To; i++ {
				k := i % len(clause)
				want, known := heads[k]
				if !known {
					continue
				}
				head := i - k + want
				if head < w.From || head >= w.To {
					across++
				}
				if int(s.Words[i].Head) != head+1 {
					wrong++
					t.Logf("word %d, %s: head %d, want %d", i+1, s.Words[i].Form, s.Words[i].Head, head+1)
				}
			}
		}
		if across < 10 || wrong > 0 {
			t.Errorf("projective %v: %d wrong heads; %d arcs are between windows", projective, wrong, across)
		}
		if s.Status != syntax.Long || len(s.Confidence.HeadConf) != len(s.Words) {
			t.Errorf("status %v, %d confidences", s.Status, len(s.Confidence.HeadConf))
		}
	}
}
