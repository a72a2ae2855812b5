package part

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// What may be moved where agrees with looking at all pairs of arcs.
func TestCrossed(t *testing.T) {
	r := hash.Rand(21)
	yes, no := 0, 0
	for range 30 {
		s := randomSentence(2+int(r.Below(4)), 8, &r)
		x := newScratch(s, 500, All)
		n := len(s.Words)
		allTrees(s, func(head []int32) {
			x.y.Set(&x.t.Arcs, head)
			for m := 1; m <= n; m++ {
				h := int32(r.Below(uint32(n + 1)))
				if int(h) == m {
					continue
				}
				want := false
				for u := 1; u <= n; u++ {
					want = want || u != m && syntax.Cross(h, int32(m), head[u], int32(u))
				}
				if got := x.y.Crossed(h, int32(m)); got != want {
					t.Fatalf("heads %v: arc %d -> %d crosses: %v, want %v", head[1:], h, m, got, want)
				}
				if want {
					yes++
				} else {
					no++
				}
			}
		})
	}
	if yes < 1000 || no < 1000 {
		t.Errorf("%d crossings, %d not", yes, no)
	}
}

// What a panic left half done in the scratch does not reach the next sentence.
func TestPrepareForgetsOpenQuestions(t *testing.T) {
	r := hash.Rand(17)
	for k := range 50 {
		s := randomSentence(3+k%8, 5, &r)
		x := newScratch(s, 400, All)
		x.t.deferred = true
		for c := range int32(3) {
			x.t.Score(kindOf("gp").Part(c, 2, 1, 0))
		}
		next := randomSentence(3+k%5, 5, &r)
		x.t.Prepare(&Source{Vocabulary: word.Learn(nil), Parts: noise(400), Families: All}, next)
		fresh := newScratch(next, 400, All)
		if !slices.Equal(x.t.Arcs.Score, fresh.t.Arcs.Score) {
			t.Fatal("scores of arcs are not those of fresh scratch")
		}
		x.chain()
		if got, want := x.t.Total(&x.y), x.t.FromScratch(&x.y); got != want {
			t.Fatalf("total %d, from scratch %d", got, want)
		}
	}
}
