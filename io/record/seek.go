package record

import (
	"bytes"
	"io"
)

// lookBack is how many bytes before a range are looked at first, and how many of it. More
// are looked at if they do not show where rows begin. Tests make it smaller.
var lookBack = 64 << 10

// Open returns a reader of the rows that begin in [start, end). at returns a reader
// from an offset of the file.
//
// Whether a line is in quotes depends on everything before it, but few bytes show it.
// If a line is read both as in quotes and as not in quotes, either the quotes of one
// reading do not pair, or both readings soon agree on the rows. If they do not, as in a
// table that is quoted in a table, Open reads the file from further back, at worst from
// its beginning. A line of more bytes than a record may have is lost in either reading, so
// what comes before it is not asked.
func (l *Layout) Open(at func(offset int64) (io.Reader, error), start, end int64) (*TableReader, error) {
	most := int64(l.limit + lookBack)
	for back := min(int64(lookBack), most); start-back > l.body.Offset; back = min(16*back, most) {
		src, err := at(start - back)
		if err != nil {
			return nil, err
		}
		w := window{rows: l.rows, src: src, start: int(back)}
		if row, found, err := w.find(); err != nil {
			return nil, err
		} else if found {
			from := Place{Offset: start - back + int64(row)}
			return newTableReader(io.MultiReader(bytes.NewReader(w.buf[row:]), src), l, from, start, end), nil
		}
		if back < most {
			continue
		}
		if bytes.IndexByte(w.buf[:min(w.start, len(w.buf))], w.newline) < 0 {
			return insideLong(io.MultiReader(bytes.NewReader(w.buf[min(w.start, len(w.buf)):]), src), l, start, end), nil
		}
		break
	}
	src, err := at(0)
	if err != nil {
		return nil, err
	}
	return newTableReader(src, l, Place{Line: 1}, start, end), nil
}

// insideLong returns a reader of the rows that begin in [start, end), where src is in a line
// that is too long.
func insideLong(src io.Reader, l *Layout, start, end int64) *TableReader {
	r := newTableReader(src, l, Place{Offset: start}, start, end)
	r.stop = end
	_, r.done = r.long()
	r.stop, r.from, r.to = 0, r.at.Offset, r.at.Offset
	return r
}

// A window is a stretch of a file around the offset where a range begins.
type window struct {
	rows
	src   io.Reader
	buf   []byte
	start int  // of the range, in buf
	eof   bool // buf holds all of src
}

// find returns a place at or before the range where a row begins, or false if the window
// would have to begin further back.
func (w *window) find() (row int, found bool, err error) {
	for size := w.start; ; size *= 2 {
		n := len(w.buf)
		w.buf = append(w.buf, make([]byte, size)...)
		more, err := io.ReadFull(w.src, w.buf[n:])
		w.buf = w.buf[:n+more]
		if w.eof = err == io.EOF || err == io.ErrUnexpectedEOF; err != nil && !w.eof {
			return 0, false, err
		}
		if row, found, known := w.row(); known {
			return row, found, nil
		}
		if w.eof || len(w.buf) > w.start+w.limit+lookBack {
			return 0, false, nil
		}
	}
}

// row is find for the bytes in the window. known is false if more bytes are needed.
func (w *window) row() (row int, found, known bool) {
	line := bytes.IndexByte(w.buf, w.newline) + 1
	if line == 0 || line > w.start {
		return 0, false, true
	}
	if !w.quotes {
		return line, true, true
	}
	// Rows begin at a if the line is not in quotes, and at b if it is.
	a := line
	b, bad, known := w.after(line, quoted)
	if bad {
		return line, true, true
	}
	for known && a != b && max(a, b) <= w.start {
		if a < b {
			a, _, known = w.after(a, opening)
		} else {
			b, _, known = w.after(b, opening)
		}
	}
	return a, a == b && a <= w.start, known
}

// after returns the end of the row at a place of the window, read in a state. known is
// false if the window does not show it. bad says that the quotes of the row do not
// pair.
func (w *window) after(at, state int) (end int, bad, known bool) {
	if state == opening && w.newline == '\r' && at < len(w.buf) && w.buf[at] == '\n' {
		at++ // as scanner.line does
	}
	rest := w.buf[at:]
	search := rowEnd{rows: w.rows, first: -1, state: state}
	n := search.in(rest[:min(len(rest), w.limit+1)])
	first := bytes.IndexByte(rest, w.newline) + 1
	switch open := search.state == quoted; {
	case n >= 0:
		return at + n, search.bad, true
	case len(rest) > w.limit || w.eof && open && first > 0: // no more than its first line is lost
		return at + first, true, first > 0
	default:
		return len(w.buf), open && w.eof || search.bad, w.eof
	}
}
