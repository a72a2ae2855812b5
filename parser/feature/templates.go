package feature

// A template is one iota below, times roleT; every template id is used in
// one place only.
const (
	_ = iota
	tForm1h
	tForm1m
	tForm2
	tCtx0
	tCtx1
	tCtx2
	tCtx3
	tLemma1h
	tLemma1m
	tLemma2
	tFine1h
	tFine1m
	tFine2
	tCoarse1h
	tCoarse1m
	tCoarse2
	tSurround       // + 0..11 fine
	tSurroundCoarse = tSurround + 12
	tWordTag        = tSurroundCoarse + 4 // + 0..6 form and fine
	tLemmaTag       = tWordTag + 7        // + 0..6 lemma and coarse
	tFeatHead       = tLemmaTag + 7
	tFeatMod        = tFeatHead + 1
	tFeatPair       = tFeatMod + 1
	tFeatPairTag    = tFeatPair + 1
	tCaseLemma      = tFeatPairTag + 1
	tMarker         = tCaseLemma + 1 // + 0..4
	tBetween        = tMarker + 5
	tBetweenFine    = tBetween + 1
	tCommas         = tBetweenFine + 1 // + 0..2
	tPunct          = tCommas + 3      // + 0..6
	tGrand          = tPunct + 7       // + 0..39
	tSibling        = tGrand + 40      // + 0..39
	tGrandSibling   = tSibling + 40
	tTriSibling     = tGrandSibling + 16
	tHeadBigram     = tTriSibling + 16
	tCrossing       = tHeadBigram + 4
	tLean           = tCrossing + 8 // + 0..31
	tPrune          = tLean + 32    // + 0..31
)

func t(id uint64) uint64 { return id * roleT }

func sum1(id, a uint64) uint64       { return t(id) + a*role0 }
func sum2(id, a, b uint64) uint64    { return t(id) + a*role0 + b*role1 }
func sum3(id, a, b, c uint64) uint64 { return t(id) + a*role0 + b*role1 + c*role2 }
func sum4(id, a, b, c, d uint64) uint64 {
	return t(id) + a*role0 + b*role1 + c*role2 + d*role3
}

// A reach is what an arc says of its two positions, times role5: the signed
// distance bin, and the direction alone.
type reach struct{ dist, dir uint64 }

func reachOf(h, m int) reach {
	return reach{Distance(h, m) * role5, (distances + direction(h, m)) * role5}
}

// both appends a template with the direction of its arc and with its signed
// distance. The two keys share their upper half, so that they lie in one
// cache line of a table (score.Weights) and cost one fetch. Lei et al.
// (2014) have every template alone and with its distance; alone, one that sees
// only the modifier is the same for all of its heads.
func both(buf []Key, sum uint64, r reach) []Key {
	const lower = 1<<32 - 1
	k := mix(sum + r.dir)
	return append(buf, k, k&^lower|mix(sum+r.dist)&lower)
}

// Arc appends the keys of the arc h -> m, 0 <= h <= n, 1 <= m <= n
// (Lei et al. 2014). Departures: in-between tags count once each;
// coarse surrounding tags are cut to four templates; lemma goes with coarse
// and form with fine tags; and there are families of our own for markers,
// commas and punctuation.
func (c *Codes) Arc(h, m int, buf []Key) []Key {
	r := reachOf(h, m)
	i, j := at(h), at(m)
	wh, wm := c.Form[i], c.Form[j]
	lh, lm := c.Lemma[i], c.Lemma[j]
	ph, pm := uint64(c.Fine[i]), uint64(c.Fine[j])
	ch, cm := uint64(c.Coarse[i]), uint64(c.Coarse[j])

	buf = both(buf, sum1(tForm1h, wh), r)
	buf = both(buf, sum1(tForm1m, wm), r)
	buf = both(buf, sum2(tForm2, wh, wm), r)
	buf = both(buf, sum1(tCtx0, c.Form[max(i-1, 0)]), r)
	buf = both(buf, sum1(tCtx1, c.Form[i+1]), r)
	buf = both(buf, sum1(tCtx2, c.Form[j-1]), r)
	buf = both(buf, sum1(tCtx3, c.Form[j+1]), r)
	buf = both(buf, sum1(tLemma1h, lh), r)
	buf = both(buf, sum1(tLemma1m, lm), r)
	buf = both(buf, sum2(tLemma2, lh, lm), r)
	buf = both(buf, sum1(tFine1h, ph), r)
	buf = both(buf, sum1(tFine1m, pm), r)
	buf = both(buf, sum2(tFine2, ph, pm), r)
	buf = both(buf, sum1(tCoarse1h, ch), r)
	buf = both(buf, sum1(tCoarse1m, cm), r)
	buf = both(buf, sum2(tCoarse2, ch, cm), r)

	buf = wordTags(buf, tWordTag, wh, wm, ph, pm, r)
	buf = wordTags(buf, tLemmaTag, lh, lm, ch, cm, r)
	buf = c.surrounding(h, m, r, buf)
	buf = c.morphology(h, m, r, buf)
	buf = c.between(h, m, r, buf)
	if c.Coarse[j] == tagPUNCT {
		buf = c.punctuation(h, m, r, buf)
	}
	return buf
}

