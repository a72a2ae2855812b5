package search

import (
	"slices"

	"github.com/treebeam/treebeam/parser/hash"
)

// Greedy climbs from the pruner's best tree, then from random trees and from the best
// tree with some heads redrawn (Zhang, Lei, Barzilay and Jaakkola 2014; restarts from
// the best tree are not in the paper). It stops after Restarts climbs, after Patience
// climbs in a row without a better tree, or when the budget is spent. After the first
// climb it tries to prove, in at most Certify steps, that no tree is better. If it
// succeeds, there are no more climbs. Climb j depends on the seed, on j and on the best tree so far, so the result
// depends only on the model, the sentence and the seed. Greedy finds no tree if the
// candidates hold none with a single root.
type Greedy struct{ Restarts, Patience, Certify int }

// Decode implements Decoder.
func (g Greedy) Decode(x *Search) bool {
	if !x.First() {
		return false
	}
	x.ascend()
	choice := len(x.Scores.Arcs.Heads) > x.Scores.N
	if choice && g.Certify > 0 && !x.Spent() && x.certify(int64(g.Certify)) {
		return true
	}
	for j, idle := 1, 0; j < g.Restarts && idle < g.Patience && choice && !x.Spent(); j++ {
		if j == 1 {
			x.sampler.Prepare(&x.Pruned)
		}
		x.restart(j)
		if x.ascend() {
			idle = 0
		} else {
			idle++
		}
	}
	return true
}

// ascend climbs from the present tree and reports whether it ends higher than
// all climbs before.
func (x *Search) ascend() bool {
	x.climb()
	// Chains lead most climbs to one tree; where global parts are still to be
	// scored, half of the climbs leave them out for variety.
	if x.Scores.HasGlobals() && x.climbs%4 > 1 {
		x.close()
	} else {
		for x.seen() < 0 && x.chains() > 0 {
			x.climb()
		}
	}
	n, at := x.Scores.N, x.seen()
	x.closed = append(x.closed, x.Tree.Head[1:n+1]...)
	switch {
	case !x.full():
	case at >= 0:
		copy(x.start[1:], x.ends[at*n:(at+1)*n])
		x.Tree.Set(&x.Scores.Arcs, x.start)
	default:
		x.climbFull()
	}
	x.ends = append(x.ends, x.Tree.Head[1:n+1]...)
	x.climbs++
	x.Scores.Count.Climbs++
	return x.Offer()
}

// seen returns the number of an earlier climb that ended by local parts in
// the present tree, or -1.
func (x *Search) seen() int {
	n := x.Scores.N
	for i := range int(x.climbs) {
		if slices.Equal(x.closed[i*n:(i+1)*n], x.Tree.Head[1:n+1]) {
			return i
		}
	}
	return -1
}

// restart builds the tree at which climb j begins. Every other time it is a
// random tree whose root is drawn by its marginal; otherwise it is the best
// tree with new random heads for about a third of its words.
func (x *Search) restart(j int) {
	r := hash.Rand(x.Seed + uint64(j)*0xD1B54A32D192ED03)
	copy(x.start, x.best)
	switch root := slices.Index(x.best[1:x.Scores.N+1], 0) + 1; {
	case j%2 == 1:
		x.redraw = resize(x.redraw, x.Scores.N+1)
		for m := range x.redraw {
			x.redraw[m] = r.Below(3) == 0
		}
		x.sampler.Sample(&x.Pruned, root, x.redraw, x.start, &r)
	default:
		if !x.sampler.Sample(&x.Pruned, x.drawRoot(root, &r), nil, x.start, &r) {
			copy(x.start, x.best)
		}
	}
	x.Tree.Set(&x.Scores.Arcs, x.start)
}

// drawRoot draws a root word by the marginals, in integers of 1/65536. It
// returns root if the marginals are not known.
func (x *Search) drawRoot(root int, r *hash.Rand) int {
	marginal := x.prunerMarginals()
	weight := func(m int) uint32 {
		lo, hi := x.Pruned.Span(m)
		if lo == hi || x.Pruned.Heads[lo] != 0 {
			return 0
		}
		return uint32(marginal[lo]*65536 + 0.5)
	}
	total := uint32(0)
	for m := 1; m <= x.Scores.N; m++ {
		total += weight(m)
	}
	if total == 0 {
		return root
	}
	at := r.Below(total)
	for m := 1; ; m++ {
		w := weight(m)
		if at < w {
			return m
		}
		at -= w
	}
}
