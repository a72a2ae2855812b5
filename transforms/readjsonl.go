package transforms

import (
	"io"

	"github.com/treebeam/treebeam/io/jsonl"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/text"
)

// jsonl reads the records of JSON lines that begin in [start, end). Each is a
// document. A block is a paragraph of a record's text, or a record that has no
// text to be read; one whose text is blank has no block.
func (rd *rangeReader) jsonl(in *source.File, f *output.File, start, end int64) error {
	f.Encoding = "utf-8"
	lines, err := rd.lines(f)
	if err != nil {
		return err
	}
	r, err := in.At(max(start-1, 0))
	if err != nil {
		return err
	}
	records := jsonl.NewReader(r, jsonl.Options{TextKey: rd.options.TextKey, IDKey: rd.options.IDKey, Keep: rd.options.KeepKeys()}, start, end)
	for {
		rec, err := records.Next()
		f.Start, f.End = records.Covered()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		document := rd.document(in, f, rec.End-rec.Start, rec.Kept)
		if document.DocID = rec.ID; rec.ID == "" {
			document.DocID = partID(f, rec.Start)
		}
		if err := rd.record(f, &document, &rec, lines); err != nil {
			return err
		}
		rd.ended(&document)
	}
}

// record reads one record of f, which is the document.
func (rd *rangeReader) record(f, document *output.File, rec *jsonl.Record, lines text.Lines) error {
	f.Records++
	f.MergeMeta(document.Meta)
	if e := rec.IDErr; e != nil {
		rd.fail(document, recordRow(warned, e, rec.Raw))
	}
	for i := range rec.KeptErrs {
		rd.fail(document, recordRow(warned, &rec.KeptErrs[i], rec.Raw))
	}
	if e := rec.Err; e != nil {
		f.Blocks++
		row := recordRow(failed, e, rec.Raw)
		row.Block = true
		rd.fail(document, row)
		return rd.grow(0)
	}
	return rd.paragraphs(f, document, rec.Text(lines))
}
