package part

import (
	"math"

	"github.com/treebeam/treebeam/parser/feature"
)

// none is the place beyond a boundary of a child list.
const none = -1

// around returns the places next to word x in the extended child list of h,
// x itself left out: l2 < l1 < x < r1 < r2, none where the list has ended.
func (y *Tree) around(t *Scores, h int, x int32) (l2, l1, r1, r2 int32) {
	l2, l1 = none, 0
	end := t.width(h) - 1
	c, self := y.First[h], false
	for {
		for c == x && c != 0 {
			c = y.Next[c]
		}
		var at, word int32
		switch {
		case !self && (c == 0 || c > int32(h)):
			at, word, self = t.self[h], int32(h), true
		case c != 0:
			at, word = t.place[y.Slot[c]], c
			c = y.Next[c]
		default:
			return l2, l1, end, none
		}
		if word < x {
			l2, l1 = l1, at
			continue
		}
		r1 = at
		break
	}
	for c == x && c != 0 {
		c = y.Next[c]
	}
	switch {
	case !self && (c == 0 || c > int32(h)):
		r2 = t.self[h]
	case c != 0:
		r2 = t.place[y.Slot[c]]
	default:
		r2 = end
	}
	return l2, l1, r1, r2
}

// lists are the families that look at child lists.
const lists = feature.Siblings | feature.GrandSiblings | feature.TriSiblings | feature.SiblingGrandchildren

// Attach returns the score of all parts that exist because word m hangs on
// the head of arc, less those that would exist at that head without m, in
// the current tree with m taken off its present head. The difference of two
// Attach values is the difference of the scores of the two trees.
// The head must not be below m.
func (t *Scores) Attach(y *Tree, m int, arc int32) int32 {
	t.Count.Gains++
	a, on := &t.Arcs, t.on
	h, slot := a.Heads[arc], arc-a.Start[m-1]
	s := a.Score[arc]
	if h != 0 {
		if on&feature.Grandparents != 0 {
			s += t.grandparent(arc, y.Slot[h]-a.Start[h-1], m)
		}
		if on&lists != 0 {
			s += y.beside(t, m, arc)
		}
	}
	if on&(feature.Grandparents|feature.GrandSiblings) != 0 {
		s += y.underneath(t, m, slot)
	}
	if on&feature.HeadBigrams != 0 {
		if m > 1 {
			s += t.headBigram(m-1, y.Slot[m-1]-a.Start[m-2], slot)
		}
		if m < t.N {
			s += t.headBigram(m, slot, y.Slot[m+1]-a.Start[m])
		}
	}
	if on&feature.GreatGrandparents != 0 {
		s += y.above(t, m, arc)
	}
	if on&feature.Crossings != 0 {
		s += y.crossings(t, m, arc)
	}
	return s
}

// beside scores the parts that m makes in the child list of its head, less
// those that its neighbours would make without it.
func (y *Tree) beside(t *Scores, m int, arc int32) int32 {
	h := t.Arcs.Heads[arc]
	g, k, b := y.Slot[h]-t.Arcs.Start[h-1], t.place[arc], int(h)
	l2, l1, r1, r2 := y.around(t, b, int32(m))
	var s int32
	if t.on&(feature.Siblings|feature.GrandSiblings) != 0 {
		s = t.sibling(b, g, l1, k) + t.sibling(b, g, k, r1) - t.sibling(b, g, l1, r1)
	}
	if t.on&feature.TriSiblings != 0 {
		s += t.triSibling(b, l1, k, r1)
		if l2 != none {
			s += t.triSibling(b, l2, l1, k) - t.triSibling(b, l2, l1, r1)
		}
		if r2 != none {
			s += t.triSibling(b, k, r1, r2) - t.triSibling(b, l1, r1, r2)
		}
	}
	if t.on&feature.SiblingGrandchildren != 0 {
		s += y.kin(t, m, arc, t.word(b, l1), t.word(b, r1))
	}
	return s
}

// underneath scores the parts in which the head at the slot of m is the
// grandparent: those of m's children.
func (y *Tree) underneath(t *Scores, m int, slot int32) int32 {
	var s int32
	if t.on&feature.GrandSiblings == 0 {
		for c := y.First[m]; c != 0; c = y.Next[c] {
			s += t.grandparent(y.Slot[c], slot, int(c))
		}
		return s
	}
	at, self := int32(0), false
	for c := y.First[m]; ; c = y.Next[c] {
		if !self && (c == 0 || c > int32(m)) {
			s += t.grandSibling(m, slot, at, t.self[m])
			at, self = t.self[m], true
		}
		if c == 0 {
			break
		}
		p := t.place[y.Slot[c]]
		s += t.grandSibling(m, slot, at, p)
		if t.on&feature.Grandparents != 0 {
			s += t.grandparent(y.Slot[c], slot, int(c))
		}
		at = p
	}
	return s + t.grandSibling(m, slot, at, t.width(m)-1)
}

// crossings scores the arcs of the tree that the arc into m crosses: those
// with one end strictly inside its span and one strictly outside.
func (y *Tree) crossings(t *Scores, m int, arc int32) int32 {
	lo, hi := t.Arcs.Heads[arc], int32(m)
	if lo > hi {
		lo, hi = hi, lo
	}
	var s int32
	for u := lo + 1; u < hi; u++ {
		if y.Low[u] >= lo && y.High[u] <= hi {
			continue
		}
		if h := y.Head[u]; h < lo || h > hi {
			s += t.crossing(arc, m) + t.crossing(y.Slot[u], int(u))
		}
		for c := y.First[u]; c != 0 && c < lo; c = y.Next[c] {
			s += t.crossing(arc, m) + t.crossing(y.Slot[c], int(c))
		}
		for c := y.Last[u]; c > hi; c = y.Prev[c] {
			s += t.crossing(arc, m) + t.crossing(y.Slot[c], int(c))
		}
	}
	return s
}

// Barred is the worth of a head that AttachAll is not to look at.
const Barred = math.MinInt32

// AttachAll replaces every entry of worth that is not Barred, one for each
// candidate head of m, by what Attach returns for it.
func (t *Scores) AttachAll(y *Tree, m int, worth []int32) {
	lo := t.Arcs.Start[m-1]
	// The first round asks for all parts that are new, the next one sums. Two
	// parts may want one place of a direct-mapped table, so rounds are few.
	gains := t.Count.Gains
	for round := 0; ; round++ {
		t.deferred = round < 2
		t.Count.Gains = gains
		for k, s := range worth {
			if s != Barred {
				worth[k] = t.Attach(y, m, lo+int32(k))
			}
		}
		if len(t.asked) == 0 {
			t.deferred = false
			return
		}
		t.answer()
	}
}
