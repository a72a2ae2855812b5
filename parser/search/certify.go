package search

import "github.com/treebeam/treebeam/parser/syntax"

// certify tries to prove that x.best is the best tree, in so many steps, and
// takes a better one if it meets one. The certificate says what came of it. It
// needs x.best, and changes the present tree.
func (x *Search) certify(limit int64) bool {
	steps, proved := x.prover.Prove((*offers)(x), &x.Scores, x.Projective, x.bestAt, limit)
	x.Scores.Count.Steps += steps
	if proved {
		x.Scores.Count.Proved++
		x.certificate = syntax.Bound
	}
	return proved
}

// offers is a Search as a certify.Prover sees it.
type offers Search

// Offer implements certify.Search.
func (o *offers) Offer(heads []int32) int64 {
	x := (*Search)(o)
	if syntax.IsTree(heads) {
		x.Tree.Set(&x.Scores.Arcs, heads)
		x.Offer()
	}
	return x.bestAt
}
