package transforms

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/record"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/io/tokens"
	"github.com/treebeam/treebeam/parser/syntax"
)

// readers open what a part has of its file, by the file's format. What they find
// wrong with the whole file is an error.
var readers = map[source.Format]func(*part) (iter.Seq2[block, error], error){
	source.Text:     (*part).text,
	source.Tokens:   (*part).tokens,
	source.Vertical: (*part).tokens,
	source.CoNLLU:   (*part).conll,
	source.CoNLLX:   (*part).conll,
	source.JSONL:    (*part).jsonLines,
	source.CSV:      (*part).table,
	source.TSV:      (*part).table,
	source.Parquet:  (*part).parquet,
}

// A part is what one range has of a file, and what its reader needs to know.
type part struct {
	rd         *rangeReader
	in         *source.File
	file       *output.File
	format     source.Format
	head       []byte // the beginning of the file
	start, end int64  // end is negative if it is not known
	options    *output.RowOptions
	covered    func() (from, to int64)                      // what was read so far
	open       func(*part) (iter.Seq2[block, error], error) // of readers
	sampled    *string                                      // what sample returns, once it was asked for
}

// newPart returns the part of an open file, after its head has told the format.
func (rd *rangeReader) newPart(in *source.File, f *output.File) (*part, error) {
	p := &part{rd: rd, in: in, file: f, options: &rd.now}
	p.start, p.end = rd.r.Pieces[f.Piece].Interval()
	want, err := source.ParseFormat(p.options.From)
	if err != nil {
		return nil, err
	}
	in.Expect(want)
	if p.head, err = in.Head(); err != nil {
		return nil, err
	}
	if p.format, err = source.Detect(f.URI, p.head, want, p.options.Encoding); err != nil {
		return nil, err
	}
	f.Format, p.open = string(p.format), readers[p.format]
	if !ofRecords(p.format) {
		f.Meta = p.meta(make([]string, len(p.options.KeepKeys())))
	}
	return p, nil
}

// A block is what a reader finds next: text to segment, a sentence, what is wrong
// in the place of either, or the beginning or end of a record.
type block struct {
	size     int64        // bytes of the file that it takes
	document *output.File // nil is the file
	text     *text.Block
	first    bool // of its document
	sentence *Sentence
	tokens   int              // that text or sentence count for
	repaired int              // characters of either
	faults   []output.Failure // one with Block stands for a text or a sentence
	record   bool             // here begins a record
	last     bool             // here its document ends
}

// lose makes the block one that cannot be read.
func (b *block) lose(row output.Failure) {
	row.Block = true
	b.faults = append(b.faults, row)
}

// mend counts what was repaired in the text of the block.
func (b *block) mend(t *text.Block) {
	b.repaired = t.Repaired
	if t.Repaired > 0 {
		what := "characters"
		if t.Repaired == 1 {
			what = "character"
		}
		why := syntax.Because(syntax.KindBytes, "invalid bytes: %d %s replaced by U+FFFD", t.Repaired, what)
		b.faults = append(b.faults, warned(stageRead, why, place{t.FirstBad, t.Line}, t.Text))
	}
}

// paragraph is the block of a text.
func paragraph(document *output.File, t *text.Block, first bool) block {
	b := block{document: document, text: t, first: first, tokens: len(t.Text) / bytesPerToken}
	b.mend(t)
	return b
}

// warn notes what is wrong with the file as a whole.
func (p *part) warn(why syntax.Fault) {
	p.rd.fail(p.file, warned(stageRead, why, place{0, 1}, ""))
}

// blocksOf makes blocks of what a reader finds.
func blocksOf[T any](next func() (T, error), of func(T) block) iter.Seq2[block, error] {
	return func(yield func(block, error) bool) {
		for {
			found, err := next()
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(block{}, err)
				return
			}
			if !yield(of(found), nil) {
				return
			}
		}
	}
}

// textOptions are the options of the readers of raw text.
func (p *part) textOptions() text.Options {
	return text.Options{Encoding: p.options.Encoding, Lines: text.Lines(p.options.Lines), StripHTML: p.options.StripHTML}
}

