package segment

import (
	"fmt"
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A split is a token that becomes several words.
type split struct {
	token int32
	words []string
}

// Segment cuts a block into sentences. Of each it sets Text (the slice of the
// block with every line break as one space), StartByte and EndByte (relative
// to the block, half open), Words (Form, Misc, StartChar, EndChar; Head is
// NoHead) and MWTs. MISC has SpaceAfter=No, or SpacesAfter as UDPipe writes it
// if what follows is not a single space; nothing is said about the end of the
// block. Sentences of over maxWords words are cut at the likeliest places and
// have the status Long; maxWords < 1 means no limit.
//
// A block of white space only has no sentences. Any text is accepted, also
// invalid UTF-8, whose bytes stay as they are. Forms alias the block. Safe for
// concurrent use.
func (m *Model) Segment(block string, maxWords int) []syntax.Sentence {
	w := m.borrow()
	list := m.segment(block, maxWords, w)
	m.giveBack(w)
	return list
}

func (m *Model) segment(block string, maxWords int, w *workspace) []syntax.Sentence {
	m.tokenize(block, w)
	if len(w.tokens) == 0 {
		return nil
	}
	m.cut(w.tokens, w)
	m.split(w)
	return w.emit(w.limit(maxWords))
}

// SegmentLine is Segment for a block that is known to be one sentence: it is
// cut only if it has over maxWords words.
func (m *Model) SegmentLine(block string, maxWords int) []syntax.Sentence {
	w := m.borrow()
	list := m.segmentLine(block, maxWords, w)
	m.giveBack(w)
	return list
}

func (m *Model) segmentLine(block string, maxWords int, w *workspace) []syntax.Sentence {
	m.tokenize(block, w)
	n := int32(len(w.tokens))
	if n == 0 {
		return nil
	}
	w.ends = append(w.ends[:0], n)
	m.split(w)
	words := len(w.tokens)
	for _, s := range w.splits {
		words += len(s.words) - 1
	}
	if maxWords < 1 || words <= maxWords {
		return w.emit(nil)
	}
	m.cut(w.tokens, w) // for the scores
	w.ends = append(w.ends[:0], n)
	return w.emit(w.limit(maxWords))
}

// borrow returns a workspace, which giveBack must get, but not after a panic,
// which leaves it as it is.
func (m *Model) borrow() *workspace {
	if w, _ := m.scratch.Get().(*workspace); w != nil {
		return w
	}
	return &workspace{}
}

func (m *Model) giveBack(w *workspace) {
	w.layout.block = ""
	clear(w.splits)
	m.scratch.Put(w)
}

// tokenize fills w.tokens.
func (m *Model) tokenize(block string, w *workspace) {
	w.layout.read(block)
	w.tokens = w.tokens[:0]
	for i := range w.layout.chunk {
		w.tokens = w.chunker.cut(m, &w.layout, i, w.tokens)
	}
	for i := range w.tokens {
		w.tokens[i].describe(&w.layout)
	}
	w.tokens, w.buf = m.join(&w.layout, w.tokens, w.buf)
	for i := range w.tokens {
		w.tokens[i].recall(m.lexicon.look(w.tokens[i].word))
	}
	w.layout.setGaps(w.tokens)
}

// split fills w.splits with the multiword tokens, in order.
func (m *Model) split(w *workspace) {
	w.splits = w.splits[:0]
	var rules [maxRules]*rule
	start := int32(0)
	for _, end := range w.ends {
		toks := w.tokens[start:end]
		for i := range toks {
			t := &toks[i]
			norm := w.layout.norm[t.start:t.end]
			best, rule := int32(0), (*rule)(nil)
			for _, r := range rules[:m.multi.candidates(norm, m.multi.knows(t.word), &rules)] {
				w.buf = multiwordFeatures(w.buf[:0], &m.lexicon, toks, norm, i, r)
				if score := m.weights.score(w.buf); score > best {
					best, rule = score, r
				}
			}
			if best <= 0 {
				continue
			}
			if words := m.multi.spell(w.layout.text(t.span), t.word, rule); len(words) > 1 {
				w.splits = append(w.splits, split{start + int32(i), words})
			}
		}
		start = end
	}
}

// limit cuts sentences of over maxWords words in the second half of what is
// allowed, where the score of a sentence end is highest. It returns which of
// w.ends belong to such a sentence, nil if none.
func (w *workspace) limit(maxWords int) []bool {
	if maxWords < 1 {
		return nil
	}
	size := func(i int32, next *int) int {
		for *next < len(w.splits) && w.splits[*next].token < i {
			*next++
		}
		if *next < len(w.splits) && w.splits[*next].token == i {
			return len(w.splits[*next].words)
		}
		return 1
	}
	var ends []int32
	var long []bool
	any, start, next := false, int32(0), 0
	for _, end := range w.ends {
		cut := false
		for {
			words, at := 0, start
			scan := next
			for at < end {
				n := size(at, &scan)
				if words > 0 && words+n > maxWords {
					break
				}
				words += n
				at++
			}
			if at == end {
				break
			}
			best := at
			for i := start + (at-start)/2; i < at; i++ {
				if i > start && w.scores[i-1] > w.scores[best-1] {
					best = i
				}
			}
			ends, long = append(ends, best), append(long, true)
			for start = best; next < len(w.splits) && w.splits[next].token < start; {
				next++
			}
			cut, any = true, true
		}
		ends, long = append(ends, end), append(long, cut)
		start = end
	}
	if !any {
		return nil
	}
	w.ends = append(w.ends[:0], ends...)
	return long
}

// emit builds the sentences of w.
func (w *workspace) emit(long []bool) []syntax.Sentence {
	total := len(w.tokens)
	for _, s := range w.splits {
		total += len(s.words) - 1
	}
	words := make([]syntax.Word, 0, total)
	var tokens []syntax.MultiwordToken
	if len(w.splits) > 0 {
		tokens = make([]syntax.MultiwordToken, 0, len(w.splits))
	}
	out := make([]syntax.Sentence, len(w.ends))
	start, next := int32(0), 0
	for k, end := range w.ends {
		s := &out[k]
		if long != nil && long[k] {
			s.Status = syntax.Long
		}
		first, firstToken := len(words), len(tokens)
		from, to := w.tokens[start].start, w.tokens[end-1].end
		s.StartByte, s.EndByte = int64(w.layout.at[from]), int64(w.layout.at[to])
		s.Text = oneLine(w.layout.block[s.StartByte:s.EndByte])
		origin, seen := from, from // code points lost to CR LF move the origin
		for i := start; i < end; i++ {
			t := &w.tokens[i]
			for ; seen < t.start; seen++ {
				if w.layout.isCRLF(seen) {
					origin++
				}
			}
			word := syntax.Word{Head: syntax.NoHead, StartChar: t.start - origin, EndChar: t.end - origin}
			form, misc := w.form(t, &word.EndChar), w.misc(i)
			if next < len(w.splits) && w.splits[next].token == i {
				at := int32(len(words) - first)
				tokens = append(tokens, syntax.MultiwordToken{First: at + 1, Last: at + int32(len(w.splits[next].words)), Form: form, Misc: misc})
				for _, part := range w.splits[next].words {
					word.Form = part
					words = append(words, word)
				}
				next++
				continue
			}
			word.Form, word.Misc = form, misc
			words = append(words, word)
		}
		s.Words = words[first:len(words):len(words)]
		if len(tokens) > firstToken {
			s.MWTs = tokens[firstToken:len(tokens):len(tokens)]
		}
		start = end
	}
	return out
}

// isCRLF says whether code point i is a CR before a LF.
func (l *layout) isCRLF(i int32) bool {
	at := l.at[i]
	return l.block[at] == '\r' && int(at)+1 < len(l.block) && l.block[at+1] == '\n'
}

// form returns the form of a token. In a token with white space inside, each
// run of it is one space in the form; end is corrected for CR LF in it.
func (w *workspace) form(t *token, end *int32) string {
	text := w.layout.text(t.span)
	plain := true
	for i := t.start; i < t.end; i++ {
		if isSpace(w.layout.class[i]) {
			plain = plain && w.layout.block[w.layout.at[i]] == ' ' && !isSpace(w.layout.class[i+1])
			if w.layout.isCRLF(i) {
				*end--
			}
		}
	}
	if plain {
		return text
	}
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return isSpace(classOf(r)) }), " ")
}

