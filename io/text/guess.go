package text

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Limits of guessLines. Of the lines of four treebanks and 65 addresses, where
// each is a sentence at most 2.3 % show a sure sentence end inside (6.1 % any)
// in any 64 KB, where each is a paragraph at least 18 % (20 %).
const (
	maxWrap     = 200 // runes in a line of wrapped text
	minPairs    = 4   // pairs of lines that prove a margin
	wholeHead   = 4096
	minWords    = 5    // words in a line as wide as the margin
	minRun      = 3    // words in the mean line of text that runs over lines
	minFull     = 0.5  // share of lines that fill the margin
	minRunsOver = 0.3  // share of lines that end inside a sentence
	minLines    = 20   // lines that prove that each is a sentence
	maxSure     = 0.04 // share of lines with a sure sentence end inside
	maxInner    = 0.1  // the same, any sentence end
	minEnded    = 0.5  // share of lines that end like a sentence
)

// A lineStats is what guessLines knows of lines that are not blank.
type lineStats struct {
	lines int
	sure  int // have a sure sentence end inside
	inner int // have any sentence end inside
	ended int // end like a sentence
	over  int // go on in the next line, by the looks of both
	pairs []linePair
}

// A linePair is a line and the one below it: the runes of the one, and of the
// first word of the other.
type linePair struct{ length, word int }

// guessLines decides what a line break means. Text is wrapped if lines end
// because the next word would have gone over the margin, and few of them where
// a sentence does, or if often the next line goes on with the sentence. Otherwise lines are sentences if most end
// like one and hardly any holds the end of one; else they are paragraphs.
func guessLines(text []byte, newline byte) Lines {
	lines := bytes.Split(text, []byte{newline})
	if len(text) > wholeHead {
		lines = lines[:len(lines)-1] // cut off by the end of the head
	}
	s := statsOf(lines)
	ended := share(s.ended, s.lines) >= minEnded
	switch {
	case s.runsOver(), s.hasMargin() && !ended:
		return Wrapped
	case s.lines >= minLines && ended && share(s.sure, s.lines) <= maxSure && share(s.inner, s.lines) <= maxInner:
		return Sentence
	}
	return Paragraph
}

func share(n, of int) float64 { return float64(n) / float64(max(1, of)) }

func statsOf(lines [][]byte) *lineStats {
	s := &lineStats{}
	var last []byte
	for _, line := range lines {
		line = bytes.TrimFunc(bytes.TrimLeft(line, "> \t"), isSpace) // quoted mail, too
		if len(line) > 0 {
			s.add(line)
			if len(last) > 0 {
				s.addPair(last, line)
			}
		}
		last = line
	}
	return s
}

// add counts a line.
func (s *lineStats) add(line []byte) {
	s.lines++
	if r := lastInk(line); isTerminal(r) {
		s.ended++
	}
	switch innerEnd(line) {
	case atConfident:
		s.sure++
		s.inner++
	case atSentence:
		s.inner++
	}
}

// addPair counts two neighbouring lines.
func (s *lineStats) addPair(last, line []byte) {
	s.pairs = append(s.pairs, linePair{utf8.RuneCount(last), firstWord(line)})
	r := lastInk(last)
	switch {
	case isComma(r):
		s.over++
	case beginsLower(line) && r != ':' && r != ';' && !isTerminal(r):
		s.over++
	}
}

// runsOver reports whether sentences often go on in the next line. Lines of a
// word or two are a list.
func (s *lineStats) runsOver() bool {
	length, word := 0, 0
	for _, p := range s.pairs {
		length += p.length
		word += p.word
	}
	return len(s.pairs) > 0 && length >= minRun*word && share(s.over, len(s.pairs)) >= minRunsOver
}

// hasMargin reports whether most lines end because the next word would have
// gone over a margin.
func (s *lineStats) hasMargin() bool {
	if len(s.pairs) < minPairs {
		return false
	}
	lengths, words := make([]int, len(s.pairs)), 0
	for i, p := range s.pairs {
		lengths[i] = p.length
		words += p.word
	}
	slices.Sort(lengths)
	margin := lengths[len(lengths)*95/100]
	full := 0
	for _, p := range s.pairs {
		if p.length+1+p.word > margin {
			full++
		}
	}
	return margin <= maxWrap && margin*len(s.pairs) >= minWords*words && share(full, len(s.pairs)) >= minFull
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
