package search

import "github.com/treebeam/treebeam/parser/part"

// maxSweeps bounds a climb. Scores are integers and every move gains at
// least one, so climbs end by themselves; the bound only limits the work.
const maxSweeps = 64

// climb improves the tree by changing one head at a time, each to its best
// candidate: all words once in post-order (Zhang et al. 2014), then those that a
// change concerns, until none of them gains. The root word stays; at the end
// every other word that may be the root is tried as one, and after a success
// the words that it concerns climb again. It returns the gain in score. Unlike
// the paper's it does not look at every word once more to see that nothing
// gains: chains do that, or close.
func (x *search) climb() int64 {
	x.leaveLine()
	gained := x.sweep()
	for range maxSweeps {
		gained += x.drain()
		if x.spent() {
			break
		}
		g := x.reroot()
		if g == 0 {
			break
		}
		gained += g
	}
	return gained
}

// close climbs to a local optimum, a tree that no change of one head improves.
func (x *search) close() {
	for x.climb() > 0 {
	}
}

// sweep visits every word once, and puts the words in line that its changes
// concern.
func (x *search) sweep() int64 {
	gained := int64(0)
	x.order = x.y.Postorder(x.order[:0])
	for _, m := range x.order {
		if x.spent() {
			break
		}
		gained += x.improve(m)
	}
	return gained
}

// drain visits the words in line, and those that come into it.
func (x *search) drain() int64 {
	gained := int64(0)
	for i := 0; i < len(x.queue) && i < maxSweeps*x.t.N && !x.spent(); i++ {
		w := x.queue[i]
		x.queued[w] = false
		gained += x.improve(w)
	}
	x.leaveLine()
	return gained
}

// leaveLine empties the line. A word that stayed marked as being in it would
// never be visited again.
func (x *search) leaveLine() {
	for _, w := range x.queue {
		x.queued[w] = false
	}
	x.queue = x.queue[:0]
}

// improve gives word m its best head.
func (x *search) improve(m int32) int64 {
	arc, gain := x.better(m)
	if gain > 0 {
		old := step{m, x.y.Slot[m]}
		x.y.Move(int(m), arc)
		x.enqueue(old)
	}
	return int64(gain)
}

// better returns the best arc of word m and what it gains over the present
// one; without a gain m stays. Ties keep the present head, then the lowest
// challenger.
func (x *search) better(m int32) (arc, gain int32) {
	now := x.y.Slot[m]
	if !x.weigh(m) {
		return now, 0
	}
	lo := x.t.Arcs.Start[m-1]
	base := x.worth[now-lo]
	best, pick := base, now
	for k, s := range x.worth {
		if s > best {
			best, pick = s, lo+int32(k)
		}
	}
	return pick, best - base
}

// barred is the worth of a head that would close a cycle, or is the root, or
// would cross an arc where none may.
const barred = part.Barred

// weigh leaves in x.worth what each candidate head of word m is worth, the
// present one included (attach). It reports whether there is a choice.
func (x *search) weigh(m int32) bool {
	t, y := &x.t, &x.y
	lo, hi := t.Arcs.Start[m-1], t.Arcs.Start[m]
	if m == y.Root || hi-lo < 2 {
		return false
	}
	x.worth = resize(x.worth, int(hi-lo))
	choice := false
	for i := lo; i < hi; i++ {
		h := t.Arcs.Heads[i]
		x.worth[i-lo] = 0
		if i == y.Slot[m] {
			continue
		}
		if h == 0 || y.Below(h, m) || x.excluded(h, m) {
			x.worth[i-lo] = barred
			continue
		}
		choice = true
	}
	if !choice {
		return false
	}
	t.AttachAll(y, int(m), x.worth)
	return true
}

// reroot tries each word m that has 0 among its candidates as the root: m
// goes to 0 and the old root to its best candidate below m. The first change
// that gains is kept.
func (x *search) reroot() int64 {
	t, y := &x.t, &x.y
	old := y.Root
	for m := int32(1); int(m) <= t.N && !x.spent(); m++ {
		if m == old || !x.mayReplace(m, old) {
			continue
		}
		if g := x.tryRoot(m, old); g > 0 {
			return g
		}
	}
	return 0
}

// mayReplace reports whether m can be the root instead of old: 0 must be a
// candidate of m, and a word below m one of old.
func (x *search) mayReplace(m, old int32) bool {
	t := &x.t
	lo, hi := t.Arcs.Span(int(m))
	if lo == hi || t.Arcs.Heads[lo] != 0 {
		return false
	}
	lo, hi = t.Arcs.Span(int(old))
	for i := lo; i < hi; i++ {
		if h := t.Arcs.Heads[i]; h != 0 && x.y.Below(h, m) {
			return true
		}
	}
	return false
}

// tryRoot makes m the root in place of old if that gains; else it leaves the
// tree as it was. It returns the gain, also a negative one. Some candidate
// head of old must be below m.
func (x *search) tryRoot(m, old int32) int64 {
	y := &x.y
	before, rootArc := y.Slot[m], y.Slot[old]
	gain, pick := x.openRoot(m, old)
	if gain <= 0 {
		y.Move(int(m), before)
		y.Root = old
		return gain
	}
	y.Move(int(old), pick)
	y.Root = m
	x.enqueue(step{m, before})
	x.enqueue(step{old, rootArc})
	return gain
}

// openRoot is the first half of a re-rooting: it hangs m on 0 and returns the
// arc on which old, still on 0, is best below m, and what the whole move
// gains by local parts.
func (x *search) openRoot(m, old int32) (gain int64, pick int32) {
	t, y := &x.t, &x.y
	first := t.Arcs.Start[m-1]
	if x.excluded(0, m) {
		return impossible, -1
	}
	gain = int64(t.Attach(y, int(m), first)) - int64(t.Attach(y, int(m), y.Slot[m]))
	y.Move(int(m), first)
	leave := int64(t.Attach(y, int(old), y.Slot[old]))
	best := int64(0)
	pick = -1
	lo, hi := t.Arcs.Span(int(old))
	for i := int32(lo); i < int32(hi); i++ {
		if h := t.Arcs.Heads[i]; h != 0 && y.Below(h, m) && !x.excluded(h, old) {
			if s := int64(t.Attach(y, int(old), i)); pick < 0 || s > best {
				best, pick = s, i
			}
		}
	}
	if pick < 0 {
		return impossible, pick
	}
	return gain + best - leave, pick
}

// impossible is the gain of a re-rooting that would cross an arc where none
// may.
const impossible = -1 << 40
