package text

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"sort"
	"unicode/utf8"
)

// lookAhead is how many bytes beyond MaxBlock are seen before a paragraph is
// cut: more than of a line matter.
const lookAhead = 2 * maxShape

// lookBehind is how many bytes before a range are seen, to know whether a blank line is
// before its first one. A line whose last lookBehind-2 bytes are white space is blank.
const lookBehind = 8 << 10

// SeekTo returns the position that NewReader needs for a range that begins at start.
func SeekTo(start int64) int64 { return max(0, start-lookBehind) }

// keepBytes is how much consumed text a window may hold before it is dropped.
const keepBytes = 32 << 10

// A Reader cuts the part of a file that belongs to an interval into blocks,
// with bounded memory however long the lines are. It is not safe for
// concurrent use.
type Reader struct {
	layout Layout
	dec    *decoder
	end    int64 // paragraphs that begin here or later are not ours; negative is none
	win    window
	pos    int   // consumed bytes of win.text
	err    error // of the decoder

	line       int64 // 1-based, 0 unknown
	chars      int64 // code points consumed
	oneLine    bool  // line breaks of the text are none of the source
	lineStart  int64 // source offset of the current line's beginning, -1 once text of it was consumed
	continues  bool  // a paragraph was cut here
	opens      bool  // the line before is blank, or this is the file's first
	inked      int64 // source offset after the last character that is not ASCII white space
	coverStart int64
	coverEnd   int64
	done       error // what Next returns from now on

	fresh  bool     // in wrapped text: the line before is blank, or this is the file's first
	indent int      // columns of white space before the text, in its line
	code   bool     // in wrapped text: after a fence that begins code
	scan   wrapScan // of the next block of wrapped text

	undecided *undecided // of a stream, until its layout is decided
}

// NewReader returns a reader of the blocks of the paragraphs (or of the lines, if lines
// are sentences) that begin in [start, end). r must be positioned at SeekTo(start); end
// may be beyond the end of the file, and is ignored if negative. The reader reads past
// end to finish the last paragraph.
//
// A paragraph of wrapped text begins with the blank line before it.
func NewReader(r io.Reader, l Layout, start, end int64) (*Reader, error) {
	if start < 0 || end >= 0 && end < start {
		return nil, fmt.Errorf("no interval of a file: [%d, %d)", start, end)
	}
	if _, err := lookup(l.Encoding); err != nil {
		return nil, err
	}
	rd := &Reader{layout: l, end: end}
	if !l.Cuttable {
		if start > 0 {
			rd.done = io.EOF
			return rd, nil
		}
		rd.end = -1
	}
	if start == 0 {
		if _, err := io.CopyN(io.Discard, r, int64(l.BOM)); err != nil {
			rd.done = err
			return rd, nil
		}
		rd.dec = newDecoder(r, l, int64(l.BOM))
		rd.line, rd.opens, rd.fresh = 1, true, true
		return rd, nil
	}
	if err := rd.align(r, start); err != nil {
		rd.done = err
		if err != io.EOF {
			return nil, err
		}
	}
	return rd, nil
}

// align moves to where the paragraphs that begin at or after start begin.
func (r *Reader) align(src io.Reader, start int64) error {
	behind := make([]byte, start-1-SeekTo(start), lookBehind)
	if _, err := io.ReadFull(src, behind); err == io.ErrUnexpectedEOF {
		return io.EOF
	} else if err != nil {
		return err
	}
	at, rest, err := skipLine(src, start-1, r.end, r.layout.Newline, &behind)
	r.coverStart, r.coverEnd, r.inked = at, at, at
	if err != nil {
		return err
	}
	if at == int64(len(behind)) {
		copy(behind, "   "[:r.layout.BOM]) // from the beginning of the file
	}
	r.opens = endsBlank(behind, r.layout.Newline)
	r.dec = newDecoder(io.MultiReader(bytes.NewReader(rest), src), r.layout, at)
	r.chars = 0
	r.lineStart = at
	if r.layout.Lines != Wrapped {
		return nil
	}
	for {
		blank, err := r.passLine()
		if err != nil {
			r.coverStart, r.coverEnd = r.here(), r.here()
			return err
		}
		r.coverStart, r.coverEnd = r.lineStart, r.lineStart
		if r.end >= 0 && r.lineStart >= r.end {
			return io.EOF
		}
		r.lineStart = r.here()
		if blank {
			r.fresh = true
			return nil
		}
	}
}

