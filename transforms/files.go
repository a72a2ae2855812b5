package transforms

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/text"
)

// ReadOptions say how files are read. The zero value does what the command treebeam parse
// does without flags.
type ReadOptions struct {
	Format   string // as --from of treebeam parse; "" is the one that the transform is named after
	Encoding string // of text and tables; "" is UTF-8
	Lines    string // of text and records: what line breaks mean, as in Options
	ByLine   bool   // of text: every line is a document
	Ranges   bool   // of text: count code points, which Options.Ranges needs

	// Of records: the keys or columns of the text ("" is "text"), the id ("" is "id") and
	// of what becomes Document.Meta.
	Text, ID string
	Keep     []string

	Exclude    []string // patterns of files that are not read
	RangeBytes int64    // about how much one worker reads at once; 0 chooses
}

func init() {
	register.DoFn3x1[context.Context, []byte, func(source.Range), error](&listFn{})
	register.DoFn3x1[context.Context, source.Range, func(Chunk), error](&rangeFn{})
	register.DoFn3x0[Chunk, func(Document), func(Failure)](&documentsFn{})
	register.Emitter1[source.Range]()
	register.Emitter1[Document]()
}

// ReadText reads files of raw text. A glob is a pattern such as "corpus/**/*.txt.gz", a
// file or a folder; remote ones (gs://, s3://) need the store's package, imported for
// its effect: io/store/gs or io/store/s3. Compressed files are decompressed by what they
// hold. Files are listed once, when the pipeline runs, and shared among the workers in
// ranges of RangeBytes.
//
// A document is about 5,000 tokens of a file or less, with its position in Places, so
// that ParseDocuments gives the trees that treebeam parse gives. Documents are in the
// global window, without timestamps. A file that cannot be read is a failure; a glob
// that no file matches, or a store that does not answer, fails the pipeline.
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

// ReadTable is ReadText for CSV, TSV and Parquet, as the names of the files or
// ReadOptions.Format say: each row is a document.
func ReadTable(s beam.Scope, glob string, o ReadOptions) (docs, failures beam.PCollection) {
	return o.documents(s.Scope("ReadTable"), glob, "auto")
}

// ReadCoNLL is ReadText for CoNLL-U and CoNLL-X. Its chunks of sentences go to Segment,
// or directly to Encode. Failures are in the chunks: Trees emits them.
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
	for _, key := range o.Keep {
		if key == "" || strings.Contains(key, ",") {
			wrong = fmt.Errorf("option Keep: %q cannot be the name of a column", key)
		}
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
	return ReadPaced(ctx, &r, f.Rows, nil, func(c Chunk) error {
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
	c.unpackFailures(failure)
}
