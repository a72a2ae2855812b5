package search

import (
	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// What the best tree says of its neighbours: if words could change their heads
// without regard to each other, the score of a tree would be that of the best
// one plus what each changed arc gains there. That is a first-order model,
// fitted to the model of the search where it matters, and its marginals are
// exact, with all that trees demand: one root, no cycle, arcs that turn around.
//
// Scores are learned with a margin and not as probabilities. What a unit of
// them is worth, and what the pruner's opinion is beside them, was fitted on dev:
// see lab/notes/sampling.md.
const (
	unitNats  = 512 // of one score.Unit, in 1/1024 nat
	oddsShare = 460 // of the pruner's log-odds, in 1/1024
)

// linearize leaves in x.worth what every candidate head of word m is worth in
// the present tree, those below m among them, and in x.linear its score by the
// first-order model, in 1/1024 nat.
func (x *Search) linearize(m int32) {
	arcs := &x.Scores.Arcs
	lo, hi := arcs.Start[m-1], arcs.Start[m]
	x.worth = resize(x.worth, int(hi-lo))
	clear(x.worth)
	if hi-lo > 1 {
		x.Scores.AttachAll(&x.Tree, int(m), x.worth)
	}
	now := int64(x.worth[x.Tree.Slot[m]-lo])
	for i := lo; i < hi; i++ {
		gain := int64(x.worth[i-lo]) - now
		x.linear[i] = int32(gain*unitNats/score.Unit + int64(x.Pruned.Score[i])*oddsShare/1024)
	}
}

// around puts the marginals of the first-order model in x.linear into p.
func (x *Search) around(p []float64) {
	linear := x.linearArcs()
	if x.Scores.N > syntax.MaxMarginalWords || !x.margins.Compute(&linear, p) {
		linear.Softmax(p)
	}
}

// prunerMarginals returns the marginals of all arcs by the pruner's scores, or
// zeros if they are not known. Only restarts and confidence need them, so they
// are computed when they are first asked for.
func (x *Search) prunerMarginals() []float64 {
	if len(x.marginal) == 0 {
		x.marginal = resize(x.marginal, len(x.Pruned.Heads))
		if x.Scores.N > syntax.MaxMarginalWords || !x.margins.Compute(&x.Pruned, x.marginal) {
			clear(x.marginal)
		}
	}
	return x.marginal
}

func (x *Search) linearArcs() graph.Arcs {
	return graph.Arcs{Start: x.Pruned.Start, Heads: x.Pruned.Heads, Score: x.linear}
}

// marginals sets HeadMarginal and FirstOrder, by the scores in x.linear and by
// the pruner's, and HeadDoubt and FirstDoubt. What the pruner has taken from a
// word, by word minus 1 in lost if that is not nil, is missing in both. The present
// tree is x.best.
func (x *Search) marginals(c *syntax.Confidence, lost []float32) {
	n := x.Scores.N
	x.posterior = resize(x.posterior, len(x.Pruned.Heads))
	x.around(x.posterior)
	first := x.prunerMarginals()
	if n > syntax.MaxMarginalWords {
		x.Pruned.Softmax(first)
	}
	for i := range n {
		out := 0.0
		if lost != nil {
			out = float64(lost[i])
		}
		c.HeadMarginal[i], c.HeadDoubt[i] = x.sure(i+1, x.posterior, out)
		c.FirstOrder[i], c.FirstDoubt[i] = x.sure(i+1, first, out)
	}
}

// sure returns the probability of the head that m has in the present tree, of p
// by arc and lost for what is no candidate, and what it lacks to 1.
func (x *Search) sure(m int, p []float64, lost float64) (marginal, doubt float32) {
	lo, hi := x.Pruned.Span(m)
	return sure(p[lo:hi], int(x.Tree.Slot[m])-lo, lost)
}

// sure returns the probability of candidate at among p, of which there is none
// if at is negative, and what it lacks to 1: the sum of the others, which is exact
// where it is small.
func sure(p []float64, at int, lost float64) (marginal, doubt float32) {
	others := 0.0
	for i, q := range p {
		if i != at {
			others += q
		}
	}
	missing := min(lost+float64((1-lost)*others), 1)
	return round(1 - missing), float32(missing)
}
