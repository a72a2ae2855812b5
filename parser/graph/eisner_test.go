package graph

import (
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part/parttest"
	"github.com/treebeam/treebeam/parser/syntax"
)

var projective = parttest.IsProjective

func TestProjectiveTreeIsTheBestOfAll(t *testing.T) {
	r := hash.Rand(17)
	var s Spanner
	partial := 0
	for k := 0; k < 3000; k++ {
		n := 1 + int(r.Below(5))
		a := randomArcs(n, 1+int(r.Below(8)), 1<<(1+r.Below(14)), &r)
		if k%3 == 0 { // scores of both signs, and words without the chain's arc
			thin(&a, &r)
		}
		full := complete(&a)
		best, least := math.MinInt, n+1 // fewest absent arcs first
		parttest.EachTree(full.Start, full.Heads, func(head []int32, _ []int) {
			sum, missing := scoreOf(&a, head)
			if projective(head) && (missing < least || missing == least && sum > best) {
				best, least = sum, missing
			}
		})
		got := make([]int32, n+1)
		absent := s.ProjectiveTree(&a, got)
		sum, missing := scoreOf(&a, got)
		if !syntax.IsTree(got) || !projective(got) || absent != missing || missing != least || sum != best {
			t.Fatalf("case %d: %v: score %d with %d absent (said %d), best %d with %d", k, got[1:], sum, missing, absent, best, least)
		}
		if absent > 0 {
			partial++
		}
	}
	if partial == 0 {
		t.Error("no case had to use an absent arc")
	}
}

// complete returns all arcs over the words of a.
func complete(a *Arcs) Arcs {
	r := hash.Rand(1)
	return randomArcs(a.N(), 8, 1, &r)
}

// scoreOf returns the score of the arcs of a tree, and how many of them a lacks.
func scoreOf(a *Arcs, head []int32) (sum, missing int) {
	for m := 1; m <= a.N(); m++ {
		lo, hi := a.Span(m)
		if i := slices.Index(a.Heads[lo:hi], head[m]); i >= 0 {
			sum += int(a.Score[lo+i])
		} else {
			missing++
		}
	}
	return sum, missing
}

// thin drops arcs of a at random and makes some scores positive.
func thin(a *Arcs, r *hash.Rand) {
	b := Arcs{Start: []int32{0}}
	for m := 1; m <= a.N(); m++ {
		lo, hi := a.Span(m)
		for i := lo; i < hi; i++ {
			if r.Below(3) > 0 {
				b.Heads, b.Score = append(b.Heads, a.Heads[i]), append(b.Score, a.Score[i]+int32(r.Below(3000)))
			}
		}
		b.Start = append(b.Start, int32(len(b.Heads)))
	}
	*a = b
}

// BenchmarkTrees measures the two searches for a best tree.
func BenchmarkTrees(b *testing.B) {
	r := hash.Rand(2)
	a := randomArcs(30, 1, 5000, &r)
	head := make([]int32, 31)
	var s Spanner
	b.Run("projective", func(b *testing.B) {
		for b.Loop() {
			s.ProjectiveTree(&a, head)
		}
	})
	b.Run("any", func(b *testing.B) {
		for b.Loop() {
			s.MaximumTree(&a, 0, head)
		}
	})
}
