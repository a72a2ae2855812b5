package search

import (
	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// The scores around the best tree are a model of their own. If words could
// change their heads without regard to each other, the score of a tree would be
// that of the best one plus what each changed arc gains there. That is a
// first-order model, fitted to the model of the search where it matters. Its
// marginals are exact, and respect all constraints on trees: one root, no
// cycle, arcs that turn around.
//
// Scores are learned with a margin and not as probabilities. The probability that
// a unit of them stands for, and the weight of the pruner's log-odds next to
// them, were fitted on dev: see lab/notes/sampling.md.
const (
	unitNats  = 512 // of one score.Unit, in 1/1024 nat
	oddsShare = 460 // of the pruner's log-odds, in 1/1024
)

// linearize sets x.worth to what every candidate head of word m is worth in the
// present tree, heads below m included, and x.linear to their scores in the
// first-order model, in 1/1024 nat.
func (x *Search) linearize(m int32) {
	arcs := &x.Scores.Arcs
	lo, hi := arcs.Start[m-1], arcs.Start[m]
	x.worth = resize(x.worth, int(hi-lo))
	clear(x.worth)
	if hi-lo > 1 {
		x.Scores.AttachAll(&x.Tree, int(m), x.worth)
	}
	now := int64(x.worth[x.Tree.Arc[m]-lo])
	for i := lo; i < hi; i++ {
		gain := int64(x.worth[i-lo]) - now
		x.linear[i] = int32(gain*unitNats/score.Unit + int64(x.Pruned.Score[i])*oddsShare/1024)
	}
}

// around puts the marginals of the first-order model in x.linear into p.
func (x *Search) around(p []float64) {
	linear := graph.Arcs{Start: x.Pruned.Start, Heads: x.Pruned.Heads, Score: x.linear}
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

// marginals sets HeadMarginal and HeadDoubt by the scores in x.linear, and
// FirstOrder and FirstDoubt by the pruner's scores. lost, if not nil, holds by word
// minus 1 the probability that the pruner has removed; both marginals are reduced
// by it. The present tree is x.best.
func (x *Search) marginals(c *syntax.Confidence, lost []float32) {
	n := x.Scores.N
	x.posterior = resize(x.posterior, len(x.Pruned.Heads))
	x.around(x.posterior)
	first := x.prunerMarginals()
	if n > syntax.MaxMarginalWords {
		x.Pruned.Softmax(first)
	}
	for i := range n {
		lo, hi := x.Pruned.Span(i + 1)
		setHead(c, i, int(x.Tree.Arc[i+1])-lo, x.posterior[lo:hi], first[lo:hi], lost)
	}
}

// setHead sets the probabilities of the head of word i+1, which is candidate at.
// posterior and first hold the probabilities of all its candidates under the search and
// under the pruner, lost the probability that the pruner has removed.
func setHead(c *syntax.Confidence, i, at int, posterior, first []float64, lost []float32) {
	out := 0.0
	if lost != nil {
		out = float64(lost[i])
	}
	c.HeadMarginal[i], c.HeadDoubt[i] = sure(posterior, at, out)
	c.FirstOrder[i], c.FirstDoubt[i] = sure(first, at, out)
}

// sure returns the probability p[at] of a chosen head, and its difference to 1. A
// negative at says that the head is not a candidate. The difference is the sum of
// all other probabilities, which is exact where it is small.
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
