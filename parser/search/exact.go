package search

import "github.com/treebeam/treebeam/parser/syntax"

// Exact scores every tree over the candidate heads if these combine in at most Limit
// ways; otherwise it offers none. It works for every model and uses no seed. Among
// trees of equal score, the one with the lower heads wins, compared from the first word
// on. The result has the certificate All. If the budget is spent before all trees are
// scored, another decoder must go on.
type Exact struct{ Limit int }

// Decode implements Decoder.
func (e Exact) Decode(x *Search) bool {
	arcs, n := &x.Scores.Arcs, x.Scores.N
	ways := 1
	for m := 1; m <= n; m++ {
		lo, hi := arcs.Span(m)
		if ways > e.Limit/max(hi-lo, 1) {
			return false
		}
		ways *= hi - lo
	}
	for way := range ways {
		if x.Spent() {
			return false
		}
		rest := way
		for m := n; m >= 1; m-- {
			lo, hi := arcs.Span(m)
			x.start[m] = arcs.Heads[lo+rest%(hi-lo)]
			rest /= hi - lo
		}
		x.offerHeads(x.start[:n+1])
	}
	if x.bestAt == worst {
		return false
	}
	x.Scores.Count.Exact++
	x.certificate = syntax.All
	return true
}
