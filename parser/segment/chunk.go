package segment

import "github.com/treebeam/treebeam/parser/hash"

// Templates of the token classifier.
const (
	tChars = tokenKeys + 32*iota
	tClasses
	tPiece
	tEdge
	tShort // whether a period ends an abbreviation
)

// maxPiece is the length in characters above which a piece is not looked up in
// the lexicon. It bounds the work for a gap.
const maxPiece = 32

// A chunk is a run without white space, with everything that its tokens depend
// on.
type chunk struct {
	block         string
	offsets       []int32 // byte offset of each character in the block
	norm          []rune
	class         []uint8
	before, after uint8  // classes of the last character before it and of the first one after it
	hash          uint64 // of the whole chunk, 0 if it is long
	shape         uint64 // of its collapsed classes, 0 if it is long
}

// newChunk returns chunk i, which aliases the layout.
func newChunk(l *layout, i int) chunk {
	s := l.chunks[i]
	c := chunk{block: l.block, offsets: l.at[s.start:s.end], norm: l.norm[s.start:s.end], class: l.class[s.start:s.end]}
	if len(c.norm) <= maxPiece {
		c.hash, c.shape = hash.Runes(c.norm), shapeOf(c.class)
	}
	if i > 0 {
		c.before = l.class[l.chunks[i-1].end-1]
	}
	if i+1 < len(l.chunks) {
		c.after = l.class[l.chunks[i+1].start]
	}
	return c
}

// at returns character i and its class. Outside the chunk the character is 0,
// and the class is the neighbour's.
func (c *chunk) at(i int) (char, class uint64) {
	switch {
	case i == -1:
		return 0, 256 + uint64(c.before)
	case i == len(c.norm):
		return 0, 512 + uint64(c.after)
	case i < 0:
		return 0, 256
	case i > len(c.norm):
		return 0, 512
	}
	return uint64(c.norm[i]), uint64(c.class[i])
}

// sameRun reports whether two neighbouring characters have classes of one kind.
func sameRun(a, b uint8) bool {
	if isWordly(a) && isWordly(b) {
		return (a == classDigit) == (b == classDigit)
	}
	return a == b
}

// features appends the features of the gap before character g, 0 < g < n, when
// the token at hand starts at character last.
func (c *chunk) features(buf []hash.Key, x *lexicon, g, last int) []hash.Key {
	var r, k [12]uint64 // characters and classes from g-6
	for i := range r {
		r[i], k[i] = c.at(g - 6 + i)
	}
	link := hash.Pair(k[5], k[6])
	left, right := hash.Pair(hash.Pair(k[3], k[4]), k[5]), hash.Pair(k[6], hash.Pair(k[7], k[8]))
	buf = append(buf,
		hash.Key0(tChars), hash.Key1(tChars+1, r[5]), hash.Key1(tChars+2, r[6]),
		hash.Key2(tChars+3, r[5], r[6]), hash.Key2(tChars+4, r[4], r[5]), hash.Key2(tChars+5, r[6], r[7]),
		hash.Key3(tChars+6, r[4], r[5], r[6]), hash.Key3(tChars+7, r[5], r[6], r[7]),
		hash.Key3(tChars+8, r[3], r[4], r[5]), hash.Key3(tChars+9, r[6], r[7], r[8]),
		hash.Key4(tChars+10, r[4], r[5], r[6], r[7]), hash.Key4(tChars+11, r[3], r[4], r[5], r[6]),
		hash.Key4(tChars+12, r[5], r[6], r[7], r[8]), hash.Key4(tChars+13, r[2], r[3], r[4], r[5]),
		hash.Key4(tChars+14, r[6], r[7], r[8], r[9]),

		hash.Key1(tClasses, link), hash.Key2(tClasses+1, k[4], link), hash.Key2(tClasses+2, link, k[7]),
		hash.Key3(tClasses+3, k[4], link, k[7]), hash.Key2(tClasses+4, left, right),
		hash.Key4(tClasses+5, k[0], k[1], k[2], left), hash.Key4(tClasses+6, right, k[9], k[10], k[11]),
		hash.Key2(tClasses+7, c.shape, uint64(g)), hash.Key2(tClasses+8, c.hash, uint64(g)),
	)
	return c.pieceFeatures(buf, x, g, last, link, k[5:8])
}

// piece returns the hash of characters [i, j) and their frequency, or 0 if they
// are too many.
func (c *chunk) piece(x *lexicon, i, j int) (h, known uint64) {
	if j-i > maxPiece {
		return 0, 0
	}
	h = hash.Runes(c.norm[i:j])
	return h, x.look(h).frequency()
}

