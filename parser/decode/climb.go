package decode

import "math"

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
	x.order = x.y.postorder(x.order[:0])
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
	for i := 0; i < len(x.queue) && i < maxSweeps*x.t.n && !x.spent(); i++ {
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
		old := step{m, x.y.slot[m]}
		x.y.move(&x.t, int(m), arc)
		x.enqueue(old)
	}
	return int64(gain)
}

// better returns the best arc of word m and what it gains over the present
// one; without a gain m stays. Ties keep the present head, then the lowest
// challenger.
func (x *search) better(m int32) (arc, gain int32) {
	now := x.y.slot[m]
	if !x.weigh(m) {
		return now, 0
	}
	lo := x.t.arcs.Start[m-1]
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
const barred = math.MinInt32

// weigh leaves in x.worth what each candidate head of word m is worth, the
// present one included (attach). It reports whether there is a choice.
func (x *search) weigh(m int32) bool {
	t, y := &x.t, &x.y
	lo, hi := t.arcs.Start[m-1], t.arcs.Start[m]
	if m == y.root || hi-lo < 2 {
		return false
	}
	x.worth = resize(x.worth, int(hi-lo))
	choice := false
	for i := lo; i < hi; i++ {
		h := t.arcs.Heads[i]
		x.worth[i-lo] = 0
		if i == y.slot[m] {
			continue
		}
		if h == 0 || y.below(h, m) || x.excluded(h, m) {
			x.worth[i-lo] = barred
			continue
		}
		choice = true
	}
	if !choice {
		return false
	}
	// The first round asks for all parts that are new, the next one sums. Two
	// parts may want one place of a direct-mapped table, so rounds are few.
	gains := t.count.Gains
	for round := 0; ; round++ {
		t.deferred = round < 2
		t.count.Gains = gains
		for k, s := range x.worth {
			if s != barred {
				x.worth[k] = y.attach(t, int(m), lo+int32(k))
			}
		}
		if len(t.asked) == 0 {
			t.deferred = false
			return true
		}
		t.answer()
	}
}

// reroot tries each word m that has 0 among its candidates as the root: m
// goes to 0 and the old root to its best candidate below m. The first change
// that gains is kept.
func (x *search) reroot() int64 {
	t, y := &x.t, &x.y
	old := y.root
	for m := int32(1); int(m) <= t.n && !x.spent(); m++ {
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
	lo, hi := t.arcs.Span(int(m))
	if lo == hi || t.arcs.Heads[lo] != 0 {
		return false
	}
	lo, hi = t.arcs.Span(int(old))
	for i := lo; i < hi; i++ {
		if h := t.arcs.Heads[i]; h != 0 && x.y.below(h, m) {
			return true
		}
	}
	return false
}

// tryRoot makes m the root in place of old if that gains; else it leaves the
// tree as it was. It returns the gain, also a negative one. Some candidate
// head of old must be below m.
func (x *search) tryRoot(m, old int32) int64 {
	t, y := &x.t, &x.y
	before, rootArc := y.slot[m], y.slot[old]
	gain, pick := x.openRoot(m, old)
	if gain <= 0 {
		y.move(t, int(m), before)
		y.root = old
		return gain
	}
	y.move(t, int(old), pick)
	y.root = m
	x.enqueue(step{m, before})
	x.enqueue(step{old, rootArc})
	return gain
}

// openRoot is the first half of a re-rooting: it hangs m on 0 and returns the
// arc on which old, still on 0, is best below m, and what the whole move
// gains by local parts.
func (x *search) openRoot(m, old int32) (gain int64, pick int32) {
	t, y := &x.t, &x.y
	first := t.arcs.Start[m-1]
	if x.excluded(0, m) {
		return impossible, -1
	}
	gain = int64(y.attach(t, int(m), first)) - int64(y.attach(t, int(m), y.slot[m]))
	y.move(t, int(m), first)
	leave := int64(y.attach(t, int(old), y.slot[old]))
	best := int64(0)
	pick = -1
	lo, hi := t.arcs.Span(int(old))
	for i := int32(lo); i < int32(hi); i++ {
		if h := t.arcs.Heads[i]; h != 0 && y.below(h, m) && !x.excluded(h, old) {
			if s := int64(y.attach(t, int(old), i)); pick < 0 || s > best {
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
