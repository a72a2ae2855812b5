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

// codeIndent is how many columns Markdown indents code by.
const codeIndent = 4

// parts reports whether the break between lines p and n of wrapped text ends a
// block, though no line between them is blank. first is the kind of the line that
// the block began with. margin is the width of the text in columns; if it is 0, only
// the kinds of lines count, not their lengths.
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
			return -1 // what the next line is is not to be seen yet
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

// fenceReach is how far, in bytes of the source, a fence makes code of what comes after
// a blank line. Readers of a range look back that far.
const fenceReach = 7 << 10

// maxBlank is the most bytes of a line that counts as blank for fences.
const maxBlank = 256

// fences follows the lines of wrapped text, to know after a blank line whether code
// goes on there that a fence began before. What it knows depends on a bounded stretch
// of the text, so that a reader that begins in the middle of a file finds the same: a
// fence that is the last one before begins code if it names a language, or if it
// follows a blank line or a colon or is at the file's beginning, and no blank line
// follows it. The zero value is at the beginning of a file.
type fences struct {
	head  [72]byte // the beginning of the current line
	n     int      // bytes in head
	size  int      // bytes of the line
	ink   bool     // some are not white space
	colon bool     // the last that is not is a colon
	gap   int      // bytes of white space behind that

	text    bool  // the line before is not blank
	leads   bool  // and ends with a colon
	pending int64 // a fence that begins code unless a blank line follows, 0 is none
	open    int64 // the fence that began code, if it is the last one, 0 is none
}

// someLine is the state inside a line whose beginning is not known.
func someLine() fences { return fences{head: [72]byte{'x'}, n: 1, size: maxBlank + 1, ink: true} }

// add adds bytes of the current line, its end not among them.
func (f *fences) add(piece []byte) {
	f.size += len(piece)
	f.n += copy(f.head[f.n:], piece)
	ink := len(piece)
	for ink > 0 && (piece[ink-1] == ' ' || piece[ink-1] == '\t' || piece[ink-1] == '\r') {
		ink--
	}
	f.gap += len(piece) - ink
	if ink > 0 {
		f.ink, f.colon, f.gap = true, piece[ink-1] == ':', len(piece)-ink
	}
}

// end ends the current line, at offset at of the source, which is over 0.
func (f *fences) end(at int64) {
	blank := !f.ink && f.size <= maxBlank
	if f.pending > 0 {
		f.open = 0
		if !blank {
			f.open = f.pending
		}
		f.pending = 0
	}
	if line := bytes.Trim(bytes.TrimLeft(f.head[:f.n], "> \t"), " \t\r"); len(line) > 2 && isFence(line) {
		f.open = 0
		switch {
		case hasInfo(line):
			f.open = at
		case !f.text || f.leads:
			f.pending = at
		}
	}
	*f = fences{text: !blank, leads: f.colon && f.gap < maxBlank, pending: f.pending, open: f.open}
}

// track follows the text up to window offset i, which is about to be consumed.
func (r *Reader) track(i int) {
	if r.layout.Lines != Wrapped && r.undecided == nil {
		return
	}
	for at := r.pos; ; {
		j := bytes.IndexByte(r.win.text[at:i], r.layout.Newline)
		if j < 0 {
			r.fences.add(r.win.text[at:i])
			return
		}
		r.fences.add(r.win.text[at : at+j])
		at += j + 1
		r.fences.end(r.win.source(r.win.base+int64(at)-1) + 1)
	}
}

// inCode reports whether the text after a blank line, at offset at of the source, is
// code.
func (f *fences) inCode(at int64) bool { return f.open > 0 && at-f.open <= fenceReach }

// lookBack follows the bytes before offset at of the source, where a line begins.
func (r *Reader) lookBack(behind []byte, at int64) {
	if at > int64(len(behind)) {
		r.fences = someLine()
	}
	r.dec = newDecoder(bytes.NewReader(behind), r.layout, at-int64(len(behind)))
	for r.more() {
		r.consume(len(r.win.text))
	}
	r.consume(len(r.win.text))
	r.win, r.pos, r.err = window{}, 0, nil
}

// enter notes that a block begins here.
func (r *Reader) enter() {
	if r.fresh {
		r.code, r.fresh = r.fences.inCode(r.lineStart), false
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
