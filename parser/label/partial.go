package label

import (
	"math"

	"github.com/treebeam/treebeam/parser/graph"
)

// For a tree with open relations, training raises the likelihood of the known
// relations: the sum over all labellings that have them. Its gradient is the
// expectation under these labellings less the expectation under all. So there are
// two passes of sum-product, and the first is clamped: at a word with a known
// relation, only that relation has a belief.

// open stands for a relation that is not known, in place of an index into the
// word's set.
const open = MaxRelations

// clamped holds the results of the clamped pass.
type clamped struct {
	belief, prob, mass []float64
	free               []float64 // beliefs before either pass
}

// clamp saves the beliefs, and sets those that known relations exclude to 0.
func (g *gradient) clamp() {
	e := g.e
	g.clamped.free = append(g.clamped.free[:0], g.belief...)
	for m := 1; m <= e.n; m++ {
		if e.gold[m] == open {
			continue
		}
		belief := g.belief[e.off[m]:e.off[m+1]]
		for j := range belief {
			if j != int(e.gold[m]) {
				belief[j] = 0
			}
		}
		belief[e.gold[m]] = max(belief[e.gold[m]], math.SmallestNonzeroFloat32) // a known relation is possible, however unlikely
	}
}

// sumClamped makes the clamped pass, keeps what it finds, takes its logarithm from
// the loss, and restores the beliefs.
func (g *gradient) sumClamped() {
	c := &g.clamped
	g.sums()
	c.belief = append(c.belief[:0], g.belief...)
	c.prob = append(c.prob[:0], g.prob...)
	c.mass = append(c.mass[:0], g.mass...)
	for m := 1; m <= g.e.n; m++ {
		g.loss -= graph.Log(g.scale[m])
	}
	copy(g.belief, c.free)
}

// pair returns how probable it is under the clamped pass that word m has relation b
// of its set, and its head relation a.
func (c *clamped) pair(g *gradient, m int32, a, b int) float32 {
	e := g.e
	p := c.prob[int(e.off[e.head[m]])+a]
	if p == 0 {
		return 0
	}
	share := p / c.mass[int(e.above[m])+a]
	return float32(float64(share*float64(g.row(m, a)[b])) * c.belief[int(e.off[m])+b])
}
