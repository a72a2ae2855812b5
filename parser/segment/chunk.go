package segment

// Templates of the token classifier.
const (
	tokenTemplates = 100 + iota
	tChars
	tClasses
	tPiece
	tRest
	tRun
	tChunk
	tEdge
	tShape
	tLink
)

// maxPiece is the length in characters above which a piece is not looked up
// in the lexicon: it bounds the work for a gap.
const maxPiece = 32

// An outside is all that the tokens of a chunk depend on beyond its own
// characters, so that chunks can be memoised.
type outside struct {
	before, after uint8 // class of the last character before, of the first one after, the chunk
}

func (l *layout) outside(chunk int) outside {
	var o outside
	if chunk > 0 {
		o.before = l.class[l.chunk[chunk-1].end-1]
	}
	if chunk+1 < len(l.chunk) {
		o.after = l.class[l.chunk[chunk+1].start]
	}
	return o
}

// chunkView is a chunk with what all its gaps share.
type chunkView struct {
	norm   []rune
	class  []uint8
	out    outside
	hash   uint64 // of the whole chunk, 0 if it is long
	shape  uint64 // of its collapsed classes, 0 if long
	flavor uint64 // address-like characters in it
	right  []int32
}

// view fills v for the chunk; the slices alias the layout.
func (v *chunkView) view(l *layout, s span, out outside) {
	v.norm, v.class, v.out = l.norm[s.start:s.end], l.class[s.start:s.end], out
	v.hash, v.shape, v.flavor = 0, 0, 0
	n := len(v.norm)
	if n <= maxPiece {
		v.hash = hashRunes(v.norm)
		v.shape = shapeOf(v.class)
	}
	for i, c := range v.class {
		switch {
		case c == '@':
			v.flavor |= 1
		case c == ':' && i+1 < n && v.class[i+1] == '/':
			v.flavor |= 2
		case c == '.' && i > 0 && i+1 < n && isWordly(v.class[i-1]) && isWordly(v.class[i+1]):
			v.flavor |= 4
		case c == '/' || c == '_' || c == '\\':
			v.flavor |= 8
		}
	}
	if n >= 4 && v.norm[0] == 'w' && v.norm[1] == 'w' && v.norm[2] == 'w' {
		v.flavor |= 2
	}
	// right[g] is the end of the run of one kind of characters that starts at g.
	if cap(v.right) < n+1 {
		v.right = make([]int32, n+1)
	}
	v.right = v.right[:n+1]
	v.right[n] = int32(n)
	for g := n - 1; g >= 0; g-- {
		v.right[g] = int32(g + 1)
		if g+1 < n && sameRun(v.class[g], v.class[g+1]) {
			v.right[g] = v.right[g+1]
		}
	}
}

// sameRun says whether two neighbouring characters are of one kind.
func sameRun(a, b uint8) bool {
	if isWordly(a) && isWordly(b) {
		return (a == classDigit) == (b == classDigit)
	}
	return a == b
}

// shapeOf hashes the classes with runs collapsed.
func shapeOf(class []uint8) uint64 {
	h, last, n := uint64(0), uint8(255), 0
	for _, c := range class {
		if c != last {
			h = mix(h, uint64(c))
			last = c
			if n++; n == 10 {
				break
			}
		}
	}
	return finish(h)
}

func (v *chunkView) charAt(i int) uint64 {
	if i < 0 || i >= len(v.norm) {
		return 0
	}
	return uint64(v.norm[i])
}

