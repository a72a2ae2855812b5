package record

import (
	"bytes"
	"fmt"
	"io"

	"github.com/treebeam/treebeam/parser/syntax"
)

// readBytes is how much is read at once, and shown how much a message may show
// of a row.
const (
	readBytes = 64 << 10
	shown     = 4096
)

// A TableReader reads the rows of CSV and TSV.
type TableReader struct {
	src  io.Reader
	l    *Layout
	end  int64
	file string // see Layout.Open

	buf      []byte
	pos      int   // of what is not consumed, in buf
	at       Place // of buf[pos]
	err      error // of src
	from, to int64
	done     error
	cells    []span
}

func newTableReader(src io.Reader, l *Layout, at Place, end int64) *TableReader {
	return &TableReader{src: src, l: l, at: at, end: end, from: at.Offset, to: at.Offset}
}

// NewTableReader returns a reader of the rows that begin in [start, end). src must
// stand at from, a place of Known for start. end may be beyond the end of the
// file, and is ignored if negative. Rows between from and start are passed over
// and no others: only that way it is known where quotes open and close.
func NewTableReader(src io.Reader, l *Layout, from Place, start, end int64) *TableReader {
	r := newTableReader(src, l, from, end)
	if from.Offset == 0 { // the header, which Decide has read
		r.done = r.pass(l.body.Offset)
		r.at.Row, r.to = 0, r.at.Offset
	}
	for r.done == nil && r.at.Offset < start {
		_, _, r.done = r.line()
	}
	if start > 0 {
		r.from, r.to = r.at.Offset, r.at.Offset
	}
	return r
}

// pass passes over all up to an offset.
func (r *TableReader) pass(offset int64) error {
	for r.at.Offset < offset {
		if r.pos == len(r.buf) {
			if err := r.more(1); err != nil {
				return err
			}
		}
		r.consume(int(min(int64(len(r.buf)-r.pos), offset-r.at.Offset)))
	}
	return nil
}

// consume moves on by n bytes.
func (r *TableReader) consume(n int) {
	r.at.Line += int64(bytes.Count(r.buf[r.pos:r.pos+n], []byte{r.l.newline}))
	r.at.Offset += int64(n)
	r.pos += n
}

// more reads some more bytes, into a buffer that grows up to limit and what is
// read at once.
func (r *TableReader) more(limit int) error {
	if r.err != nil {
		return r.err
	}
	if r.pos > 0 {
		r.buf = r.buf[:copy(r.buf, r.buf[r.pos:])]
		r.pos = 0
	}
	if cap(r.buf)-len(r.buf) < readBytes/2 {
		size := min(max(2*cap(r.buf), 2*readBytes), limit+2*readBytes)
		r.buf = append(make([]byte, 0, size), r.buf...)
	} else if len(r.buf) == 0 && cap(r.buf) > 1<<20 { // large, and not needed any more
		r.buf = make([]byte, 0, 2*readBytes)
	}
	n, err := r.src.Read(r.buf[len(r.buf) : len(r.buf)+min(readBytes, cap(r.buf)-len(r.buf))])
	r.buf, r.err = r.buf[:len(r.buf)+n], err
	if n > 0 {
		return nil
	}
	return err
}

// A line is a row as it is written, and what is wrong with it as a whole.
type line struct {
	raw   []byte // without the line's end; cut if long. Valid until the next line is read
	size  int    // of the whole line with its end
	long  bool   // over the limit
	blank bool   // no row
	bad   bool   // its quotes do not pair: it is but the first line of what may be a row
}

// line reads the next row and where it begins; io.EOF is after the last.
func (r *TableReader) line() (line, Place, error) {
	if r.l.newline == '\r' { // a CR LF may stand between others
		if r.pos == len(r.buf) {
			if err := r.more(1); err != nil {
				return line{}, r.at, err
			}
		}
		if r.buf[r.pos] == '\n' {
			r.consume(1)
		}
	}
	n, bad, err := r.find()
	if err != nil {
		return line{}, r.at, err
	}
	at := r.at
	if n < 0 {
		r.at.Row++
		return r.long(at)
	}
	l := line{raw: r.trimEnd(r.buf[r.pos : r.pos+n]), size: n, bad: bad}
	if l.blank = len(bytes.Trim(l.raw, " ")) == 0; !l.blank {
		r.at.Row++
	}
	r.consume(n)
	return l, at, nil
}

// long reads a line over the limit.
func (r *TableReader) long(at Place) (line, Place, error) {
	l := line{raw: bytes.Clone(r.buf[r.pos:min(len(r.buf), r.pos+shown)]), long: true}
	for {
		n := bytes.IndexByte(r.buf[r.pos:], r.l.newline) + 1
		end := n > 0
		if !end {
			n = len(r.buf) - r.pos
		}
		l.size += n
		r.consume(n)
		if end {
			return l, at, nil
		}
		if err := r.more(1); err == io.EOF {
			return l, at, nil
		} else if err != nil {
			return l, at, err
		}
	}
}

// States of find.
const (
	opening = iota // at the beginning of a cell
	bare           // in a cell without quotes
	quoted         // in a cell with quotes
	closed         // behind a quote in one
)

