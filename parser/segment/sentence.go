package segment

// Templates of the sentence classifier.
const (
	sentenceTemplates = 300 + iota
	sWord
	sShape
	sMixed
	sStats
	sAhead
	sSoFar
	sBlock
)

// A progress is what the sentence classifier remembers of the sentence at
// hand, up to and including the token before the gap.
type progress struct {
	length    int32 // tokens
	depth     int32 // brackets open
	quotes    int32 // quotes of either kind
	words     int32
	lowers    int32 // words that start in lower case
	terminals int32
	first     token
	before    uint64 // how the sentence before it ended: 0 none, 1 terminal, 2 otherwise
}

// add takes in the next token.
func (p *progress) add(t *token) {
	if p.length == 0 {
		p.first = *t
	}
	p.length++
	switch {
	case t.role&roleOpen != 0:
		p.depth++
	case t.role&roleClose != 0:
		p.depth--
	case t.role&roleQuote != 0:
		p.quotes++
	}
	if t.role&roleWord != 0 {
		p.words++
	}
	if t.role&roleLower != 0 {
		p.lowers++
	}
	if t.role&roleTerminal != 0 {
		p.terminals++
	}
}

// reset starts a new sentence; last is the token that ended the one before.
func (p *progress) reset(last *token) {
	before := uint64(2)
	if last.role&(roleTerminal|roleClose|roleQuote) != 0 {
		before = 1
	}
	*p = progress{before: before}
}

// lengthBucket is a log scale of lengths.
func lengthBucket(n int32) uint64 {
	switch {
	case n <= 4:
		return uint64(max(n, 0))
	case n <= 6:
		return 5
	case n <= 9:
		return 6
	case n <= 14:
		return 7
	case n <= 20:
		return 8
	case n <= 30:
		return 9
	case n <= 50:
		return 10
	case n <= 80:
		return 11
	}
	return 12
}

// outlook is what the sentence classifier sees ahead of each gap.
type outlook struct {
	distance []int32 // tokens from i+1 to the next terminal, inclusive; 0 if none follows
	lowers   []uint8 // words in lower case among the five tokens after i
	capitals []uint8 // the same, upper case
}

// read fills the outlook of the tokens.
func (o *outlook) read(toks []token) {
	n := len(toks)
	if cap(o.distance) < n {
		o.distance, o.lowers, o.capitals = make([]int32, n+n/2), make([]uint8, n+n/2), make([]uint8, n+n/2)
	}
	o.distance, o.lowers, o.capitals = o.distance[:n], o.lowers[:n], o.capitals[:n]
	next, lowers, capitals := int32(0), uint8(0), uint8(0)
	for i := n - 1; i >= 0; i-- {
		o.distance[i], o.lowers[i], o.capitals[i] = next, lowers, capitals
		if next > 0 {
			next++
		}
		if toks[i].role&roleTerminal != 0 {
			next = 1
		}
		lowers += toks[i].role & roleLower / roleLower
		capitals += toks[i].role & roleCapital / roleCapital
		if i+5 < n {
			lowers -= toks[i+5].role & roleLower / roleLower
			capitals -= toks[i+5].role & roleCapital / roleCapital
		}
	}
}

var edge = token{word: 1, shape: 1, suffix: 1, gap: gapBlockEnd}

func around(toks []token, i int) *token {
	if i < 0 || i >= len(toks) {
		return &edge
	}
	return &toks[i]
}

