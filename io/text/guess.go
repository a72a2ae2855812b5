package text

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Limits of guessLines, set on four treebanks as one file and as a file for
// each document. Of the lines of these and of 65 addresses, where each is a
// sentence at most 2.3 % show a sure sentence end inside (6.1 % any) in any
// 64 KB, where each is a paragraph at least 18 % (20 %).
const (
	wholeHead = 4096 // bytes of a whole file

	maxWrap   = 200 // runes in a line of wrapped text
	minWords  = 5   // words in a line as wide as the margin
	minPairs  = 4   // pairs of lines that prove a margin even if some fall short of it
	minFull   = 0.5 // share of lines that fill the margin
	minWidth  = 40  // columns, of a margin that fewer pairs prove, if one goes on and the end is one of a sentence
	overWidth = 56  // the same, if one goes on
	sureWidth = 64  // the same, if none does
	minRun    = 3   // words in the mean line of text that runs over lines
	minFirm   = 0.1 // share of lines that surely do, if this share of the wide ones seem to
	minWide   = 0.5 // share of wide lines that end inside a sentence, if fewer do
	minOver   = 0.3 // share of lines that end inside a sentence
	minShare  = 0.6 // of the margin that such a line fills

	minLines = 12   // lines that prove that each is a sentence
	minEnded = 0.5  // share of lines that end like a sentence
	maxSure  = 0.04 // share of lines with a sure sentence end inside
	maxInner = 0.1  // the same, any sentence end
)

// A lineStats has the statistics of lines that are not blank, for guessLines.
type lineStats struct {
	lines  int
	sure   int   // have a sure sentence end inside
	inner  int   // have any sentence end inside
	ended  int   // end like a sentence
	widths []int // columns of lines with neighbours that could be broken
	pairs  []linePair
	closed bool // the last line with a neighbour ends like a sentence
	cased  bool // a line begins in lower case
}

// A linePair is a line and the one below it.
type linePair struct {
	length int  // runes of the one
	word   int  // runes of the first word of the other
	ended  bool // the one ends like a sentence
	over   bool // the other goes on with the sentence, by the looks of both
	firm   bool // the same, and it is hard to explain otherwise
}

// guessLines decides what a line break means, and the margin of wrapped text in
// columns. Lines that cannot be running text count for nothing: code, tables, and
// the beginnings of list items. Text is wrapped if lines end because the next word
// would have gone over the margin, and few of them where a sentence does, or if often
// the next line goes on with the sentence. Otherwise lines are sentences if most end
// like one and hardly any holds the end of one; else they are paragraphs.
func guessLines(text []byte, newline byte) (Lines, int) {
	lines := bytes.Split(text, []byte{newline})
	if len(text) > wholeHead {
		lines = lines[:len(lines)-1] // cut off by the end of the head
	}
	s := statsOf(lines)
	ended := share(s.ended, s.lines) >= minEnded
	switch margin := s.margin(); {
	case margin > 0 && margin <= maxWrap && (s.runsOver(margin) || s.fills(margin, ended)):
		return Wrapped, margin
	case s.lines >= minLines && ended && share(s.sure, s.lines) <= maxSure && share(s.inner, s.lines) <= maxInner:
		return Sentence, 0
	}
	return Paragraph, 0
}

func share(n, of int) float64 { return float64(n) / float64(max(1, of)) }

func statsOf(lines [][]byte) *lineStats {
	s := &lineStats{}
	var last shape   // of the line before, without a body if there is none
	first := prose   // of the block that the last line belongs to
	inside := false  // code
	again := false   // the last line has been counted in a pair
	lowered := false // the block begins in lower case: so may any line
	for _, line := range lines {
		l := shapeOf(line, 0)
		if inside = inside != (l.kind == fence); inside || l.kind == fence {
			last = shape{}
			continue
		}
		if len(l.body) > 0 && !alone(l.kind) {
			s.add(l.body)
		}
		switch {
		case len(l.body) == 0:
		case len(last.body) == 0 || parts(first, &last, &l, 0):
			first, lowered = l.kind, beginsLower(l.body)
		default:
			s.addPair(&last, &l, again, lowered)
			again = true
			last = l
			continue
		}
		last, again = l, false
	}
	return s
}

// add counts a line.
func (s *lineStats) add(line []byte) {
	s.lines++
	if isTerminal(lastInk(line)) {
		s.ended++
	}
	s.cased = s.cased || beginsLower(line)
	switch innerEnd(line) {
	case atConfident:
		s.sure++
		s.inner++
	case atSentence:
		s.inner++
	}
}

