package search

import (
	"github.com/treebeam/treebeam/parser/projective"
	"github.com/treebeam/treebeam/parser/syntax"
)

// solvingSteps is how many steps dynamic programming may take for each of
// Certify: by default 400,000, far more than most sentences of 40 words need
// without tri-siblings.
const solvingSteps = 20

// solve finds the best projective tree by dynamic programming (Koo and Collins 2010)
// and offers it. It applies if only projective trees are allowed, the families of the
// model fit, and steps and memory suffice; it reports whether it does. It changes
// x.start and the present tree.
func (x *Search) solve(limit int64) bool {
	if !x.Projective {
		return false
	}
	_, steps, result := x.solver.Best(&x.Scores, solvingSteps*min(limit, 1<<40), x.start)
	proved := result == projective.Found
	if proved {
		x.Tree.Set(&x.Scores.Arcs, x.start)
		x.Offer()
	}
	return x.proved(steps, proved)
}

// certify tries to prove in at most limit steps that x.best is the best tree, and
// takes a better one if it finds one. It changes the present tree.
func (x *Search) certify(limit int64) bool {
	return x.proved(x.prover.Prove(x.offerHeads, &x.Scores, x.Projective, x.bestAt, limit))
}

// offerHeads offers heads if they are a tree, without crossing arcs where none may
// cross, and returns the score of x.best.
func (x *Search) offerHeads(heads []int32) int64 {
	if !syntax.IsTree(heads) {
		return x.bestAt
	}
	x.Tree.Set(&x.Scores.Arcs, heads)
	for m := 1; m < len(heads); m++ {
		if x.excluded(heads[m], int32(m)) {
			return x.bestAt
		}
	}
	x.Offer()
	return x.bestAt
}

// proved counts the steps of a proof. If it succeeded, the certificate says that no
// tree scores higher.
func (x *Search) proved(steps int64, success bool) bool {
	x.Scores.Count.Steps += steps
	if success {
		x.Scores.Count.Proved++
		x.certificate = syntax.Bound
	}
	return success
}
