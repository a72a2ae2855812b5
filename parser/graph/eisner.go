package graph

import "math"

// chart items of ProjectiveTree by kind, each over spans of positions.
const (
	rightOpen   = iota // i..j with the arc i -> j
	leftOpen           // i..j with the arc j -> i
	rightClosed        // i..j under i, complete
	leftClosed         // i..j under j, complete
	chartKinds
)

// noTree is a score below that of any tree; sums of a few stay in range.
const noTree = math.MinInt64 / 8

// ProjectiveTree writes into head[1..n] the projective single-root tree with
// the largest sum of scores (Eisner 1996; the root takes one modifier, found
// last, as Koo and Collins 2010 do), ties broken for the split furthest
// left. An arc that is no candidate costs more than the whole spread of the
// scores, so as few of them as possible are used; it returns their number,
// 0 where the candidates hold a projective tree. O(n^3) time, O(n^2) space.
func (s *Spanner) ProjectiveTree(a *Arcs, head []int32) (absent int) {
	n := a.N()
	if n == 0 {
		return 0
	}
	s.loadDense(a)
	size := n + 1
	cells := size * size
	s.chart = growInts(s.chart, chartKinds*cells)
	s.split = growInts(s.split, chartKinds*cells)
	table := func(kind int) []int64 { return s.chart[kind*cells : (kind+1)*cells] }
	ro, lo, rc, lc := table(rightOpen), table(leftOpen), table(rightClosed), table(leftClosed)
	for i := 1; i <= n; i++ {
		rc[i*size+i], lc[i*size+i] = 0, 0
	}
	for width := 1; width < n; width++ {
		for i := 1; i+width <= n; i++ {
			j := i + width
			at := i*size + j
			best, where := int64(noTree), int64(i)
			for m := i; m < j; m++ {
				if x := rc[i*size+m] + lc[(m+1)*size+j]; x > best {
					best, where = x, int64(m)
				}
			}
			ro[at], lo[at] = best+s.dense[i*size+j], best+s.dense[j*size+i]
			s.split[at] = where // of both open kinds
			best, where = noTree, int64(j)
			for m := i + 1; m <= j; m++ {
				if x := ro[i*size+m] + rc[m*size+j]; x > best {
					best, where = x, int64(m)
				}
			}
			rc[at], s.split[rightClosed*cells+at] = best, where
			best, where = noTree, int64(i)
			for m := i; m < j; m++ {
				if x := lc[i*size+m] + lo[m*size+j]; x > best {
					best, where = x, int64(m)
				}
			}
			lc[at], s.split[leftClosed*cells+at] = best, where
		}
	}
	best, root := int64(2*noTree), 0
	for m := 1; m <= n; m++ {
		if x := s.dense[m] + lc[size+m] + rc[m*size+n]; x > best {
			best, root = x, m
		}
	}
	head[root] = 0
	s.readChart(size, root, head)
	for m := 1; m <= n; m++ {
		if s.dense[int(head[m])*size+m] < s.least {
			absent++
		}
	}
	return absent
}

// loadDense fills s.dense with the score of every arc h -> m at h*(n+1)+m,
// and s.least with a bound below that of every candidate and above that of
// every other arc.
func (s *Spanner) loadDense(a *Arcs) {
	n := a.N()
	size := n + 1
	spread, least := int64(1), int64(0)
	for m := 1; m <= n; m++ {
		lo, hi := a.Span(m)
		if lo == hi {
			continue
		}
		low, high := int64(a.Score[lo]), int64(a.Score[lo])
		for i := lo; i < hi; i++ {
			low, high = min(low, int64(a.Score[i])), max(high, int64(a.Score[i]))
		}
		spread += max(high, 0) - min(low, 0)
		least = min(least, low)
	}
	s.dense = growInts(s.dense, size*size)
	absent := least - spread
	for i := range s.dense {
		s.dense[i] = absent
	}
	s.least = least
	for m := 1; m <= n; m++ {
		lo, hi := a.Span(m)
		for i := lo; i < hi; i++ {
			s.dense[int(a.Heads[i])*size+m] = int64(a.Score[i])
		}
	}
}

// A span is a chart item whose arcs are still to be read.
type span struct{ kind, i, j int32 }

// readChart follows the splits from the two halves under root.
func (s *Spanner) readChart(size, root int, head []int32) {
	cells := size * size
	s.spans = append(s.spans[:0], span{leftClosed, 1, int32(root)}, span{rightClosed, int32(root), int32(size - 1)})
	for len(s.spans) > 0 {
		x := s.spans[len(s.spans)-1]
		s.spans = s.spans[:len(s.spans)-1]
		if x.i == x.j {
			continue
		}
		at := int(x.i)*size + int(x.j)
		switch x.kind {
		case rightClosed:
			m := int32(s.split[rightClosed*cells+at])
			s.spans = append(s.spans, span{rightOpen, x.i, m}, span{rightClosed, m, x.j})
		case leftClosed:
			m := int32(s.split[leftClosed*cells+at])
			s.spans = append(s.spans, span{leftClosed, x.i, m}, span{leftOpen, m, x.j})
		default:
			if x.kind == rightOpen {
				head[x.j] = x.i
			} else {
				head[x.i] = x.j
			}
			m := int32(s.split[at])
			s.spans = append(s.spans, span{rightClosed, x.i, m}, span{leftClosed, m + 1, x.j})
		}
	}
}

func growInts(a []int64, n int) []int64 {
	if cap(a) < n {
		return make([]int64, n, n+n/2)
	}
	return a[:n]
}