// text reads raw text. With ByLine, every paragraph is a document.
func (p *part) text() (iter.Seq2[block, error], error) {
	o := p.textOptions()
	byLine := p.options.Document == output.ByLine
	if lines, _ := text.ParseLines(p.options.Lines); byLine && lines != text.Sentence {
		o.Lines = text.Paragraph
	}
	layout, err := text.Decide(p.head, o)
	if err != nil {
		return nil, err
	}
	p.file.Encoding, p.file.Lines = layout.Encoding, string(layout.Lines)
	in, err := p.in.At(text.SeekTo(p.start))
	if err != nil {
		return nil, err
	}
	var r *text.Reader
	if p.in.Live() {
		r, err = text.NewStream(in, p.head, o)
	} else {
		r, err = text.NewReader(in, layout, p.start, p.end)
	}
	if err != nil {
		return nil, err
	}
	p.covered = r.Covered
	document := *p.file
	first := p.start == 0
	before := int64(0) // code points of the file before the document
	return blocksOf(r.Next, func(b text.Block) block {
		document.Lines = string(r.Lines()) // of live input, known only after its first block
		begins := first || byLine && !b.Continues
		first = false
		if byLine {
			if begins {
				document.DocID, before = partID(p.file, b.Start), b.Char
				p.found(&document, func() string { return b.Text })
			}
			b.Char -= before
		}
		found := paragraph(&document, &b, begins)
		found.size, found.last = b.End-b.From, byLine && !b.Cut
		return found
	}), nil
}

// partID is the id of a document without an id. The document begins at byte at of f, or
// is row number at of Parquet. Its id does not depend on how the file was cut into ranges.
func partID(f *output.File, at int64) string { return f.DocID + "#" + strconv.FormatInt(at, 10) }

// conll reads sentences in CoNLL format.
func (p *part) conll() (iter.Seq2[block, error], error) {
	p.file.Encoding = "utf-8"
	in, err := p.in.At(p.start)
	if err != nil {
		return nil, err
	}
	o := conllu.Options{Start: p.start, End: max(p.end, 0)}
	if p.format == source.CoNLLX {
		o.Format = conllu.X
	}
	r := conllu.NewReader(in, o)
	p.covered = r.Covered
	return blocksOf(r.Next, func(b conllu.Block) block {
		found := block{size: b.End - b.Start}
		for i := range b.Warnings {
			why, at := blamed(&b.Warnings[i])
			found.faults = append(found.faults, warned(stageRead, why, at, b.Raw))
		}
		if b.Err != nil {
			why, at := blamed(b.Err)
			found.lose(failed(stageRead, why, at, b.Raw))
			return found
		}
		found.sentence = &Sentence{Sentence: b.Sentence}
		if p.options.KeepHeads {
			found.sentence.Fault = b.CheckHeads()
		}
		found.tokens = max(len(b.Sentence.Words), int(found.size)/bytesPerWord)
		return found
	}), nil
}

// blamed is what the reader of CoNLL blocks reported, and where.
func blamed(e *conllu.Error) (why syntax.Fault, at place) {
	why = e.Fault
	if e.Column > 0 {
		why.Reason = fmt.Sprintf("column %d: %s", e.Column, e.Reason)
	}
	return why, place{e.Offset, e.Line}
}

// tokens reads sentences of pre-tokenised text.
func (p *part) tokens() (iter.Seq2[block, error], error) {
	kind := tokens.Line
	if p.format == source.Vertical {
		kind = tokens.Vertical
	}
	layout, err := tokens.Decide(p.head, p.options.Encoding, kind)
	if err != nil {
		return nil, err
	}
	p.file.Encoding = layout.Encoding
	in, err := p.in.At(text.SeekTo(p.start))
	if err != nil {
		return nil, err
	}
	r, err := tokens.NewReader(in, layout, kind, p.start, p.end)
	if err != nil {
		return nil, err
	}
	p.covered = r.Covered
	first := p.start == 0
	return blocksOf(r.Next, func(s tokens.Sentence) block {
		found := block{size: s.End - s.From}
		found.mend(&s.Block)
		begins := first
		first = false
		if s.Fault != noFault {
			found.lose(failed(stageRead, s.Fault, place{s.Offset(s.At), s.LineOf(s.At)}, s.Text[s.At:]))
			return found
		}
		if begins {
			s.Sentence.Comments = append(s.Sentence.Comments, "# newdoc id = "+p.file.DocID)
		}
		if kind == tokens.Line && s.Opens {
			s.Sentence.Comments = append(s.Sentence.Comments, "# newpar")
		}
		found.sentence = &Sentence{Sentence: s.Sentence}
		found.tokens = max(len(s.Sentence.Words), len(s.Text)/bytesPerWord)
		return found
	}), nil
}

