package feature

// PruneArc appends the keys of the arc h -> m that the fine pruner looks up.
// Tags, common words and distances alone are left to its coarse tables, which
// it adds to; what depends on neither h nor the distance would be the same
// for all heads of a word.
func (c *Codes) PruneArc(h, m int, g *Guess, buf []Key) []Key {
	dist := Distance(h, m) * role5
	i, j := at(h), at(m)
	dir := direction(h, m) * role5
	lh, lm := c.Lemma[i], c.Lemma[j]
	f := c.Fine
	ph, pm := uint64(f[i]), uint64(f[j])
	ch, cm := uint64(c.Coarse[i]), uint64(c.Coarse[j])
	hl, hr := uint64(f[max(i-1, 0)]), uint64(f[i+1])
	ml, mr := uint64(f[j-1]), uint64(f[j+1])
	commas := c.commasBetween(h, m)
	s := uint64(tPrune)
	buf = append(buf,
		mix(sum2(s, lh, lm)+dist),
		mix(sum2(s+1, lh, pm)+dist),
		mix(sum2(s+2, ph, lm)+dist),
		mix(sum2(s+3, ph, pm)+dist),
		mix(sum4(s+4, hl, ph, pm, mr)+dist),
		mix(sum4(s+5, ph, hr, ml, pm)+dist),
		mix(sum4(s+6, hl, ph, ml, pm)+dist),
		mix(sum4(s+7, ph, hr, pm, mr)+dist),
		mix(sum4(s+8, ch, cm, c.Lemma[j+1], commas)+dir),
		mix(sum4(s+9, ch, cm, c.Lemma[j-1], commas)+dir),
		mix(sum2(s+10, c.Marker[j], lh)+dir),
		mix(sum3(s+11, c.Marker[j], ch, cm)+dist),
		mix(sum4(s+12, uint64(c.Case[j]), uint64(c.Case[i]), ch, cm)+dist))
	buf = c.guessed(h, m, g, buf)
	buf = c.between(h, m, reachOf(h, m), buf)
	if c.Coarse[j] == tagPUNCT {
		buf = c.punctuation(h, m, reachOf(h, m), buf)
	}
	return buf
}

// A Guess is a head for every word that a cheaper model prefers, and what
// the templates of PruneArc ask of it. It is scratch, refilled by Set.
type Guess struct {
	Head  []int32  // by word, entry 0 unused
	count []uint16 // [(h*2+direction)*CoarseTags+tag]: words under h
	left  ascent   // of the word before the modifier
	right ascent   // of the word behind it
	m     int
}

// An ascent is a word and the heads above it.
type ascent [guessLevels]int32

const guessLevels = 5

// Set prepares g for the sentence in c; g.Head is filled.
func (g *Guess) Set(c *Codes) {
	g.count = resize(g.count, (c.N+1)*2*CoarseTags)
	clear(g.count)
	for m := 1; m <= c.N; m++ {
		h := int(g.Head[m])
		g.count[(h*2+int(direction(h, m)))*CoarseTags+int(c.Coarse[at(m)])]++
	}
	g.m = 0
}

// climb fills an ascent from p upwards; it ends at the root, outside the
// sentence and where it meets m.
func (g *Guess) climb(p, m, n int, to *ascent) {
	for i := range to {
		if p == m || p < 0 || p > n {
			p = -1
		}
		to[i] = int32(p)
		if p <= 0 {
			p = -1
			continue
		}
		p = int(g.Head[p])
	}
}

func (to *ascent) level(h int) uint64 {
	for i, p := range to {
		if int(p) == h {
			return uint64(i)
		}
	}
	return guessLevels
}

// guessed appends what the guess says of the arc h -> m: where h stands above
// the neighbours of m, how many guessed arcs the arc crosses, the guessed
// head of h, and how many other words of m's tag hang on the same side of h.
func (c *Codes) guessed(h, m int, g *Guess, buf []Key) []Key {
	if g.m != m {
		g.m = m
		g.climb(m-1, m, c.N, &g.left)
		g.climb(m+1, m, c.N, &g.right)
	}
	i, j := at(h), at(m)
	ch, cm := uint64(c.Coarse[i]), uint64(c.Coarse[j])
	d := direction(h, m)
	above := uint64(coarseOutside)
	if h > 0 {
		p := int(g.Head[h])
		above = uint64(c.Coarse[at(p)])*2 + direction(p, h)
		if p == m {
			above = coarseOther * 2
		}
	}
	others := g.count[(h*2+int(d))*CoarseTags+int(cm)]
	if g.Head[m] == int32(h) {
		others--
	}
	lo, hi := min(h, m), max(h, m)
	crossed := uint64(0)
	for w := lo + 1; w < hi && crossed < 3; w++ {
		if p := int(g.Head[w]); p < lo || p > hi {
			crossed++
		}
	}
	s := uint64(tPrune + 16)
	dir := d * role5
	kind := uint64(c.Punct[j])
	levels := g.left.level(h)*8 + g.right.level(h)
	return append(buf,
		mix(sum4(s, ch, cm, levels, kind)+dir),
		mix(sum4(s+1, ch, cm, crossed, kind)+Distance(h, m)*role5),
		mix(sum3(s+2, ch, cm, above)+dir),
		mix(sum4(s+3, ch, cm, uint64(min(others, 2)), uint64(c.Punct[j]))+dir))
}
