package search

import (
	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/syntax"
)

// The projective search goes through trees without crossing arcs, the arc
// from 0, left of the first word, among them: it starts from the first-order
// model's best such tree and makes no move that crosses an arc. Single moves
// do not always lead from any projective tree to any other, so its ends are
// local optima in a stricter sense than those of Zhang et al. (2014).

// excluded reports whether the search may not hang m on h because of
// crossing arcs.
func (x *search) excluded(h, m int32) bool { return x.projective && x.y.Crossed(h, m) }

// tangled reports whether the present arcs of a or b, which have just moved,
// may not be.
func (x *search) tangled(a, b int32) bool {
	return x.projective && (x.y.Crossed(x.y.Head[a], a) || x.y.Crossed(x.y.Head[b], b))
}

// allTangled is tangled for any word.
func (x *search) allTangled() bool {
	for m := int32(1); x.projective && int(m) <= x.t.N; m++ {
		if x.y.Crossed(x.y.Head[m], m) {
			return true
		}
	}
	return false
}

// firstTree leaves in x.start the first-order model's best tree, a projective
// one if it must be, and reports whether there is one. The chart of the best
// projective tree grows with the square of the words: from MaxMarginalWords
// on it is the chain in which every word hangs on the one before it
// (prune.Project makes sure of that).
func (x *search) firstTree() bool {
	n := x.t.N
	switch {
	case !x.projective:
		return x.spanner.MaximumTree(&x.draw, 0, x.start)
	case n <= syntax.MaxMarginalWords:
		return x.spanner.ProjectiveTree(&x.draw, x.start) == 0
	}
	for m := 1; m <= n; m++ {
		if x.start[m] = int32(m - 1); x.t.Arc(x.start[m], m) < 0 {
			return false
		}
	}
	return true
}

// scatter leaves in x.start the projective tree that restart j climbs from:
// every other time the best one by first-order scores with noise, else what
// random moves of about a third of the words make of the best tree.
func (x *search) scatter(seed uint64, j int) {
	t, y := &x.t, &x.y
	r := graph.Rand(seed + uint64(j)*0xD1B54A32D192ED03)
	if j%2 == 0 && t.N <= syntax.MaxMarginalWords {
		const noise = 8 << 10 // nats
		x.shaken = resize(x.shaken, len(x.draw.Score))
		for i, s := range x.draw.Score {
			x.shaken[i] = s + int32(r.Below(noise))
		}
		x.spanner.ProjectiveTree(&graph.Arcs{Start: x.draw.Start, Heads: x.draw.Heads, Score: x.shaken}, x.start)
		return
	}
	y.Set(&t.Arcs, x.best)
	for m := int32(1); int(m) <= t.N; m++ {
		lo, hi := t.Arcs.Start[m-1], t.Arcs.Start[m]
		if m == y.Root || r.Below(3) != 0 {
			continue
		}
		i := lo + int32(r.Below(uint32(hi-lo)))
		if h := t.Arcs.Heads[i]; h != 0 && !y.Below(h, m) && !y.Crossed(h, m) {
			y.Move(int(m), i)
		}
	}
	copy(x.start[1:], y.Head[1:t.N+1])
}
