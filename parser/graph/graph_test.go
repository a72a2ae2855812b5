package graph

import (
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part/parttest"
	"github.com/treebeam/treebeam/parser/syntax"
)

// randomArcs returns arcs of n words; each head is kept with probability
// keep/8, and always the chain that makes word 1 a root.
func randomArcs(n, keep int, spread uint32, r *hash.Rand) Arcs {
	a := Arcs{Start: []int32{0}}
	for m := 1; m <= n; m++ {
		for h := 0; h <= n; h++ {
			if h != m && (h == m-1 || int(r.Below(8)) < keep) {
				a.Heads = append(a.Heads, int32(h))
				a.Score = append(a.Score, -int32(r.Below(spread)))
			}
		}
		a.Start = append(a.Start, int32(len(a.Heads)))
	}
	return a
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

// trees calls f with the arcs of every single-root tree.
func trees(a *Arcs, f func(arcs []int)) {
	parttest.EachTree(a.Start, a.Heads, func(_ []int32, arcs []int) { f(arcs) })
}

func TestSingleRootTreeCount(t *testing.T) {
	for n, want := range []int{0, 1, 2, 9, 64, 625} { // n^(n-1)
		if n == 0 {
			continue
		}
		r, count := hash.Rand(1), 0
		a := randomArcs(n, 8, 1, &r)
		trees(&a, func([]int) { count++ })
		if count != want {
			t.Errorf("n=%d: %d trees, want %d", n, count, want)
		}
	}
}

func TestMaximumTreeIsTheBestOfAll(t *testing.T) {
	r := hash.Rand(7)
	var s Spanner
	for k := 0; k < 2000; k++ {
		n := 1 + int(r.Below(5))
		a := randomArcs(n, 1+int(r.Below(8)), 1<<(1+r.Below(14)), &r)
		best := math.MinInt
		trees(&a, func(arcs []int) {
			sum := 0
			for _, i := range arcs {
				sum += int(a.Score[i])
			}
			best = max(best, sum)
		})
		head := make([]int32, n+1)
		if !s.MaximumTree(&a, 0, head) {
			t.Fatal("no tree found")
		}
		if sum, _ := scoreOf(&a, head); !syntax.IsTree(head) || sum != best {
			t.Fatalf("case %d: %v scores %d, best %d", k, head[1:], sum, best)
		}
	}
}

func TestMarginalsAreExact(t *testing.T) {
	r := hash.Rand(11)
	var g Marginals
	for k := 0; k < 500; k++ {
		a := randomArcs(1+int(r.Below(5)), 1+int(r.Below(8)), 6000, &r)
		want, got := logMarginals(&a), make([]float64, len(a.Heads))
		if !g.Compute(&a, got) {
			t.Fatal("no marginals")
		}
		for i := range want {
			if math.Abs(want[i]-got[i]) > 1e-9 {
				t.Fatalf("case %d arc %d: %v, want %v", k, i, got[i], want[i])
			}
		}
	}
}

func TestSamplerMatchesMarginals(t *testing.T) {
	r := hash.Rand(3)
	a := randomArcs(4, 8, 2500, &r)
	want := logMarginals(&a)
	var s Sampler
	s.Prepare(&a)
	count := make([]float64, len(a.Heads))
	head := make([]int32, 5)
	const samples = 200000
	for k := 0; k < samples; k++ {
		// the root by its marginal, then Wilson towards it
		x, root := float64(r.Next()>>11)/(1<<53), 4
		for m := 1; m <= 4; m++ {
			if lo, _ := a.Span(m); a.Heads[lo] == 0 {
				if x -= want[lo]; x < 0 {
					root = m
					break
				}
			}
		}
		if !s.Sample(&a, root, nil, head, &r) {
			t.Fatal("no sample")
		}
		for m := 1; m <= 4; m++ {
			lo, hi := a.Span(m)
			for i := lo; i < hi; i++ {
				if a.Heads[i] == head[m] {
					count[i]++
				}
			}
		}
	}
	for i := range count {
		if d := math.Abs(count[i]/samples - want[i]); d > 0.006 {
			t.Errorf("arc %d: frequency %v, marginal %v", i, count[i]/samples, want[i])
		}
	}
}

func TestPeakedWeightsEnd(t *testing.T) {
	// words 2 and 3 all but insist on each other
	a := Arcs{Start: []int32{0, 1, 3, 5}, Heads: []int32{0, 1, 3, 1, 2}, Score: []int32{0, -60000, 0, -60000, 0}}
	var s Sampler
	s.Prepare(&a)
	r := hash.Rand(5)
	head := make([]int32, 4)
	for k := 0; k < 100; k++ {
		if !s.Sample(&a, 1, nil, head, &r) || head[1] != 0 || head[2] == 3 && head[3] == 2 {
			t.Fatalf("no tree: %v", head)
		}
	}
}

func TestExpOdds(t *testing.T) {
	for k := int32(0); k < 60000; k += 37 {
		if got, want := ExpOdds(k), math.Exp(-float64(k)/1024); math.Abs(got-want) > 1e-12*want+1e-300 {
			t.Fatalf("exp(-%d/1024) = %v, want %v", k, got, want)
		}
	}
}

func BenchmarkMarginals(b *testing.B) {
	r := hash.Rand(2)
	a := randomArcs(30, 1, 5000, &r)
	p := make([]float64, len(a.Heads))
	var g Marginals
	for b.Loop() {
		g.Compute(&a, p)
	}
}

// Redrawn words are distributed as the product of their weights over the trees
// that have the kept heads: each such tree, not only each arc, has its share.
func TestSamplerWithRedraw(t *testing.T) {
	r := hash.Rand(31)
	for round := range 12 {
		a := randomArcs(5, 6, 2500, &r)
		var s Sampler
		s.Prepare(&a)
		weight := func(i, m int) float64 {
			if lo, _ := a.Span(m); i > lo {
				return float64(s.cumulative[i] - s.cumulative[i-1])
			}
			return float64(s.cumulative[i])
		}
		kept := make([]int32, 6)
		if !s.spanner.MaximumTree(&a, 1, kept) {
			t.Fatal("no tree under word 1")
		}
		redraw := make([]bool, 6)
		for m := 2; m <= 5; m++ {
			redraw[m] = round%4 == 0 || r.Below(3) > 0
		}
		want, sum := map[[6]int32]float64{}, 0.0
		trees(&a, func(arcs []int) {
			var heads [6]int32
			p := 1.0
			for m := 1; m <= 5; m++ {
				heads[m] = a.Heads[arcs[m-1]]
				if redraw[m] {
					p *= weight(arcs[m-1], m)
				} else if heads[m] != kept[m] {
					return
				}
			}
			if heads[1] == 0 {
				want[heads] = p
				sum += p
			}
		})
		const samples = 40_000
		got := map[[6]int32]float64{}
		for range samples {
			head := make([]int32, 6)
			copy(head, kept)
			if !s.Sample(&a, 1, redraw, head, &r) {
				t.Fatal("no sample")
			}
			got[[6]int32(head)]++
		}
		for heads, p := range want {
			if d := math.Abs(got[heads]/samples - p/sum); d > 0.013 { // 5 standard deviations at most
				t.Errorf("redraw %v, tree %v: frequency %.4f, want %.4f", redraw, heads, got[heads]/samples, p/sum)
			}
			delete(got, heads)
		}
		if len(got) > 0 {
			t.Errorf("redraw %v of %v: %d other trees were drawn", redraw, kept, len(got))
		}
	}
}
