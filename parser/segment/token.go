package segment

// A token is a surface token of a block with what the features see of it.
type token struct {
	span
	word   uint64 // hash of the normalised characters
	shape  uint64 // hash of the collapsed classes
	suffix uint64 // hash of the last three normalised characters
	stats  stats
	first  uint8 // class of the first character
	role   uint8
	gap    uint8 // what stands between it and the next token
}

// Roles of tokens, as bits.
const (
	roleOpen     uint8 = 1 << iota
	roleClose          //
	roleQuote          // a quote that does not say whether it opens or closes
	roleTerminal       // punctuation that often ends a sentence
	roleWord           // starts with a letter or a digit
	roleLower          // starts with a lower-case letter
	roleCapital        // starts with an upper-case letter
)

// describe fills in all of t but stats, terminal role and gap.
func (t *token) describe(l *layout) {
	norm, class := l.norm[t.start:t.end], l.class[t.start:t.end]
	t.word = hashRunes(norm)
	t.shape = shapeOf(class)
	t.suffix = hashRunes(norm[max(0, len(norm)-3):])
	t.first = class[0]
	t.role = 0
	switch c := class[0]; {
	case c == classLower:
		t.role = roleWord | roleLower
	case c == classUpper:
		t.role = roleWord | roleCapital
	case isWordly(c):
		t.role = roleWord
	case c == '(' || c == '[' || c == '{' || c == classOpen:
		t.role = roleOpen
	case c == ')' || c == ']' || c == '}' || c == classClose:
		t.role = roleClose
	case c == '"' || c == classQuote || c == '\'' && len(class) == 1:
		t.role = roleQuote
	}
}

// recall fills in stats and what depends on them.
func (t *token) recall(s stats) {
	t.stats = s
	if t.role&roleWord == 0 && s.ends() >= 4 {
		t.role |= roleTerminal
	}
}

// Templates of the join classifier.
const (
	joinTemplates = 200 + iota
	jPair
	jContext
)

// pairKey names two tokens that a white space may join.
func pairKey(left, right uint64) uint64 { return f2(jPair, left, right) }

// joinFeatures appends the features of the white space between tokens i and
// i+1, which were described.
func joinFeatures(buf []uint64, toks []token, i int) []uint64 {
	a, b := &toks[i], &toks[i+1]
	var before, after token
	if i > 0 {
		before = toks[i-1]
	}
	if i+2 < len(toks) {
		after = toks[i+2]
	}
	return append(buf,
		f1(joinTemplates, 0),
		f3(jContext, 1, a.word, b.word), f3(jContext, 2, a.shape, b.shape),
		f4(jContext, 3, before.word, a.word, b.word), f4(jContext, 4, a.word, b.word, after.word),
		f4(jContext, 5, before.shape, a.shape, b.shape), f4(jContext, 6, a.shape, b.shape, after.shape),
		f3(jContext, 7, uint64(min(a.end-a.start, 9)), uint64(min(b.end-b.start, 9))),
		f3(jContext, 8, b.word, after.word), f3(jContext, 9, before.word, a.word),
		f2(jContext, 10, a.word), f2(jContext, 11, b.word),
	)
}

// join merges tokens across white space where the model says so, in place.
func (m *Model) join(l *layout, toks []token, buf []uint64) ([]token, []uint64) {
	if !m.joins {
		return toks, buf
	}
	kept := 0
	open := false // the last token kept goes on with the next one
	for i := range toks {
		next := false
		if i+1 < len(toks) && toks[i].end < toks[i+1].start &&
			m.pairs.get(pairKey(toks[i].word, toks[i+1].word)) != 0 {
			buf = joinFeatures(buf[:0], toks, i)
			next = m.weights.score(buf) > 0
		}
		t := toks[i]
		if open {
			toks[kept-1].end = t.end
			toks[kept-1].describe(l)
		} else {
			// The features of the tokens ahead and of the one before use
			// slots that this does not overwrite: kept <= i.
			toks[kept] = t
			kept++
		}
		open = next
	}
	return toks[:kept], buf
}
