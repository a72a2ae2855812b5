package graph

import (
	"math"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
)

// projective reports whether no two arcs of a tree cross and no arc covers
// the root word.
func projective(head []int32) bool {
	for m := 1; m < len(head); m++ {
		for d := 1; d < len(head); d++ {
			lo, hi := min(int(head[m]), m), max(int(head[m]), m)
			a, b := min(int(head[d]), d), max(int(head[d]), d)
			if lo < a && a < hi && hi < b {
				return false
			}
		}
	}
	return true
}

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
		head := make([]int32, n+1)
		trees(&full, func(arcs []int) {
			sum, missing := 0, 0
			for m, i := range arcs {
				head[m+1] = full.Heads[i]
				if sc, ok := scoreOf(&a, int(full.Heads[i]), m+1); ok {
					sum += sc
				} else {
					missing++
				}
			}
			if projective(head) && (missing < least || missing == least && sum > best) {
				best, least = sum, missing
			}
		})
		got := make([]int32, n+1)
		absent := s.ProjectiveTree(&a, got)
		sum, missing, roots := 0, 0, 0
		for m := 1; m <= n; m++ {
			if got[m] == 0 {
				roots++
			}
			if sc, ok := scoreOf(&a, int(got[m]), m); ok {
				sum += sc
			} else {
				missing++
			}
		}
		if roots != 1 || !projective(got) || absent != missing || missing != least || sum != best {
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

func scoreOf(a *Arcs, h, m int) (int, bool) {
	lo, hi := a.Span(m)
	for i := lo; i < hi; i++ {
		if int(a.Heads[i]) == h {
			return int(a.Score[i]), true
		}
	}
	return 0, false
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

func BenchmarkProjectiveTree(b *testing.B) {
	r := hash.Rand(2)
	a := randomArcs(30, 1, 5000, &r)
	head := make([]int32, 31)
	var s Spanner
	b.ReportAllocs()
	for b.Loop() {
		s.ProjectiveTree(&a, head)
	}
}

func BenchmarkMaximumTree(b *testing.B) {
	r := hash.Rand(2)
	a := randomArcs(30, 1, 5000, &r)
	head := make([]int32, 31)
	var s Spanner
	b.ReportAllocs()
	for b.Loop() {
		s.MaximumTree(&a, 0, head)
	}
}