// skipLine reads up to the first line break. It returns the offset after it (the end of
// the file if there is none) and the bytes read beyond it. It appends the skipped bytes
// to behind and keeps the end of behind. Unless end is negative, it stops after end
// with io.EOF, because nothing after end belongs to this reader.
func skipLine(src io.Reader, at, end int64, newline byte, behind *[]byte) (int64, []byte, error) {
	buf := make([]byte, rawBytes)
	for {
		n, err := src.Read(buf)
		i := bytes.IndexByte(buf[:n], newline)
		skipped := n
		if i >= 0 {
			skipped = i + 1
		}
		*behind = append(*behind, buf[:skipped]...)
		*behind = (*behind)[max(0, len(*behind)-lookBehind+1):]
		at += int64(skipped)
		if i >= 0 {
			return at, buf[skipped:n], nil // src keeps its error
		}
		if err == nil && end >= 0 && at > end {
			err = io.EOF
		}
		if err != nil {
			return at, nil, err
		}
	}
}

// endsBlank reports whether the line that b ends with, its line break
// included, is blank as far as b shows it.
func endsBlank(b []byte, newline byte) bool {
	for i := len(b) - 2; i >= 0 && b[i] != newline; i-- {
		if b[i] >= utf8.RuneSelf || !isSpace(rune(b[i])) {
			return false
		}
	}
	return true
}

// passLine consumes a line with its end and reports whether it was blank. It stops with
// io.EOF where nothing more can belong to this reader.
func (r *Reader) passLine() (blank bool, err error) {
	blank = true
	for {
		for i := r.pos; i < len(r.win.text); {
			c, n := utf8.DecodeRune(r.win.text[i:])
			i += n
			if c == rune(r.layout.Newline) {
				r.consume(i)
				return blank, nil
			}
			blank = blank && isSpace(c)
		}
		r.consume(len(r.win.text))
		if !blank && r.end >= 0 && r.here() > r.end {
			return false, io.EOF
		}
		if !r.more() {
			return false, r.err
		}
	}
}

// here is the source offset of the next byte to consume.
func (r *Reader) here() int64 {
	if r.pos == len(r.win.text) {
		return r.dec.at() // undecoded bytes follow
	}
	return r.win.source(r.win.base + int64(r.pos))
}

// more decodes some more text. It reports false after the last.
func (r *Reader) more() bool {
	if r.pos > keepBytes {
		r.win.drop(r.pos)
		r.pos = 0
	}
	if r.err == nil {
		r.err = r.dec.decode(&r.win)
	}
	return r.err == nil
}

// consume moves on to window offset i.
func (r *Reader) consume(i int) {
	if r.line > 0 && !r.oneLine {
		r.line += int64(bytes.Count(r.win.text[r.pos:i], []byte{r.layout.Newline}))
	}
	r.chars += int64(utf8.RuneCount(r.win.text[r.pos:i]))
	r.pos = i
}

// Next returns the next block, or io.EOF after the last one. If r fails, Next
// returns the blocks of the paragraphs that were complete before it, then r's
// error: Covered tells what was covered until then. The block and all it points
// to belong to the caller.
func (r *Reader) Next() (Block, error) {
	if r.done == nil {
		r.done = r.skipSpace()
	}
	if r.done != nil {
		return Block{}, r.done
	}
	if n := r.early(); n > 0 {
		return r.next(n, false), nil
	}
	most := max(MaxBlock, r.layout.MaxBlock)
	w, n := r.paragraph(most)
	cut := n < 0 || n > most
	if cut && len(w) <= most {
		r.done = r.err // the paragraph's end cannot be known
		return Block{}, r.done
	}
	if cut {
		n = len(bytes.TrimRightFunc(w[:cutPoint(w, most, r.layout.Newline)], isSpace))
	}
	return r.next(n, cut), nil
}

