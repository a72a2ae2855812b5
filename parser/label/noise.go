package label

import (
	"github.com/treebeam/treebeam/parser/graph"
)

// A noiser adds the gradient of a regulariser to that of a tree's log-likelihood: the
// expected effect of leaving out each feature with probability Delta, and multiplying the
// others by 1/(1-Delta) (Wang, Wang, Wager, Liang and Manning 2013, section 3). To the second
// order it is
//
//	R = 1/2 sum over (word, relation) of p (1-p) V,  V = Delta/(1-Delta) sum of w^2
//
// where p is the marginal of the relation and w are the weights of the word's features
// for it. We depart from the paper in two ways. The noise is drawn for the features of each
// word and relation; factors of pairs have none. And the derivative of the marginals is
// taken along one direction, c = (1-2p) V/2, which is all that the gradient needs: two more
// passes of inference with the scores moved along c, whatever the number of features.
type noiser struct {
	odds     float64   // Delta/(1-Delta)
	variance []float64 // V, over (word, relation)
	base     []float64 // beliefs before any pass
	along    []float64 // c
	move     []float64 // derivative of R by the scores through the marginals
	across   []float64 // likewise by the factors, over (word, relation of its head, relation)
	shrink   []float32 // p (1-p) odds: derivative of R by a weight, over the weight
	squares  []float32 // by relation
}

// step of the central difference, relative to the largest of along.
const noiseStep = 1e-3

// regularise fills n for the tree whose beliefs and factors g holds, and leaves them.
func (g *gradient) regularise(t *trainer) {
	n, e := &g.noiser, g.e
	n.odds = t.Delta / (1 - t.Delta)
	size := len(g.belief)
	n.variance, n.along, n.move = resize(n.variance, size), resize(n.along, size), resize(n.move, size)
	n.shrink, n.across = resize(n.shrink, size), resize(n.across, len(g.factor))
	n.squares = resize(n.squares, len(t.rel.names))
	n.base = append(n.base[:0], g.belief...)
	for m := 1; m <= e.n; m++ {
		clear(n.squares)
		for _, id := range e.ids[e.from[m]:e.from[m+1]] {
			t.rows.SumSquares(id, n.squares)
		}
		for j, l := range t.rel.set(e.set[m]) {
			n.variance[int(e.off[m])+j] = n.odds * float64(n.squares[l])
		}
	}
	g.sums()
	most := 0.0
	for j, p := range g.prob {
		n.along[j] = (1 - 2*p) / 2 * n.variance[j]
		n.shrink[j] = float32(p * (1 - p) * n.odds)
		most = max(most, n.along[j], -n.along[j])
	}
	clear(n.move)
	clear(n.across)
	if most > 0 {
		width := noiseStep / most
		for _, sign := range [...]float64{1, -1} {
			for j := range g.belief {
				g.belief[j] = n.base[j] * graph.Exp(sign*width*n.along[j])
			}
			g.sums()
			g.difference(sign / (2 * width))
		}
	}
	copy(g.belief, n.base)
}

// difference adds the marginals of the last pass, times by, to move and across.
func (g *gradient) difference(by float64) {
	n, e := &g.noiser, g.e
	for j, p := range g.prob {
		n.move[j] += float64(by * p)
	}
	for m := int32(1); m <= int32(e.n); m++ {
		h := e.head[m]
		if h == 0 {
			continue
		}
		at, belief := int(e.across[m]), g.belief[e.off[m]:e.off[m+1]]
		for a := range g.mass[e.above[m]:e.above[m+1]] {
			row, share := g.row(m, a), g.prob[int(e.off[h])+a]/g.mass[int(e.above[m])+a]
			for b, x := range row {
				n.across[at] += float64(by * share * float64(x) * belief[b])
				at++
			}
		}
	}
}
