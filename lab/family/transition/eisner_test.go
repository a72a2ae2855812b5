package transition

import (
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part/parttest"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Eisner's tree is the best of all projective trees, with the fewest absent arcs.
func TestEisnerFindsTheBestOfAll(t *testing.T) {
	r := hash.Rand(17)
	var s Eisner
	partial := 0
	for k := range 1000 {
		n := 1 + int(r.Below(5))
		a, full := randomArcs(n, &r), graph.Arcs{Start: []int32{0}}
		for m := 1; m <= n; m++ {
			for h := range int32(n + 1) {
				if int(h) != m {
					full.Heads = append(full.Heads, h)
				}
			}
			full.Start = append(full.Start, int32(len(full.Heads)))
			if at := a.Start[m-1]; k%2 == 0 && a.Start[m]-at > 1 { // mostly the arc of the chain
				a.Heads[at], a.Score[at] = a.Heads[at+1], a.Score[at+1]
			}
		}
		score := func(head []int32) (sum, absent int) {
			for m := 1; m <= n; m++ {
				lo, hi := a.Span(m)
				if i := slices.Index(a.Heads[lo:hi], head[m]); i >= 0 {
					sum += int(a.Score[lo+i])
				} else {
					absent++
				}
			}
			return sum, absent
		}
		best, least := math.MinInt, n+1
		parttest.EachTree(full.Start, full.Heads, func(head []int32, _ []int) {
			if sum, absent := score(head); parttest.IsProjective(head) && (absent < least || absent == least && sum > best) {
				best, least = sum, absent
			}
		})
		got := make([]int32, n+1)
		said := s.Tree(&a, got)
		if sum, absent := score(got); !syntax.IsTree(got) || !parttest.IsProjective(got) || said != absent || absent != least || sum != best {
			t.Fatalf("case %d: %v: score %d with %d absent (said %d), best %d with %d", k, got[1:], sum, absent, said, best, least)
		}
		if said > 0 {
			partial++
		}
	}
	if partial == 0 {
		t.Error("no case had to use an absent arc")
	}
}
