package feature

// Boundaries of an extended child list. The list of head h holds, in order
// of position, Start, its left children, h itself, its right children and
// End. Consecutive entries form sibling pairs, three in a row tri-siblings.
// This departs from RBGParser (Lei et al. 2014: one list without the head and
// without boundaries) so that first, last and innermost children, the side
// of the head and childless heads are parts too, as in Koo and Collins 2010
// and TurboParser; the straddling pair is the triple around h.
const (
	Start = -1 // before the first child
	End   = -2 // after the last child
)

// entry is the position of a list entry: Start and End are outside.
func (c *Codes) entry(x int) int {
	switch x {
	case Start:
		return at(-1)
	case End:
		return at(c.N + 1)
	}
	return at(x)
}

func direction(a, b int) uint64 {
	if a < b {
		return 1
	}
	return 0
}

func gap(a, b int) uint64 {
	d := a - b
	if d < 0 {
		d = -d
	}
	switch {
	case d <= 2:
		return uint64(d)
	case d <= 5:
		return 3
	}
	return 4
}

// Grandparent appends the keys of g -> h -> m (Lei et al. 2014;
// fewer contexts, always with both directions).
func (c *Codes) Grandparent(g, h, m int, buf []Key) []Key {
	flag := (direction(g, h) + 2*direction(h, m) + 4*direction(g, m)) * role5
	x, i, j := at(g), at(h), at(m)
	pg, ph, pm := uint64(c.Fine[x]), uint64(c.Fine[i]), uint64(c.Fine[j])
	cg, ch, cm := uint64(c.Coarse[x]), uint64(c.Coarse[i]), uint64(c.Coarse[j])
	lg, lh, lm := c.Lemma[x], c.Lemma[i], c.Lemma[j]
	s := uint64(tGrand)
	near := gap(h, m) + 5*gap(g, m)
	buf = append(buf,
		mix(sum3(s, pg, ph, pm)+flag),
		mix(sum3(s+1, cg, ch, cm)+flag),
		mix(sum4(s+2, cg, ch, cm, near)+flag),
		mix(sum3(s+3, lg, ch, cm)+flag),
		mix(sum3(s+4, cg, lh, cm)+flag),
		mix(sum3(s+5, cg, ch, lm)+flag),
		mix(sum3(s+6, lg, lh, cm)+flag),
		mix(sum3(s+7, lg, ch, lm)+flag),
		mix(sum3(s+8, cg, lh, lm)+flag),
		mix(sum2(s+9, pg, pm)+flag),
		mix(sum2(s+10, lg, cm)+flag),
		mix(sum2(s+11, cg, lm)+flag),
		mix(sum2(s+12, lg, lm)+flag),
		mix(sum4(s+13, cg, ch, cm, uint64(c.Coarse[j-1]))+flag),
		mix(sum4(s+14, cg, ch, cm, uint64(c.Coarse[j+1]))+flag),
		mix(sum4(s+15, cg, ch, cm, uint64(c.Coarse[i-1]))+flag),
		mix(sum4(s+16, cg, ch, cm, uint64(c.Coarse[i+1]))+flag),
		mix(sum4(s+17, cg, ch, cm, uint64(c.Coarse[max(x-1, 0)]))+flag),
		mix(sum4(s+18, cg, ch, cm, uint64(c.Coarse[x+1]))+flag),
		mix(sum4(s+19, pg, uint64(c.Case[i]), lm, cm)+flag))
	if c.Coarse[j] == tagPUNCT {
		last := uint64(0)
		if m == c.N {
			last = 1
		}
		buf = append(buf,
			mix(sum4(s+20, uint64(c.Punct[j]), pg, ph, last)+flag),
			mix(sum4(s+21, uint64(c.Punct[j]), ch, c.commasBetween(h, m), c.commasBetween(g, h))+flag))
	}
	return buf
}

func (c *Codes) commasBetween(a, b int) uint64 {
	i, j := at(a), at(b)
	if i > j {
		i, j = j, i
	}
	if j-i < 2 {
		return 0
	}
	return uint64(min(c.commas[j-1]-c.commas[i], 2))
}

