package search

import (
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/score"
)

// A climb that changes one head at a time gets stuck where words must move
// together: a noun goes elsewhere only with the comma and the conjunction
// before it, a head and its modifier change places. So when a climb is closed,
// every move that loses little is tried together with the moves that follow
// from it: the word is fixed at its new head and the words around it climb. If
// the tree is better at the end of this chain of moves, it stays; if not, the
// moves are undone (the ejection chains of Glover 1996, after Lin and Kernighan
// 1973; Zhang et al. 2014 restart instead).
const (
	moveLoss   = score.Unit      // a move that loses more starts no chain
	turnLoss   = 3 * score.Unit  // the same for turning an arc around
	rootLoss   = 20 * score.Unit // the same for another root
	chainMoves = 12              // moves of a chain
	chainTries = 40              // words of a chain that may choose another head
)

// A step undoes one move: word, and the arc that it had.
type step struct{ word, arc int32 }

// chains tries chains from every word, and returns the gain of the chains that
// it keeps. It ends where an earlier climb has ended: that tree is closed.
func (x *Search) chains() int64 {
	gained := int64(0)
	for _, try := range [...]func(*Search, int32) int64{(*Search).moveChains, (*Search).turnChains, (*Search).rootChain} {
		for m := int32(1); int(m) <= x.Scores.N && !x.Spent(); m++ {
			if g := try(x, m); g > 0 {
				if gained += g; x.seen() >= 0 {
					return gained
				}
			}
		}
	}
	return gained
}

// moveChains tries every head that m may have.
func (x *Search) moveChains(m int32) (gained int64) {
	lo, hi := x.Scores.Arcs.Start[m-1], x.Scores.Arcs.Start[m]
	for i, weighed := lo, false; i < hi && !x.Spent(); i++ {
		if !weighed {
			if !x.weigh(m) {
				break
			}
			weighed = true
			x.chainWorth = append(x.chainWorth[:0], x.worth...)
		}
		now := x.Tree.Arc[m]
		g := int64(x.chainWorth[i-lo]) - int64(x.chainWorth[now-lo])
		if i == now || x.chainWorth[i-lo] == part.Barred || g < -moveLoss {
			continue
		}
		x.trail = x.trail[:0]
		x.take(m, i)
		if g := x.follow(g, m, 0); g > 0 {
			gained += g
			weighed = false
		}
	}
	return gained
}

// turnChains tries to turn the arc into m around: m goes to a head outside
// the subtree of its head h, and h to its best head below m.
func (x *Search) turnChains(m int32) int64 {
	y, arcs := &x.Tree, &x.Scores.Arcs
	h := y.Head[m]
	if m == y.Root || h == y.Root || !x.reaches(h, m) || !x.weigh(m) {
		return 0
	}
	x.chainWorth = append(x.chainWorth[:0], x.worth...)
	lo, now := arcs.Start[m-1], y.Arc[m]
	for k, s := range x.chainWorth {
		i := lo + int32(k)
		if s == part.Barred || x.Spent() || y.Below(arcs.Heads[i], h) {
			continue
		}
		x.trail = x.trail[:0]
		x.take(m, i)
		arc, g := x.bestBelow(h, m)
		if g += int64(s) - int64(x.chainWorth[now-lo]); arc < 0 || g < -turnLoss {
			x.undo()
			continue
		}
		x.take(h, arc)
		if g = x.follow(g, m, h); g > 0 {
			return g
		}
	}
	return 0
}

// rootChain tries m as the root, with the best head that the old root may then
// have.
func (x *Search) rootChain(m int32) int64 {
	old := x.Tree.Root
	if !x.mayBeRoot(m) {
		return 0
	}
	g, moved := x.makeRoot(m, -rootLoss)
	if !moved {
		return 0
	}
	return x.follow(g, m, old)
}

// take moves a word and remembers where it was.
func (x *Search) take(m, arc int32) {
	x.trail = append(x.trail, step{m, x.Tree.Arc[m]})
	x.Tree.Move(int(m), arc)
}

// undo takes the moves of the trail back, an old root first.
func (x *Search) undo() {
	for i := len(x.trail) - 1; i >= 0; i-- {
		x.Tree.Move(int(x.trail[i].word), x.trail[i].arc)
	}
}

// follow lets the words around the moves of the trail climb, while a and b keep
// their heads. g is the gain so far. It returns the gain of the chain if that
// is positive; otherwise it undoes the trail and returns 0.
func (x *Search) follow(g int64, a, b int32) int64 {
	x.clearQueue()
	x.enqueueTrail()
	for i := 0; i < len(x.queue); i++ {
		w := x.queue[i]
		x.queued[w] = false
		if w == a || w == b || i >= chainTries || len(x.trail) > chainMoves {
			continue
		}
		if arc, gain := x.better(w); gain > 0 {
			g += gain
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

func (x *Search) enqueueTrail() {
	for _, s := range x.trail {
		x.enqueue(s)
	}
}

// enqueue queues the words that a move concerns: those next to the word in the
// text and in the child lists that it left and joined, its children, and the
// two heads.
func (x *Search) enqueue(s step) {
	y, m := &x.Tree, s.word
	for c := y.First[m]; c != 0; c = y.Next[c] {
		y.Walked++
		x.push(c)
	}
	x.push(m - 1)
	if int(m) < x.Scores.N {
		x.push(m + 1)
	}
	x.push(y.Prev[m])
	x.push(y.Next[m])
	left, right := int32(0), int32(0)
	old := x.Scores.Arcs.Heads[s.arc]
	for c := y.First[old]; c != 0; c = y.Next[c] {
		y.Walked++
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

func (x *Search) push(w int32) {
	if w > 0 && !x.queued[w] {
		x.queued[w] = true
		x.queue = append(x.queue, w)
	}
}
