package search

import "github.com/treebeam/treebeam/parser/part"

// maxSweeps bounds a climb. Scores are integers and every move gains at
// least one, so climbs end by themselves; the bound only limits the work.
const maxSweeps = 64

// climb improves the tree by changing one head at a time, each to its best
// candidate: all words once in post-order (Zhang et al. 2014), then those that
// a change concerns, until none of them gains. The root word stays; at the end
// every other word that may be the root is tried as one, and after a success
// the words that it concerns climb again. It returns the gain in score. Unlike
// the paper's it does not look at every word once more to see that nothing
// gains: chains do that, or close.
func (x *Search) climb() int64 {
	x.leaveLine()
	x.order = x.Tree.Postorder(x.order[:0])
	gained := int64(0)
	for _, m := range x.order {
		if x.Spent() {
			break
		}
		gained += x.improve(m)
	}
	for range maxSweeps {
		for i := 0; i < len(x.queue) && i < maxSweeps*x.Scores.N && !x.Spent(); i++ {
			x.queued[x.queue[i]] = false
			gained += x.improve(x.queue[i])
		}
		x.leaveLine()
		g := x.reroot()
		if g == 0 {
			break
		}
		gained += g
	}
	return gained
}

// close climbs to a local optimum, a tree that no change of one head improves.
func (x *Search) close() {
	for x.climb() > 0 {
	}
}

// leaveLine empties the line. A word that stayed marked as being in it would
// never be visited again.
func (x *Search) leaveLine() {
	for _, w := range x.queue {
		x.queued[w] = false
	}
	x.queue = x.queue[:0]
}

// improve gives word m its best head.
func (x *Search) improve(m int32) int64 {
	arc, gain := x.better(m)
	if gain > 0 {
		old := step{m, x.Tree.Slot[m]}
		x.Tree.Move(int(m), arc)
		x.enqueue(old)
	}
	return gain
}

// better returns the best arc of word m and what it gains over the present
// one; without a gain m stays. Ties keep the present head, then the lowest
// challenger.
func (x *Search) better(m int32) (arc int32, gain int64) {
	now := x.Tree.Slot[m]
	if !x.weigh(m) {
		return now, 0
	}
	lo := x.Scores.Arcs.Start[m-1]
	best, pick := x.worth[now-lo], now
	for k, s := range x.worth {
		if s > best {
			best, pick = s, lo+int32(k)
		}
	}
	return pick, int64(best) - int64(x.worth[now-lo])
}

// weigh leaves in x.worth what each candidate head of word m is worth, the
// present one included (part.Scores.Attach); part.Barred is that of a head
// below m, of the root, and of one that would cross an arc where none may. It
// reports whether there is a choice.
func (x *Search) weigh(m int32) bool { return m != x.Tree.Root && x.weighBelow(m, 0) }

// weighBelow is weigh for any word, with heads that are not below top, if that
// is a word, barred as well.
func (x *Search) weighBelow(m, top int32) bool {
	arcs, y := &x.Scores.Arcs, &x.Tree
	lo, hi := arcs.Start[m-1], arcs.Start[m]
	if hi-lo < 2 {
		return false
	}
	x.worth = resize(x.worth, int(hi-lo))
	choice := false
	for i := lo; i < hi; i++ {
		h := arcs.Heads[i]
		x.worth[i-lo] = 0
		switch {
		case i == y.Slot[m]:
		case h == 0 || y.Below(h, m) || top != 0 && !y.Below(h, top) || x.excluded(h, m):
			x.worth[i-lo] = part.Barred
		default:
			choice = true
		}
	}
	if choice {
		x.Scores.AttachAll(y, int(m), x.worth)
	}
	return choice
}

// reroot tries each word m that has 0 among its candidates as the root: m
// goes to 0 and the old root to its best candidate below m. The first change
// that gains is kept.
func (x *Search) reroot() int64 {
	old := x.Tree.Root
	for m := int32(1); int(m) <= x.Scores.N && !x.Spent(); m++ {
		if m != old && x.mayReplace(m, old) {
			if g := x.tryRoot(m, old); g > 0 {
				return g
			}
		}
	}
	return 0
}

// mayReplace reports whether m can be the root instead of old: 0 must be a
// candidate of m, and a word below m one of old.
func (x *Search) mayReplace(m, old int32) bool {
	arcs := &x.Scores.Arcs
	lo, hi := arcs.Span(int(m))
	if lo == hi || arcs.Heads[lo] != 0 {
		return false
	}
	lo, hi = arcs.Span(int(old))
	for _, h := range arcs.Heads[lo:hi] {
		if h != 0 && x.Tree.Below(h, m) {
			return true
		}
	}
	return false
}

// tryRoot makes m the root in place of old if that gains; else it leaves the
// tree as it was. It returns the gain, also a negative one. Some candidate
// head of old must be below m.
func (x *Search) tryRoot(m, old int32) int64 {
	before, rootArc := x.Tree.Slot[m], x.Tree.Slot[old]
	gain, pick := x.openRoot(m, old)
	if gain <= 0 {
		x.closeRoot(old, step{m, before})
		return gain
	}
	x.Tree.Move(int(old), pick)
	x.enqueue(step{m, before})
	x.enqueue(step{old, rootArc})
	return gain
}

// impossible is the gain of a re-rooting that would cross an arc where none
// may.
const impossible = -1 << 40

// openRoot is the first half of a re-rooting: it hangs m on 0 and returns the
// arc on which old, still on 0, is best below m, and what the whole move
// gains by local parts.
func (x *Search) openRoot(m, old int32) (gain int64, pick int32) {
	t, y := &x.Scores, &x.Tree
	first := t.Arcs.Start[m-1]
	if x.excluded(0, m) {
		return impossible, -1
	}
	gain = int64(t.Attach(y, int(m), first)) - int64(t.Attach(y, int(m), y.Slot[m]))
	y.Move(int(m), first)
	pick, g := x.bestBelow(old, m)
	return gain + g, pick
}

// closeRoot undoes openRoot.
func (x *Search) closeRoot(old int32, m step) {
	x.Tree.Move(int(m.word), m.arc)
	x.Tree.Root = old
}

// bestBelow returns the best arc of word m to a head below top, and what it
// gains over the present one; -1 and impossible if there is none.
func (x *Search) bestBelow(m, top int32) (pick int32, gain int64) {
	if !x.weighBelow(m, top) {
		return -1, impossible
	}
	lo, now := x.Scores.Arcs.Start[m-1], x.Tree.Slot[m]
	best := int32(part.Barred)
	for k, s := range x.worth {
		if i := lo + int32(k); i != now && s > best {
			pick, best = i, s
		}
	}
	return pick, int64(best) - int64(x.worth[now-lo])
}
