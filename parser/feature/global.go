package feature

// Templates of grand-grandparents, sibling-grandchildren and global parts.
const (
	tGreat      = tLean + 64      // + 0..6
	tNephew     = tGreat + 8      // + 0..7
	tRight      = tNephew + 8     // alone
	tConjuncts  = tRight + 1      // + 0..6
	tConjHead   = tConjuncts + 8  // + 0..7
	tAttachment = tConjHead + 8   // + 0..7
	tSpan       = tAttachment + 8 // + 0..1
	tNeighbour  = tSpan + 2       // + 0..5
	tValency    = tNeighbour + 6  // + 0..4
	tNonProj    = tValency + 5    // + 0..8
	tPair       = tNonProj + 9    // + 0..2
)

// GreatGrandparent appends the keys of gg -> g -> h -> m, h and g words
// (Zhang et al. 2014; fewer, always with the directions).
func (c *Codes) GreatGrandparent(gg, g, h, m int, buf []Key) []Key {
	flag := (direction(gg, g) + 2*direction(g, h) + 4*direction(h, m)) * role5
	w, x, i, j := at(gg), at(g), at(h), at(m)
	ca, cg, ch, cm := uint64(c.Coarse[w]), uint64(c.Coarse[x]), uint64(c.Coarse[i]), uint64(c.Coarse[j])
	s := uint64(tGreat)
	return append(buf,
		mix(sum4(s, ca, cg, ch, cm)+flag),
		mix(sum4(s+1, c.Lemma[w], cg, ch, cm)+flag),
		mix(sum4(s+2, ca, c.Lemma[x], ch, cm)+flag),
		mix(sum4(s+3, ca, cg, c.Lemma[i], cm)+flag),
		mix(sum4(s+4, ca, cg, ch, c.Lemma[j])+flag),
		mix(sum4(s+5, uint64(c.Fine[w]), uint64(c.Fine[x]), uint64(c.Fine[i]), uint64(c.Fine[j]))+flag))
}

// SiblingGrandchild appends the keys of h -> p -> q with a neighbour b of p
// under h on the same side (Zhang et al. 2014; fewer, always with the
// side, the direction of q, and whether b is between h and p).
func (c *Codes) SiblingGrandchild(h, p, q, b int, buf []Key) []Key {
	flag := (direction(h, p) + 2*direction(p, q) + 4*direction(p, b)) * role5
	i, x, y, z := at(h), at(p), at(q), at(b)
	ch, cp, cq, cb := uint64(c.Coarse[i]), uint64(c.Coarse[x]), uint64(c.Coarse[y]), uint64(c.Coarse[z])
	s := uint64(tNephew)
	return append(buf,
		mix(sum4(s, ch, cp, cq, cb)+flag),
		mix(sum4(s+1, c.Lemma[i], cp, cq, cb)+flag),
		mix(sum4(s+2, ch, c.Lemma[x], cq, cb)+flag),
		mix(sum4(s+3, ch, cp, c.Lemma[y], cb)+flag),
		mix(sum4(s+4, ch, cp, cq, c.Lemma[z])+flag),
		mix(sum4(s+5, uint64(c.Fine[i]), uint64(c.Fine[x]), uint64(c.Fine[y]), uint64(c.Fine[z]))+flag))
}

// RightBranch appends k times the key of the right branch: scores are sums
// of weights, so a value is a number of copies.
func (c *Codes) RightBranch(k int, buf []Key) []Key {
	for range k {
		buf = append(buf, mix(t(tRight)))
	}
	return buf
}

// Coordination appends the keys of conjunction i between conjuncts l < r, of
// which l hangs on a (Zhang et al. 2014, for UD's coordination). The paper's
// features of a and r that share the weights of arcs have their own here.
func (c *Codes) Coordination(i, l, r, a int, buf []Key) []Key {
	w, x, y, z := at(i), at(l), at(r), at(a)
	pi, pl, pr := uint64(c.Fine[w]), uint64(c.Fine[x]), uint64(c.Fine[y])
	cl, cr, ca := uint64(c.Coarse[x]), uint64(c.Coarse[y]), uint64(c.Coarse[z])
	s := uint64(tConjuncts)
	buf = append(buf,
		mix(sum3(s, pi, pl, pr)), mix(sum3(s+1, pi, cl, cr)),
		mix(sum3(s+2, c.Form[w], pl, pr)), mix(sum3(s+3, c.Form[w], cl, cr)),
		mix(sum4(s+5, pi, cl, cr, c.commasBetween(l, r))))
	for _, f := range c.Feats(l) {
		for _, g := range c.Feats(r) {
			if f == g {
				buf = append(buf, mix(sum3(s+4, f, cl, cr)))
			}
		}
	}
	side := direction(a, l) * role5
	for q, k := range [2]int{x, y} {
		s := uint64(tConjHead + 3*q)
		buf = append(buf,
			mix(sum3(s, pi, ca, uint64(c.Coarse[k]))+side),
			mix(sum3(s+1, pi, c.Lemma[z], c.Lemma[k])+side),
			mix(sum3(s+2, c.Form[w], ca, uint64(c.Coarse[k]))+side))
	}
	return append(buf,
		mix(sum3(tConjHead+6, c.Lemma[z], cr, 0)+side),
		mix(sum3(tConjHead+7, uint64(c.Fine[z]), pr, 0)+side))
}

