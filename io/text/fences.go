package text

import (
	"bytes"
	"strings"
)

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
