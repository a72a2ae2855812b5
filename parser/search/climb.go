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
// the climb in the paper, it does not visit every word once more to check that
// nothing gains: chains and close do so.
func (x *Search) climb() int64 {
	x.clearQueue()
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
		x.clearQueue()
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

// clearQueue empties the queue. A word that stayed marked as being in it would
// never be visited again.
func (x *Search) clearQueue() {
	for _, w := range x.queue {
		x.queued[w] = false
	}
	x.queue = x.queue[:0]
}

// improve gives word m its best head.
func (x *Search) improve(m int32) int64 {
	arc, gain := x.better(m)
	if gain > 0 {
		x.trail = x.trail[:0]
		x.take(m, arc)
		x.enqueueTrail()
	}
	return gain
}

// better returns the best arc of word m and what it gains over the present
// one; without a gain m stays. Ties keep the present head, then the lowest
// challenger.
func (x *Search) better(m int32) (arc int32, gain int64) {
	now := x.Tree.Arc[m]
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

// weigh sets x.worth to what each candidate head of word m is worth, the
// present head included (part.Scores.Attach). A head is part.Barred if it is
// below m, or if m is the root. It reports whether there is a choice.
func (x *Search) weigh(m int32) bool { return m != x.Tree.Root && x.weighBelow(m, 0) }

// weighBelow is weigh for any word, where heads that are not below top are
// barred as well, if top is a word.
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
		case i == y.Arc[m]:
		case h == 0 || y.Below(h, m) || top != 0 && !y.Below(h, top):
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

// reroot tries the words as roots, and keeps the first change that gains.
func (x *Search) reroot() int64 {
	for m := int32(1); int(m) <= x.Scores.N && !x.Spent(); m++ {
		if !x.mayBeRoot(m) {
			continue
		}
		if gain, moved := x.makeRoot(m, 1); moved {
			x.enqueueTrail()
			return gain
		}
	}
	return 0
}

// mayBeRoot reports whether m can replace the present root: 0 must be a
// candidate head of m, and a word below m must be a candidate head of the
// present root.
func (x *Search) mayBeRoot(m int32) bool {
	lo, hi := x.Scores.Arcs.Span(int(m))
	return m != x.Tree.Root && lo < hi && x.Scores.Arcs.Heads[lo] == 0 && x.reaches(x.Tree.Root, m)
}

// reaches reports whether a candidate head of h is m or below it.
func (x *Search) reaches(h, m int32) bool {
	lo, hi := x.Scores.Arcs.Span(int(h))
	for _, c := range x.Scores.Arcs.Heads[lo:hi] {
		if x.Tree.Below(c, m) {
			return true
		}
	}
	return false
}

// impossible is the gain of a move that does not exist.
const impossible = -1 << 40

// makeRoot makes m the root, and hangs the present root on its best candidate
// below m. m must be a possible root (mayBeRoot). It returns the gain in local
// parts. If the gain is less than least, the tree stays as it was; otherwise
// the two moves are the trail.
func (x *Search) makeRoot(m int32, least int64) (gain int64, moved bool) {
	t, y := &x.Scores, &x.Tree
	first, old := t.Arcs.Start[m-1], y.Root
	gain = int64(t.Attach(y, int(m), first)) - int64(t.Attach(y, int(m), y.Arc[m]))
	x.trail = x.trail[:0]
	x.take(m, first)
	arc, g := x.bestBelow(old, m)
	if gain += g; gain < least {
		x.undo()
		y.Root = old // which has not moved
		return gain, false
	}
	x.take(old, arc)
	return gain, true
}

// bestBelow returns the best arc of word m to a head below top, and what it
// gains over the present one, or -1 and impossible if there is none.
func (x *Search) bestBelow(m, top int32) (arc int32, gain int64) {
	if !x.weighBelow(m, top) {
		return -1, impossible
	}
	lo, now := x.Scores.Arcs.Start[m-1], x.Tree.Arc[m]
	best := int32(part.Barred)
	for k, s := range x.worth {
		if i := lo + int32(k); i != now && s > best {
			arc, best = i, s
		}
	}
	return arc, int64(best) - int64(x.worth[now-lo])
}
