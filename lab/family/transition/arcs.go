package transition

import (
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
)

// Arcs scores actions by candidate heads: an arc costs what it is worth less
// than the best of its word. It is a Scorer and Costs. It is scratch, refilled
// by Load.
//
// As a Scorer it looks ahead, or a beam would fill with stacks that have put off
// what they must pay. Every word without a head has been charged for the best of
// its heads that can still be reached, and the word below the top of the stack
// for the best arc that it can have with what is above it. The next arc pays that
// back, so that the scores of all actions add up to the negative costs of the arcs.
type Arcs struct {
	arcs    graph.Arcs
	missing int32
	loss    []int32 // by arc

	// Words that each word may be the head of.
	kidsAt []int32
	kids   []int32

	// Words that each word, the root too, may be joined with to its right, from
	// left to right, and the least cost of an arc with one from there on.
	partnersAt []int32
	partners   []int32
	least      []int32
}

// Load takes the candidate heads of a sentence, of which 0 may be one. An arc
// that is none of them costs as much as missing, at least 0, and no arc more.
func (x *Arcs) Load(a graph.Arcs, missing int32) {
	n := a.N()
	x.arcs, x.missing = a, missing
	x.loss = x.loss[:0]
	for m := 1; m <= n; m++ {
		lo, hi := a.Span(m)
		for i := lo; i < hi; i++ {
			loss := int64(slices.Max(a.Score[lo:hi])) - int64(a.Score[i])
			x.loss = append(x.loss, int32(min(loss, int64(missing))))
		}
	}
	x.kidsAt = x.sort(x.kidsAt, func(h, _ int32) int32 { return h }, func(k, _, m, _ int32) { x.kids[k] = m }, &x.kids)
	x.least = slices.Grow(x.least[:0], len(a.Heads))[:len(a.Heads)]
	x.partnersAt = x.sort(x.partnersAt, func(h, m int32) int32 { return min(h, m) }, func(k, h, m, loss int32) {
		x.partners[k], x.least[k] = max(h, m), loss
	}, &x.partners)
	for w := range n + 1 {
		x.settle(x.partnersAt[w], x.partnersAt[w+1])
	}
}

// sort puts every arc into the list of one of its ends, and returns where the
// lists begin, one after another.
func (x *Arcs) sort(start []int32, of func(h, m int32) int32, put func(k, h, m, loss int32), list *[]int32) []int32 {
	n := x.arcs.N()
	start = append(start[:0], make([]int32, n+3)...)
	*list = slices.Grow((*list)[:0], len(x.arcs.Heads))[:len(x.arcs.Heads)]
	x.each(func(h, m, _ int32) { start[of(h, m)+2]++ })
	for w := range n + 1 {
		start[w+2] += start[w+1]
	}
	x.each(func(h, m, loss int32) {
		w := of(h, m) + 1
		put(start[w], h, m, loss)
		start[w]++
	})
	return start[:n+2]
}

func (x *Arcs) each(visit func(h, m, loss int32)) {
	for m := 1; m <= x.arcs.N(); m++ {
		lo, hi := x.arcs.Span(m)
		for i := lo; i < hi; i++ {
			visit(x.arcs.Heads[i], int32(m), x.loss[i])
		}
	}
}

// settle sorts the partners of a word by their place, and makes each cost the
// least of those from there on.
func (x *Arcs) settle(lo, hi int32) {
	at, least := x.partners[lo:hi], x.least[lo:hi]
	for i := 1; i < len(at); i++ {
		for k := i; k > 0 && at[k-1] > at[k]; k-- {
			at[k-1], at[k], least[k-1], least[k] = at[k], at[k-1], least[k], least[k-1]
		}
	}
	for i := len(least) - 2; i >= 0; i-- {
		least[i] = min(least[i], least[i+1])
	}
}

// lossOf returns what the arc h -> m costs.
func (x *Arcs) lossOf(h, m int32) int32 {
	lo, hi := x.arcs.Span(int(m))
	for i := lo; i < hi; i++ {
		if x.arcs.Heads[i] == h {
			return x.loss[i]
		}
	}
	return x.missing
}

// owed returns the least that an arc between w and a word from right on costs,
// in one direction or the other. When such a word is shifted above w, one of
// them will have to be: that is how a shift is compared with an arc.
func (x *Arcs) owed(w, right int32) int64 {
	if w == 0 {
		return 0
	}
	lo, hi := x.partnersAt[w], x.partnersAt[w+1]
	if i, _ := slices.BinarySearch(x.partners[lo:hi], right); int32(i) < hi-lo {
		return int64(x.least[lo+int32(i)])
	}
	return int64(x.missing)
}

// reach returns the least that a word must pay for its head: with, and without,
// one that is about to be closed.
func (x *Arcs) reach(v *View, m, closed int32) (with, without int32) {
	with, without = x.missing, x.missing
	lo, hi := x.arcs.Span(int(m))
	for i := lo; i < hi; i++ {
		loss := x.loss[i]
		if h := x.arcs.Heads[i]; loss < without && v.takes(h, m) {
			with = min(with, loss)
			if h != closed {
				without = loss
			}
		}
	}
	return with, without
}

// lose returns by how much more the words without a head that want h must pay
// if it takes no more: to its left, or on both sides.
func (x *Arcs) lose(v *View, h int32, right bool) (more int64) {
	for _, w := range x.kids[x.kidsAt[h]:x.kidsAt[h+1]] {
		if w > h && !right {
			break // from left to right: 0 may have all words, and is on top again and again
		}
		if v.open(w) && v.takes(h, w) {
			with, without := x.reach(v, w, h)
			more += int64(without) - int64(with)
		}
	}
	return more
}

// Score implements Scorer.
func (x *Arcs) Score(v *View, out *[3]int64) {
	if v.Next <= v.N {
		out[Shift] = -x.owed(v.S0, v.Next) - x.lose(v, v.S0, false)
	}
	if v.S1 == None {
		return
	}
	back := x.owed(v.S1, v.From)
	for a := Left; a <= Right; a++ {
		h, m := v.arc(a)
		if m > 0 {
			charged, _ := x.reach(v, m, None)
			out[a] = back + int64(charged) - int64(x.lossOf(h, m)) - x.lose(v, m, true)
		}
	}
}

// Cost implements Costs: arcs have costs, shifts have none.
func (x *Arcs) Cost(a Action, s1, s0, _ int32) int32 {
	switch a {
	case Left:
		return x.lossOf(s0, s1)
	case Right:
		return x.lossOf(s1, s0)
	}
	return 0
}
