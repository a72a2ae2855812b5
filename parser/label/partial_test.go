package label

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// holed takes about a share of the relations away.
func holed(rng *rand.Rand, list []syntax.Sentence, share float64) []syntax.Sentence {
	list = syntax.Clone(list)
	for i := range list {
		for j := range list[i].Words {
			if rng.Float64() < share {
				list[i].Words[j].Deprel = ""
			}
		}
	}
	return list
}

// Loss and gradients are those of enumeration: of all labellings, and of those that
// have the known relations, which may be all of them.
func TestGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 8))
	tr := &trainer{vocabulary: vocabulary()}
	list := sample(rng, 160, 4)
	if err := tr.makeExamples(append(holed(rng, list[:120], 0.5), list[120:]...)); err != nil {
		t.Fatal(err)
	}
	for id := range tr.index.Len() {
		for l := range tr.rel.names {
			tr.rows.Add(int32(id), uint16(l), float32(rng.NormFloat64())*0.3, 1)
		}
	}
	for i := range tr.weights.W {
		tr.weights.W[i] = float32(rng.NormFloat64()) * 0.3
	}
	var g gradient
	whole, partial := 0, 0
	for i := range tr.examples {
		e := &tr.examples[i]
		g.compute(tr, e)
		if e.open {
			partial++
		} else {
			whole++
		}
		want := make([]float64, len(g.asks))
		pairs := map[string]float64{}
		total, known := 0.0, 0.0
		for _, clamped := range []bool{false, true} {
			sum, at, both := 0.0, make([]float64, len(want)), map[string]float64{}
			choice := make([]uint8, e.n+1)
			for done := false; !done; {
				fits := true
				for m := 1; m <= e.n; m++ {
					fits = fits && (!clamped || e.gold[m] == open || e.gold[m] == choice[m])
				}
				if fits {
					p := math.Exp(tr.logScore(e, choice))
					sum += p
					for m := 1; m <= e.n; m++ {
						at[e.off[m]+int32(choice[m])] += p
						if h := e.head[m]; h > 0 {
							both[fmt.Sprint(m, choice[h], choice[m])] += p
						}
					}
				}
				done = !next(choice, &e.layout)
			}
			if !clamped {
				total = sum
				for j, p := range at {
					want[j] -= p / sum
				}
				continue
			}
			known = sum
			for j, p := range at {
				want[j] += p / sum
			}
			for k, p := range both {
				pairs[k] = p / sum
			}
		}
		if loss := math.Log(total) - math.Log(known); math.Abs(loss-g.loss) > 1e-4 {
			t.Fatalf("loss %g, by enumeration %g", g.loss, loss)
		}
		for j, x := range want {
			if math.Abs(x-float64(g.asks[j])) > 1e-4 {
				t.Fatalf("gradient %g, by enumeration %g", g.asks[j], x)
			}
		}
		for m := int32(1); m <= int32(e.n); m++ {
			h := e.head[m]
			if h == 0 || !e.open {
				continue
			}
			for a := range e.off[h+1] - e.off[h] {
				for b := range e.off[m+1] - e.off[m] {
					got, want := float64(g.clamped.pair(&g, m, int(a), int(b))), pairs[fmt.Sprint(m, a, b)]
					if math.Abs(got-want) > 1e-4 {
						t.Fatalf("pair %g, by enumeration %g", got, want)
					}
				}
			}
		}
	}
	if whole < 30 || partial < 30 {
		t.Errorf("%d whole trees and %d with open relations: the test sees too little", whole, partial)
	}
}

// Half of the relations are enough for a language as simple as that of the tests.
func TestLearnsFromOpenRelations(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	train := holed(rng, sample(rng, 400, 9), 0.5)
	m, err := Train(vocabulary(), train, nil, Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	right, _, words := m.Accuracy(sample(rand.New(rand.NewPCG(11, 11)), 100, 9))
	if percent(right, words) < 92 {
		t.Errorf("%d of %d right: want 92 %% of a language with 5 %% noise", right, words)
	}
}
