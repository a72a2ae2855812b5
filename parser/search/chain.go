package search

import "github.com/treebeam/treebeam/parser/score"

// A climb that changes one head at a time gets stuck where words must move
// together: a noun goes elsewhere only with the comma and the conjunction
// before it, a head and its modifier change places. So when a climb is
// closed, every move that loses little is tried together with what it sets
// in motion: the word is held at its new head, the words around it climb, and
// if the tree is better at the end of this chain of moves it stays; if not,
// the moves are undone (the ejection chains of Glover 1996, after Lin and
// Kernighan 1973; the papers restart instead).
const (
	chainLoss  = 3 * score.Unit / 2 // a move that loses more starts no chain
	swapLoss   = 3 * score.Unit     // likewise: turning an arc around
	rootLoss   = 20 * score.Unit    // likewise: another root
	chainMoves = 12                 // moves of a chain
	chainTries = 40                 // words of a chain that are given a choice
)

// A step undoes one move: word, and the arc that it had.
type step struct{ word, arc int32 }

// chains tries a chain from every word and every head that it may have, and
// returns the gain of those that it keeps.
func (x *search) chains() int64 {
	t, y := &x.t, &x.y
	gained := int64(0)
	for m := int32(1); int(m) <= t.N && !x.spent(); m++ {
		lo, hi := t.Arcs.Start[m-1], t.Arcs.Start[m]
		for i, weighed := lo, false; i < hi; i++ {
			if !weighed {
				if !x.weigh(m) {
					break
				}
				weighed = true
				x.held = append(x.held[:0], x.worth...)
			}
			g := x.held[i-lo] - x.held[y.Slot[m]-lo]
			if i == y.Slot[m] || x.held[i-lo] == barred || g < -chainLoss {
				continue
			}
			x.trail = x.trail[:0]
			x.take(m, i)
			if g := x.follow(int64(g), m, 0); g > 0 {
				gained += g
				weighed = false
			}
		}
	}
	return gained + x.swaps() + x.rootChains()
}

// swaps tries to turn arcs around: a word m goes to a head outside the
// subtree of its head h, and h to a head below m.
func (x *search) swaps() int64 {
	t, y := &x.t, &x.y
	gained := int64(0)
	for m := int32(1); int(m) <= t.N && !x.spent(); m++ {
		h := y.Head[m]
		if m == y.Root || h == y.Root {
			continue
		}
		hlo, hhi := t.Arcs.Span(int(h))
		lo, hi := t.Arcs.Span(int(m))
		for k := int32(hlo); k < int32(hhi); k++ {
			if c := t.Arcs.Heads[k]; c == 0 || !y.Below(c, m) {
				continue
			}
			for i := int32(lo); i < int32(hi) && y.Head[m] == h; i++ {
				if c := t.Arcs.Heads[i]; c == 0 || y.Below(c, h) {
					continue
				}
				x.trail = x.trail[:0]
				g := int64(t.Attach(y, int(m), i)) - int64(t.Attach(y, int(m), y.Slot[m]))
				x.take(m, i)
				g += int64(t.Attach(y, int(h), k)) - int64(t.Attach(y, int(h), y.Slot[h]))
				x.take(h, k)
				if g < -swapLoss || x.tangled(m, h) {
					x.undo()
					continue
				}
				gained += x.follow(g, m, h)
			}
		}
	}
	return gained
}

// rootChains tries every other root, with every head that the old one may
// then have.
func (x *search) rootChains() int64 {
	t, y := &x.t, &x.y
	gained := int64(0)
	for m := int32(1); int(m) <= t.N && !x.spent(); m++ {
		old := y.Root
		if m == old || !x.mayReplace(m, old) {
			continue
		}
		lo, hi := t.Arcs.Span(int(old))
		for i := int32(lo); i < int32(hi); i++ {
			if h := t.Arcs.Heads[i]; h == 0 || !y.Below(h, m) {
				continue
			}
			x.trail = x.trail[:0]
			first := t.Arcs.Start[m-1]
			g := int64(t.Attach(y, int(m), first)) - int64(t.Attach(y, int(m), y.Slot[m]))
			x.take(m, first)
			g += int64(t.Attach(y, int(old), i)) - int64(t.Attach(y, int(old), y.Slot[old]))
			x.take(old, i)
			y.Root = m
			if g < -rootLoss || x.tangled(m, old) {
				x.undo()
				y.Root = old
				continue
			}
			if g = x.follow(g, m, old); g > 0 {
				gained += g
				break
			}
			y.Root = old
		}
	}
	return gained
}

// take moves a word and remembers where it was.
func (x *search) take(m, arc int32) {
	x.trail = append(x.trail, step{m, x.y.Slot[m]})
	x.y.Move(int(m), arc)
}

func (x *search) undo() {
	for i := len(x.trail) - 1; i >= 0; i-- {
		x.y.Move(int(x.trail[i].word), x.trail[i].arc)
	}
}

// follow lets the words around the moves of the trail climb, those of a and b
// held. g is the gain so far. It returns the gain of the chain if that is
// positive, else it undoes the trail and returns 0.
func (x *search) follow(g int64, a, b int32) int64 {
	x.leaveLine()
	for i := range x.trail {
		x.enqueue(x.trail[i])
	}
	for i := 0; i < len(x.queue); i++ {
		w := x.queue[i]
		x.queued[w] = false
		if w == a || w == b || i >= chainTries || len(x.trail) > chainMoves {
			continue
		}
		if arc, gain := x.better(w); gain > 0 {
			g += int64(gain)
			x.take(w, arc)
			x.enqueue(x.trail[len(x.trail)-1])
		}
	}
	if g > 0 {
		return g
	}
	x.undo()
	return 0
}

// enqueue puts the words in line that a move concerns: those next to the
// word in the text and in the child lists that it left and joined, its
// children, and the two heads.
func (x *search) enqueue(s step) {
	t, y := &x.t, &x.y
	m := s.word
	for c := y.First[m]; c != 0; c = y.Next[c] {
		x.push(c)
	}
	x.push(m - 1)
	if int(m) < t.N {
		x.push(m + 1)
	}
	x.push(y.Prev[m])
	x.push(y.Next[m])
	left, right := int32(0), int32(0)
	old := t.Arcs.Heads[s.arc]
	for c := y.First[old]; c != 0; c = y.Next[c] {
		if c < m {
			left = c
		} else if right == 0 && c > m {
			right = c
		}
	}
	x.push(left)
	x.push(right)
	x.push(old)
	x.push(y.Head[m])
}

func (x *search) push(w int32) {
	if w > 0 && !x.queued[w] {
		x.queued[w] = true
		x.queue = append(x.queue, w)
	}
}