// Sibling appends the keys of two consecutive entries a, b of the extended
// child list of h: consecutive sibling and sibling bigram in one.
func (c *Codes) Sibling(h, a, b int, buf []Key) []Key {
	i, x, y := at(h), c.entry(a), c.entry(b)
	side := uint64(0) // both left
	switch {
	case a == h:
		side = 1
	case b == h:
		side = 2
	case a == Start:
		side = 3 + direction(h, b)
	case b == End:
		side = 5 + direction(h, a)
	case a > h:
		side = 7
	}
	flag := side * role5
	s := uint64(tSibling)
	ph, p1, p2 := uint64(c.Fine[i]), uint64(c.Fine[x]), uint64(c.Fine[y])
	ch, c1, c2 := uint64(c.Coarse[i]), uint64(c.Coarse[x]), uint64(c.Coarse[y])
	lh, l1, l2 := c.Lemma[i], c.Lemma[x], c.Lemma[y]
	buf = append(buf,
		mix(sum3(s, ph, p1, p2)+flag),
		mix(sum3(s+1, ch, c1, c2)+flag),
		mix(sum3(s+2, lh, c1, c2)+flag),
		mix(sum3(s+3, ch, l1, c2)+flag),
		mix(sum3(s+4, ch, c1, l2)+flag))
	if a == h || b == h || a == Start || b == End {
		// one real child or none: the rest is about pairs of children
		k := x
		if a == h || a == Start {
			k = y
		}
		return append(buf,
			mix(sum4(s+5, ch, c1, c2, uint64(c.Coarse[k-1]))+flag),
			mix(sum4(s+6, ch, c1, c2, uint64(c.Coarse[min(k+1, len(c.Coarse)-1)]))+flag),
			mix(sum4(s+7, lh, uint64(c.Fine[k]), 0, 0)+flag),
			mix(sum4(s+8, lh, c.Lemma[k], 0, 0)+flag))
	}
	near := gap(a, b)
	buf = append(buf,
		mix(sum3(s+9, p1, p2, near)+flag),
		mix(sum2(s+10, l1, l2)),
		mix(sum3(s+11, l1, p2, near)+flag),
		mix(sum3(s+12, p1, l2, near)+flag),
		mix(sum3(s+13, c1, c2, near+8*gap(h, b))+flag),
		mix(sum4(s+14, ch, c1, c2, uint64(c.Coarse[x-1]))+flag),
		mix(sum4(s+15, ch, c1, c2, uint64(c.Coarse[x+1]))+flag),
		mix(sum4(s+16, ch, c1, c2, uint64(c.Coarse[y-1]))+flag),
		mix(sum4(s+17, ch, c1, c2, uint64(c.Coarse[y+1]))+flag),
		mix(sum4(s+18, ch, c1, c2, c.commasBetween(a, b))+flag),
		mix(sum3(s+19, ch, l1, l2)+flag),
		mix(sum4(s+20, ch, c1, c2, uint64(c.Case[x])<<8|uint64(c.Case[y]))+flag),
		mix(sum4(s+21, c1, c2, c.Marker[x], c.Marker[y])+flag))
	if c.Punct[x] != punctNone && c.Punct[y] != punctNone {
		// the two marks of a pair, with what they enclose
		buf = append(buf,
			mix(sum4(s+22, uint64(c.Punct[x]), uint64(c.Punct[y]), ch, near)+flag),
			mix(sum4(s+23, uint64(c.Punct[x]), uint64(c.Punct[y]), p1, p2)+flag))
	}
	return buf
}