// misc says what follows token i if it is not a single space.
func (w *workspace) misc(i int32) string {
	end := w.tokens[i].end
	l := &w.layout
	start := int32(len(l.class))
	if int(i)+1 < len(w.tokens) {
		start = w.tokens[i+1].start
	} else if start == end {
		return ""
	}
	if start == end {
		return "SpaceAfter=No"
	}
	text := l.block[l.at[end]:l.at[start]]
	if text == " " {
		return ""
	}
	if text == "\n" {
		return `SpacesAfter=\n`
	}
	return "SpacesAfter=" + escapeSpaces(text)
}

// escapeSpaces writes white space as UDPipe does. It leaves other characters
// than these as they are; here any that is not ASCII or is a control character
// becomes \uXXXX, because a column must not end with white space.
func escapeSpaces(text string) string {
	var b strings.Builder
	for _, r := range spaceEscapes.Replace(text) {
		if r <= ' ' || r > '~' {
			fmt.Fprintf(&b, `\u%04X`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

var spaceEscapes = strings.NewReplacer(" ", `\s`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "|", `\p`, `\`, `\\`)

// oneLine replaces each line break by one space. CR LF is one line break.
func oneLine(s string) string {
	if !strings.ContainsAny(s, lineBreaks) {
		return s
	}
	return lineReplacer.Replace(s)
}

const lineBreaks = "\n\r\v\f\x1c\x1d\x1e\x1f\u0085\u2028\u2029"

var lineReplacer = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\v", " ", "\f", " ",
	"\x1c", " ", "\x1d", " ", "\x1e", " ", "\x1f", " ", "\u0085", " ", "\u2028", " ", "\u2029", " ")
