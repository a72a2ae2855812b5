package search

import (
	"fmt"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/score"
)

// Climbing, by all parts too, costs no allocations.
func TestClimbDoesNotAllocate(t *testing.T) {
	r := hash.Rand(14)
	s := randomSentence(15, 3, &r)
	x, m := newSearch(s, 500, part.All), newModel(noise(500), part.All)
	x.run(1, 8, 4)
	from := slices.Clone(x.ends[:16])
	copy(from[1:], x.ends[15:])
	round := func() {
		x.prepare(m, s)
		x.Tree.Set(&x.Scores.Arcs, from)
		x.ascend()
	}
	for range 5 {
		round()
	}
	if x.Scores.Count.Globals < 50 {
		t.Fatalf("only %d evaluations of global parts", x.Scores.Count.Globals)
	}
	if n := testing.AllocsPerRun(5, round); n != 0 {
		t.Errorf("%.1f allocations a search", n)
	}
}

// The climb with globals finds better trees than one that only ranks by
// them, and delta 0 never moves away from a local optimum of local parts.
func TestDelta(t *testing.T) {
	r := hash.Rand(15)
	var sum [3]int64
	for k := 0; k < 60; k++ {
		s := randomSentence(12, 2, &r)
		for i, delta := range []int64{0, 800, 1 << 40} {
			x := newSearch(s, 400, part.All)
			x.delta = delta
			if !x.run(uint64(k), 8, 8) {
				continue
			}
			sum[i] += x.bestAt
			if delta != 0 {
				continue
			}
			x.Tree.Set(&x.Scores.Arcs, x.best)
			if before := fmt.Sprint(x.Tree.Head); x.climb() != 0 || fmt.Sprint(x.Tree.Head) != before {
				t.Fatal("delta 0: the best tree is no end of a climb on local parts")
			}
		}
	}
	if sum[0] >= sum[1] || sum[1] >= sum[2] {
		t.Errorf("sums of scores %v, want them to grow with delta", sum)
	}
}

// Margins are exact: the loss of the best single change, or 0.
func TestMargins(t *testing.T) {
	for _, on := range []part.Families{part.Standard, part.All} {
		r := hash.Rand(16)
		for k := 0; k < 60; k++ {
			s := randomSentence(2+int(r.Below(4)), 3, &r)
			x := newSearch(s, 300, on)
			x.delta = 1 << 40
			if !x.run(1, 20, 10) {
				continue
			}
			x.confidence(s)
			if fmt.Sprint(x.Tree.Head[1:]) != fmt.Sprint(x.best[1:]) {
				t.Fatal("the margins have moved the tree")
			}
			for m := 1; m <= x.Scores.N; m++ {
				want := int64(marginCap * score.Unit)
				x.Tree.Set(&x.Scores.Arcs, x.best)
				for _, h := range s.Candidates.Of(m) {
					if h == 0 || x.best[m] == 0 || h == x.best[m] || x.Tree.Below(h, int32(m)) {
						continue
					}
					moved := slices.Clone(x.best)
					moved[m] = h
					want = min(want, x.bestAt-scratchScore(x, moved))
				}
				if got := float32(float64(max(want, 0)) / score.Unit); x.best[m] != 0 && s.Confidence.HeadMargin[m-1] != got {
					t.Fatalf("%v: margin of word %d is %v, want %v", on, m, s.Confidence.HeadMargin[m-1], got)
				}
			}
		}
	}
}
