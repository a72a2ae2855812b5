package prune

import (
	"testing"

	"github.com/treebeam/treebeam/parser/feature"
)

// The places of the coarse tables are part of every model file, as the keys of
// package feature are. If this test fails and the change is meant, put in the
// new hash and raise feature.Templates: models of the older versions cannot be
// read by the new tables, so refuse them.
func TestTablesAreStable(t *testing.T) {
	const want, of = 0xccbcb7fa72d4c4ee, 2
	words := make([]uint32, lexicon)
	v := feature.Learn(toy(40, 1))
	var c feature.Codes
	copy(words, learnLexicon(v, toy(40, 1), &c))
	var x context
	var cells []int32
	h := uint64(tableSize)
	for _, s := range toy(5, 2) {
		s.Words[1].Form, s.Words[1].Lemma = "unseen", "unseen"
		v.Encode(&s, &c)
		x.fill(&c, words)
		for m := 1; m <= c.N; m++ {
			for head := 0; head <= c.N; head++ {
				if head == m {
					continue
				}
				cells = x.cellsOf(&c, head, m, cells[:0])
				for _, k := range cells {
					h = feature.Combine(h, uint64(k))
				}
			}
		}
	}
	if h != want || feature.Templates != of {
		t.Errorf("the cells of version %d hash to %#016x, want version %d, %#016x", feature.Templates, h, of, uint64(want))
	}
}
