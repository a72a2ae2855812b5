package transition

import (
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
)

// chart items of Eisner.Tree by kind, each over spans of positions.
const (
	rightOpen   = iota // i..j with the arc i -> j
	leftOpen           // i..j with the arc j -> i
	rightClosed        // i..j under i, complete
	leftClosed         // i..j under j, complete
)

// noTree is below the score of any tree. Sums of a few stay in range.
const noTree = math.MinInt64 / 8

// beyond is below the score of any arc, so that as few absent arcs as possible are taken.
const beyond = 1 << 45

// An Eisner finds best projective trees. It is scratch: one per goroutine.
type Eisner struct {
	// by pair of positions
	open, closed     []int64
	splitOpen, split []int32
	spans            []span
}

// Tree writes into head[1..n] the projective single-root tree with the
// largest sum of scores (Eisner 1996; the root takes one modifier, found last, as in
// Koo and Collins 2010). Ties go to the leftmost split. The tree has as few arcs that
// are not candidates as possible. Tree returns their number, which is 0 if
// the candidates hold a projective tree. It takes O(n^3) time and O(n^2) space, 24
// bytes for each pair of words.
func (s *Eisner) Tree(a *graph.Arcs, head []int32) (absent int) {
	n := a.N()
	if n == 0 {
		return 0
	}
	s.loadDense(a)
	size := n + 1
	// One half of each square holds the items that open or close to the right, at
	// i*size+j. The other half holds the items to the left, at j*size+i.
	open, closed := s.open, s.closed
	for i := 1; i <= n; i++ {
		closed[i*size+i] = 0
	}
	for width := 1; width < n; width++ {
		for i := 1; i+width <= n; i++ {
			j := i + width
			right, left := i*size+j, j*size+i
			best, k := bestSplit(width, closed[i*size+i:], closed[left+1:], 1)
			open[right] += best
			open[left] += best
			s.splitOpen[right] = int32(i + k) // of both open kinds
			closed[right], k = bestSplit(width, open[i*size+i+1:], closed[right+size:], size)
			s.split[right] = int32(i + 1 + k)
			closed[left], k = bestSplit(width, open[left:], closed[i*size+i:], size)
			s.split[left] = int32(i + k)
		}
	}
	best, root := int64(2*noTree), 0
	for m := 1; m <= n; m++ {
		if x := open[m] + closed[m*size+1] + closed[m*size+n]; x > best {
			best, root = x, m
		}
	}
	head[root] = 0
	s.readChart(size, root, head)
	for m := 1; m <= n; m++ {
		lo, hi := a.Span(m)
		if !slices.Contains(a.Heads[lo:hi], head[m]) {
			absent++
		}
	}
	return absent
}

// bestSplit returns the largest a[k]+b[k*step] for 0 <= k < n, and the first k
// that reaches it.
func bestSplit(n int, a, b []int64, step int) (best int64, at int) {
	best = noTree
	for k, x := range a[:n] {
		if x += b[k*step]; x > best {
			best, at = x, k
		}
	}
	return best, at
}

// loadDense fills s.open with the score of every arc h -> m at h*(n+1)+m.
func (s *Eisner) loadDense(a *graph.Arcs) {
	n := a.N()
	size := n + 1
	s.open, s.closed = resize(s.open, size*size), resize(s.closed, size*size)
	s.splitOpen, s.split = resize(s.splitOpen, size*size), resize(s.split, size*size)
	for i := range s.open {
		s.open[i] = -beyond
	}
	for m := 1; m <= n; m++ {
		lo, hi := a.Span(m)
		for i := lo; i < hi; i++ {
			s.open[int(a.Heads[i])*size+m] = int64(a.Score[i])
		}
	}
}

// A span is a chart item whose arcs are still to be read.
type span struct{ kind, i, j int32 }

// readChart follows the splits from the two halves under root.
func (s *Eisner) readChart(size, root int, head []int32) {
	s.spans = append(s.spans[:0], span{leftClosed, 1, int32(root)}, span{rightClosed, int32(root), int32(size - 1)})
	for len(s.spans) > 0 {
		x := s.spans[len(s.spans)-1]
		s.spans = s.spans[:len(s.spans)-1]
		if x.i == x.j {
			continue
		}
		right, left := int(x.i)*size+int(x.j), int(x.j)*size+int(x.i)
		switch x.kind {
		case rightClosed:
			m := s.split[right]
			s.spans = append(s.spans, span{rightOpen, x.i, m}, span{rightClosed, m, x.j})
		case leftClosed:
			m := s.split[left]
			s.spans = append(s.spans, span{leftClosed, x.i, m}, span{leftOpen, m, x.j})
		default:
			if x.kind == rightOpen {
				head[x.j] = x.i
			} else {
				head[x.i] = x.j
			}
			m := s.splitOpen[right]
			s.spans = append(s.spans, span{rightClosed, x.i, m}, span{leftClosed, m + 1, x.j})
		}
	}
}

func resize[T any](a []T, n int) []T { return slices.Grow(a[:0], n)[:n] }