// Attachment appends the keys of adposition i under word q with head a
// (Zhang et al. 2014, for UD, where the adposition is a leaf under the noun).
func (c *Codes) Attachment(i, q, a int, buf []Key) []Key {
	w, x, y := at(i), at(q), at(a)
	flag := (direction(a, q) + 2*direction(i, q)) * role5
	cq, ca := uint64(c.Coarse[x]), uint64(c.Coarse[y])
	li, lq, la := c.Lemma[w], c.Lemma[x], c.Lemma[y]
	s := uint64(tAttachment)
	return append(buf,
		mix(sum2(s, ca, cq)+flag), mix(sum2(s+1, la, cq)+flag), mix(sum2(s+2, ca, lq)+flag), mix(sum2(s+3, la, lq)+flag),
		mix(sum3(s+4, li, ca, cq)+flag), mix(sum3(s+5, li, la, cq)+flag), mix(sum3(s+6, li, ca, lq)+flag),
		mix(sum3(s+7, li, la, lq)+flag))
}

// Span appends the keys of word m over a span: bin of its length, and end, 1
// if punctuation follows it, plus 2 if it ends the sentence.
func (c *Codes) Span(m, end, bin int, buf []Key) []Key {
	j := at(m)
	e, b := uint64(end), uint64(bin)
	return append(buf, mix(sum3(tSpan, uint64(c.Fine[j]), e, b)), mix(sum3(tSpan+1, uint64(c.Coarse[j]), e, b)))
}

// Neighbour appends the keys of word m with head a whose span has coarse
// tags l before it and r behind it.
func (c *Codes) Neighbour(a, m, l, r int, buf []Key) []Key {
	i, j := at(a), at(m)
	x, y := uint64(l), uint64(r)
	ca, cm := uint64(c.Coarse[i]), uint64(c.Coarse[j])
	s := uint64(tNeighbour)
	return append(buf,
		mix(sum3(s, uint64(c.Fine[j]), x, y)), mix(sum3(s+1, cm, x, y)), mix(sum3(s+2, c.Lemma[j], x, y)),
		mix(sum4(s+3, ca, cm, x, y)), mix(sum4(s+4, ca, c.Lemma[j], x, y)), mix(sum4(s+5, c.Lemma[i], cm, x, y)))
}

// Valency appends the keys of word m with so many children left and right,
// each at most 5, and the tags of its first children (TagString).
func (c *Codes) Valency(m, left, right, tags1, tags2 int, buf []Key) []Key {
	j := at(m)
	s, p := uint64(tValency), uint64(c.Fine[j])
	sum := uint64(min(5, left+right))
	string := uint64(tags1)<<16 | uint64(tags2)
	return append(buf, mix(sum2(s, p, sum)), mix(sum2(s+1, c.Lemma[j], sum)),
		mix(sum3(s+2, p, uint64(left), uint64(right))), mix(sum2(s+3, p, string)))
}

// NonProjective appends the keys of an arc h -> m over z words that hang
// outside it, binned: 1..5, 6 up to 10, 7 beyond.
func (c *Codes) NonProjective(h, m, z int, buf []Key) []Key {
	i, j := at(h), at(m)
	ch, cm, lh, lm := uint64(c.Coarse[i]), uint64(c.Coarse[j]), c.Lemma[i], c.Lemma[j]
	flag := uint64(z) * role5
	s := uint64(tNonProj)
	return append(buf, mix(t(s)+flag),
		mix(sum1(s+1, cm)+flag), mix(sum1(s+2, ch)+flag), mix(sum1(s+3, lh)+flag), mix(sum1(s+4, lm)+flag),
		mix(sum2(s+5, ch, cm)+flag), mix(sum2(s+6, lh, cm)+flag), mix(sum2(s+7, ch, lm)+flag), mix(sum2(s+8, lh, lm)+flag))
}

// Pair appends the keys of brackets or quotes i < j that both hang on a.
func (c *Codes) Pair(i, j, a int, buf []Key) []Key {
	flag := uint64(0)
	if i < a && a < j {
		flag = role5
	}
	w := c.Form[at(i)]
	return append(buf, mix(sum1(tPair, w)+flag), mix(sum2(tPair+1, w, uint64(c.Fine[at(a)]))+flag))
}

// Tag returns the coarse tag of position p, -1 <= p <= n+1, below CoarseTags.
func (c *Codes) Tag(p int) uint8 { return c.Coarse[at(p)] }

// IsPunct, IsConjunction and IsAdposition tell the words that global
// families look for, by their UPOS.
func (c *Codes) IsPunct(m int) bool       { return c.Coarse[at(m)] == tagPUNCT }
func (c *Codes) IsConjunction(m int) bool { return c.Coarse[at(m)] == tagCCONJ }
func (c *Codes) IsAdposition(m int) bool  { return c.Coarse[at(m)] == tagADP }

// Partners sets partner[i] = j for every opening bracket i closed at j, and
// for the first and second, third and fourth ... straight quote; all others
// of partner[0..n] are 0. Brackets nest; one that closes nothing has no
// partner. It returns partner, resized.
func (c *Codes) Partners(partner []int32) []int32 {
	partner = resize(partner, c.N+1)
	clear(partner)
	open, quote := int32(0), 0 // a chain of open brackets through partner
	for m := 1; m <= c.N; m++ {
		switch c.Punct[at(m)] {
		case punctOpen:
			partner[m], open = -open, int32(m)
		case punctClose:
			if open > 0 {
				outer := -partner[open]
				partner[open], open = int32(m), outer
			}
		case punctQuote:
			if quote > 0 {
				partner[quote], quote = int32(m), 0
			} else {
				quote = m
			}
		}
	}
	for open > 0 {
		open, partner[open] = -partner[open], 0
	}
	return partner
}