// addPair counts two neighboring lines of a block. again says that last was the second
// line of the pair before. lowered says that blocks begin in lower case here, so that a
// line in lower case proves nothing.
func (s *lineStats) addPair(last, line *shape, again, lowered bool) {
	if !again {
		s.width(last)
	}
	s.width(line)
	r := lastInk(last.body)
	s.closed = isTerminal(lastInk(line.body))
	p := linePair{
		length: last.width, word: firstWord(line.body), ended: isTerminal(r),
		over: isComma(r) || beginsLower(line.body) && !lowered && r != ':' && r != ';' && !isTerminal(r),
	}
	hangs := last.kind == item && line.indent == last.text
	p.firm = p.over && (hangs || last.depth > 0 && last.width >= minWidth)
	s.pairs = append(s.pairs, p)
}

// width notes the width of a line that could be broken.
func (s *lineStats) width(l *shape) {
	if firstWord(l.body) < utf8.RuneCount(l.body) {
		s.widths = append(s.widths, l.width)
	}
}

// margin is the width in columns of all but the widest twentieth of the lines, without
// lines of one word.
func (s *lineStats) margin() int {
	if len(s.widths) == 0 {
		return 0
	}
	slices.Sort(s.widths)
	return s.widths[len(s.widths)*95/100]
}

// fills reports whether most lines, or all if they are few, end because the next word
// would have gone over a margin. ended says that most lines end like sentences.
func (s *lineStats) fills(margin int, ended bool) bool {
	full, words, open, over := 0, 0, false, !s.cased
	for _, p := range s.pairs {
		if p.length+1+p.word > margin {
			full++
		}
		words += min(p.word, margin)
		open, over = open || !p.ended, over || p.over
	}
	if len(s.pairs) < minPairs {
		return open && full == len(s.pairs) && (margin >= sureWidth || over && (margin >= overWidth || s.closed && margin >= minWidth))
	}
	return !ended && margin*len(s.pairs) >= minWords*words && share(full, len(s.pairs)) >= minFull
}

// runsOver reports whether sentences often continue in the next line: among all lines,
// or, unless these are few, among the lines that are not too short for the margin.
// Lines of one or two words are a list, and short lines above long ones are headings.
// If there are few lines, the last must end a sentence, unless a line hangs after the
// mark of a list item or is part of quoted mail. Such lines always count for more.
func (s *lineStats) runsOver(margin int) bool {
	over, length, word, wide, firm := 0, 0, 0, 0, 0
	for _, p := range s.pairs {
		if p.firm {
			firm++
		}
		length += p.length
		word += p.word
		if float64(p.length+1+p.word) >= minShare*float64(margin) {
			wide++
			if p.over {
				over++
			}
		}
	}
	if n := len(s.pairs); n == 0 || length < minRun*word || n < minPairs && !s.closed && margin < overWidth && firm == 0 {
		return false
	}
	all := share(over, len(s.pairs))
	return all >= minOver || share(firm, len(s.pairs)) >= minFirm && share(over, wide) >= minOver || all >= minOver/2 && over > 1 && share(over, wide) >= minWide
}

// innerEnd returns the surest kind of sentence end inside a line: atConfident,
// atSentence or, if there is none, atRune.
func innerEnd(line []byte) int {
	best, ended, word := atRune, atRune, 0
	space := false
	for i := 0; i < len(line) && best < atConfident; {
		r, n := utf8.DecodeRune(line[i:])
		switch {
		case isSpace(r):
			if !space {
				ended = sentenceEnd(line[word:i])
			}
			space = true
		case space:
			if ended > best && beginsCapital(line[i:]) {
				best = ended
			}
			word, space = i, false
		}
		i += n
		if r >= utf8.RuneSelf && r != '…' && isTerminal(r) && i+closers(line[i:]) < len(line) {
			best = atConfident
		}
	}
	return best
}

// firstWord is the number of runes of line up to where it could be broken.
func firstWord(line []byte) int {
	n := 0
	for _, r := range string(line) {
		if isSpace(r) {
			break
		}
		n++
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
			break // written without spaces
		}
	}
	return n
}

// beginsLower reports whether the first letter, after opening punctuation, is
// a lower-case one.
func beginsLower(line []byte) bool {
	for _, r := range string(line) {
		if !unicode.IsPunct(r) {
			return unicode.IsLower(r)
		}
	}
	return false
}

// lastInk returns the last character of a line that closes no quote or bracket,
// 0 if there is none.
func lastInk(line []byte) rune {
	for len(line) > 0 {
		r, n := utf8.DecodeLastRune(line)
		if !isCloser(r) {
			return r
		}
		line = line[:len(line)-n]
	}
	return 0
}

// isComma reports whether r separates clauses, in any script.
func isComma(r rune) bool {
	return r == ',' || r == '،' || r == '、' || r == '，' || r == '՝'
}
