package text

import (
	"errors"
	"io"
	"slices"
	"sort"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// A span is a Run with absolute offsets: of the decoded stream and of the
// source.
type span struct {
	text, source  int64
	width, stored uint8
}

// A repair is a U+FFFD that took the place of something invalid.
type repair struct{ text, source int64 }

// A window is a stretch of decoded text with its map to the source. base is
// the offset of text[0] in the decoded stream. spans and repairs are sorted
// and may begin before base.
type window struct {
	base    int64
	text    []byte
	spans   []span
	repairs []repair
}

// end is the decoded offset after the window's text.
func (w *window) end() int64 { return w.base + int64(len(w.text)) }

// put notes that n bytes of decoded text, at the end of the window, are made
// of characters of width bytes with stored bytes each, from source on.
func (w *window) put(at, source int64, width, stored uint8) {
	if k := len(w.spans) - 1; k >= 0 {
		s := &w.spans[k]
		if s.width == width && s.stored == stored && (at-s.text)/int64(width)*int64(stored) == source-s.source && (at-s.text)%int64(width) == 0 {
			return
		}
	}
	w.spans = append(w.spans, span{at, source, width, stored})
}

// rune appends a character that took stored bytes from source on.
func (w *window) rune(r rune, source int64, stored int) {
	at := w.end()
	w.text = utf8.AppendRune(w.text, r)
	w.put(at, source, uint8(w.end()-at), uint8(stored))
}

// bad appends a U+FFFD for stored invalid bytes from source on.
func (w *window) bad(source int64, stored int) {
	w.repairs = append(w.repairs, repair{w.end(), source})
	w.rune(utf8.RuneError, source, stored)
}

// char appends a character, or a U+FFFD if it is none.
func (w *window) char(r rune, source int64, stored int) {
	if r <= 0 || r == utf8.RuneError {
		w.bad(source, stored)
		return
	}
	w.rune(r, source, stored)
}

// spanAt returns the index of the span that holds decoded offset t, or -1.
func (w *window) spanAt(t int64) int {
	return sort.Search(len(w.spans), func(i int) bool { return w.spans[i].text > t }) - 1
}

// source returns the source offset of decoded offset t.
func (w *window) source(t int64) int64 {
	i := w.spanAt(t)
	if i < 0 {
		return 0
	}
	s := &w.spans[i]
	return s.source + (t-s.text)/int64(s.width)*int64(s.stored)
}

// drop removes the first n bytes of text, and the spans that belong only to them.
func (w *window) drop(n int) {
	w.text = slices.Delete(w.text, 0, n)
	w.base += int64(n)
	w.spans = slices.Delete(w.spans, 0, max(0, w.spanAt(w.base)))
	w.repairs = slices.DeleteFunc(w.repairs, func(r repair) bool { return r.text < w.base })
}

// rawBytes is how much of the source is read at once.
const rawBytes = 8 << 10

// A decoder turns a source into UTF-8 without NUL.
type decoder struct {
	r       io.Reader
	newline byte
	enc     *encodingInfo
	conv    *encoding.Decoder // for encodings of several bytes a character
	escapes byte              // what an escape begins with: '\\' inside a JSON string, '"' inside a quoted cell; 0 if there are none
	raw     []byte            // read and not yet decoded
	source  int64             // offset of raw[0]
	err     error             // of r, io.EOF included
	markup  *stripper         // nil: markup stays
}

// newDecoder returns a decoder of r, which is at offset source, where a character
// begins. The layout must be one of Decide's.
func newDecoder(r io.Reader, l Layout, source int64) *decoder {
	enc, err := lookup(l.Encoding)
	if err != nil {
		enc = &encodingInfo{name: "utf-8"}
	}
	d := makeDecoder(r, enc, source, rawBytes, 0)
	d.newline = l.Newline
	d.stripIf(l.StripHTML)
	return d
}

// makeDecoder returns a decoder that reads size bytes at once.
func makeDecoder(r io.Reader, enc *encodingInfo, source int64, size int, escapes byte) *decoder {
	d := &decoder{r: r, newline: '\n', enc: enc, escapes: escapes, raw: make([]byte, 0, size), source: source}
	if enc.enc != nil && enc.table == nil {
		d.conv = enc.enc.NewDecoder()
	}
	return d
}

// decode appends the next piece of text to w. It returns the source's error,
// io.EOF included, once all before it has been decoded.
func (d *decoder) decode(w *window) error {
	if d.markup == nil {
		return d.characters(w)
	}
	err := d.characters(&d.markup.in)
	if err != nil && len(d.markup.in.text) == 0 {
		return err
	}
	d.markup.strip(w, err != nil)
	return nil
}

// stripIf makes d take out markup, or not.
func (d *decoder) stripIf(html bool) {
	if html {
		d.markup = &stripper{}
	}
}

// characters is decode for text with its markup.
func (d *decoder) characters(w *window) error {
	if d.err == nil {
		n, err := d.r.Read(d.raw[len(d.raw):cap(d.raw)])
		d.raw, d.err = d.raw[:len(d.raw)+n], err
	} else if len(d.raw) == 0 {
		return d.err
	}
	characters := d.others
	if d.enc.enc == nil {
		characters = d.utf8
	}
	used := characters(w)
	d.source += int64(used)
	d.raw = d.raw[:copy(d.raw, d.raw[used:])]
	if d.err != nil && d.err != io.EOF {
		d.raw = d.raw[:0] // the beginning of a character that will not come
	}
	return nil
}

// utf8 decodes what is in raw and returns how many bytes it used.
func (d *decoder) utf8(w *window) int {
	i := 0
	for i < len(d.raw) {
		start := i
		for i < len(d.raw) && d.raw[i] != 0 && d.raw[i] != d.escapes {
			if d.raw[i] < utf8.RuneSelf {
				i++
				continue
			}
			r, n := utf8.DecodeRune(d.raw[i:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			i += n
		}
		if i > start {
			w.put(w.end(), d.source+int64(start), 1, 1)
			w.text = append(w.text, d.raw[start:i]...)
			continue
		}
		n := 1
		if d.escapes != 0 && d.raw[i] == d.escapes {
			var ok bool
			if n, ok = d.escape(w, i); !ok {
				break
			}
		} else if d.err == nil && !utf8.FullRune(d.raw[i:]) {
			break
		} else {
			w.bad(d.source+int64(i), 1)
		}
		i += n
	}
	return i
}

// others decodes what is in raw in any other encoding, one character after the other,
// to know where each begins.
func (d *decoder) others(w *window) int {
	i := 0
	for i < len(d.raw) {
		n, ok := 1, true
		switch {
		case d.escapes != 0 && d.raw[i] == d.escapes:
			n, ok = d.escape(w, i)
		case d.enc.table != nil:
			w.char(d.enc.table[d.raw[i]], d.source+int64(i), 1)
		default:
			n, ok = d.char(w, i)
		}
		if !ok {
			break
		}
		i += n
	}
	return i
}

// maxChar is the most bytes of a character, escape sequences included.
const maxChar = 8

// char decodes the character at raw[i:] and returns its length, or false if
// more bytes are needed to tell.
func (d *decoder) char(w *window, i int) (int, bool) {
	source := d.source + int64(i)
	var out [2 * utf8.UTFMax]byte
	for n := 1; n <= maxChar; n++ {
		if i+n > len(d.raw) {
			if d.err == nil {
				return 0, false
			}
			break // cut off by the end of the file
		}
		if n > 1 && d.enc.cuttable && d.raw[i+n-1] == d.newline {
			break // a line break counts after any bytes
		}
		nDst, nSrc, err := d.conv.Transform(out[:], d.raw[i:i+n], false)
		if nSrc == 0 && errors.Is(err, transform.ErrShortSrc) {
			continue
		}
		if nSrc == 0 {
			break
		}
		d.emit(w, out[:nDst], source, nSrc)
		return nSrc, true
	}
	d.conv.Reset()
	w.bad(source, 1)
	return 1, true
}

// emit appends the characters that stored bytes from source on gave: one, or
// none for an escape sequence, or several if they were invalid; those share
// the bytes evenly, the last taking the rest.
func (d *decoder) emit(w *window, out []byte, source int64, stored int) {
	for count := utf8.RuneCount(out); count > 0; count-- {
		r, n := utf8.DecodeRune(out)
		out = out[n:]
		own := stored / count
		w.char(r, source, own)
		source, stored = source+int64(own), stored-own
	}
}
