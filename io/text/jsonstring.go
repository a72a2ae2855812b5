package text

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonHead is how much of a JSON string its layout is decided on.
const jsonHead = 64 << 10

// NewJSONReader returns a reader of the blocks of a JSON string, which is cut
// as raw text is. literal is what stands between its quotes, must be valid
// JSON there, and begins at offset source of the file and in its line line (0
// is unknown). AutoLines is decided from the string itself.
//
// Offsets are those of the literal: Block.Offset knows how long the escapes
// are. Invalid UTF-8, surrogates without a partner and NULs are repaired.
// literal must not change while the reader is used.
func NewJSONReader(literal []byte, source, line int64, lines Lines) *Reader {
	l := Layout{Encoding: "utf-8", Newline: '\n', Lines: lines, Cuttable: true}
	if lines == "" || lines == AutoLines {
		head := literal[:min(len(literal), jsonHead)]
		var w window
		for d := newJSONDecoder(head, 0); d.decode(&w) == nil; {
		}
		l.decideLines(w.text, AutoLines)
	}
	return &Reader{
		layout: l, dec: newJSONDecoder(literal, source), end: -1,
		line: line, oneLine: true, opens: true, fresh: true,
		lineStart: source, inked: source, coverStart: source, coverEnd: source,
	}
}

func newJSONDecoder(literal []byte, source int64) *decoder {
	return &decoder{
		r: bytes.NewReader(literal), newline: '\n', enc: &encodingInfo{name: "utf-8"}, escapes: '\\',
		raw: make([]byte, 0, min(len(literal), rawBytes)), source: source,
	}
}

// escape decodes the escape sequence at raw[i:] and returns its length, or
// false if more bytes are needed to tell.
func (d *decoder) escape(w *window, i int) (int, bool) {
	if d.escapes == '"' {
		return d.doubled(w, i)
	}
	r, n, whole := unescape(d.raw[i:])
	if !whole && d.err == nil {
		return 0, false
	}
	if source := d.source + int64(i); r == 0 || r < 0 {
		w.bad(source, n)
	} else {
		w.rune(r, source, n)
	}
	return n, true
}

// unescape returns the character that b, which begins with a backslash,
// begins with, and its length in b. The character is -1 if it is none:
// that of a surrogate without a partner, or no escape of JSON. whole is false
// if more bytes might change the answer.
func unescape(b []byte) (r rune, n int, whole bool) {
	if len(b) < 2 {
		return -1, len(b), false
	}
	if b[1] != 'u' {
		if i := bytes.IndexByte([]byte(`"\/bfnrt`), b[1]); i >= 0 {
			return rune("\"\\/\b\f\n\r\t"[i]), 2, true
		}
		return -1, 1, true
	}
	r, ok := hex4(b)
	if !ok {
		return -1, 1, len(b) >= 6
	}
	if !utf16.IsSurrogate(r) {
		return r, 6, true
	}
	if low, ok := hex4(b[6:]); ok {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, 12, true
		}
	}
	return -1, 6, len(b) >= 12
}

// hex4 reads \uXXXX.
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(v), err == nil
}
