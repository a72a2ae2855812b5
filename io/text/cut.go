package text

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// paragraphSeparator ends a paragraph under any Lines; it is not a line break.
const paragraphSeparator = '\u2029'

// paragraphEnd returns where the block that w begins with ends, w being the text
// not yet consumed: the offset of the line break after its last line or of a
// paragraph separator, or -1 if w does not show it. The first known bytes of w
// have been searched before, to no avail.
func (r *Reader) paragraphEnd(w []byte, known int) int {
	end := -1
	if r.layout.Lines == Wrapped {
		end = r.wrappedEnd(w)
	} else if i := bytes.IndexByte(w[known:], r.layout.Newline); i >= 0 {
		end = known + i
	}
	if end >= 0 {
		w = w[:end]
	}
	from := min(max(known-utf8.UTFMax, 0), len(w))
	if i := bytes.IndexRune(w[from:], paragraphSeparator); i >= 0 {
		return from + i
	}
	return end
}

// beginsBlank reports whether the line at the beginning of w is blank. A line
// without an end is not: the end of the file ends paragraphs anyway.
func beginsBlank(w []byte, newline byte) bool {
	for i := 0; i < len(w); {
		if w[i] == newline {
			return true
		}
		r, n := utf8.DecodeRune(w[i:])
		if !isSpace(r) {
			return false
		}
		i += n
	}
	return false
}

// Places where a paragraph may be cut, from worst to best.
const (
	atRune = iota
	atSpace
	atLine
	atSentence  // terminal punctuation, space, capital
	atConfident // the same, and no abbreviation ends like this
	places
)

// cutPoint returns where to cut w, which holds more than limit bytes of a
// paragraph: the last of the best places at most limit bytes in. The answer
// is positive.
func cutPoint(w []byte, limit int, newline byte) int {
	var best [places]int
	note := func(place, at int) {
		if at <= limit {
			best[place] = at
		}
	}
	ended, end := atRune, 0 // the kind of sentence end that the last word made, and where
	word := 0               // where the current word began
	space := false
	for i := 0; i < len(w) && (i <= limit || space); {
		r, n := utf8.DecodeRune(w[i:])
		switch {
		case isSpace(r):
			if !space {
				note(atSpace, i)
				ended, end = sentenceEnd(w[word:i]), i
			}
			if byte(r) == newline && r < utf8.RuneSelf {
				note(atLine, end)
			}
			space = true
		case space:
			if ended > atLine && beginsCapital(w[i:]) {
				note(ended, end)
			}
			word, space = i, false
		}
		i += n
		if r >= utf8.RuneSelf && r != '…' && isTerminal(r) {
			note(atConfident, i+closers(w[i:]))
		}
	}
	note(atRune, runeCut(w, limit))
	for place := atConfident; place > atRune; place-- {
		if best[place] > 0 {
			return best[place]
		}
	}
	return best[atRune]
}

// sentenceEnd returns how a word ends a sentence: not (atRune), atSentence or
// atConfident.
func sentenceEnd(word []byte) int {
	for len(word) > 0 {
		r, n := utf8.DecodeLastRune(word)
		rest := word[:len(word)-n]
		switch {
		case isCloser(r):
			word = rest
		case r == '!' || r == '?':
			return atConfident
		case r == '.' || r == '…':
			if longWord(rest) {
				return atConfident
			}
			return atSentence
		default:
			return atRune
		}
	}
	return atRune
}

// longWord reports whether b ends in at least four lower-case letters, or letters
// without case: abbreviations rarely do.
func longWord(b []byte) bool {
	for range 4 {
		r, n := utf8.DecodeLastRune(b)
		if !unicode.IsLower(r) && !unicode.Is(unicode.Lo, r) {
			return false
		}
		b = b[:len(b)-n]
	}
	return true
}

// beginsCapital reports whether a sentence may begin like w: with a letter
// that is not lower case, after opening punctuation.
func beginsCapital(w []byte) bool {
	for range 4 {
		r, n := utf8.DecodeRune(w)
		if unicode.IsLetter(r) {
			return !unicode.IsLower(r)
		}
		if !unicode.IsPunct(r) {
			return false
		}
		w = w[n:]
	}
	return false
}

// closers returns how many bytes of closing punctuation w begins with.
func closers(w []byte) int {
	i := 0
	for i < len(w) {
		r, n := utf8.DecodeRune(w[i:])
		if !isCloser(r) {
			break
		}
		i += n
	}
	return i
}

// runeCut returns the last boundary between characters at or before limit,
// if possible not before a combining mark.
func runeCut(w []byte, limit int) int {
	at := limit
	for at > 0 && !utf8.RuneStart(w[at]) {
		at--
	}
	for c := at; c > limit/2; c-- {
		if !utf8.RuneStart(w[c]) {
			continue
		}
		if r, _ := utf8.DecodeRune(w[c:]); !unicode.In(r, unicode.M) && r != '\u200d' {
			return c
		}
	}
	return at
}
