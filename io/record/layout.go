package record

import (
	"bytes"
	"errors"
	"strings"

	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Dialect is the syntax of the rows of a table.
type Dialect uint8

const (
	// CSV has cells in quotes that may hold line breaks, and two quotes for one.
	// Commas, semicolons, tabs or bars separate cells, as they do in the header.
	CSV Dialect = iota
	// TSV has a row a line and tabs between cells. Quotes around a cell are
	// taken off if they pair within it; else a quote is a character as any other.
	TSV
)

// maxColumns is the most columns of a table.
const maxColumns = 10000

// separators are the possible separators of CSV cells; if a header fits several of them
// equally well, it has the first.
const separators = ",;\t|"

// A Layout is the header of a file.
type Layout struct {
	Columns  []string
	Encoding string // canonical name

	rows
	dialect  Dialect
	text, id int   // columns; id -1 is none
	keep     []int // -1: the file has no such column
	lacks    []syntax.Fault
	opt      Options
	values   *text.Values
	bom      int64
	body     Place // of the first line behind the header
}

// Decide reads the header from the first bytes of a file (source.HeadBytes of
// them are plenty). The same bytes always give the same layout. An error is a
// syntax.Fault: nothing in the file can be read.
func Decide(head []byte, d Dialect, o Options) (*Layout, error) {
	o = o.withDefaults()
	marked, err := text.Decide(head[:min(len(head), 4)], text.Options{Encoding: o.Encoding, Lines: text.Paragraph})
	if err != nil {
		return nil, syntax.Because(syntax.KindNotText, "%v", err)
	}
	newline := newline(head, d)
	values, err := text.NewValues(text.Options{Encoding: marked.Encoding, Lines: o.Lines, StripHTML: o.StripHTML}, newline == '\r')
	if err != nil {
		return nil, syntax.Because(syntax.KindNotText, "%v", err)
	}
	l := &Layout{
		rows:     rows{newline: newline, separator: '\t', quotes: d == CSV, limit: o.MaxRecord},
		Encoding: marked.Encoding, dialect: d, opt: o, values: values, bom: int64(marked.BOM), id: -1,
	}
	if d == TSV {
		err = l.header(head)
	} else {
		err = l.sniff(head)
	}
	if err != nil {
		return nil, err
	}
	l.text, err = firstColumn(l.Columns, o.Text)
	if err != nil {
		return nil, err
	}
	if l.text < 0 {
		return nil, noColumn(o.Text, l.Columns)
	}
	if l.id, err = firstColumn(l.Columns, o.ID); err != nil {
		return nil, err
	}
	if l.id < 0 && o.ID != DefaultID {
		l.lacks = append(l.lacks, lacksID(o.ID, l.Columns))
	}
	for _, name := range o.Keep {
		i, err := columnOf(l.Columns, name)
		if err != nil {
			return nil, err
		}
		if i < 0 {
			l.lacks = append(l.lacks, notKept(name, l.Columns))
		}
		l.keep = append(l.keep, i)
	}
	return l, nil
}

// NoRow is the fault of a table whose header is all there is.
var NoRow = syntax.Because(syntax.KindNoTextKey, "no text: the table names its columns, but has no row")

// Empty reports whether no row follows the header in a file that begins with head,
// which must be the same as for Decide, and all of the file.
func (l *Layout) Empty(head []byte) bool {
	return len(bytes.Trim(head[min(int64(len(head)), l.body.Offset):], " \r\n")) == 0
}

// newline returns what ends the rows of a file: CR if it ends the first line and
// there are more CRs than LFs; else LF, which may have a CR before it. What is in
// quotes counts only if everything is.
func newline(head []byte, d Dialect) byte {
	var first, all [2]byte // of the breaks outside of quotes, of all
	var more, moreOfAll int
	quoted := false
	for i, c := range head {
		switch {
		case c == '"' && d == CSV:
			quoted = !quoted
		case c == '\n' || c == '\r' && i+1 < len(head) && head[i+1] != '\n':
			step := 1
			if c == '\n' {
				step = -1
			}
			if all[0] == 0 {
				all[0] = c
			}
			if moreOfAll += step; !quoted {
				if first[0] == 0 {
					first[0] = c
				}
				more += step
			}
		}
	}
	if first[0] == 0 {
		first, more = all, moreOfAll
	}
	if first[0] == '\r' && more > 0 {
		return '\r'
	}
	return '\n'
}

// sniff finds the separator of the header's cells: the first with which the header has
// the column of the text, or the one that gives the most columns.
func (l *Layout) sniff(head []byte) error {
	var best Layout
	var failed error
	for i := range separators {
		try := *l
		try.separator = separators[i]
		if err := try.header(head); err != nil {
			if failed == nil {
				failed = err
			}
			continue
		}
		if c, _ := firstColumn(try.Columns, l.opt.Text); c >= 0 {
			*l = try
			return nil
		}
		if len(try.Columns) > len(best.Columns) {
			best = try
		}
	}
	if failed != nil {
		return failed
	}
	*l = best
	return nil
}

// header reads the first line that is not blank.
func (l *Layout) header(head []byte) error {
	r := scanner{src: bytes.NewReader(head[min(int64(len(head)), l.bom):]), rows: l.rows, at: Place{Offset: l.bom, Line: 1}}
	line, err := r.line()
	for err == nil && line.blank {
		line, err = r.line()
	}
	switch {
	case err != nil:
		return syntax.Because(syntax.KindNoTextKey, "no text: the table is empty; its first line must name the columns")
	case !line.ended || line.long: // its end is not to be seen
		if len(head) >= 1<<16 || line.long {
			return syntax.Because(syntax.KindLongRecord, "the first line is not a header: it has over %d bytes; it must name the columns", len(head))
		}
	}
	if line.bad {
		return syntax.Because(syntax.KindQuotes, "the first line is not a header: a quote in it is not closed; it must name the columns")
	}
	cells, err := l.split(line.raw, nil)
	if err != nil {
		return syntax.Because(syntax.KindQuotes, "the first line is not a header: %v", err)
	}
	if len(cells) > maxColumns {
		return syntax.Because(syntax.KindColumns, "the first line is not a header: it has %d columns, the limit is %d", len(cells), maxColumns)
	}
	l.Columns = make([]string, len(cells))
	for i := range cells {
		c := cells[i].of(&line, l.newline)
		l.Columns[i] = strings.TrimSpace(l.values.Text(&c))
	}
	l.body = Place{Offset: r.at.Offset, Line: r.at.Line}
	return nil
}

// A span is a cell in a line.
type span struct {
	from, to int
	quoted   bool
}

// of returns the cell of the span in a line of a file with a newline.
func (s span) of(l *line, newline byte) text.Value {
	v := text.Value{
		Bytes: l.raw[s.from:s.to], Offset: l.at.Offset + int64(s.from),
		Line: l.at.Line + int64(bytes.Count(l.raw[:s.from], []byte{newline})),
	}
	if s.quoted {
		v.Escape = '"'
	}
	return v
}

var errQuotes = errors.New("there is text after a closing quote; write a quote inside a quoted cell twice")

// split cuts a line, which has no line break at its end, into cells, and appends
// them to list.
func (l *Layout) split(line []byte, list []span) ([]span, error) {
	for i := 0; ; i++ {
		cell := span{from: i, to: -1}
		if i < len(line) && line[i] == '"' {
			if end := closing(line, i+1); end >= 0 && (end+1 == len(line) || line[end+1] == l.separator) {
				cell = span{i + 1, end, true}
				i = end + 1
			} else if l.dialect == CSV {
				return list, errQuotes
			}
		}
		if cell.to < 0 {
			if n := bytes.IndexByte(line[i:], l.separator); n >= 0 {
				i += n
			} else {
				i = len(line)
			}
			cell.to = i
		}
		list = append(list, cell)
		if i >= len(line) {
			return list, nil
		}
	}
}

// closing returns where the quote is that closes a cell whose inside begins at
// from, or -1.
func closing(line []byte, from int) int {
	for {
		n := bytes.IndexByte(line[from:], '"')
		if n < 0 {
			return -1
		}
		from += n
		if from+1 == len(line) || line[from+1] != '"' {
			return from
		}
		from += 2
	}
}
