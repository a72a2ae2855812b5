package search

import (
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part"
)

// Chains gain what they say, never lose, and leave a tree whose links are
// whole; a chain that fails leaves the tree as it was.
func TestChains(t *testing.T) {
	r := hash.Rand(11)
	kept, failed := 0, 0
	for k := 0; k < 150; k++ {
		s := randomSentence(2+int(r.Below(14)), 3+int(r.Below(6)), &r)
		x := newSearch(s, 400, part.Standard)
		if !x.First() {
			t.Fatal("no tree")
		}
		x.climb()
		head := append([]int32(nil), x.Tree.Head...)
		before := scratchScore(x, head)
		gain := x.chains()
		checkTree(t, x)
		if after := scratchScore(x, x.Tree.Head); gain < 0 || after-before != gain {
			t.Fatalf("chains say they gain %d; the scores are %d and %d", gain, before, after)
		}
		if gain > 0 {
			kept++
			continue
		}
		failed++
		for m := 1; m <= x.Scores.N; m++ {
			if x.Tree.Head[m] != head[m] {
				t.Fatalf("chains that failed moved word %d from %d to %d", m, head[m], x.Tree.Head[m])
			}
		}
	}
	if kept < 20 || failed < 20 {
		t.Errorf("%d sentences improved, %d not: the test sees too little of one kind", kept, failed)
	}
}