func (v *chunkView) classAt(i int) uint64 {
	if i < 0 {
		return 256 + uint64(v.out.before)*b2u(i == -1)
	}
	if i >= len(v.norm) {
		return 512 + uint64(v.out.after)*b2u(i == len(v.norm))
	}
	return uint64(v.class[i])
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// gapFeatures appends the features of the gap before character g, 0 < g < n,
// when the token at hand starts at character last.
func (v *chunkView) gapFeatures(buf []uint64, x *lexicon, g, last int) []uint64 {
	n := len(v.norm)
	a, b := v.charAt(g-1), v.charAt(g)
	a2, b2 := v.charAt(g-2), v.charAt(g+1)
	a3, b3 := v.charAt(g-3), v.charAt(g+2)
	a4, b4 := v.charAt(g-4), v.charAt(g+3)
	buf = append(buf,
		f1(tokenTemplates, 0),
		f2(tChars, 1, a), f2(tChars, 2, b), f3(tChars, 3, a, b),
		f3(tChars, 4, a2, a), f3(tChars, 5, b, b2),
		f4(tChars, 6, a2, a, b), f4(tChars, 7, a, b, b2),
		f4(tChars, 8, a3, a2, a), f4(tChars, 9, b, b2, b3),
		f4(tChars, 10, mix(a2, a), b, b2), f4(tChars, 11, mix(a3, a2), a, b),
		f4(tChars, 12, mix(a, b), b2, b3), f4(tChars, 13, mix(a4, a3), a2, a),
		f4(tChars, 14, mix(b, b2), b3, b4),
	)
	k, m := v.classAt(g-1), v.classAt(g)
	k2, m2 := v.classAt(g-2), v.classAt(g+1)
	k3, m3 := v.classAt(g-3), v.classAt(g+2)
	left := mix(mix(k3, k2), k)
	right := mix(mix(m, m2), m3)
	link := f2(tLink, k, m)
	buf = append(buf,
		f2(tClasses, 1, link), f3(tClasses, 2, k2, link), f3(tClasses, 3, m2, link),
		f4(tClasses, 4, k2, link, m2), f3(tClasses, 5, left, right),
		f3(tClasses, 6, mix(mix(v.classAt(g-6), v.classAt(g-5)), v.classAt(g-4)), left),
		f3(tClasses, 7, right, mix(mix(v.classAt(g+3), v.classAt(g+4)), v.classAt(g+5))),
		f3(tClasses, 8, v.flavor, link), f3(tShape, 1, v.shape, uint64(g)),
		f3(tChunk, 1, v.hash, uint64(g)),
	)
	end := int(v.right[g])
	return v.pieceFeatures(buf, x, g, last, end, n, link)
}

// pieceFeatures appends features of the token that would end at g, of what
// would follow it, and of the places of both in the chunk.
func (v *chunkView) pieceFeatures(buf []uint64, x *lexicon, g, last, end, n int, link uint64) []uint64 {
	var piece, rest, run, known, knownRest, knownRun, whole uint64
	if g-last <= maxPiece {
		piece = hashRunes(v.norm[last:g])
		known = uint64(x.look(piece)) & 7
	}
	if n-g <= maxPiece {
		rest = hashRunes(v.norm[g:])
		knownRest = uint64(x.look(rest)) & 7
	}
	if end-g <= maxPiece {
		run = hashRunes(v.norm[g:end])
		knownRun = uint64(x.look(run)) & 7
	}
	if last == 0 {
		if v.hash != 0 {
			whole = 1 + uint64(x.look(v.hash))&7
		}
	} else if n-last <= maxPiece {
		whole = 16 + uint64(x.look(hashRunes(v.norm[last:])))&7
	}
	shape := uint64(0)
	if g-last <= maxPiece {
		shape = shapeOf(v.class[last:g])
	}
	after := 1 + uint64(v.out.after)
	tail := uint64(min(n-g, 4))
	head := uint64(min(g-last, 4))
	var outer uint64
	if n-g <= 2 {
		outer = after
	}
	return append(buf,
		f1(tPiece, piece), f2(tPiece, piece, v.classAt(g)), f3(tPiece, 1, known, link),
		f4(tPiece, 2, shape, v.classAt(g), v.classAt(g+1)), f4(tPiece, 3, piece, rest, 0),
		f4(tPiece, 4, piece, outer, v.classAt(g)),
		f1(tRest, rest), f2(tRest, rest, v.classAt(g-1)), f3(tRest, 1, knownRest, link),
		f2(tRun, run, v.classAt(g-1)), f3(tRun, 1, knownRun, link), f3(tRun, 2, piece, run),
		f4(tEdge, 1, known, knownRest, link), f4(tEdge, 2, known, knownRun, link),
		f4(tEdge, 3, whole, known, knownRest), f3(tEdge, 4, whole, link),
		f4(tEdge, 5, tail, head, link), f4(tEdge, 6, tail, outer, link),
		f4(tEdge, 7, shape, rest, outer), f4(tEdge, 8, uint64(v.out.before), head, link),
		f3(tEdge, 9, shape, v.shape), f4(tEdge, 10, shape, known, outer),
		f4(tEdge, 11, b2u(last == 0), shape, f2(0, rest, outer)),
	)
}

// A chunker cuts chunks into tokens. It is scratch memory of one goroutine.
type chunker struct {
	view  chunkView
	buf   []uint64
	key   []byte
	memo  map[string]string // chunk and outside -> ends of its tokens but the last, one byte each
	cells int               // bytes held by memo, roughly
}

// Limits of the memo: chunks longer than memoChunk bytes are not kept, and it
// is emptied when it holds memoBytes.
const (
	memoChunk = 48
	memoBytes = 4 << 20
)

// cut appends the tokens of chunk number i of the layout to tokens.
func (c *chunker) cut(m *Model, l *layout, i int, tokens []token) []token {
	s := l.chunk[i]
	if s.end-s.start == 1 {
		return append(tokens, token{span: s})
	}
	out := l.outside(i)
	text := l.text(s)
	if len(text) <= memoChunk {
		c.key = append(append(c.key[:0], out.before, out.after), text...)
		ends, ok := c.memo[string(c.key)]
		if !ok {
			ends = c.remember(m, l, s, out)
		}
		start := s.start
		for _, e := range []byte(ends) {
			tokens = append(tokens, token{span: span{start, s.start + int32(e)}})
			start = s.start + int32(e)
		}
		return append(tokens, token{span: span{start, s.end}})
	}
	c.view.view(l, s, out)
	start := s.start
	for g := 1; g < int(s.end-s.start); g++ {
		if c.ends(m, g, int(start-s.start)) {
			tokens = append(tokens, token{span: span{start, s.start + int32(g)}})
			start = s.start + int32(g)
		}
	}
	return append(tokens, token{span: span{start, s.end}})
}

// remember decides on the chunk of c.key and stores the decision.
func (c *chunker) remember(m *Model, l *layout, s span, out outside) string {
	c.view.view(l, s, out)
	var room [memoChunk]byte
	ends, last := room[:0], 0
	for g := 1; g < int(s.end-s.start); g++ {
		if c.ends(m, g, last) {
			ends = append(ends, byte(g))
			last = g
		}
	}
	if c.memo == nil || c.cells > memoBytes {
		c.memo, c.cells = make(map[string]string), 0
	}
	c.cells += len(c.key) + len(ends) + 48
	stored := string(ends)
	c.memo[string(c.key)] = stored
	return stored
}

// ends says whether the token that starts at last ends at g.
func (c *chunker) ends(m *Model, g, last int) bool {
	c.buf = c.view.gapFeatures(c.buf[:0], &m.lexicon, g, last)
	return m.weights.score(c.buf) > 0
}