func wordTags(buf []Key, id, vh, vm, th, tm uint64, r reach) []Key {
	buf = both(buf, sum4(id, vh, vm, th, tm), r)
	buf = both(buf, sum3(id+1, vm, th, tm), r)
	buf = both(buf, sum3(id+2, vh, th, tm), r)
	buf = both(buf, sum2(id+3, vm, th), r)
	buf = both(buf, sum2(id+4, vh, tm), r)
	buf = both(buf, sum2(id+5, vh, th), r)
	return both(buf, sum2(id+6, vm, tm), r)
}

// surrounding is group E, with MID for a neighbour that is the other end.
func (c *Codes) surrounding(h, m int, r reach, buf []Key) []Key {
	const mid = 255
	i, j := at(h), at(m)
	near := func(tags []uint8, k, other int) uint64 {
		if k == other {
			return mid
		}
		return uint64(tags[max(k, 0)])
	}
	f := c.Fine
	ph, pm := uint64(f[i]), uint64(f[j])
	hl, hr := near(f, i-1, j), near(f, i+1, j)
	ml, mr := near(f, j-1, i), near(f, j+1, i)
	s := uint64(tSurround)
	buf = both(buf, sum4(s, hl, ph, pm, mr), r)
	buf = both(buf, sum3(s+1, ph, pm, mr), r)
	buf = both(buf, sum3(s+2, hl, ph, pm), r)
	buf = both(buf, sum3(s+3, hl, pm, mr), r)
	buf = both(buf, sum3(s+4, hl, ph, mr), r)
	buf = both(buf, sum4(s+5, ph, hr, ml, pm), r)
	buf = both(buf, sum3(s+6, ph, ml, pm), r)
	buf = both(buf, sum3(s+7, ph, hr, pm), r)
	buf = both(buf, sum3(s+8, hr, ml, pm), r)
	buf = both(buf, sum3(s+9, ph, hr, ml), r)
	buf = both(buf, sum4(s+10, hl, ph, ml, pm), r)
	buf = both(buf, sum4(s+11, ph, hr, pm, mr), r)

	k := c.Coarse
	ch, cm := uint64(k[i]), uint64(k[j])
	hl, hr = near(k, i-1, j), near(k, i+1, j)
	ml, mr = near(k, j-1, i), near(k, j+1, i)
	s = tSurroundCoarse
	buf = both(buf, sum4(s, hl, ch, cm, mr), r)
	buf = both(buf, sum4(s+1, ch, hr, ml, cm), r)
	buf = both(buf, sum4(s+2, hl, ch, ml, cm), r)
	return both(buf, sum4(s+3, ch, hr, cm, mr), r)
}

// morphology is group C and our markers.
func (c *Codes) morphology(h, m int, r reach, buf []Key) []Key {
	i, j := at(h), at(m)
	ch, cm := uint64(c.Coarse[i]), uint64(c.Coarse[j])
	fh, fm := c.Feats(h), c.Feats(m)
	for _, a := range fh {
		buf = append(buf, mix(sum3(tFeatHead, a, ch, cm)+r.dist))
	}
	for _, b := range fm {
		buf = append(buf, mix(sum3(tFeatMod, b, ch, cm)+r.dist))
		for _, a := range fh {
			s := sum2(tFeatPair, a, b)
			buf = append(buf, mix(s+r.dist), mix(sum4(tFeatPairTag, a, b, ch, cm)))
		}
	}
	if c.Case[j] != 0 {
		buf = both(buf, sum2(tCaseLemma, c.Lemma[i], uint64(c.Case[j])), r)
	}
	if a := c.Marker[j]; a != 0 {
		buf = both(buf, sum2(tMarker, c.Lemma[i], a), r)
		buf = both(buf, sum3(tMarker+1, ch, cm, a), r)
		buf = append(buf, mix(sum3(tMarker+2, c.Lemma[i], a, c.Lemma[j])))
		buf = append(buf, mix(sum4(tMarker+3, uint64(c.Fine[i]), uint64(c.Fine[j]), a, c.Marker[i])+r.dist))
	}
	return buf
}

// between is group D by distinct tags, and the punctuation between.
func (c *Codes) between(h, m int, r reach, buf []Key) []Key {
	i, j := at(h), at(m)
	ch, cm := uint64(c.Coarse[i]), uint64(c.Coarse[j])
	ph, pm := uint64(c.Fine[i]), uint64(c.Fine[j])
	lo, hi, dir := i, j, uint64(0)
	if lo > hi {
		lo, hi, dir = j, i, role5
	}
	var mask uint32
	for k := lo + 1; k < hi; k++ {
		mask |= 1 << c.Coarse[k]
	}
	for tag := uint64(0); tag < CoarseTags; tag++ {
		if mask>>tag&1 != 0 {
			buf = append(buf, mix(sum3(tBetween, ch, tag, cm)+dir), mix(sum3(tBetweenFine, ph, tag, pm)+dir))
		}
	}
	commas := uint64(0)
	if hi > lo+1 {
		commas = uint64(min(c.commas[hi-1]-c.commas[lo], 3))
	}
	x := commas*4 + c.pairsBetween(lo, hi-1)
	buf = both(buf, sum3(tCommas, ch, cm, x), r)
	buf = append(buf, mix(sum3(tCommas+1, ph, pm, x)+dir))
	return append(buf, mix(sum3(tCommas+2, c.Lemma[i], cm, x)+dir))
}