// pieceFeatures appends features of the token that would end at g, of what
// would follow it, and of the positions of both in the chunk. k holds the
// classes from g-1 on.
func (c *chunk) pieceFeatures(buf []hash.Key, x *lexicon, g, last int, link uint64, k []uint64) []hash.Key {
	n, end := len(c.norm), g+1
	for end < n && end-g <= maxPiece && sameRun(c.class[end-1], c.class[end]) {
		end++
	}
	piece, known := c.piece(x, last, g)
	rest, knownRest := c.piece(x, g, n)
	run, knownRun := c.piece(x, g, end)
	_, whole := c.piece(x, last, n)
	var first, shape, outer uint64
	if last == 0 {
		first = 1
	}
	if g-last <= maxPiece {
		shape = shapeOf(c.class[last:g])
	}
	if n-g <= 2 {
		outer = 1 + uint64(c.after)
	}
	whole = 16*first + whole
	head, tail := uint64(min(g-last, 4)), uint64(min(n-g, 4))
	buf = append(buf,
		hash.Key1(tPiece, piece), hash.Key2(tPiece+1, piece, k[1]), hash.Key2(tPiece+2, known, link),
		hash.Key3(tPiece+3, shape, k[1], k[2]), hash.Key2(tPiece+4, piece, rest), hash.Key3(tPiece+5, piece, outer, k[1]),
		hash.Key1(tPiece+6, rest), hash.Key2(tPiece+7, rest, k[0]), hash.Key2(tPiece+8, knownRest, link),
		hash.Key2(tPiece+9, run, k[0]), hash.Key2(tPiece+10, knownRun, link), hash.Key2(tPiece+11, piece, run),

		hash.Key3(tEdge, known, knownRest, link), hash.Key3(tEdge+1, known, knownRun, link),
		hash.Key3(tEdge+2, whole, known, knownRest), hash.Key2(tEdge+3, whole, link),
		hash.Key3(tEdge+4, tail, head, link), hash.Key3(tEdge+5, tail, outer, link),
		hash.Key3(tEdge+6, shape, rest, outer), hash.Key3(tEdge+7, uint64(c.before), head, link),
		hash.Key2(tEdge+8, shape, c.shape), hash.Key3(tEdge+9, shape, known, outer),
		hash.Key4(tEdge+10, first, shape, rest, outer),
	)
	if c.norm[g] != '.' || g+1-last > maxPiece || !x.look(hash.Runes(c.norm[last:g+1])).short() {
		return buf
	}
	return append(buf, hash.Key0(tShort), hash.Key1(tShort+1, c.right(g+1)), hash.Key1(tShort+2, known))
}

// right returns the class of the character after a token that ends at end, in
// the chunk or in the next one.
func (c *chunk) right(end int) uint64 {
	_, class := c.at(end)
	return class
}

// tokenize appends the tokens of chunk i to w.tokens.
func (w *workspace) tokenize(m *Model, i int) {
	c, s := newChunk(&w.layout, i), w.layout.chunks[i]
	start := s.start
	for _, x := range w.cutsOf(m, &c, s) {
		t := newToken(&w.layout, span{start, s.start + x.end})
		t.odds = x.odds
		w.tokens = append(w.tokens, t)
		start = s.start + x.end
	}
}

// cutsOf returns the tokens of a chunk, which belong to w.
func (w *workspace) cutsOf(m *Model, c *chunk, s span) []cut {
	if len(w.odds) > 0 {
		odds := w.odds[s.start:s.end]
		return w.cuts(c, &m.lexicon, func(g int, keys []hash.Key) int32 {
			return m.begins.token.add(m.weights.Score(keys), odds[g])
		})
	}
	w.key = append(append(w.key[:0], c.before, c.after), w.layout.text(s)...)
	list, fresh := w.memo.Find(string(w.key))
	if fresh {
		*list = w.cuts(c, &m.lexicon, func(_ int, keys []hash.Key) int32 { return m.weights.Score(keys) })
	}
	return *list
}

// A cut is the end of a token in a chunk, and the token's odds.
type cut struct{ end, odds int32 }

// isWord reports whether a cut before character g would part the letters of a word of
// the lexicon that starts at last, in a script with capitals: "every one" for
// "everyone". Treebanks cut some words so that are typos where they stand; from one
// such cut a classifier may learn to cut the word everywhere.
func (c *chunk) isWord(x *lexicon, last, g int) bool {
	if !hasCase(c.class[g-1]) || !hasCase(c.class[g]) {
		return false
	}
	end := g + 1
	for end < len(c.norm) && end-last <= maxPiece && isWordly(c.class[end]) {
		end++
	}
	_, known := c.piece(x, last, end)
	return known > 0
}

// cuts returns the tokens of the chunk. Where no unit decides, it calls score, from left to
// right, for the log-odds that a token ends before character g, given the features of
// that gap.
func (w *workspace) cuts(c *chunk, x *lexicon, score func(g int, keys []hash.Key) int32) (list []cut) {
	last, least := 0, int32(certain)
	w.units = c.units(w.units)
	for g := 1; g < len(c.norm); g++ {
		odds := int32(certain)
		switch w.units[g] {
		case never:
			continue
		case ask:
			w.buf = c.features(w.buf[:0], x, g, last)
			z := score(g, w.buf)
			odds = max(z, -z)
			least = min(least, odds)
			if z <= 0 || c.isWord(x, last, g) {
				continue
			}
		}
		list = append(list, cut{int32(g), least})
		last, least = g, odds
	}
	return append(list, cut{int32(len(c.norm)), least})
}
