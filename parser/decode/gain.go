package decode

// none is the place beyond a boundary of a child list.
const none = -1

// around returns the places next to word x in the extended child list of h,
// x itself left out: l2 < l1 < x < r1 < r2, none where the list has ended.
func (y *tree) around(t *tables, h int, x int32) (l2, l1, r1, r2 int32) {
	l2, l1 = none, 0
	end := t.width(h) - 1
	c, self := y.first[h], false
	for {
		for c == x && c != 0 {
			c = y.next[c]
		}
		var at, word int32
		switch {
		case !self && (c == 0 || c > int32(h)):
			at, word, self = t.self[h], int32(h), true
		case c != 0:
			at, word = t.place[y.slot[c]], c
			c = y.next[c]
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
		c = y.next[c]
	}
	switch {
	case !self && (c == 0 || c > int32(h)):
		r2 = t.self[h]
	case c != 0:
		r2 = t.place[y.slot[c]]
	default:
		r2 = end
	}
	return l2, l1, r1, r2
}

// attach returns the score of all parts that exist because word m hangs on
// the head of arc, less those that would exist at that head without m, in
// the current tree with m taken off its present head. The difference of two
// attach values is the difference of the scores of the two trees
// (papers/rbg-parser 6.6). The head must not be below m.
func (y *tree) attach(t *tables, m int, arc int32) int32 {
	t.count.Gains++
	a := &t.arcs
	x, h := int32(m), a.Heads[arc]
	s := a.Score[arc]
	if h != 0 {
		g := y.slot[h] - a.Start[h-1]
		s += t.grandparent(arc, g, m)
		k, b := t.place[arc], int(h)
		l2, l1, r1, r2 := y.around(t, b, x)
		s += t.sibling(b, g, l1, k) + t.sibling(b, g, k, r1) - t.sibling(b, g, l1, r1)
		s += t.triSibling(b, l1, k, r1)
		if l2 != none {
			s += t.triSibling(b, l2, l1, k) - t.triSibling(b, l2, l1, r1)
		}
		if r2 != none {
			s += t.triSibling(b, k, r1, r2) - t.triSibling(b, l1, r1, r2)
		}
	}
	s += y.underneath(t, m, arc-a.Start[m-1])
	if m > 1 {
		s += t.headBigram(m-1, y.slot[m-1]-a.Start[m-2], arc-a.Start[m-1])
	}
	if m < t.n {
		s += t.headBigram(m, arc-a.Start[m-1], y.slot[m+1]-a.Start[m])
	}
	return s + y.crossings(t, m, arc)
}

// underneath scores the parts in which the head at the slot of m is the
// grandparent: those of m's children.
func (y *tree) underneath(t *tables, m int, slot int32) int32 {
	var s int32
	at, self := int32(0), false
	for c := y.first[m]; ; c = y.next[c] {
		if !self && (c == 0 || c > int32(m)) {
			s += t.grandSibling(m, slot, at, t.self[m])
			at, self = t.self[m], true
		}
		if c == 0 {
			break
		}
		p := t.place[y.slot[c]]
		s += t.grandparent(y.slot[c], slot, int(c)) + t.grandSibling(m, slot, at, p)
		at = p
	}
	return s + t.grandSibling(m, slot, at, t.width(m)-1)
}

// crossings scores the arcs of the tree that the arc into m crosses: those
// with one end strictly inside its span and one strictly outside.
func (y *tree) crossings(t *tables, m int, arc int32) int32 {
	lo, hi := t.arcs.Heads[arc], int32(m)
	if lo > hi {
		lo, hi = hi, lo
	}
	var s int32
	for u := lo + 1; u < hi; u++ {
		if h := y.head[u]; h < lo || h > hi {
			s += t.crossing(arc, m) + t.crossing(y.slot[u], int(u))
		}
		for c := y.first[u]; c != 0 && c < lo; c = y.next[c] {
			s += t.crossing(arc, m) + t.crossing(y.slot[c], int(c))
		}
		for c := y.last[u]; c > hi; c = y.prev[c] {
			s += t.crossing(arc, m) + t.crossing(y.slot[c], int(c))
		}
	}
	return s
}
