package label

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// The gradient of the loss with the regulariser agrees with finite differences of both,
// got by enumeration of all labelings, for every weight of every feature and pair.
func TestNoiseGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	testNoiseGradient(t, rng, sample(rng, 60, 5))
}

// So does that of trees with open relations, whose clamped pass comes first.
func TestNoiseGradientWithOpenRelations(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	whole := sample(rng, 70, 4)
	testNoiseGradient(t, rng, append(holed(rng, whole[:50], 0.5), whole[50:]...))
}

func testNoiseGradient(t *testing.T, rng *rand.Rand, list []syntax.Sentence) {
	tr := &trainer{vocabulary: vocabulary(), Options: Options{Delta: 0.3}}
	if err := tr.makeExamples(list); err != nil {
		t.Fatal(err)
	}
	n := len(tr.rel.names)
	weight := make([]float64, tr.index.Len()*n) // beside the float32 of tr, for small steps
	for id := range tr.index.Len() {
		for l := range n {
			w := float32(rng.NormFloat64()) * 0.3
			tr.rows.Add(int32(id), uint16(l), w, 1)
			weight[id*n+l] = float64(w)
		}
	}
	pair := make([]float64, len(tr.weights.W))
	for i := range pair {
		tr.weights.W[i] = float32(rng.NormFloat64()) * 0.3
		pair[i] = float64(tr.weights.W[i])
	}
	var g gradient
	checked := 0
	for i := range tr.examples {
		e := &tr.examples[i]
		g.compute(tr, e)
		byWeight, byPair := map[int]float64{}, map[int]float64{}
		for m := 1; m <= e.n; m++ {
			set := tr.rel.set(e.set[m])
			for j, l := range set {
				at := int(e.off[m]) + j
				for _, id := range e.ids[e.from[m]:e.from[m+1]] {
					w := int(id)*n + int(l)
					byWeight[w] += -float64(g.asks[at]) + float64(g.shrink[at])*weight[w]
				}
			}
			if h := e.head[m]; h > 0 {
				at := int(e.across[m])
				for _, above := range tr.rel.set(e.set[h]) {
					alone, inContext := tr.pairsOf(above, e.ctx[m])
					for _, l := range set {
						byPair[alone+int(l)] += g.across[at]
						byPair[inContext+int(l)] += g.across[at]
						at++
					}
				}
			}
		}
		const step = 1e-4
		numeric := func(x *float64, f func() float64) float64 {
			before := *x
			*x = before + step
			up := f()
			*x = before - step
			down := f()
			*x = before
			return (up - down) / (2 * step)
		}
		both := func() float64 { loss, r := lossAndNoise(tr, e, weight, pair); return loss + r }
		alone := func() float64 { _, r := lossAndNoise(tr, e, weight, pair); return r }
		for w, got := range byWeight {
			if want := numeric(&weight[w], both); math.Abs(got-want) > 2e-4*(1+math.Abs(want)) {
				t.Fatalf("example %d, weight %d: gradient %g, by differences %g", i, w, got, want)
			}
			checked++
		}
		for w, got := range byPair {
			if want := numeric(&pair[w], alone); math.Abs(got-want) > 2e-4*(1+math.Abs(want)) {
				t.Fatalf("example %d, pair %d: gradient %g, by differences %g", i, w, got, want)
			}
			checked++
		}
	}
	if checked < 300 {
		t.Errorf("only %d weights were checked", checked)
	}
}

// lossAndNoise returns the negative log-likelihood of a tree and the regulariser under the
// given weights, by enumeration.
func lossAndNoise(t *trainer, e *example, weight, pair []float64) (loss, r float64) {
	n := len(t.rel.names)
	marginal := make([]float64, e.off[e.n+1])
	total, gold := 0.0, 0.0
	choice := make([]uint8, e.n+1)
	for done := false; !done; {
		sum := 0.0
		same := true
		for m := 1; m <= e.n; m++ {
			l := int(t.rel.set(e.set[m])[choice[m]])
			for _, id := range e.ids[e.from[m]:e.from[m+1]] {
				sum += weight[int(id)*n+l]
			}
			if h := e.head[m]; h > 0 {
				alone, inContext := t.pairsOf(t.rel.set(e.set[h])[choice[h]], e.ctx[m])
				sum += pair[alone+l] + pair[inContext+l]
			}
			same = same && (e.gold[m] == open || choice[m] == e.gold[m])
		}
		p := math.Exp(sum)
		total += p
		for m := 1; m <= e.n; m++ {
			marginal[e.off[m]+int32(choice[m])] += p
		}
		if same {
			gold += p
		}
		done = !next(choice, e)
	}
	for m := 1; m <= e.n; m++ {
		for j, l := range t.rel.set(e.set[m]) {
			squares := 0.0
			for _, id := range e.ids[e.from[m]:e.from[m+1]] {
				squares += weight[int(id)*n+int(l)] * weight[int(id)*n+int(l)]
			}
			p := marginal[int(e.off[m])+j] / total
			r += p * (1 - p) * t.Delta / (1 - t.Delta) * squares / 2
		}
	}
	return -math.Log(gold / total), r
}