// recordOptions are the options of the readers of records.
func (p *part) recordOptions() (o record.Options, err error) {
	o = record.Options{Text: p.options.TextKey, ID: p.options.IDKey, Keep: p.options.KeepKeys(), Options: p.textOptions()}
	if o.Lines, err = text.ParseLines(p.options.Lines); err == nil && o.Lines != text.AutoLines {
		p.file.Lines = string(o.Lines)
	}
	return o, err
}

// jsonLines reads JSON Lines.
func (p *part) jsonLines() (iter.Seq2[block, error], error) {
	p.file.Encoding = "utf-8"
	o, err := p.recordOptions()
	if err != nil {
		return nil, err
	}
	in, err := p.in.At(max(p.start-1, 0))
	if err != nil {
		return nil, err
	}
	if p.start == 0 && !p.in.Live() {
		p.unkept(o)
	}
	return p.records(record.NewJSONReader(in, o, p.start, p.end)), nil
}

// unkept warns of keys to keep, and of keys of the id, that no record in the head of the file has. The head is the
// same however the file is cut into ranges.
func (p *part) unkept(o record.Options) {
	all, head := len(p.head) < source.HeadBytes, p.head
	if !all {
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	r := record.NewJSONReader(bytes.NewReader(head), o, 0, -1)
	for len(o.Keep) > 0 || o.ID != "" {
		if _, err := r.Next(); err != nil {
			break
		}
	}
	for _, why := range r.Unkept(all) {
		p.warn(why)
	}
}

// A noTable is the fault of a table without a readable row: one row of failures/ is
// enough for all its ranges.
type noTable struct{ syntax.Fault }

// asNoTable makes a fault of the table as a whole one.
func asNoTable(err error) error {
	if why, ok := errors.AsType[syntax.Fault](err); ok {
		return &noTable{why}
	}
	return err
}

// table reads CSV and TSV.
func (p *part) table() (iter.Seq2[block, error], error) {
	o, err := p.recordOptions()
	if err != nil {
		return nil, err
	}
	dialect := record.CSV
	if p.format == source.TSV {
		dialect = record.TSV
	}
	layout, err := record.Decide(p.head, dialect, o)
	if err != nil {
		return nil, asNoTable(err)
	}
	p.file.Encoding = layout.Encoding
	if p.start == 0 && !p.in.Live() && len(p.head) < source.HeadBytes && layout.Empty(p.head) {
		p.warn(record.NoRow)
	}
	r, err := layout.Open(p.in.At, p.start, p.end)
	if err != nil {
		return nil, err
	}
	return p.records(r), nil
}

// parquet reads the rows of a Parquet file that belong to the bytes of the part.
func (p *part) parquet() (iter.Seq2[block, error], error) {
	o, err := p.recordOptions()
	if err != nil {
		return nil, err
	}
	in, err := p.in.Random()
	if errors.Is(err, source.ErrOnce) {
		return nil, &source.NotText{What: "a Parquet file that is compressed as a whole or comes through a pipe; write it to a file and name that"}
	}
	if err != nil {
		return nil, err
	}
	file, err := record.OpenParquet(in, p.in.Size(), o)
	if err != nil {
		return nil, asNoTable(err)
	}
	if p.start == 0 && file.NumRows() == 0 {
		p.warn(record.NoRow)
	}
	rows := file.Rows(p.start, p.end, p.in.Size())
	in.Own(rows.Bytes())
	return p.records(rows), nil
}

// records reads records. Each record is a document. Its blocks are the paragraphs of
// its text, or a single block if the text cannot be read; a blank text has none.
func (p *part) records(r record.Reader) iter.Seq2[block, error] {
	p.covered = r.Covered
	return func(yield func(block, error) bool) {
		for {
			rec, err := r.Next()
			if err == io.EOF {
				if p.in.Live() { // its head ends with the first line
					p.liveEnd(r)
				}
				return
			}
			if err != nil {
				yield(block{}, err)
				return
			}
			if !p.record(&rec, yield) {
				return
			}
		}
	}
}

// liveEnd warns of what no record of a live file had.
func (p *part) liveEnd(r record.Reader) {
	if p.format.Table() && p.file.Records == 0 {
		p.warn(record.NoRow)
	}
	if r, ok := r.(*record.JSONReader); ok {
		for _, why := range r.Unkept(true) {
			p.warn(why)
		}
	}
}

// record yields the beginning of a record, the paragraphs of its text and its end.
func (p *part) record(rec *record.Record, yield func(block, error) bool) bool {
	document := *p.file
	document.Meta = p.meta(rec.Kept)
	if document.DocID = rec.ID; rec.ID == "" {
		document.DocID = partID(p.file, rec.Number)
	}
	begins := block{size: rec.End - rec.Start, document: &document, record: true}
	for i := range rec.Warnings {
		begins.faults = append(begins.faults, recordRow(warned, &rec.Warnings[i], rec.Raw))
	}
	if rec.Err != nil {
		begins.lose(recordRow(failed, rec.Err, rec.Raw))
		begins.last = true
		return yield(begins, nil)
	}
	p.found(&document, func() string { return rec.Head(sampleBytes) })
	if !yield(begins, nil) {
		return false
	}
	if rec.Sentences != nil {
		return p.given(rec, &document, yield)
	}
	paragraphs := rec.Text()
	document.Lines = string(paragraphs.Lines())
	first := true
	for b, err := range blocksOf(paragraphs.Next, func(b text.Block) block { return paragraph(&document, &b, first) }) {
		first = false
		if !yield(b, err) || err != nil {
			return false
		}
	}
	return yield(block{document: &document, last: true}, nil)
}

// given yields the sentences of a record that is cut into tokens, and its end.
func (p *part) given(rec *record.Record, document *output.File, yield func(block, error) bool) bool {
	first := true
	for _, x := range rec.Sentences {
		found := block{document: document}
		found.mend(&text.Block{Text: strings.Join(x.Tokens, " "), Repaired: x.Repaired, FirstBad: x.Start, Line: rec.Line})
		sentence, why := tokens.Of(x.Tokens)
		if why != noFault {
			found.lose(failed(stageRead, why, place{x.Start, rec.Line}, strings.Join(x.Tokens, " ")))
		} else {
			sentence.StartByte, sentence.EndByte, sentence.Line = x.Start, x.End, rec.Line
			if first {
				sentence.Comments = []string{"# newdoc id = " + document.DocID}
			}
			if first = false; x.Repaired > 0 {
				sentence.Status = syntax.Repaired
			}
			found.sentence, found.tokens = &Sentence{Sentence: sentence}, len(sentence.Words)
		}
		if !yield(found, nil) {
			return false
		}
	}
	return yield(block{document: document, last: true}, nil)
}

// recordRow is the row of failures/ of a record, made by failed or warned.
func recordRow(made func(string, syntax.Fault, place, string) output.Failure, e *record.Error, raw []byte) output.Failure {
	return made(stageRead, e.Fault, place{e.Offset, e.Line}, string(raw[:min(len(raw), output.FailureText+utf8.UTFMax)]))
}

// meta are all columns of values to keep, with the values of the file's own keys.
func (p *part) meta(values []string) []parquet.KeyValue {
	if len(p.rd.keep) == 0 {
		return nil
	}
	list := make([]parquet.KeyValue, len(p.rd.keep))
	for i, column := range p.rd.keep {
		list[i].Key = column
	}
	for i, key := range p.options.KeepKeys() {
		if i < len(values) {
			list[output.ColumnOf(p.rd.keep, key)].Value = values[i]
		}
	}
	return list
}
