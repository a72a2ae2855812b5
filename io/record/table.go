package record

import (
	"fmt"
	"io"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A TableReader reads the rows of CSV and TSV.
type TableReader struct {
	lineReader
	l     *Layout
	cells []span
}

// newTableReader returns a reader of the rows that begin in [start, end). src must be
// positioned at from, where a row begins. end may be beyond the end of the file, and is
// ignored if negative.
func newTableReader(src io.Reader, l *Layout, from Place, start, end int64) *TableReader {
	r := &TableReader{l: l}
	r.lineReader = lineReader{
		scanner: scanner{src: src, rows: l.rows, at: from}, end: end, from: from.Offset, to: from.Offset,
		record: func(line *line) (Record, bool) { return r.record(line), true },
	}
	if from.Offset == 0 { // the header, which Decide has read
		r.done = r.pass(l.body.Offset)
		r.at.Row, r.to = 0, r.at.Offset
	}
	r.stop = end
	for r.done == nil && r.at.Offset < start {
		_, r.done = r.line()
	}
	r.stop = 0
	if start > 0 {
		r.from, r.to = r.at.Offset, r.at.Offset
	}
	return r
}

// record makes a record of a line.
func (r *TableReader) record(line *line) Record {
	at := line.at
	rec := Record{
		Start: at.Offset, End: at.Offset + int64(len(line.raw)), Line: at.Line, Number: at.Offset, Raw: line.raw,
		row: true, values: r.l.values,
	}
	if r.from == 0 && at.Row == 0 {
		rec.lacking(r.l.lacks)
	}
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
	rec.value = r.cells[r.l.text].of(line, r.l.newline)
	if c := r.l.id; c >= 0 {
		cell := r.cells[c].of(line, r.l.newline)
		rec.setID(cell.Offset, r.l.values.Text(&cell), r.l.Columns[c])
	}
	for _, c := range r.l.keep {
		if c < 0 {
			rec.Kept = append(rec.Kept, "")
			continue
		}
		cell := r.cells[c].of(line, r.l.newline)
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