// GrandSibling appends the keys of g -> h with consecutive entries a, b of
// the extended child list of h (Koo and Collins 2010; templates of Lei et al. 2014).
func (c *Codes) GrandSibling(g, h, a, b int, buf []Key) []Key {
	x, i, y, z := at(g), at(h), c.entry(a), c.entry(b)
	side := direction(g, h)
	if a == h || a > h {
		side += 2
	}
	flag := side * role5
	s := uint64(tGrandSibling)
	cg, ch, c1, c2 := uint64(c.Coarse[x]), uint64(c.Coarse[i]), uint64(c.Coarse[y]), uint64(c.Coarse[z])
	return append(buf,
		mix(sum4(s, cg, ch, c1, c2)+flag),
		mix(sum4(s+1, c.Lemma[x], ch, c1, c2)+flag),
		mix(sum4(s+2, cg, c.Lemma[i], c1, c2)+flag),
		mix(sum4(s+3, cg, ch, c.Lemma[y], c2)+flag),
		mix(sum4(s+4, cg, ch, c1, c.Lemma[z])+flag),
		mix(sum4(s+5, uint64(c.Fine[x]), uint64(c.Fine[i]), uint64(c.Fine[y]), uint64(c.Fine[z]))+flag))
}

// TriSibling appends the keys of three consecutive entries a, b, d of the
// extended child list of h (Koo and Collins 2010; templates of Lei et al. 2014).
func (c *Codes) TriSibling(h, a, b, d int, buf []Key) []Key {
	i, x, y, z := at(h), c.entry(a), c.entry(b), c.entry(d)
	side := uint64(0)
	switch {
	case b == h:
		side = 1
	case a == h:
		side = 2
	case d == h:
		side = 3
	case b > h:
		side = 4
	}
	flag := side * role5
	s := uint64(tTriSibling)
	ch, c1, c2, c3 := uint64(c.Coarse[i]), uint64(c.Coarse[x]), uint64(c.Coarse[y]), uint64(c.Coarse[z])
	return append(buf,
		mix(sum4(s, ch, c1, c2, c3)+flag),
		mix(sum4(s+1, c.Lemma[i], c1, c2, c3)+flag),
		mix(sum4(s+2, ch, c.Lemma[x], c2, c3)+flag),
		mix(sum4(s+3, ch, c1, c.Lemma[y], c3)+flag),
		mix(sum4(s+4, ch, c1, c2, c.Lemma[z])+flag),
		mix(sum3(s+5, ch, c1, c3)+flag),
		mix(sum4(s+6, uint64(c.Fine[i]), uint64(c.Fine[x]), uint64(c.Fine[y]), uint64(c.Fine[z]))+flag))
}

// HeadBigram appends the keys of the heads h1 of m and h2 of m+1
// (Lei et al. 2014).
func (c *Codes) HeadBigram(m, h1, h2 int, buf []Key) []Key {
	rel := uint64(0)
	switch {
	case h1 == h2:
		rel = 1
	case h1 == m+1:
		rel = 2
	case h2 == m:
		rel = 3
	}
	flag := rel * role5
	dirs := (rel*4 + direction(h1, m)*2 + direction(h2, m+1) + 8) * role5
	i, j, k := at(h1), at(h2), at(m)
	s := uint64(tHeadBigram)
	p1, p2, pm, pn := uint64(c.Fine[i]), uint64(c.Fine[j]), uint64(c.Fine[k]), uint64(c.Fine[k+1])
	c1, c2, cm, cn := uint64(c.Coarse[i]), uint64(c.Coarse[j]), uint64(c.Coarse[k]), uint64(c.Coarse[k+1])
	return append(buf,
		mix(sum4(s, p1, p2, pm, pn)+flag),
		mix(sum4(s, p1, p2, pm, pn)+dirs),
		mix(sum4(s+1, c1, c2, cm, cn)+flag),
		mix(sum4(s+1, c1, c2, cm, cn)+dirs))
}

// Crossing appends the keys that an arc h -> m counts once for every arc of
// the tree that it crosses (the non-projective feature of Lei et al.
// 2014 tests only whether the arc spans a word that is not below it).
func (c *Codes) Crossing(h, m int, buf []Key) []Key {
	i, j := at(h), at(m)
	s := uint64(tCrossing)
	ch, cm := uint64(c.Coarse[i]), uint64(c.Coarse[j])
	return append(buf, mix(t(s)), mix(sum1(s+1, cm)), mix(sum1(s+2, ch)), mix(sum2(s+3, ch, cm)))
}
