package decode

// Grand-grandparents and sibling-grandchildren (Zhang et
// al. 2014). A sibling-grandchild (h, p, c, s) is a child c of p with a neighbour s
// of p under h. Our extended child lists have the head in them, so p and s
// are always on one side of h: the paper's straddling pairs, in which the
// last child on the left and the first on the right are neighbours, are left
// out, as are Start, h and End in the place of s. Inner is s between h and p.

// greatGrandparent scores gg -> g -> h -> m, given by the arcs gg -> g and
// h -> m.
func (t *tables) greatGrandparent(upper, lower, g, m int32) int32 {
	key := t.generation<<(2*arcBits) | uint64(upper)<<arcBits | uint64(lower)
	e := slotOf(t.great, key)
	if e.key == key {
		return e.score
	}
	e.key = key
	gg, h := t.arcs.Heads[upper], t.arcs.Heads[lower]
	return t.ask(&e.score, t.codes.GreatGrandparent(int(gg), int(g), int(h), int(m), t.keys))
}

// above scores the grand-grandparents that exist because m hangs on the head
// of arc: with m at the end, in the second place from there, and in the third.
func (y *tree) above(t *tables, m int, arc int32) int32 {
	var s int32
	x, h := int32(m), t.arcs.Heads[arc]
	if h != 0 {
		if g := y.head[h]; g != 0 {
			s += t.greatGrandparent(y.slot[g], arc, g, x)
		}
	}
	for c := y.first[m]; c != 0; c = y.next[c] {
		if h != 0 {
			s += t.greatGrandparent(y.slot[h], y.slot[c], h, c)
		}
		for d := y.first[c]; d != 0; d = y.next[d] {
			s += t.greatGrandparent(arc, y.slot[d], x, d)
		}
	}
	return s
}

// nephew scores a sibling-grandchild (h, p, c, s), given by the arcs h -> s
// and p -> c.
func (t *tables) nephew(outer, inner, s, c int32) int32 {
	key := t.generation<<(2*arcBits) | uint64(outer)<<arcBits | uint64(inner)
	e := slotOf(t.nephews, key)
	if e.key == key {
		return e.score
	}
	e.key = key
	h, p := t.arcs.Heads[outer], t.arcs.Heads[inner]
	return t.ask(&e.score, t.codes.SiblingGrandchild(int(h), int(p), int(c), int(s), t.keys))
}

// nephewsOf scores s, the modifier of arc, with all children of its
// neighbour p but x.
func (y *tree) nephewsOf(t *tables, s, arc, p, x int32) int32 {
	var sum int32
	for c := y.first[p]; c != 0; c = y.next[c] {
		if c != x {
			sum += t.nephew(arc, y.slot[c], s, c)
		}
	}
	return sum
}

// kin scores the sibling-grandchildren that exist because m hangs on the head
// of arc between the entries left and right of its list, less those that left
// and right would make as neighbours.
func (y *tree) kin(t *tables, m int, arc int32, left, right int) int32 {
	x, h := int32(m), t.arcs.Heads[arc]
	l, r := int32(left), int32(right)
	isLeft, isRight := l > 0 && l != h, r > 0 && r != h
	var s int32
	if isLeft {
		s += y.nephewsOf(t, x, arc, l, x) + y.nephewsOf(t, l, y.slot[l], x, x)
	}
	if isRight {
		s += y.nephewsOf(t, x, arc, r, x) + y.nephewsOf(t, r, y.slot[r], x, x)
	}
	if isLeft && isRight {
		s -= y.nephewsOf(t, r, y.slot[r], l, x) + y.nephewsOf(t, l, y.slot[l], r, x)
	}
	g := y.head[h]
	if g == 0 {
		return s
	}
	before, after := y.prev[h], y.next[h]
	if before == x {
		before = y.prev[x]
	}
	if after == x {
		after = y.next[x]
	}
	if before != 0 && (before < g) == (h < g) {
		s += t.nephew(y.slot[before], arc, before, x)
	}
	if after != 0 && (after < g) == (h < g) {
		s += t.nephew(y.slot[after], arc, after, x)
	}
	return s
}
