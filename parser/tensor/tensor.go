// Package tensor scores arcs by a low-rank tensor (Lei, Xin, Zhang, Barzilay
// and Jaakkola 2014):
//
//	t(h,m) = sum over r of (U_r . phi_h) (V_r . phi_m) (W_r . phi_hm)
//
// phi of a word are its features (feature.Codes.Word) as far as the
// dictionary knows them, phi_hm is an entry that is always on and the bin of
// the signed distance. The projections U.phi and V.phi of every position are
// summed once a sentence, so that an arc costs R multiplications.
//
// A Learner holds U, V and W as floats while they are learned, a Model as
// integers once they are fixed. The score of a tree is
// gamma*sparse + (1-gamma)*tensor; gamma is folded into the sparse weights,
// and 1-gamma into what Arc returns, so that neither is multiplied at
// inference.
package tensor

import (
	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Bins is the length of phi_hm: entry 0 is always on, 1..14 are the distance
// bins of feature.Distance.
const Bins = 15

// A Scorer scores arcs: a Learner or a Model. It is safe for concurrent
// readers, each with a Projection of its own.
type Scorer interface {
	// Project fills p for the sentence that c encodes. It returns the number
	// of rows looked up.
	Project(c *feature.Codes, s *syntax.Sentence, p *Projection) (lookups int)

	// Arc returns (1-gamma) t(h,m) in units of 1/score.Unit, 0 <= h <= n,
	// 1 <= m <= n, h != m, in the sentence last projected into p.
	Arc(p *Projection, h, m int) int32
}

// A Projection is what a Scorer computes once a sentence. It is scratch,
// refilled without allocating in steady state, and belongs to one goroutine.
type Projection struct {
	rank  int
	keys  []feature.Key
	terms []term  // of all positions
	start []int32 // terms of position p: terms[start[p]:start[p+1]]

	head, modifier []int32   // of a Model: [p*rank + r], in units of 2^-16
	u, v           []float64 // of a Learner: [p*rank + r]

	local []int32 // of Gradient: by row, its place in the gradient plus 1
}

// A term is one entry of phi: a row of U and V and the value it is on with.
type term struct {
	row   int32
	value float32
}

// resize returns a slice of n elements whose content is not defined.
func resize[T any](a []T, n int) []T {
	if cap(a) < n {
		return make([]T, n, n+n/2)
	}
	return a[:n]
}
