package record

import (
	"fmt"
	"io"
	"sync"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A TableReader reads the rows of CSV and TSV.
type TableReader struct {
	scanner
	l        *Layout
	end      int64
	file     string // see Layout.Open
	from, to int64
	done     error
	cells    []span
}

// newTableReader returns a reader of the rows that begin in [start, end). src must be
// positioned at from, a known place for start. end may be beyond the end of the file,
// and is ignored if negative. The reader skips exactly the rows between from and start:
// only so it knows where quotes open and close.
func newTableReader(src io.Reader, l *Layout, from Place, start, end int64) *TableReader {
	r := &TableReader{scanner: scanner{src: src, rows: l.rows, at: from}, l: l, end: end, from: from.Offset, to: from.Offset}
	if from.Offset == 0 { // the header, which Decide has read
		r.done = r.pass(l.body.Offset)
		r.at.Row, r.to = 0, r.at.Offset
	}
	for r.done == nil && r.at.Offset < start {
		_, r.done = r.line()
	}
	if start > 0 {
		r.from, r.to = r.at.Offset, r.at.Offset
	}
	return r
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
		line, err := r.line()
		if err != nil {
			r.done = err
			break
		}
		r.to = r.at.Offset
		if !line.blank {
			return r.record(line), nil
		}
	}
	return Record{}, r.done
}

// record makes a record of a line.
func (r *TableReader) record(line line) Record {
	at := line.at
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
	rec.value = r.cells[r.l.text].of(&line, r.l.newline)
	if c := r.l.id; c >= 0 {
		cell := r.cells[c].of(&line, r.l.newline)
		rec.setID(cell.Offset, r.l.values.Text(&cell), r.l.Columns[c])
	}
	for _, c := range r.l.keep {
		if c < 0 {
			rec.Kept = append(rec.Kept, "")
			continue
		}
		cell := r.cells[c].of(&line, r.l.newline)
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

// Bounds of what is remembered.
const (
	maxFiles  = 64
	maxPlaces = 4096 // of a file
)

// known remembers where rows begin in the files that this process has read, so
// that a file that is cut into ranges is not read anew from its beginning for
// each of them.
var known = struct {
	sync.Mutex
	files map[string]map[int64]Place // by file, then the first row at or behind an offset
}{files: map[string]map[int64]Place{}}

// key is what the places of a file depend on.
func (l *Layout) key(file string) string {
	return fmt.Sprintf("%d %c %d %s", l.dialect, l.separator, l.opt.MaxRecord, file)
}

// Open returns a reader of the rows that begin in [start, end), which begins to
// read where at moves to. file tells the file and its state from all others; what
// is learnt of "" is not remembered.
func (l *Layout) Open(file string, at func(offset int64) (io.Reader, error), start, end int64) (*TableReader, error) {
	from := l.known(file, start)
	src, err := at(from.Offset)
	if err != nil {
		return nil, err
	}
	r := newTableReader(src, l, from, start, end)
	r.file = file
	l.remember(file, start, r)
	return r, nil
}

// known returns the place from which a reader of a file must skip rows to find the
// first row that begins at or after start. At best it is the place of that row.
func (l *Layout) known(file string, start int64) Place {
	best := Place{Line: 1}
	if start == 0 || file == "" {
		return best
	}
	known.Lock()
	defer known.Unlock()
	places := known.files[l.key(file)]
	if p, ok := places[start]; ok {
		return p
	}
	for _, p := range places {
		if p.Offset <= start && p.Offset > best.Offset {
			best = p
		}
	}
	return best
}

// remember notes that r is at the first row at or after offset of the file, unless r
// has failed: then it may be anywhere.
func (l *Layout) remember(file string, offset int64, r *TableReader) {
	if file == "" || offset <= 0 || r.done != nil && r.done != io.EOF {
		return
	}
	known.Lock()
	defer known.Unlock()
	key := l.key(file)
	places := known.files[key]
	if places == nil {
		if len(known.files) == maxFiles {
			clear(known.files)
		}
		places = map[int64]Place{}
		known.files[key] = places
	}
	if len(places) < maxPlaces {
		places[offset] = r.at
	}
}
