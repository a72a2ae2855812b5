package prune

import (
	"github.com/treebeam/treebeam/parser/linear"
)

// A noiser adds the gradient of a regulariser to that of a tree's log-likelihood: the
// expected effect of leaving out each feature with probability delta, and multiplying the
// others by 1/(1-delta) (Wang, Wang, Wager, Liang and Manning 2013, section 3). To the second
// order it is
//
//	R = 1/2 sum over arcs of p (1-p) V,  V = delta/(1-delta) sum of w^2
//
// where p is the marginal of the arc and w are the weights of its features. We depart from
// the paper, which is about chains, in the derivative of the marginals: it is taken along one direction,
// c = (1-2p) V/2, by two more computations of marginals with the scores moved along c.
type noiser struct {
	along  []float64 // c, by arc
	nats   []float64 // scores
	moved  []float64 // marginals of moved scores
	move   []float64 // derivative of R by the scores
	shrink []float64 // p (1-p) delta/(1-delta): derivative of R by a weight, over the weight
}

// noiseStep is the step of the central difference, relative to the largest of along.
const noiseStep = 1e-3

// regularise fills the noiser for the arcs with their probabilities. Sentences that are
// too long for marginals have no regulariser.
func (x *scratch) regularise(w *linear.Weights, delta float64) {
	size := len(x.p)
	x.along, x.nats, x.moved = resize(x.along, size), resize(x.nats, size), resize(x.moved, size)
	x.move, x.shrink = resize(x.move, size), resize(x.shrink, size)
	clear(x.move)
	clear(x.shrink)
	if x.arcs.N() > marginalWords {
		return
	}
	odds, most, from := delta/(1-delta), 0.0, int32(0)
	for a, p := range x.p {
		x.along[a] = (1 - 2*p) / 2 * odds * w.SumSquares(x.keys[from:x.ends[a]])
		x.shrink[a] = p * (1 - p) * odds
		most = max(most, x.along[a], -x.along[a])
		from = x.ends[a]
	}
	if most == 0 {
		return
	}
	width := noiseStep / most
	for _, sign := range [...]float64{1, -1} {
		for a, score := range x.odds.Score {
			x.nats[a] = float64(score)/1024 + float64(sign*width*x.along[a])
		}
		if !x.margins.ComputeAt(&x.odds, x.nats, x.moved) {
			clear(x.move)
			return
		}
		for a, p := range x.moved {
			x.move[a] += sign * p / (2 * width)
		}
	}
}
