// Package table reads tables as JSON lines are read: one document a row, its
// text in one column, its id in another, and values to keep in others. CSV is
// read as RFC 4180 has it, TSV line by line, Parquet by columns.
//
// The reader of CSV is our own: encoding/csv does not bound a row, and gives the line
// of a cell but not its byte in the file. encoding/csv is the oracle of the tests.
package table

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/io/jsonl"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// DefaultMaxRecord is the largest row, in bytes, unless Options say otherwise.
const DefaultMaxRecord = 16 << 20

// Options say which columns are read. The zero value stands for the defaults.
type Options struct {
	// Text and ID name the columns of text and id; "" is jsonl.DefaultTextKey
	// and jsonl.DefaultIDKey. A table without the column of ids is none of the
	// reader's concern.
	Text, ID string
	// Keep names the columns whose values come with every row.
	Keep []string
	// MaxRecord is the largest row in memory, in bytes. A longer one is an error.
	MaxRecord int
	// Encoding is that of CSV and TSV, as text.Options has it.
	Encoding string
	Lines    text.Lines
}

func (o *Options) withDefaults() Options {
	c := *o
	if c.Text == "" {
		c.Text = jsonl.DefaultTextKey
	}
	if c.ID == "" {
		c.ID = jsonl.DefaultIDKey
	}
	if c.MaxRecord <= 0 {
		c.MaxRecord = DefaultMaxRecord
	}
	return c
}

// A Record is a row.
type Record struct {
	Row        int64 // 1-based; the header does not count
	Start, End int64 // half open: bytes of the file without the line's end, or places (see Place)
	Line       int64 // of Start, 1-based; of Parquet, Row
	// Raw is what a message may show of a row with an Err.
	Raw []byte
	// ID is what stands in the id's column, "" if nothing does.
	ID string
	// Kept are the values of Options.Keep, in that order; "" stands for none.
	Kept []string
	// Err says why the row has no text; Warnings, what else is wrong with it.
	Err      *jsonl.Error
	Warnings []jsonl.Error

	cell  text.Cell
	cells *text.Cells
}

// Text returns a reader of the row's text, cut into blocks as raw text is. It
// must not be used after the next row was read. A row with an Err has no text;
// that of an empty cell has no blocks.
func (r *Record) Text() *text.Reader { return r.cells.Reader(&r.cell) }

// fail notes why the row has no text.
func (r *Record) fail(at int64, kind syntax.Kind, format string, a ...any) {
	if r.Err == nil {
		r.Err = &jsonl.Error{Fault: syntax.Because(kind, "row %d: "+format, append([]any{r.Row}, a...)...), Offset: at, Line: r.Line}
	}
}

// warn notes what else is wrong with it.
func (r *Record) warn(at int64, why syntax.Fault) {
	why.Reason = fmt.Sprintf("row %d: %s", r.Row, why.Reason)
	r.Warnings = append(r.Warnings, jsonl.Error{Fault: why, Offset: at, Line: r.Line})
}

// lack notes, in the first row of the table, what is not there in any.
func (r *Record) lack(faults []syntax.Fault) {
	if r.Row != 1 {
		return
	}
	for _, why := range faults {
		r.Warnings = append(r.Warnings, jsonl.Error{Fault: why, Offset: r.Start, Line: r.Line})
	}
}

// setID takes s for the row's id.
func (r *Record) setID(at int64, s, column string) {
	id, why := jsonl.CheckID(s, column)
	if why != "" {
		r.noID(at, why)
	}
	r.ID = id
}

func (r *Record) noID(at int64, why string) {
	r.warn(at, syntax.Because(syntax.KindRecordID, "%s; the row has an id made of its number, or name another column with --id-column", why))
}

// keep takes s for the value of a column to keep.
func (r *Record) keep(at int64, s, column string) {
	v, why := jsonl.CheckValue(s, column)
	if why != "" {
		r.warn(at, syntax.Because(syntax.KindKept, "%s", why))
	}
	r.Kept = append(r.Kept, v)
}

// keepNone notes a value of n bytes, which are too many.
func (r *Record) keepNone(at int64, n int, column string) {
	r.warn(at, syntax.Because(syntax.KindKept, "%s", jsonl.LongValue(n, column)))
	r.Kept = append(r.Kept, "")
}

// listed is how many columns a message names.
const listed = 8

func list(columns []string) string {
	var b strings.Builder
	for i, c := range columns[:min(len(columns), listed)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(clip(c)))
	}
	if more := len(columns) - listed; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}

// clip cuts what goes into a message.
func clip(s string) string {
	const limit = 40
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "..."
}
