package text

import (
	"bytes"
	"strings"
)

// How much of the margin a line and the next one's first word fill at most, if
// the line was not ended by the margin. Limits differ with what else the two
// show: that a sentence ends, may end or goes on. Lines that people break by hand
// are less even than a program's.
const (
	fillEnded = 0.92 // a sentence surely ends
	fillMaybe = 0.8  // one may end: an abbreviation looks the same
	fillOpen  = 0.72 // none ends, and the next line does not begin in lower case
	fillComma = 0.5  // the same, after a comma
	fillCode  = 0.65 // the next line begins in lower case, both are indented like code
	fillLower = 0.4  // the next line begins in lower case
	overLong  = 1.25 // a line is too long for the margin
)

// codeIndent is the number of columns by which Markdown indents code.
const codeIndent = 4

// parts reports whether the break between the lines p and n of wrapped text ends a
// block, although no line between them is blank. first is the kind of the first line of
// the block. margin is the width of the text in columns; if it is 0, only the kinds of
// lines count, not their lengths.
func parts(first kind, p, n *shape, margin int) bool {
	if p.depth != n.depth || alone(p.kind) || alone(n.kind) {
		return true
	}
	last := lastInk(p.body)
	lower := beginsLower(n.body)
	end := sentenceEnd(p.body)
	if end == atRune && isTerminal(last) {
		end = atConfident // of another script
	}
	fits := p.width + 1 + firstWord(n.body)
	short := func(share float64) bool { return margin > 0 && float64(fits) <= share*float64(margin) }
	closed := end > atRune || last == ':'
	switch n.kind {
	case item:
		if n.sure || first == item || closed || short(fillOpen) {
			return true
		}
	case label:
		if first == label || closed || short(fillOpen) {
			return true
		}
	}
	if n.indent >= p.text+2 && !lower && (closed || short(fillOpen)) {
		return true // the first line of a paragraph
	}
	if margin == 0 {
		return false
	}
	if long := float64(p.width) / float64(margin); long > overLong && (end > atRune || !lower) || long > 2*overLong {
		return true
	}
	switch {
	case lower && first != item && min(p.indent, n.indent) >= codeIndent:
		return short(fillCode)
	case lower:
		return short(fillLower)
	case isComma(last):
		return short(fillComma)
	case end == atConfident || last == ':':
		return short(fillEnded)
	case end > atRune:
		return short(fillMaybe)
	}
	return short(fillOpen)
}

// alone reports whether a line of kind k is never a part of running text.
func alone(k kind) bool {
	return k == fence || k == rule || k == heading || k == row || k == source
}

// A wrapScan is how far a block of wrapped text has been searched for its end.
type wrapScan struct {
	at   int  // the line, relative to the block's beginning, before which it does not end
	kind kind // of its first line
}

// wrappedEnd returns the offset of the line break after the last line of the
// block that w, the text not yet consumed, begins with, or -1 if w does not show
// it.
func (r *Reader) wrappedEnd(w []byte) int {
	s := &r.scan
	newline := r.layout.Newline
	var p shape
	for seen := false; ; seen = true {
		j := bytes.IndexByte(w[s.at:], newline)
		if j < 0 {
			return -1
		}
		end := s.at + j
		next := w[end+1:]
		if beginsBlank(next, newline) || bytes.HasPrefix(next, []byte("\ufeff")) {
			return end
		}
		k := lineEnd(next, newline)
		if k < 0 && r.err == nil && (len(next) < maxShape || len(bytes.TrimLeftFunc(next, isSpace)) == 0) {
			return -1 // the kind of the next line is not known yet
		}
		if r.layout.Plain {
			s.at = end + 1
			continue
		}
		if k >= 0 {
			next = next[:k]
		}
		if !seen {
			p = r.shapeAt(w[:end], s.at)
		}
		if s.at == 0 {
			s.kind = p.kind
		}
		n := shapeOf(next, 0)
		if r.code || parts(s.kind, &p, &n, r.layout.Margin) {
			return end
		}
		s.at, p = end+1, n
	}
}

// lineEnd returns where the line ends that w begins with, or -1.
func lineEnd(w []byte, newline byte) int {
	k := bytes.IndexByte(w, newline)
	if k >= 0 {
		w = w[:k]
	}
	if i := bytes.IndexRune(w, paragraphSeparator); i >= 0 {
		return i
	}
	return k
}

// shapeAt returns the shape of the line from at to the end of w, which is the
// beginning of the text not yet consumed.
func (r *Reader) shapeAt(w []byte, at int) shape {
	switch {
	case at > 0:
		return shapeOf(w[at:], 0)
	case r.lineStart >= 0:
		return shapeOf(w, r.indent)
	}
	s := shapeOf(w, 0) // the block begins inside a line
	s.kind = prose
	return s
}

// enter notes that a block begins here: a blank line ends code.
func (r *Reader) enter() {
	if r.fresh {
		r.code, r.fresh = false, false
	}
}

// passFence notes whether a block of wrapped text begins or ends code.
func (r *Reader) passFence(block string) {
	if r.lineStart < 0 {
		return
	}
	line, _, _ := strings.Cut(block[:min(len(block), maxShape)], string(rune(r.layout.Newline)))
	if s := shapeOf([]byte(line), 0); s.kind == fence {
		r.code = !r.code || s.info
	}
}
