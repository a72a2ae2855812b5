package text

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// valueHead is the number of bytes of a value that decide its layout.
const valueHead = 64 << 10

// Values makes readers of texts that are values in a file: strings of JSON or cells of
// a table. It is safe for concurrent use.
type Values struct {
	enc   *encodingInfo
	lines Lines
	// returns says that a CR ends lines in values that have more of these than
	// LF; else it is white space.
	returns bool
	html    bool // taken out
}

// NewValues returns the Values of a file. With returns, a CR may end lines. Options.Lines
// is the meaning of line breaks inside a value; AutoLines decides for every value. NewValues
// refuses encodings in which the byte of a quote or a comma may be part of another character.
func NewValues(o Options, returns bool) (*Values, error) {
	enc, err := lookup(o.Encoding)
	if err != nil {
		return nil, err
	}
	if !enc.cuttable {
		return nil, fmt.Errorf("a table in %s; make it UTF-8 first, for example with iconv -f %s -t UTF-8", enc.name, enc.name)
	}
	return &Values{enc: enc, lines: o.Lines, returns: returns, html: o.StripHTML}, nil
}

// NewJSONValues returns the Values of a file of JSON, whatever Options.Encoding is.
func NewJSONValues(o Options) *Values {
	return &Values{enc: &encodingInfo{name: "utf-8", cuttable: true}, lines: o.Lines, returns: o.Lines == "" || o.Lines == AutoLines, html: o.StripHTML}
}

// A Value is the bytes of one text inside a file.
type Value struct {
	Bytes  []byte // as stored, without the quotes around it
	Offset int64  // of its first byte in the file
	Line   int64  // the line in which it begins, 0 if unknown
	// Escape is the backslash of a string of JSON, which must be valid, or the quote of
	// a quoted cell, where two quotes mean one; 0 if there are no escapes.
	Escape byte
	// OneLine says that line breaks in the value are not line breaks of the file.
	OneLine bool
}

// Reader returns a reader of the blocks of a value, which is cut as raw text is.
// Offsets count bytes of the file; Block.Offset accounts for escapes. Invalid bytes,
// unpaired surrogates and NULs are repaired. The bytes must not change while the reader
// is used.
func (v *Values) Reader(x *Value) *Reader {
	l := Layout{Encoding: v.enc.name, Newline: '\n', Lines: v.lines, Cuttable: true}
	if l.Lines == "" {
		l.Lines = AutoLines
	}
	if l.Lines == AutoLines || v.returns {
		if l.decideLines(v.Head(x, valueHead), l.Lines); !v.returns {
			l.Newline = '\n'
		}
	}
	return &Reader{
		layout: l, dec: v.decoder(x, v.html), end: -1,
		line: x.Line, oneLine: x.OneLine, opens: true, fresh: true,
		lineStart: x.Offset, inked: x.Offset, coverStart: x.Offset, coverEnd: x.Offset,
	}
}

// Head returns the text of the first n stored bytes of a value, without markup if that is
// to be taken out.
func (v *Values) Head(x *Value, n int) []byte {
	head := *x
	head.Bytes = head.Bytes[:min(len(head.Bytes), n)]
	return v.decode(&head, v.html)
}

// Text returns the text of a value with its markup. Invalid bytes and NULs become U+FFFD.
func (v *Values) Text(x *Value) string { return string(v.decode(x, false)) }

func (v *Values) decode(x *Value, html bool) []byte {
	var w window
	for d := v.decoder(x, html); d.decode(&w) == nil; {
	}
	return w.text
}

func (v *Values) decoder(x *Value, html bool) *decoder {
	d := makeDecoder(bytes.NewReader(x.Bytes), v.enc, x.Offset, min(len(x.Bytes)+1, rawBytes), x.Escape)
	d.stripIf(html)
	return d
}

// escape decodes the escape sequence at raw[i:] and returns its length, or
// false if more bytes are needed to tell.
func (d *decoder) escape(w *window, i int) (int, bool) {
	decode := unescape
	if d.escapes == '"' {
		decode = doubled
	}
	r, n, whole := decode(d.raw[i:])
	if !whole && d.err == nil {
		return 0, false
	}
	if source := d.source + int64(i); r <= 0 {
		w.bad(source, n)
	} else {
		w.rune(r, source, n) // also a U+FFFD that somebody has written
	}
	return n, true
}

// doubled is unescape for a doubled quote.
func doubled(b []byte) (r rune, n int, whole bool) {
	if len(b) > 1 && b[1] == '"' {
		return '"', 2, true
	}
	return '"', 1, len(b) > 1
}

// unescape returns the character that b, which begins with a backslash, begins with,
// and its length in b. The character is -1 if there is none: for a surrogate without a
// partner, or if this is not an escape of JSON. whole is false if more bytes might
// change the answer.
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
