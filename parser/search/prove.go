package search

import "github.com/treebeam/treebeam/parser/syntax"

// certify tries to prove in at most limit steps that x.best is the best tree, and
// takes a better one if it finds one. It changes the present tree.
func (x *Search) certify(limit int64) bool {
	steps, proved := x.prover.Prove(x.offerHeads, &x.Scores, x.bestAt, limit)
	x.Scores.Count.Steps += steps
	if proved {
		x.Scores.Count.Proved++
		x.certificate = syntax.Bound
	}
	return proved
}

// offerHeads offers heads if they are a tree, and returns the score of x.best.
func (x *Search) offerHeads(heads []int32) int64 {
	if syntax.IsTree(heads) {
		x.Tree.Set(&x.Scores.Arcs, heads)
		x.Offer()
	}
	return x.bestAt
}
