package graph

import "github.com/treebeam/treebeam/parser/hash"

// A Sampler draws random trees. It is scratch: one per goroutine.
type Sampler struct {
	cumulative []uint32 // per arc: running sum of weights within its word
	done       []bool   // per word: the root reaches it
	spanner    Spanner
}

// Prepare makes the weights of the arcs: exp((score-best)/1024) in units of 1/65536,
// rounded to an integer of at least 1, where best is the best score of an arc into the
// same word.
func (s *Sampler) Prepare(a *Arcs) {
	s.cumulative = resize(s.cumulative, len(a.Heads))
	for m := 1; m <= a.N(); m++ {
		lo, hi := a.Span(m)
		best, sum := a.best(m), uint32(0)
		for i := lo; i < hi; i++ {
			if a.Heads[i] != 0 { // the root word is drawn elsewhere
				sum += uint32(ExpOdds(best-a.Score[i])*65536) + 1
			}
			s.cumulative[i] = sum
		}
	}
}

// Sample writes into head[1..n] a random tree whose root is the word root. Words m with
// redraw[m] (all, if redraw is nil) draw their heads by weight; the others keep
// head[m]. Loops are erased (Wilson 1996; with words that keep their heads: Zhang, Lei,
// Barzilay, Jaakkola and Globerson 2014). For a fixed root, the probability of a tree
// is proportional to the product of its weights, given the heads that stay. Peaked
// weights can make a walk endless. Beyond a limit of steps the result is the maximum
// tree, in which other heads may change too. Sample reports whether there is a tree
// with this root.
func (s *Sampler) Sample(a *Arcs, root int, redraw []bool, head []int32, r *hash.Rand) bool {
	n := a.N()
	s.done = resize(s.done, n+1)
	clear(s.done)
	s.done[root] = true
	head[root] = 0
	limit := 200 + 50*n
	for m := 1; m <= n; m++ {
		for u := m; !s.done[u]; u = int(head[u]) {
			if redraw == nil || redraw[u] {
				head[u] = s.head(a, u, r)
			}
			if limit--; limit < 0 || head[u] == 0 {
				return s.spanner.MaximumTree(a, root, head)
			}
		}
		for u := m; !s.done[u]; u = int(head[u]) {
			s.done[u] = true
		}
	}
	return true
}

// head returns a head of m other than 0, or 0 if m has no other.
func (s *Sampler) head(a *Arcs, m int, r *hash.Rand) int32 {
	lo, hi := a.Span(m)
	total := s.cumulative[hi-1]
	if total == 0 {
		return 0
	}
	x := r.Below(total)
	for i := lo; i < hi; i++ {
		if x < s.cumulative[i] {
			return a.Heads[i]
		}
	}
	return 0
}