// sentenceFeatures appends the features of a sentence end between tokens i
// and i+1.
func sentenceFeatures(buf []uint64, toks []token, o *outlook, p *progress, i int) []uint64 {
	a, b := &toks[i], &toks[i+1]
	a2, a3, b2, b3 := around(toks, i-1), around(toks, i-2), around(toks, i+2), around(toks, i+3)
	gap := uint64(a.gap)
	link := f3(sShape, 0, a.shape, b.shape)
	known := uint64(b.stats.starts())<<3 | uint64(b.stats.lower())
	buf = append(buf,
		f1(sentenceTemplates, 0), f1(sentenceTemplates, gap),
		f2(sWord, 1, a.word), f2(sWord, 2, b.word), f2(sWord, 3, a2.word), f2(sWord, 4, b2.word),
		f3(sWord, 5, a.word, b.word), f3(sWord, 6, a2.word, a.word), f3(sWord, 7, b.word, b2.word),
		f4(sWord, 8, a2.word, a.word, b.word), f4(sWord, 9, a.word, b.word, b2.word),
		f2(sShape, 1, a.shape), f2(sShape, 2, b.shape), f2(sShape, 3, link), f3(sShape, 4, link, gap),
		f3(sShape, 5, a2.shape, a.shape), f3(sShape, 6, b.shape, b2.shape),
		f3(sShape, 7, a2.shape, link), f3(sShape, 8, link, b2.shape), f4(sShape, 9, a2.shape, link, b2.shape),
		f4(sShape, 10, a3.shape, a2.shape, link), f4(sShape, 11, link, b2.shape, b3.shape),
		f4(sShape, 12, uint64(a2.gap), gap, link), f4(sShape, 13, gap, uint64(b.gap), link),
		f3(sMixed, 1, a.word, b.shape), f4(sMixed, 2, a.word, b.shape, gap), f3(sMixed, 3, a.shape, b.word),
		f4(sMixed, 4, a2.word, a.word, b.shape), f3(sMixed, 5, a2.word, link), f3(sMixed, 6, a.word, b2.word),
		f3(sMixed, 7, link, b2.word), f3(sMixed, 8, a.suffix, b.suffix), f3(sMixed, 9, a.suffix, b.shape),
		f3(sMixed, 10, a.shape, b.suffix), f4(sMixed, 11, a.word, b.word, gap),
		f3(sStats, 1, known, a.shape), f3(sStats, 2, known, a.word), f4(sStats, 3, known, b.shape, a.shape),
		f4(sStats, 4, uint64(a.stats.ends()), uint64(a.stats.frequency()), link),
		f4(sStats, 5, uint64(a.stats.ends()), known, b.shape),
		f4(sStats, 6, known, uint64(b2.stats.lower()), link),
		f4(sStats, 7, uint64(b.stats.frequency()), known, link),
	)
	return contextFeatures(buf, toks, o, p, i, link, known)
}

// contextFeatures appends what depends on the sentence so far, on the outlook
// and on the place in the block.
func contextFeatures(buf []uint64, toks []token, o *outlook, p *progress, i int, link, known uint64) []uint64 {
	a := &toks[i]
	length := lengthBucket(p.length)
	ahead := lengthBucket(o.distance[i])
	left := lengthBucket(int32(len(toks) - 1 - i))
	depth := uint64(max(-1, min(p.depth, 2)) + 1)
	odd := uint64(p.quotes & 1)
	heading := b2u(p.lowers == 0)<<1 | b2u(p.terminals > 0)
	caps := uint64(o.lowers[i])<<4 | uint64(o.capitals[i])
	last := &toks[len(toks)-1]
	return append(buf,
		f3(sAhead, 1, ahead, link), f3(sAhead, 2, ahead, known), f3(sAhead, 3, caps, link), f3(sAhead, 4, caps, known),
		f4(sAhead, 5, ahead, length, a.shape), f4(sAhead, 6, caps, heading, link),
		f3(sSoFar, 1, length, link), f3(sSoFar, 2, length, known), f4(sSoFar, 3, length, a.shape, uint64(a.gap)),
		f4(sSoFar, 4, depth, odd, link), f4(sSoFar, 5, heading, length, link), f4(sSoFar, 6, heading, known, length),
		f3(sSoFar, 7, p.first.word, link), f4(sSoFar, 8, p.first.shape, heading, link),
		f4(sSoFar, 9, p.before, heading, link), f4(sSoFar, 10, depth, odd, a.word),
		f4(sSoFar, 11, p.first.shape, length, link), f3(sSoFar, 12, p.before, known),
		f3(sBlock, 1, left, link), f3(sBlock, 2, left, known), f4(sBlock, 3, uint64(last.role&roleTerminal), heading, link),
		f4(sBlock, 4, uint64(last.role&roleTerminal), length, known), f4(sBlock, 5, lengthBucket(int32(len(toks))), heading, link),
		f4(sBlock, 6, left, length, link),
	)
}

// cut decides on the sentence ends of a block from left to right. It stores
// the score of each gap in scores and appends to ends the number of tokens up
// to each sentence end; the last one is len(toks).
func (m *Model) cut(toks []token, w *workspace) {
	w.outlook.read(toks)
	w.ends, w.scores = w.ends[:0], w.scores[:0]
	var p progress
	for i := range toks {
		p.add(&toks[i])
		if i+1 == len(toks) {
			w.ends = append(w.ends, int32(i+1))
			w.scores = append(w.scores, 0)
			break
		}
		w.buf = sentenceFeatures(w.buf[:0], toks, &w.outlook, &p, i)
		score := m.weights.score(w.buf) - m.threshold
		w.scores = append(w.scores, score)
		if score > 0 {
			w.ends = append(w.ends, int32(i+1))
			p.reset(&toks[i])
		}
	}
}
