package transforms

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/record"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// ReadOptions say how files are read. The zero value reads as treebeam parse does without
// flags. The transforms that read panic, while the pipeline is built, if they cannot be
// used.
type ReadOptions struct {
	Format   string // as --from of treebeam parse; "" is the format that the transform names
	Encoding string // of text and tables; "" is UTF-8
	Lines    string // of text and records: what line breaks mean, as in Options
	ByLine   bool   // of text: every line is a document
	Ranges   bool   // of text: count code points; Options.Ranges needs them

	// For records: the keys or columns of the text ("" is "text") and of the id ("" is
	// "id"), and those that become Document.Meta.
	Text, ID string
	Keep     []string

	Exclude    []string // patterns of files that are not read
	RangeBytes int64    // about how many bytes one worker reads at once; 0 chooses
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[listFn]())
	beam.RegisterDoFn(reflect.TypeFor[rangeFn]())
	beam.RegisterDoFn(reflect.TypeFor[documentsFn]())
	register.Emitter1[source.Range]()
	register.Emitter1[Document]()
}

// ReadText reads files of raw text. A glob is a pattern such as "corpus/**/*.txt.gz", a
// file or a folder. For gs:// and s3://, import io/store/gs or io/store/s3 for its
// effect. Files named .gz, .zst or .bz2 are decompressed. Files are listed once, when
// the pipeline runs, and reshuffled to the workers in ranges of RangeBytes.
//
// A document is a piece of a file, at most about 5,000 tokens, with its position in
// Places, so that ParseDocuments makes the same trees as treebeam parse. Documents are
// in the global window, with its minimum timestamp, in no order. A file that can never
// be read becomes a failure. A temporary fault, or a file that changes while the
// pipeline runs, fails the bundle. A glob that matches no file fails the pipeline.
//
//	-> PCollection<Document>, PCollection<Failure>
func ReadText(s beam.Scope, glob string, o ReadOptions) (docs, failures beam.PCollection) {
	return o.documents(s.Scope("ReadText"), glob, source.Text)
}

// ReadJSONL is ReadText for JSON Lines: each record is one document or, if its text is
// long, several.
func ReadJSONL(s beam.Scope, glob string, o ReadOptions) (docs, failures beam.PCollection) {
	return o.documents(s.Scope("ReadJSONL"), glob, source.JSONL)
}

// ReadTable is ReadText for CSV, TSV and Parquet. The names of the files tell the format,
// unless ReadOptions.Format does. Each row is one document or, if its text is long, several.
func ReadTable(s beam.Scope, glob string, o ReadOptions) (docs, failures beam.PCollection) {
	return o.documents(s.Scope("ReadTable"), glob, "auto")
}

// ReadCoNLL is ReadText for CoNLL-U and CoNLL-X. It emits chunks of sentences for Segment,
// which finds their languages, or for ParseDocuments. Failures are in the chunks; Trees
// emits them.
//
//	-> PCollection<Chunk>
func ReadCoNLL(s beam.Scope, glob string, o ReadOptions) beam.PCollection {
	return o.chunks(s.Scope("ReadCoNLL"), glob, source.CoNLLU)
}

func (o *ReadOptions) documents(s beam.Scope, glob string, format source.Format) (docs, failures beam.PCollection) {
	return beam.ParDo2(s, &documentsFn{}, o.chunks(s, glob, format))
}

// chunks reads files in the format, if the options do not name another. As usual in
// Beam, it panics if the options cannot be used.
func (o *ReadOptions) chunks(s beam.Scope, glob string, format source.Format) beam.PCollection {
	rows := output.RowOptions{
		From: cmp.Or(o.Format, string(format)), Encoding: o.Encoding, Lines: cmp.Or(o.Lines, string(text.AutoLines)),
		TextKey: o.Text, IDKey: o.ID, Keep: strings.Join(o.Keep, ","), Ranges: o.Ranges,
	}
	if o.ByLine {
		rows.Document = output.ByLine
	}
	_, wrong := source.ParseFormat(rows.From)
	if err := record.CheckKeep(o.Keep); err != nil {
		wrong = fmt.Errorf("option Keep: %w", err)
	}
	for _, p := range o.Exclude {
		if _, err := source.ParsePattern(p); err != nil {
			wrong = fmt.Errorf("option Exclude: %q %w", p, err)
		}
	}
	switch {
	case o.ByLine && strings.EqualFold(o.Lines, string(text.Wrapped)):
		wrong = errors.New("option ByLine: with Lines wrapped, a line is a part of a paragraph, not a document")
	case o.RangeBytes < 0:
		wrong = fmt.Errorf("option RangeBytes: %d: must not be negative; 0 chooses", o.RangeBytes)
	}
	if err := errors.Join(wrong, text.Options{Encoding: o.Encoding, Lines: text.Lines(rows.Lines)}.Validate()); err != nil {
		panic(fmt.Errorf("transforms: reading %s: %w", glob, err))
	}
	ranges := beam.ParDo(s, &listFn{glob, o.Exclude, o.RangeBytes, rows}, beam.Impulse(s))
	return beam.ParDo(s, &rangeFn{rows}, beam.Reshuffle(s, ranges))
}

// A listFn lists files and emits the ranges in which they are read.
type listFn struct {
	Glob       string
	Exclude    []string
	RangeBytes int64
	Rows       output.RowOptions
}

func (f *listFn) ProcessElement(ctx context.Context, _ []byte, emit func(source.Range)) error {
	inputs, err := source.Find(ctx, []string{f.Glob}, source.ListOptions{Exclude: f.Exclude})
	if err != nil {
		return err
	}
	defer inputs.Close()
	plan, err := source.NewPlan(ctx, inputs, source.PlanOptions{RangeBytes: f.RangeBytes, Least: LeastPiece(f.Rows)})
	if err != nil {
		return err
	}
	for r, err := range plan.Ranges() {
		if err != nil {
			return err
		}
		r.Dir = plan.Dir
		emit(r)
	}
	return nil
}

// A rangeFn reads a range.
type rangeFn struct{ Rows output.RowOptions }

func (f *rangeFn) ProcessElement(ctx context.Context, r source.Range, emit func(Chunk)) error {
	return ReadPaced(ctx, &r, nil, f.Rows, nil, func(c Chunk) error {
		emit(c)
		return nil
	})
}

// A documentsFn turns chunks that were just read into documents.
type documentsFn struct{}

func (f *documentsFn) ProcessElement(c Chunk, document func(Document), failure func(Failure)) {
	for _, d := range c.documents() {
		document(d)
	}
	for i := range c.Sentences {
		c.fail(&c.Sentences[i], stageRead, syntax.Because(syntax.KindTextType,
			"its words are given, and a Document has only text: ReadCoNLL with this Format keeps them"))
	}
	c.Sentences = nil
	c.unpack(new(output.Provenance), nil, func(_ int32, f Failure) { failure(f) })
}
