package transforms

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/treebeam/treebeam/io/jsonl"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/table"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A noTable is the fault of a table of which no row can be read: one row of
// failures/ is enough for all its ranges.
type noTable struct{ syntax.Fault }

// asNoTable is err as open returns it: a fault of the table as a whole.
func asNoTable(err error) error {
	var why syntax.Fault
	if errors.As(err, &why) {
		return &noTable{why}
	}
	return err
}

// rows are the readers of tables.
type rows interface {
	Next() (table.Record, error)
	Covered() (from, to int64)
}

// table reads the rows of a table that begin in [start, end). Each is a
// document. A block is a paragraph of a row's text, or a row that cannot be
// read; a row whose text is blank has no block.
func (rd *rangeReader) table(in *source.File, f *output.File, head []byte, format source.Format, start, end int64) error {
	lines, err := rd.lines(f)
	if err != nil {
		return err
	}
	o := table.Options{Text: rd.options.TextKey, ID: rd.options.IDKey, Keep: rd.options.KeepKeys(), Encoding: rd.options.Encoding, Lines: lines}
	if format == source.Parquet {
		return rd.parquet(in, f, o, start, end)
	}
	dialect := table.CSV
	if format == source.TSV {
		dialect = table.TSV
	}
	layout, err := table.Decide(head, dialect, o)
	if err != nil {
		return asNoTable(err)
	}
	f.Encoding = layout.Encoding
	if start == 0 && !in.Live() && len(head) < source.HeadBytes && layout.Empty(head) {
		rd.fail(f, warned(stageRead, table.NoRow, place{0, 1}, ""))
	}
	state := in.State()
	from := layout.Known(state, start)
	r, err := in.At(from.Offset)
	if err != nil {
		return err
	}
	list := table.NewReader(r, layout, from, start, end)
	layout.Remember(state, start, list)
	if err := rd.rows(in, f, list); err != nil {
		return err
	}
	if end >= 0 {
		layout.Remember(state, end, list)
	}
	if in.Live() && f.Records == 0 { // whose head ends with its first line
		rd.fail(f, warned(stageRead, table.NoRow, place{0, 1}, ""))
	}
	rd.suspect(f, head, start)
	return nil
}

// parquet reads the rows of a Parquet file that belong to its bytes [start, end).
func (rd *rangeReader) parquet(in *source.File, f *output.File, o table.Options, start, end int64) error {
	random, err := in.Random()
	if errors.Is(err, source.ErrOnce) {
		return &source.NotText{What: "a Parquet file that is compressed as a whole or comes through a pipe; write it to a file and name that"}
	}
	if err != nil {
		return err
	}
	file, err := table.OpenParquet(random, in.Size(), o)
	if err != nil {
		return asNoTable(err)
	}
	if start == 0 && file.NumRows() == 0 {
		rd.fail(f, warned(stageRead, table.NoRow, place{0, 1}, ""))
	}
	return rd.rows(in, f, file.Rows(start, end, in.Size()))
}

// rows reads rows to their end.
func (rd *rangeReader) rows(in *source.File, f *output.File, list rows) error {
	for {
		rec, err := list.Next()
		f.Start, f.End = list.Covered()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		document := rd.document(in, f, rec.End-rec.Start, rec.Kept)
		if document.DocID = rec.ID; rec.ID == "" {
			document.DocID = fmt.Sprintf("%s#%d", f.DocID, rec.Row)
		}
		if err := rd.row(f, &document, &rec); err != nil {
			return err
		}
		rd.ended(&document)
	}
}

// row reads one row of f, which is the document.
func (rd *rangeReader) row(f, document *output.File, rec *table.Record) error {
	f.Records++
	f.MergeMeta(document.Meta)
	for i := range rec.Warnings {
		rd.fail(document, recordRow(warned, &rec.Warnings[i], rec.Raw))
	}
	if rec.Err != nil {
		f.Blocks++
		row := recordRow(failed, rec.Err, rec.Raw)
		row.Block = true
		rd.fail(document, row)
		return rd.grow(0)
	}
	return rd.paragraphs(f, document, rec.Text())
}

// lines is what the options say of line breaks in the text of a record of f.
func (rd *rangeReader) lines(f *output.File) (text.Lines, error) {
	lines, err := text.ParseLines(rd.options.Lines)
	if err == nil && lines != text.AutoLines {
		f.Lines = string(lines)
	}
	return lines, err
}

// document is that of a record of f, which takes size bytes of it: all but its id.
func (rd *rangeReader) document(in *source.File, f *output.File, size int64, kept []string) output.File {
	if !in.Compressed() {
		rd.read += size
	}
	document := *f
	document.Meta = rd.kept(kept)
	return document
}

// kept are the values of a record with their keys.
func (rd *rangeReader) kept(values []string) []parquet.KeyValue {
	if len(values) == 0 {
		return nil
	}
	list := make([]parquet.KeyValue, len(values))
	for i, key := range rd.options.KeepKeys() {
		list[i] = parquet.KeyValue{Key: key, Value: values[i]}
	}
	return list
}

// recordRow is the row of failures/ of a record, made by failed or warned.
func recordRow(made func(string, syntax.Fault, place, string) output.Failure, e *jsonl.Error, raw []byte) output.Failure {
	return made(stageRead, e.Fault, place{e.Offset, e.Line}, string(raw[:min(len(raw), output.FailureText+utf8.UTFMax)]))
}

// paragraphs reads the blocks of a document in f.
func (rd *rangeReader) paragraphs(f, document *output.File, blocks *text.Reader) error {
	document.Lines = string(blocks.Lines())
	for _, v := range document.Meta {
		rd.size += len(v.Value) / bytesPerToken
	}
	for first := true; ; first = false {
		b, err := blocks.Next()
		if err == io.EOF {
			return rd.grow(0)
		}
		if err != nil {
			return err
		}
		if err := rd.block(f, document, b, first); err != nil {
			return err
		}
	}
}
