package graph

import "github.com/treebeam/treebeam/parser/hash"

// Limits of Redraw. A draw that is over them is given up.
const (
	redrawTries = 8    // draws until one has a single root
	redrawSteps = 1000 // steps of all walks
	redrawUnit  = 1 << 20
)

// PrepareRedraw sets the weight of every arc for Redraw to an integer next to
// exp(score/1024), as large as Weight returns, those of root arcs among them.
func (s *Sampler) PrepareRedraw(a *Arcs) {
	n := a.N()
	s.cumulative = resize(s.cumulative, len(a.Heads))
	for m := 1; m <= n; m++ {
		lo, hi := a.Span(m)
		best, sum := a.best(m), uint32(0)
		for i := lo; i < hi; i++ {
			sum += uint32(ExpOdds(best-a.Score[i])*redrawUnit) + 1
			s.cumulative[i] = sum
		}
	}
	s.seen, s.in = resize(s.seen, n+1), resize(s.in, n+1)
	clear(s.seen)
	clear(s.in)
	s.draw = 0
}

// Weight returns the weight of an arc into m, as an integer.
func (s *Sampler) Weight(a *Arcs, m int, arc int32) float64 {
	if arc == a.Start[m-1] {
		return float64(s.cumulative[arc])
	}
	return float64(s.cumulative[arc] - s.cumulative[arc-1])
}

// Redraw draws new heads for the words of a block from the distribution over
// single-root trees that is proportional to the product of the weights, given
// the heads of all other words, by Wilson's algorithm (1996). If the root word
// is in the block, another one of it may become the root: trees with two roots
// are drawn again. head[1..n] is a single-root tree of arcs. The draw does not
// depend on the heads that the words of the block have in it, nor does the
// chance that it is given up, as walks between words that prefer each other may
// be endless: then Redraw returns false, and head holds no tree.
func (s *Sampler) Redraw(a *Arcs, block, head []int32, r *hash.Rand) bool {
	roots := false
	for _, m := range block {
		s.in[m] = true
		roots = roots || head[m] == 0
	}
	found, steps := false, redrawSteps
	for try := 0; try < redrawTries && !found && steps > 0; try++ {
		found = s.walk(a, block, head, roots, &steps, r)
		if !roots {
			break // no draw has two
		}
	}
	for _, m := range block {
		s.in[m] = false
	}
	return found
}

// walk makes one draw, and reports whether it came to an end with one root.
func (s *Sampler) walk(a *Arcs, block, head []int32, roots bool, steps *int, r *hash.Rand) bool {
	s.draw++
	count := 0
	for _, m := range block {
		for u := m; u != 0 && s.seen[u] != s.draw; u = head[u] {
			if s.in[u] {
				head[u] = s.any(a, int(u), roots, r)
			}
			if *steps--; *steps < 0 {
				return false
			}
		}
		for u := m; u != 0 && s.seen[u] != s.draw; u = head[u] {
			if s.seen[u] = s.draw; s.in[u] && head[u] == 0 {
				count++
			}
		}
	}
	return !roots || count == 1
}

// any returns a head of m, 0 only if roots says so; m itself, which ends no walk,
// if there is none.
func (s *Sampler) any(a *Arcs, m int, roots bool, r *hash.Rand) int32 {
	lo, hi := a.Span(m)
	from := uint32(0)
	if !roots && a.Heads[lo] == 0 {
		from = s.cumulative[lo]
	}
	if s.cumulative[hi-1] == from {
		return int32(m)
	}
	x := from + r.Below(s.cumulative[hi-1]-from)
	for i := lo; ; i++ {
		if x < s.cumulative[i] {
			return a.Heads[i]
		}
	}
}
