package search

import (
	"github.com/treebeam/treebeam/parser/projective"
	"github.com/treebeam/treebeam/parser/syntax"
)

// solvingSteps is how many steps dynamic programming may take for each of
// Certify: by default 400,000, where a sentence of 40 words takes about 3,000
// in English and 20,000 in Turkish, or 300,000 with tri-siblings.
const solvingSteps = 20

// solve takes the best projective tree, by dynamic programming (Koo and
// Collins 2010), if no other may be, the families of the model fit and steps and
// memory suffice, and reports whether it does. The certificate says that no tree
// scores higher. It changes x.start and the present tree.
func (x *Search) solve(certify int64) bool {
	if !x.Projective {
		return false
	}
	_, steps, result := x.solver.Best(&x.Scores, solvingSteps*min(certify, 1<<40), x.start)
	x.Scores.Count.Steps += steps
	if result != projective.Found {
		return false
	}
	x.Tree.Set(&x.Scores.Arcs, x.start)
	x.Offer()
	x.Scores.Count.Proved++
	x.certificate = syntax.Bound
	return true
}
