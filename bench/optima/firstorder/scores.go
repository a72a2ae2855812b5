// Package firstorder studies greedy search on first-order scores: it counts the
// local optima of a sentence exactly, climbs, draws starting trees and finds
// the exact optimum (Zhang, Lei, Barzilay and Jaakkola 2014, sections 3 and 5).
// Any number of words may hang on the root, as in the paper; the parser itself
// allows one.
//
// A local optimum is a tree that no change of one head improves. With ties the
// number of such trees has no useful bound (constant scores make all trees
// optima), so equal scores are told apart: of two heads of a word with the
// same score, the one further left counts as better, as if every score had
// lost an amount too small to change anything else. All functions order heads
// this way, and only this way.
package firstorder

import (
	"cmp"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
)

// Scores are the scores of all arcs h -> m of a sentence of N words, in any
// unit. They are read-only and safe for concurrent use.
type Scores struct {
	N     int
	arcs  []int32 // [h*(N+1)+m]
	order []int32 // [(m-1)*N + r]: the head of m that only r heads are better than
	tied  bool
}

// New takes arcs [h*(n+1)+m], 0 <= h <= n, 1 <= m <= n, h != m, in the scores'
// own unit, and keeps them. Entries with h == m or m == 0 are not read.
func New(n int, arcs []int32) *Scores {
	s := &Scores{N: n, arcs: arcs, order: make([]int32, 0, n*n)}
	for m := 1; m <= n; m++ {
		from := len(s.order)
		for h := 0; h <= n; h++ {
			if h != m {
				s.order = append(s.order, int32(h))
			}
		}
		heads := s.order[from:]
		slices.SortFunc(heads, func(a, b int32) int {
			return cmp.Or(cmp.Compare(s.Arc(b, m), s.Arc(a, m)), cmp.Compare(a, b))
		})
		for r := 1; r < n; r++ {
			s.tied = s.tied || s.Arc(heads[r-1], m) == s.Arc(heads[r], m)
		}
	}
	return s
}

// Arc returns the score of h -> m.
func (s *Scores) Arc(h int32, m int) int32 { return s.arcs[int(h)*(s.N+1)+m] }

// Tied reports whether two heads of one word have the same score.
func (s *Scores) Tied() bool { return s.tied }

// ranked returns the heads of m, best first.
func (s *Scores) ranked(m int) []int32 { return s.order[(m-1)*s.N : m*s.N] }

// Favourite returns the best head of m.
func (s *Scores) Favourite(m int) int32 { return s.ranked(m)[0] }

// Total returns the score of the tree head[1..N].
func (s *Scores) Total(head []int32) int64 {
	sum := int64(0)
	for m := 1; m <= s.N; m++ {
		sum += int64(s.Arc(head[m], m))
	}
	return sum
}

// Best writes into head[1..N] a tree with the largest score there is. It is
// Chu-Liu/Edmonds: the multi-root trees over N words are the single-root ones
// over N+1 whose first word alone may hang on 0.
func (s *Scores) Best(head []int32) {
	n := s.N
	a := graph.Arcs{Start: []int32{0, 1}, Heads: []int32{0}, Score: []int32{0}}
	for m := 1; m <= n; m++ {
		for h := 0; h <= n; h++ {
			if h != m {
				a.Heads = append(a.Heads, int32(h+1))
				a.Score = append(a.Score, s.Arc(int32(h), m))
			}
		}
		a.Start = append(a.Start, int32(len(a.Heads)))
	}
	shifted := make([]int32, n+2)
	var spanner graph.Spanner
	spanner.MaximumTree(&a, 1, shifted)
	for m := 1; m <= n; m++ {
		head[m] = shifted[m+1] - 1
	}
}
