package prune

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
)

// The gradient of the regulariser agrees with finite differences of what enumeration of
// all single-root trees gives, for every weight.
func TestNoiseGradient(t *testing.T) {
	const delta, features = 0.4, 9
	rng := rand.New(rand.NewPCG(4, 4))
	for range 20 {
		n := 1 + rng.IntN(4)
		var x scratch
		w := linear.NewWeights()
		weight := make([]float64, features)
		key := func(f int) hash.Key { return hash.Pair(99, uint64(f)) }
		for f := range weight {
			v := float32(rng.NormFloat64())
			w.Add(key(f), float64(v), 1)
			weight[f] = float64(v)
		}
		var has [][]int // features of every arc
		x.arcs.Start = []int32{0}
		for m := 1; m <= n; m++ {
			for h := 0; h <= n; h++ {
				if h != m {
					x.arcs.Heads, x.odds.Score = append(x.arcs.Heads, int32(h)), append(x.odds.Score, int32(rng.IntN(4096)))
					list := rng.Perm(features)[:1+rng.IntN(3)]
					for _, f := range list {
						x.keys = append(x.keys, key(f))
					}
					has, x.ends = append(has, list), append(x.ends, int32(len(x.keys)))
				}
			}
			x.arcs.Start = append(x.arcs.Start, int32(len(x.arcs.Heads)))
		}
		x.arcs.Score = x.odds.Score
		x.odds.Start, x.odds.Heads = x.arcs.Start, x.arcs.Heads
		x.p = make([]float64, len(x.arcs.Heads))
		if !x.margins.Compute(&x.odds, 16, x.p) {
			t.Fatal("no tree")
		}
		x.regularise(w, delta)
		for f := range weight {
			got := 0.0
			for a, list := range has {
				for _, g := range list {
					if g == f {
						got += x.move[a] + x.shrink[a]*weight[f]
					}
				}
			}
			const step = 1e-5
			r := func(by float64) float64 {
				moved := append([]float64(nil), weight...)
				moved[f] += by
				return noiseByEnumeration(&x.odds, has, weight, moved, delta)
			}
			if want := (r(step) - r(-step)) / (2 * step); math.Abs(got-want) > 1e-4*(1+math.Abs(want)) {
				t.Fatalf("%d words, feature %d: gradient %g, by differences %g", n, f, got, want)
			}
		}
	}
}

// On partial trees, the regulariser and what the known heads want do not disturb each
// other, in either order.
func TestNoiseOfPartialTrees(t *testing.T) {
	m, err := train(toy(60, 1), toy(20, 2), Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, r := linear.NewWeights(), hash.Rand(7)
	x := m.get()
	tested := 0
	for _, s := range holed(toy(60, 9), 4, 3) {
		if !s.Partial() {
			continue
		}
		x.encode(&s)
		x.shortlist(&s)
		x.include(&s, func(m int) int32 { return s.Words[m-1].Head })
		x.includeCompletion(&s)
		x.findKeys()
		for _, k := range x.keys {
			w.Add(k, float64(r.Below(1000))/1000-0.5, 1)
		}
		x.probabilities()
		p, wanted := slices.Clone(x.p), slices.Clone(x.wanted(&s))
		x.regularise(w, 0.4)
		move := slices.Clone(x.move)
		if !slices.Equal(x.p, p) || !slices.Equal(x.wanted(&s), wanted) {
			t.Fatal("the regulariser changes probabilities")
		}
		if x.regularise(w, 0.4); !slices.Equal(x.move, move) {
			t.Fatal("known heads change the regulariser")
		}
		if slices.Max(move) > 0 && !slices.Equal(p, wanted) {
			tested++
		}
	}
	if tested < 10 {
		t.Errorf("%d sentences tested", tested)
	}
}

// noiseByEnumeration returns the regulariser under the weights moved, where the scores are
// those under weight.
func noiseByEnumeration(a *graph.Arcs, has [][]int, weight, moved []float64, delta float64) float64 {
	n := a.N()
	score := make([]float64, len(has))
	for i, list := range has {
		score[i] = float64(a.Score[i]) / 1024
		for _, f := range list {
			score[i] += moved[f] - weight[f]
		}
	}
	marginal, total := make([]float64, len(has)), 0.0
	arcs := make([]int, n+1) // of the tree, by word
	var each func(m int)
	each = func(m int) {
		if m <= n {
			lo, hi := a.Span(m)
			for arcs[m] = int(lo); arcs[m] < int(hi); arcs[m]++ {
				each(m + 1)
			}
			return
		}
		roots, sum := 0, 0.0
		for m := 1; m <= n; m++ {
			at := m
			for steps := 0; at != 0; steps++ {
				if steps > n {
					return // a cycle
				}
				at = int(a.Heads[arcs[at]])
			}
			if a.Heads[arcs[m]] == 0 {
				roots++
			}
			sum += score[arcs[m]]
		}
		if roots != 1 {
			return
		}
		p := math.Exp(sum)
		total += p
		for m := 1; m <= n; m++ {
			marginal[arcs[m]] += p
		}
	}
	each(1)
	r := 0.0
	for i, list := range has {
		squares := 0.0
		for _, f := range list {
			squares += moved[f] * moved[f]
		}
		p := marginal[i] / total
		r += p * (1 - p) * delta / (1 - delta) * squares / 2
	}
	return r
}
