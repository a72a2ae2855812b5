package model

import (
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// The offers for a word of the parser's own tree begin with what it has. For another head
// or tag there are other relations, and other heads for words beside it stay.
func TestOffers(t *testing.T) {
	for uri, effort := range map[string]float64{Embedded: 0, EmbeddedAccurate: 1} {
		m, err := Open(uri)
		if err != nil {
			t.Fatal(err)
		}
		offers := func(tree []syntax.Word) []Offers {
			t.Helper()
			s := syntax.Sentence{}
			for _, w := range tree {
				s.Words = append(s.Words, syntax.Word{Form: w.Form})
			}
			if m.Encodes() {
				m.Encode([]*syntax.Sentence{&s})
			}
			m.Tag(&s, true)
			m.Prune(&s)
			all, err := m.Offers(&s, tree, search.Options{Seed: 1})
			if err != nil || len(all) != len(tree) {
				t.Fatal(err)
			}
			return all
		}
		s := syntax.Sentence{}
		for form := range strings.FieldsSeq("She saw the old man with her telescope .") {
			s.Words = append(s.Words, syntax.Word{Form: form})
		}
		if err := m.Run(t.Context(), []*syntax.Sentence{&s}, Request{Effort: effort}); err != nil {
			t.Fatal(err)
		}
		own := offers(s.Words)
		for i, w := range s.Words {
			x := own[i]
			if x.Head[0].Value != w.Head || x.Deprel[0].Value != w.Deprel || x.UPOS[0].Value != w.UPOS {
				t.Errorf("%s: %s is %d %s %s, offered %+v", uri, w.Form, w.Head, w.Deprel, w.UPOS, x)
			}
			if p := s.Confidence.LabelProb[i]; x.Deprel[0].Probability != p {
				t.Errorf("%s: %s is %s with %v, offered with %v", uri, w.Form, w.Deprel, p, x.Deprel[0].Probability)
			}
		}
		const with, telescope = 5, 7
		changed := slices.Clone(s.Words)
		changed[telescope].Head = 5 - changed[telescope].Head + 2 // of saw and man, the other
		other := offers(changed)
		if other[telescope].Deprel[0].Value == own[telescope].Deprel[0].Value || !slices.Equal(other[telescope].Head, own[telescope].Head) {
			t.Errorf("%s: with another head: %+v", uri, other[telescope])
		}
		changed[with].UPOS, changed[with].XPOS = "", ""
		if untagged := offers(changed); untagged[with].Deprel[0] != other[with].Deprel[0] {
			t.Errorf("%s: without a tag: %+v", uri, untagged[with])
		}
		changed[telescope].Head = syntax.NoHead
		if none := offers(changed); len(none[telescope].Deprel) > 0 || len(none[telescope].Head) == 0 {
			t.Errorf("%s: without a head: %+v", uri, none[telescope])
		}
	}
}