// All returns the blocks that Next returns, in order; an error is the last.
func (r *Reader) All() iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		for {
			b, err := r.Next()
			if err == io.EOF || !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// next consumes the next n bytes, at least one, as a block.
func (r *Reader) next(n int, cut bool) Block {
	b := r.block(n)
	b.Cut = cut
	if r.layout.Lines == Wrapped {
		r.passFence(b.Text)
	}
	r.consume(r.pos + n)
	r.lineStart, r.continues, r.opens, r.inked, r.scan = -1, cut, false, b.End, wrapScan{}
	return b
}

// paragraph returns the visible text from the next paragraph on, and the paragraph's
// length in it. The length is -1 if it cannot be known, or if it exceeds most bytes and
// a part of lookAhead. paragraph reads no more than it needs for this.
func (r *Reader) paragraph(most int) (w []byte, n int) {
	n = -1
	for known := 0; ; known = len(w) {
		w = r.win.text[r.pos:]
		if n = r.paragraphEnd(w, known); n >= 0 || len(w) >= most+lookAhead || !r.more() {
			break
		}
	}
	if n < 0 && r.err == io.EOF {
		if n = r.paragraphEnd(w, len(w)); n < 0 { // the kind of the last line was not known before
			n = len(w)
		}
	}
	if n >= 0 {
		n = len(bytes.TrimRightFunc(w[:n], isSpace))
	}
	return w, n
}

// skipSpace consumes white space up to the next block. It returns io.EOF if there is
// none, or none that belongs to this reader.
func (r *Reader) skipSpace() error {
	for {
		for r.pos < len(r.win.text) {
			if r.lineStart >= 0 && r.layout.Lines != Wrapped && r.end >= 0 && r.lineStart >= r.end {
				r.coverEnd = r.lineStart
				return io.EOF
			}
			c, n := utf8.DecodeRune(r.win.text[r.pos:])
			if !isSpace(c) {
				r.enter()
				return nil
			}
			if c != rune(r.layout.Newline) {
				r.consume(r.pos + n)
				if r.indent++; c == '\t' {
					r.indent += tabStop - 1
				}
				if c >= utf8.RuneSelf {
					r.inked = r.here()
				}
				r.continues = r.continues && c != paragraphSeparator
				continue
			}
			r.opens = r.lineStart >= r.inked || r.here()-r.inked >= lookBehind-2
			r.consume(r.pos + n)
			r.indent = 0
			r.fresh = r.fresh || r.lineStart >= 0
			if r.lineStart >= 0 || r.layout.Lines != Wrapped {
				r.continues = false
			}
			if r.lineStart >= r.end && r.end >= 0 && r.layout.Lines == Wrapped {
				r.coverEnd = r.lineStart // this blank line begins the next range
				return io.EOF
			}
			r.lineStart = r.here()
		}
		if !r.more() {
			if r.err == io.EOF {
				r.coverEnd = r.dec.at()
			}
			return r.err
		}
	}
}

// block makes a block of the next n bytes.
func (r *Reader) block(n int) Block {
	w := &r.win
	from, to := w.base+int64(r.pos), w.base+int64(r.pos+n)
	b := Block{
		Text:      string(w.text[r.pos : r.pos+n]),
		From:      r.coverEnd,
		Start:     w.source(from),
		FirstBad:  -1,
		Line:      r.line,
		Char:      r.chars,
		Newline:   r.layout.Newline,
		Continues: r.continues,
		Opens:     !r.continues && (r.opens || r.layout.Lines != Sentence),
		OneLine:   r.oneLine,
	}
	i := w.spanAt(from)
	for j := i; j < len(w.spans) && w.spans[j].text < to; j++ {
		s := w.spans[j]
		b.Runs = append(b.Runs, Run{int32(s.text - from), int32(s.source - b.Start), s.width, s.stored})
		b.End = s.source + (to-s.text)/int64(s.width)*int64(s.stored)
	}
	b.Runs[0].Text, b.Runs[0].Source = 0, 0
	if len(b.Runs) == 1 && b.Runs[0].Width == 1 && b.Runs[0].Stored == 1 {
		b.Runs = nil
	}
	k := sort.Search(len(w.repairs), func(k int) bool { return w.repairs[k].text >= from })
	for ; k < len(w.repairs) && w.repairs[k].text < to; k++ {
		if b.Repaired++; b.Repaired == 1 {
			b.FirstBad = w.repairs[k].source
		}
	}
	r.coverEnd = b.End
	return b
}

// Covered returns the interval of the file that belongs to the blocks returned so far
// and the white space around them; after io.EOF, all that belongs to the reader. The
// covers of the ranges of a file follow each other without a gap from 0 to the file's
// end; an empty cover (start == end) counts for nothing.
func (r *Reader) Covered() (start, end int64) { return r.coverStart, r.coverEnd }

// Lines returns what line breaks were taken to mean.
func (r *Reader) Lines() Lines { return r.layout.Lines }
