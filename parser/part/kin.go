package part

// Grand-grandparents and sibling-grandchildren (Zhang et
// al. 2014). A sibling-grandchild (h, p, c, s) is a child c of p with a neighbour s
// of p under h. Our extended child lists have the head in them, so p and s
// are always on one side of h: the paper's straddling pairs, in which the
// last child on the left and the first on the right are neighbours, are left
// out, as are Start, h and End in the place of s. Inner is s between h and p.

// greatGrandparent scores gg -> g -> h -> m, given by the arcs gg -> g and
// h -> m.
func (t *Scores) greatGrandparent(upper, lower, g, m int32) int32 {
	key := t.generation<<(2*arcBits) | uint64(upper)<<arcBits | uint64(lower)
	e := slotOf(t.great, key)
	if e.key == key {
		return e.score
	}
	e.key = key
	gg, h := t.Arcs.Heads[upper], t.Arcs.Heads[lower]
	return t.ask(&e.score, t.codes.GreatGrandparent(int(gg), int(g), int(h), int(m), t.keys))
}

// above scores the grand-grandparents that exist because m hangs on the head
// of arc: with m at the end, in the second place from there, and in the third.
func (y *Tree) above(t *Scores, m int, arc int32) int32 {
	var s int32
	x, h := int32(m), t.Arcs.Heads[arc]
	if h != 0 {
		if g := y.Head[h]; g != 0 {
			s += t.greatGrandparent(y.Slot[g], arc, g, x)
		}
	}
	for c := y.First[m]; c != 0; c = y.Next[c] {
		if h != 0 {
			s += t.greatGrandparent(y.Slot[h], y.Slot[c], h, c)
		}
		for d := y.First[c]; d != 0; d = y.Next[d] {
			s += t.greatGrandparent(arc, y.Slot[d], x, d)
		}
	}
	return s
}

// nephew scores a sibling-grandchild (h, p, c, s), given by the arcs h -> s
// and p -> c.
func (t *Scores) nephew(outer, inner, s, c int32) int32 {
	key := t.generation<<(2*arcBits) | uint64(outer)<<arcBits | uint64(inner)
	e := slotOf(t.nephews, key)
	if e.key == key {
		return e.score
	}
	e.key = key
	h, p := t.Arcs.Heads[outer], t.Arcs.Heads[inner]
	return t.ask(&e.score, t.codes.SiblingGrandchild(int(h), int(p), int(c), int(s), t.keys))
}

// nephewsOf scores s, the modifier of arc, with all children of its
// neighbour p but x.
func (y *Tree) nephewsOf(t *Scores, s, arc, p, x int32) int32 {
	var sum int32
	for c := y.First[p]; c != 0; c = y.Next[c] {
		if c != x {
			sum += t.nephew(arc, y.Slot[c], s, c)
		}
	}
	return sum
}

// kin scores the sibling-grandchildren that exist because m hangs on the head
// of arc between the entries left and right of its list, less those that left
// and right would make as neighbours.
func (y *Tree) kin(t *Scores, m int, arc int32, left, right int) int32 {
	x, h := int32(m), t.Arcs.Heads[arc]
	l, r := int32(left), int32(right)
	isLeft, isRight := l > 0 && l != h, r > 0 && r != h
	var s int32
	if isLeft {
		s += y.nephewsOf(t, x, arc, l, x) + y.nephewsOf(t, l, y.Slot[l], x, x)
	}
	if isRight {
		s += y.nephewsOf(t, x, arc, r, x) + y.nephewsOf(t, r, y.Slot[r], x, x)
	}
	if isLeft && isRight {
		s -= y.nephewsOf(t, r, y.Slot[r], l, x) + y.nephewsOf(t, l, y.Slot[l], r, x)
	}
	g := y.Head[h]
	if g == 0 {
		return s
	}
	before, after := y.Prev[h], y.Next[h]
	if before == x {
		before = y.Prev[x]
	}
	if after == x {
		after = y.Next[x]
	}
	if before != 0 && (before < g) == (h < g) {
		s += t.nephew(y.Slot[before], arc, before, x)
	}
	if after != 0 && (after < g) == (h < g) {
		s += t.nephew(y.Slot[after], arc, after, x)
	}
	return s
}
