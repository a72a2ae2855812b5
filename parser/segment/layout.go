package segment

import (
	"unicode"
	"unicode/utf8"
)

// Classes of characters. ASCII punctuation and symbols stand for themselves
// (33..126); the other classes are smaller or larger than that.
const (
	classEdge uint8 = iota // beyond the block
	classSpace
	classBreak // a character that ends a line
	classLower
	classUpper
	classLetter // neither lower nor upper case
	classMark
	classDigit
	classControl
)

const (
	classOpen uint8 = 128 + iota
	classClose
	classQuote // initial or final quote
	classDash
	classPunct
	classMoney
	classMath
	classSymbol // emoji among others
	classOther  // U+FFFD, unassigned, private use
)

var asciiClass = func() (t [utf8.RuneSelf]uint8) {
	for r := range t {
		switch {
		case r == ' ' || r == '\t' || r >= 0x1C && r <= 0x1F: // separators of files to units: many a reader splits there
			t[r] = classSpace
		case r >= '\n' && r <= '\r':
			t[r] = classBreak
		case r >= 'a' && r <= 'z':
			t[r] = classLower
		case r >= 'A' && r <= 'Z':
			t[r] = classUpper
		case r >= '0' && r <= '9':
			t[r] = classDigit
		case r < ' ' || r == 0x7F:
			t[r] = classControl
		default:
			t[r] = uint8(r)
		}
	}
	return
}()

// classOf returns the class of a character.
func classOf(r rune) uint8 {
	if r >= 0 && r < utf8.RuneSelf {
		return asciiClass[r]
	}
	switch {
	case unicode.IsLower(r):
		return classLower
	case unicode.IsUpper(r) || unicode.IsTitle(r):
		return classUpper
	case unicode.IsLetter(r):
		return classLetter
	case unicode.IsMark(r):
		return classMark
	case unicode.IsNumber(r):
		return classDigit
	case r == 0x85 || r == 0x2028 || r == 0x2029:
		return classBreak
	case unicode.IsSpace(r):
		return classSpace
	case unicode.Is(unicode.Ps, r):
		return classOpen
	case unicode.Is(unicode.Pe, r):
		return classClose
	case unicode.Is(unicode.Pi, r) || unicode.Is(unicode.Pf, r):
		return classQuote
	case unicode.Is(unicode.Pd, r):
		return classDash
	case unicode.IsPunct(r):
		return classPunct
	case unicode.Is(unicode.Sc, r):
		return classMoney
	case unicode.Is(unicode.Sm, r):
		return classMath
	case unicode.IsSymbol(r):
		return classSymbol
	case unicode.IsControl(r):
		return classControl
	}
	return classOther
}

func isSpace(c uint8) bool  { return c == classSpace || c == classBreak }
func isWordly(c uint8) bool { return c >= classLower && c <= classDigit }

// normal is the character that features see: lower case, one digit.
func normal(r rune, c uint8) rune {
	switch c {
	case classUpper:
		return unicode.ToLower(r)
	case classDigit:
		return '0'
	}
	return r
}

// A span is a half-open range of code points of the block.
type span struct{ start, end int32 }

// A layout is a block taken apart: its code points and its chunks.
type layout struct {
	block string
	at    []int32 // byte offset of each code point, and len(block)
	norm  []rune
	class []uint8
	chunk []span // maximal runs without white space
	width int32  // longest line, in code points
}

// read fills the layout from the block, reusing its memory. Invalid bytes
// count as one code point each.
func (l *layout) read(block string) {
	l.block = block
	l.at, l.norm, l.class, l.chunk = l.at[:0], l.norm[:0], l.class[:0], l.chunk[:0]
	l.width = 0
	start, line := int32(-1), int32(0)
	for i, r := range block {
		n := int32(len(l.at))
		c := classOf(r)
		l.at = append(l.at, int32(i))
		l.norm = append(l.norm, normal(r, c))
		l.class = append(l.class, c)
		if c == classBreak {
			l.width = max(l.width, n-line)
			line = n + 1
		}
		if isSpace(c) {
			if start >= 0 {
				l.chunk = append(l.chunk, span{start, n})
				start = -1
			}
		} else if start < 0 {
			start = n
		}
	}
	n := int32(len(l.at))
	l.width = max(l.width, n-line)
	if start >= 0 {
		l.chunk = append(l.chunk, span{start, n})
	}
	l.at = append(l.at, int32(len(block)))
}

// text returns the bytes of a span.
func (l *layout) text(s span) string { return l.block[l.at[s.start]:l.at[s.end]] }

// Kinds of what stands between two tokens.
const (
	gapNone uint8 = iota
	gapSpace
	gapWide     // more than one white-space character on a line
	gapNewline  // a line break that filling the line explains
	gapEarly    // a line break although the next chunk would have fitted
	gapBlockEnd // no token follows
)

// gap says what stands between a token that ends at end and the next one,
// which starts at start and whose chunk ends at chunkEnd.
func (l *layout) gap(end, start, chunkEnd int32) uint8 {
	if end == start {
		return gapNone
	}
	broken := false
	for i := end; i < start; i++ {
		broken = broken || l.class[i] == classBreak
	}
	if !broken {
		if start-end == 1 {
			return gapSpace
		}
		return gapWide
	}
	line := end
	for line > 0 && end-line <= l.width && l.class[line-1] != classBreak {
		line--
	}
	if end-line+1+chunkEnd-start <= l.width {
		return gapEarly
	}
	return gapNewline
}

// normalRunes returns the normalised characters of a form.
func normalRunes(form string) []rune {
	out := make([]rune, 0, len(form))
	for _, r := range form {
		out = append(out, normal(r, classOf(r)))
	}
	return out
}

func runeCount(s string) int { return utf8.RuneCountInString(s) }

func lastRune(s string) (rune, int) { return utf8.DecodeLastRuneInString(s) }