// punctuation is the family of arcs whose modifier is a PUNCT.
func (c *Codes) punctuation(h, m int, r reach, buf []Key) []Key {
	i, j := at(h), at(m)
	ch, ph := uint64(c.Coarse[i]), uint64(c.Fine[i])
	kind := uint64(c.Punct[j])
	left, right := uint64(c.Coarse[j-1]), uint64(c.Coarse[j+1])
	place := uint64(0)
	if m == c.N {
		place = 1
	}
	if m == 1 {
		place += 2
	}
	inside := uint64(c.parity[j] & 0xffff)
	if inside > 2 {
		inside = 2
	}
	buf = both(buf, sum4(tPunct, kind, ch, left, right), r)
	buf = both(buf, sum3(tPunct+1, c.Form[j], ph, place), r)
	buf = both(buf, sum4(tPunct+2, kind, ch, place, uint64(c.parity[j]>>16&1)), r)
	buf = append(buf, mix(sum4(tPunct+3, kind, uint64(c.Fine[j-1]), ph, uint64(c.Fine[j+1]))+r.dist))
	buf = append(buf, mix(sum4(tPunct+4, kind, ph, c.Lemma[j+1], place)))
	return append(buf, mix(sum4(tPunct+5, kind, ch, inside, uint64(c.Coarse[max(i-1, 0)]))+r.dist))
}

// LeanArc appends about half of the keys of Arc, and the same kinds of them.
func (c *Codes) LeanArc(h, m int, buf []Key) []Key {
	dist := Distance(h, m) * role5
	i, j := at(h), at(m)
	dir := direction(h, m) * role5
	lh, lm := c.Lemma[i], c.Lemma[j]
	f := c.Fine
	ph, pm := uint64(f[i]), uint64(f[j])
	ch, cm := uint64(c.Coarse[i]), uint64(c.Coarse[j])
	hl, hr := uint64(f[max(i-1, 0)]), uint64(f[i+1])
	ml, mr := uint64(f[j-1]), uint64(f[j+1])
	s := uint64(tLean)
	buf = append(buf,
		mix(sum2(s, lh, lm)), mix(sum2(s, lh, lm)+dist),
		mix(sum2(s+1, lh, pm)), mix(sum2(s+1, lh, pm)+dist),
		mix(sum2(s+2, ph, lm)), mix(sum2(s+2, ph, lm)+dist),
		mix(sum2(s+3, c.Form[i], cm)+dist),
		mix(sum2(s+4, ch, c.Form[j])+dist),
		mix(sum2(s+5, ph, pm)), mix(sum2(s+5, ph, pm)+dist),
		mix(sum3(s+6, lh, ph, pm)+dist),
		mix(sum3(s+7, lm, ph, pm)+dist),
		mix(sum4(s+8, hl, ph, pm, mr)+dist),
		mix(sum4(s+9, ph, hr, ml, pm)+dist),
		mix(sum4(s+10, hl, ph, ml, pm)+dist),
		mix(sum4(s+11, ph, hr, pm, mr)+dist),
		mix(sum3(s+12, ph, pm, mr)+dist),
		mix(sum3(s+13, hl, ph, pm)+dist),
		mix(sum3(s+14, ph, ml, pm)+dist),
		mix(sum3(s+15, ph, hr, pm)+dist),
		mix(sum4(s+16, ch, cm, c.Lemma[j+1], c.commasBetween(h, m))+dir),
		mix(sum4(s+17, ch, cm, c.Lemma[j-1], c.commasBetween(h, m))+dir),
		mix(sum2(s+18, c.Marker[j], lh)+dir),
		mix(sum3(s+19, c.Marker[j], ch, cm)+dist),
		mix(sum4(s+20, uint64(c.Case[j]), uint64(c.Case[i]), ch, cm)+dist),
		mix(sum1(s+22, lh)+dist), mix(sum1(s+23, lm)+dist),
		mix(sum1(s+24, c.Form[j])+dist),
		mix(sum1(s+25, ph)+dist), mix(sum1(s+26, pm)+dist),
		mix(sum2(s+27, c.Form[i], c.Form[j])+dir))
	for _, b := range c.Feats(m) {
		buf = append(buf, mix(sum3(s+21, b, ph, cm)+dist))
		for _, a := range c.Feats(h) {
			buf = append(buf, mix(sum4(s+28, a, b, ch, cm)+dir))
		}
	}
	buf = c.between(h, m, reachOf(h, m), buf)
	if c.Coarse[j] == tagPUNCT {
		buf = c.punctuation(h, m, reachOf(h, m), buf)
	}
	return buf
}