// find returns the length of the next row with its line's end, or -1 if that is
// over the limit. If its quotes do not pair, the row is its first line: no more
// of the file than that is lost by a quote too many.
func (r *TableReader) find() (n int, bad bool, err error) {
	limit, state, first := r.l.opt.MaxRecord, opening, -1
	if r.l.dialect == TSV {
		state = bare
	}
	for i := 0; ; {
		b := r.ahead()
		for i < len(b) {
			if state == quoted || state == bare && r.l.dialect == TSV {
				stop := r.l.newline
				if state == quoted {
					stop = '"'
				}
				k := bytes.IndexByte(b[i:], stop)
				if k < 0 {
					k = len(b) - i
				}
				if state == quoted && first < 0 {
					if m := bytes.IndexByte(b[i:i+k], r.l.newline); m >= 0 {
						first = i + m + 1
					}
				}
				if i += k; i == len(b) {
					break
				}
			}
			c := b[i]
			i++
			switch {
			case state == quoted:
				state = closed
			case state == closed && c == '"':
				state = quoted
			case c == r.l.newline:
				return i, false, nil
			case c == r.l.separator && r.l.dialect == CSV:
				state = opening
			case state == closed && c == '\r' && (i == len(b) || b[i] == '\n'):
			case state == closed:
				return r.firstLine(first)
			case state == opening && c == '"':
				state = quoted
			case state == opening:
				state = bare
			}
		}
		if len(b) > limit {
			if state == quoted && first >= 0 {
				return first, true, nil
			}
			return -1, false, nil
		}
		err := r.more(limit)
		if err == io.EOF && len(b) > 0 {
			if state == quoted && first >= 0 {
				return first, true, nil
			}
			return len(b), state == quoted, nil
		}
		if err != nil {
			return 0, false, err
		}
	}
}

// ahead is what a row may have of what was read: its limit, and a byte that says
// that it is over.
func (r *TableReader) ahead() []byte {
	return r.buf[r.pos:min(len(r.buf), r.pos+r.l.opt.MaxRecord+1)]
}

// firstLine is the answer of find if quotes do not pair and first is where the
// first line ends, or negative if that is not known yet.
func (r *TableReader) firstLine(first int) (int, bool, error) {
	for first < 0 {
		b := r.ahead()
		if n := bytes.IndexByte(b, r.l.newline); n >= 0 {
			first = n + 1
			break
		}
		if len(b) > r.l.opt.MaxRecord {
			return -1, false, nil
		}
		if err := r.more(r.l.opt.MaxRecord); err == io.EOF {
			first = len(b)
		} else if err != nil {
			return 0, false, err
		}
	}
	return first, true, nil
}

// trimEnd takes off the end of the line.
func (r *TableReader) trimEnd(b []byte) []byte {
	b = bytes.TrimSuffix(b, []byte{r.l.newline})
	return bytes.TrimSuffix(b, []byte{'\r'})
}

// Covered implements Reader.
func (r *TableReader) Covered() (from, to int64) { return r.from, r.to }

// Next implements Reader.
func (r *TableReader) Next() (Record, error) {
	for r.done == nil {
		if r.end >= 0 && r.at.Offset >= r.end {
			r.done = io.EOF
			r.l.remember(r.file, r.end, r)
			break
		}
		line, at, err := r.line()
		if err != nil {
			r.done = err
			break
		}
		r.to = r.at.Offset
		if !line.blank {
			return r.record(line, at), nil
		}
	}
	return Record{}, r.done
}

// record makes a record of a line.
func (r *TableReader) record(line line, at Place) Record {
	rec := Record{
		Start: at.Offset, End: at.Offset + int64(len(line.raw)), Line: at.Line, Number: at.Row + 1, Raw: line.raw,
		row: true, values: r.l.values,
	}
	rec.lacking(r.l.lacks)
	switch {
	case line.long:
		rec.End = at.Offset + int64(line.size)
		rec.fail(at.Offset, syntax.KindLongRecord, "record too long: its first line has %d bytes, the limit is %d", line.size, r.l.opt.MaxRecord)
		return rec
	case line.bad:
		rec.fail(at.Offset, syntax.KindQuotes, "a quote is not closed, or %v", errQuotes)
		return rec
	}
	var err error
	if r.cells, err = r.l.split(line.raw, r.cells[:0]); err != nil {
		rec.fail(at.Offset, syntax.KindQuotes, "%v", err)
		return rec
	}
	if n := len(r.cells); n != len(r.l.Columns) {
		why := "a separator inside a cell needs quotes around the cell"
		if r.l.dialect == TSV {
			why = "if cells in quotes hold line breaks or tabs, read it with --from csv"
		}
		rec.fail(at.Offset, syntax.KindColumns, "%s, but the header names %d: %s", columns(n), len(r.l.Columns), why)
		return rec
	}
	rec.value = r.cells[r.l.text].of(line.raw, at, r.l.newline)
	if c := r.l.id; c >= 0 {
		cell := r.cells[c].of(line.raw, at, r.l.newline)
		rec.setID(cell.Offset, r.l.values.Text(&cell), r.l.Columns[c])
	}
	for _, c := range r.l.keep {
		if c < 0 {
			rec.Kept = append(rec.Kept, "")
			continue
		}
		cell := r.cells[c].of(line.raw, at, r.l.newline)
		rec.keep(cell.Offset, r.l.values.Text(&cell), r.l.Columns[c])
	}
	return rec
}

func columns(n int) string {
	if n == 1 {
		return "1 column"
	}
	return fmt.Sprintf("%d columns", n)
}
