package segment

import (
	"math/bits"
	"strings"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Templates of the sentence classifier.
const (
	sWord = sentenceKeys + 32*iota
	sShape
	sMixed
	sStats
	sAhead
	sSoFar
	sBlock
	sShort // behind an abbreviation
	sColon = sShort + 16
)

// A progress holds the sentence classifier's facts about the current sentence,
// up to and including the token before the gap.
type progress struct {
	length    int32 // tokens
	depth     int32 // brackets open
	quotes    int32 // quotes of either kind
	lowers    int32 // words that start in lower case
	terminals int32
	word      uint64 // of the first token
	shape     uint64
	before    uint64 // how the sentence before it ended: 0 none, 1 terminal, 2 otherwise
}

// add adds the next token.
func (p *progress) add(t *token) {
	if p.length == 0 {
		p.word, p.shape = t.word, t.shape
	}
	p.length++
	p.depth += bit(t.role, roleOpen) - bit(t.role, roleClose)
	p.quotes += bit(t.role, roleQuote)
	p.lowers += bit(t.role, roleLower)
	p.terminals += bit(t.role, roleTerminal)
}

// bit returns 1 if role is among roles, else 0.
func bit(roles, role uint8) int32 { return int32(roles & role / role) }

// reset starts a new sentence; last is the token that ended the one before.
func (p *progress) reset(last *token) {
	*p = progress{before: 2}
	if last.role&(roleTerminal|roleClose|roleQuote) != 0 {
		p.before = 1
	}
}

// lengthBucket returns the bucket of a length, on a logarithmic scale with half
// an octave a step.
func lengthBucket(n int32) uint64 {
	n = min(n, 90)
	return uint64(bits.Len32(uint32(n * n)))
}

// terminalAhead returns, in the memory of list, the number of tokens from each
// to the next terminal, inclusive; 0 if none follows.
func terminalAhead(list []int32, toks []token) []int32 {
	list = append(list[:0], make([]int32, len(toks))...)
	for i := len(toks) - 2; i >= 0; i-- {
		if toks[i+1].role&roleTerminal != 0 {
			list[i] = 1
		} else if list[i+1] > 0 {
			list[i] = list[i+1] + 1
		}
	}
	return list
}

var edge = token{word: 1, shape: 1, suffix: 1, gap: gapBlockEnd}

func around(toks []token, i int) *token {
	if i < 0 || i >= len(toks) {
		return &edge
	}
	return &toks[i]
}

// sentenceFeatures appends the features of a sentence end between tokens i
// and i+1. ahead is the result of terminalAhead.
func sentenceFeatures(buf []hash.Key, toks []token, ahead []int32, p *progress, i int) []hash.Key {
	a, b := &toks[i], &toks[i+1]
	a2, a3, b2, b3 := around(toks, i-1), around(toks, i-2), around(toks, i+2), around(toks, i+3)
	gap := uint64(a.gap)
	link := hash.Pair(a.shape, b.shape)
	known := b.stats.starts()<<3 | b.stats.lower()
	buf = append(buf,
		hash.Key0(sentenceKeys), hash.Key1(sWord+1, gap),
		hash.Key1(sWord+2, a.word), hash.Key1(sWord+3, b.word), hash.Key1(sWord+4, a2.word), hash.Key1(sWord+5, b2.word),
		hash.Key2(sWord+6, a.word, b.word), hash.Key2(sWord+7, a2.word, a.word), hash.Key2(sWord+8, b.word, b2.word),
		hash.Key3(sWord+9, a2.word, a.word, b.word), hash.Key3(sWord+10, a.word, b.word, b2.word),

		hash.Key1(sShape, a.shape), hash.Key1(sShape+1, b.shape), hash.Key1(sShape+2, link), hash.Key2(sShape+3, link, gap),
		hash.Key2(sShape+4, a2.shape, a.shape), hash.Key2(sShape+5, b.shape, b2.shape),
		hash.Key2(sShape+6, a2.shape, link), hash.Key2(sShape+7, link, b2.shape),
		hash.Key3(sShape+8, a2.shape, link, b2.shape),
		hash.Key3(sShape+9, a3.shape, a2.shape, link), hash.Key3(sShape+10, link, b2.shape, b3.shape),
		hash.Key3(sShape+11, uint64(a2.gap), gap, link), hash.Key3(sShape+12, gap, uint64(b.gap), link),

		hash.Key2(sMixed, a.word, b.shape), hash.Key3(sMixed+1, a.word, b.shape, gap), hash.Key2(sMixed+2, a.shape, b.word),
		hash.Key3(sMixed+3, a2.word, a.word, b.shape), hash.Key2(sMixed+4, a2.word, link),
		hash.Key2(sMixed+5, a.word, b2.word),
		hash.Key2(sMixed+6, link, b2.word), hash.Key2(sMixed+7, a.suffix, b.suffix), hash.Key2(sMixed+8, a.suffix, b.shape),
		hash.Key2(sMixed+9, a.shape, b.suffix), hash.Key3(sMixed+10, a.word, b.word, gap),

		hash.Key2(sStats, known, a.shape), hash.Key2(sStats+1, known, a.word), hash.Key3(sStats+2, known, b.shape, a.shape),
		hash.Key3(sStats+3, a.stats.ends(), a.stats.frequency(), link), hash.Key3(sStats+4, a.stats.ends(), known, b.shape),
		hash.Key3(sStats+5, known, b2.stats.lower(), link), hash.Key3(sStats+6, b.stats.frequency(), known, link),
	)
	if a.stats.short() {
		buf = append(buf, hash.Key1(sShort, b.shape), hash.Key1(sShort+1, b.word), hash.Key2(sShort+2, b.shape, known),
			hash.Key2(sShort+3, b.shape, gap))
	}
	return contextFeatures(buf, toks, ahead, p, i, link, known)
}

// contextFeatures appends the features of the sentence so far, of what is ahead
// and of the position in the block.
func contextFeatures(buf []hash.Key, toks []token, ahead []int32, p *progress, i int, link, known uint64) []hash.Key {
	a := &toks[i]
	length, left := lengthBucket(p.length), lengthBucket(int32(len(toks)-1-i))
	terminal, caps := lengthBucket(ahead[i]), uint64(0)
	for j := i + 1; j < min(i+6, len(toks)); j++ {
		caps += uint64(bit(toks[j].role, roleLower)<<4 + bit(toks[j].role, roleCapital))
	}
	depth, odd := uint64(max(-1, min(p.depth, 2))+1), uint64(p.quotes&1)
	heading := uint64(min(p.lowers, 1)<<1 | min(p.terminals, 1))
	last := uint64(toks[len(toks)-1].role & roleTerminal)
	return append(buf,
		hash.Key2(sAhead, terminal, link), hash.Key2(sAhead+1, terminal, known), hash.Key2(sAhead+2, caps, link),
		hash.Key2(sAhead+3, caps, known), hash.Key3(sAhead+4, terminal, length, a.shape),
		hash.Key3(sAhead+5, caps, heading, link),

		hash.Key2(sSoFar, length, link), hash.Key2(sSoFar+1, length, known),
		hash.Key3(sSoFar+2, length, a.shape, uint64(a.gap)),
		hash.Key3(sSoFar+3, depth, odd, link), hash.Key3(sSoFar+4, heading, length, link),
		hash.Key3(sSoFar+5, heading, known, length),
		hash.Key2(sSoFar+6, p.word, link), hash.Key3(sSoFar+7, p.shape, heading, link),
		hash.Key3(sSoFar+8, p.before, heading, link), hash.Key3(sSoFar+9, depth, odd, a.word),
		hash.Key3(sSoFar+10, p.shape, length, link), hash.Key2(sSoFar+11, p.before, known),

		hash.Key2(sBlock, left, link), hash.Key2(sBlock+1, left, known), hash.Key3(sBlock+2, last, heading, link),
		hash.Key3(sBlock+3, last, length, known), hash.Key3(sBlock+4, lengthBucket(int32(len(toks))), heading, link),
		hash.Key3(sBlock+5, left, length, link),
	)
}

// sentenceEnds calls decide, from left to right, for whether a sentence ends
// after token i, given the features of that gap. It does not ask about the last
// token.
func (w *workspace) sentenceEnds(toks []token, decide func(i int, keys []hash.Key) bool) {
	w.ahead = terminalAhead(w.ahead, toks)
	var p progress
	for i := range len(toks) - 1 {
		p.add(&toks[i])
		w.buf = sentenceFeatures(w.buf[:0], toks, w.ahead, &p, i)
		if decide(i, w.buf) {
			p.reset(&toks[i])
		}
	}
}

// cutAll decides on the sentence ends of the block, with Starts where they are asked.
func (w *workspace) cutAll(m *Model, r *Request) {
	w.cut(m, r.Language, Portion{})
	if r.Starts == nil || r.Line || r.Portion == (Portion{}) || !w.askStarts(r) {
		return
	}
	for i := range w.tokens {
		w.tokens[i].last = inside
	}
	w.cut(m, r.Language, r.Portion)
}

// cut decides on the sentence ends of the block. A sentence that would end
// before emoji on the same line ends behind them, but before a word in lower case
// only if punctuation came first; none ends behind the sign of quoted mail that
// begins a line, in code, between the marks of a break (* * *), or where a rule says
// that it goes on. A footnote mark belongs to the sentence before it, at the beginning of
// a line to that behind it.
func (w *workspace) cut(m *Model, language string, portion Portion) {
	toks := w.tokens
	var japanese []bool
	if language == "ja" {
		japanese = w.endsInJapanese()
	}
	due, marked := false, false                // a sentence ends behind these emoji; punctuation is before them
	note := -1                                 // the last token of a footnote mark behind which a sentence ends
	first, depth, quoted := 0, int32(0), false // of the sentence: its first token, open brackets, whether a quote is open
	w.sentenceEnds(toks, func(i int, keys []hash.Key) bool {
		t, next := &toks[i], &toks[i+1]
		t.score = m.weights.Score(keys) - m.threshold
		if len(w.starts) > 0 {
			t.score = portion.add(t.score, w.starts[i])
		}
		onLine := t.gap < gapNewline
		if m.colons && onLine && t.word == colon {
			t.score -= colonCost
		}
		ends := t.score > 0
		if w.isQuote(i) {
			quoted = !quoted
		} else {
			depth += bit(t.role, roleOpen) - bit(t.role, roleClose)
		}
		switch {
		case language == syntax.English && onLine:
			ends = w.endsInEnglish(i, ends)
		case language == "ja":
			ends = ends || japanese[i]
		case language != "" && language != syntax.English && onLine:
			ends = w.endsAsWritten(first, i, ends, quoted || depth > 0, language)
		}
		switch {
		case t.rule&noEnd != 0, t.word == quoting && (i == 0 || toks[i-1].gap >= gapNewline) && onLine:
			ends = false
		case i == note:
			ends = true
		case i < note:
			ends = false
		case ends && t.gap == gapNone && t.role&roleWord == 0 && w.footnote(i+1) > 0:
			note, ends = i+w.footnote(i+1), false
		case ends && onLine && (i == 0 || toks[i-1].gap >= gapNewline) && isRaised(w.layout.text(t.span)):
			ends = false
		case ends && onLine && t.word == next.word && w.inBreak(i):
			ends = false
		case next.word == anyEmoji && onLine:
			if t.word != anyEmoji {
				marked = t.role&roleWord == 0
			}
			due, ends = due || ends, false
		case t.word == anyEmoji && onLine && next.role&roleLower != 0:
			due, ends = false, due && marked
		case due:
			due, ends = false, true
		}
		if ends {
			t.last = ofSentence
			first, depth, quoted = i+1, 0, false
		}
		return ends
	})
	toks[len(toks)-1].last = ofSentence
}

// footnote returns the number of tokens of the footnote mark that begins with token i,
// which follows another one without a space: a raised number, [3], * or †. It is 0 unless
// white space follows the mark.
func (w *workspace) footnote(i int) (n int) {
	text := w.layout.text(w.tokens[i].span)
	switch {
	case isRaised(text), text == "*", text == "†", text == "‡":
		n = 1
	case text == "[" && i+2 < len(w.tokens) && w.tokens[i].gap == gapNone && w.tokens[i+1].gap == gapNone:
		if strings.Trim(w.layout.text(w.tokens[i+1].span), "0123456789") == "" && w.layout.text(w.tokens[i+2].span) == "]" {
			n = 3
		}
	}
	if n > 0 && w.tokens[i+n-1].gap == gapNone {
		return 0
	}
	return n
}

// isRaised reports whether text is a raised number.
func isRaised(text string) bool { return strings.Trim(text, "⁰¹²³⁴⁵⁶⁷⁸⁹") == "" }

// mostMarks bounds the marks of a break, and those on an Armenian word.
const mostMarks = 20

// inBreak reports whether the line of token i consists of marks like it: * * *.
func (w *workspace) inBreak(i int) bool {
	text := w.layout.text(w.tokens[i].span)
	if len(text) > 1 && text != "•" && text != "·" && text != "–" && text != "—" || !strings.Contains("*#~-_=+•·–—", text) {
		return false
	}
	first, last := i, i
	for first > 0 && w.tokens[first-1].gap < gapNewline {
		first--
		if w.tokens[first].word != w.tokens[i].word || i-first > mostMarks {
			return false
		}
	}
	for w.tokens[last].gap < gapNewline {
		last++
		if w.tokens[last].word != w.tokens[i].word || last-i > mostMarks {
			return false
		}
	}
	return true
}

var quoting, anyEmoji, colon = hash.Runes([]rune{'>'}), hash.Runes(emoji), hash.Runes([]rune{':'})
