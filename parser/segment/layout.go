package segment

import (
	"slices"
	"strings"
	"unicode"

	"github.com/treebeam/treebeam/parser/word"
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

// categories maps Unicode's categories to classes. The first category with the
// character decides.
var categories = []struct {
	table *unicode.RangeTable
	class uint8
}{
	{unicode.Ll, classLower}, {unicode.Lu, classUpper}, {unicode.Lt, classUpper}, {unicode.L, classLetter},
	{unicode.M, classMark},
	{unicode.N, classDigit}, {unicode.White_Space, classSpace}, {unicode.Ps, classOpen}, {unicode.Pe, classClose},
	{unicode.Pi, classQuote}, {unicode.Pf, classQuote}, {unicode.Pd, classDash}, {unicode.P, classPunct},
	{unicode.Sc, classMoney},
	{unicode.Sm, classMath}, {unicode.S, classSymbol}, {unicode.Cc, classControl},
}

func classOf(r rune) uint8 {
	switch {
	case r >= 'a' && r <= 'z':
		return classLower
	case r == ellipsis:
		return '.'
	case r == longDash:
		return '-'
	case r >= '\n' && r <= '\r' || r == 0x85 || r == 0x2028 || r == 0x2029:
		return classBreak
	case r >= 0x1C && r <= 0x1F: // separators of files to units: many a reader splits there
		return classSpace
	case r > ' ' && r < 0x7F && !unicode.IsLetter(r) && !unicode.IsDigit(r): // also what fold returns
		return uint8(r)
	}
	for _, c := range categories {
		if unicode.Is(c.table, r) {
			return c.class
		}
	}
	return classOther
}

func isSpace(c uint8) bool  { return c == classSpace || c == classBreak }
func isWordly(c uint8) bool { return c >= classLower && c <= classDigit }
func hasCase(c uint8) bool  { return c == classLower || c == classUpper }

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

// normalRunes returns the normal characters of a form.
func normalRunes(form string) []rune {
	var l layout
	l.read(form)
	return l.norm
}

// A span is a half-open range of code points of the block.
type span struct{ start, end int32 }

// A layout is a block taken apart: its code points and its chunks.
type layout struct {
	block  string
	at     []int32 // byte offset of each code point, and len(block)
	column []int32 // number of each code point, with CR LF as one, and their count
	norm   []rune
	class  []uint8
	chunks []span // maximal runs without white space
	width  int32  // longest line, in code points
}

// read fills the layout from the block, reusing its memory. Invalid bytes
// count as one code point each.
func (l *layout) read(block string) {
	*l = layout{block: block, at: l.at[:0], column: l.column[:0], norm: l.norm[:0], class: l.class[:0],
		chunks: l.chunks[:0]}
	line, inside, n, column := int32(0), false, int32(0), int32(0)
	for i, r := range block {
		plain := word.PlainRune(r)
		c := classOf(plain)
		l.at, l.column = append(l.at, int32(i)), append(l.column, column)
		l.norm, l.class = append(l.norm, normal(plain, c)), append(l.class, c)
		if r != '\r' || !strings.HasPrefix(block[i+1:], "\n") {
			column++
		}
		n++
		switch {
		case isSpace(c):
			inside = false
		case inside:
			l.chunks[len(l.chunks)-1].end = n
		default:
			l.chunks, inside = append(l.chunks, span{n - 1, n}), true
		}
		if c == classBreak {
			l.width, line = max(l.width, n-1-line), n
		}
	}
	l.width = max(l.width, n-line)
	l.at, l.column = append(l.at, int32(len(block))), append(l.column, column)
}

// text returns the bytes of a span.
func (l *layout) text(s span) string { return l.block[l.at[s.start]:l.at[s.end]] }

// Kinds of gaps between two tokens.
const (
	gapNone uint8 = iota
	gapSpace
	gapWide     // more than one white-space character on a line
	gapNewline  // a line break that the width of lines explains
	gapEarly    // a line break although the next chunk would have fitted
	gapBlockEnd // no token follows
)

// setGaps sets the gaps between the tokens.
func (l *layout) setGaps(toks []token) {
	for i := range toks {
		toks[i].gap = gapBlockEnd
		if i > 0 {
			toks[i-1].gap = l.gap(toks[i-1].end, toks[i].start)
		}
	}
}

// gap returns the kind of gap between a token that ends at end and the next
// one, which starts at start.
func (l *layout) gap(end, start int32) uint8 {
	if !slices.Contains(l.class[end:start], classBreak) {
		return uint8(min(start-end, int32(gapWide)))
	}
	line, next := end, start // the start of the line, and the end of the next chunk
	for line > 0 && end-line <= l.width && l.class[line-1] != classBreak {
		line--
	}
	for int(next) < len(l.class) && !isSpace(l.class[next]) {
		next++
	}
	if end-line+1+next-start <= l.width {
		return gapEarly
	}
	return gapNewline
}
