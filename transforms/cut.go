package transforms

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"
	"math"
	"reflect"
	"slices"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/record"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// LeastPiece returns the function for source.PlanOptions.Least. From the
// first bytes of a file, it decides how small its pieces may be, in bytes. A file that
// cannot be read from the middle is not cut.
func LeastPiece(options output.RowOptions) func(in *source.Input, head []byte) int64 {
	const whole = math.MaxInt64
	rules, wrong := output.ParseRules(options.Rules)
	return func(in *source.Input, head []byte) int64 {
		if wrong != nil {
			return whole
		}
		o := rules.Options(&options, in)
		want, err := source.ParseFormat(o.From)
		if err != nil {
			return whole
		}
		format, err := source.Detect(in.URI, head, want, o.Encoding)
		if err != nil {
			return whole
		}
		switch format {
		case source.Text, source.Tokens, source.Vertical:
			layout, err := text.Decide(head, text.Options{Encoding: o.Encoding, Lines: text.Paragraph, StripHTML: o.StripHTML})
			if err != nil || !layout.Cuttable || o.Ranges && o.Document != output.ByLine {
				return whole // places of tokens are counted from the beginning
			}
		case source.CSV:
			return record.DefaultMaxRecord // a range may have to see so much to find a row
		}
		return 1
	}
}

// Grown returns where the new part of a file begins, its tail. The first old bytes of the
// file were the whole file before. Its rows are the old ones and those of a range that begins
// at the tail. Grown returns 0 if a block has changed, if the first bytes now tell something
// else about the file, or if the file cannot be read from there. It reads both files, and the
// tail, block by block as Read does.
func Grown(ctx context.Context, in *source.Input, old int64, m Stages, o output.RowOptions) (tail int64, err error) {
	before, err := openWalk(ctx, in, 0, old, o)
	if err != nil {
		return 0, err
	}
	defer before.close()
	now, err := openWalk(ctx, in, 0, in.Size, o)
	if err != nil {
		return 0, err
	}
	defer now.close()
	if !now.cuttable() || !now.like(before, m) {
		return 0, nil
	}
	end := int64(0) // of the last block of the old file
	for {
		was, more, err := before.block()
		if err != nil {
			return 0, err
		}
		is, there, err := now.block()
		if err != nil || !there {
			return 0, err
		}
		if !more {
			return now.tail(ctx, o, end, is)
		}
		if !reflect.DeepEqual(was, is) {
			return 0, nil
		}
		_, end = now.covered()
	}
}

// A Kept is what a file has of the values to keep in a record, or in all of it.
type Kept struct {
	End      int64 // where the record ends; 0 of warnings about the whole file
	Meta     []KeyValue
	Warnings []parquet.Failure // of values that are not kept
}

// ReadKept yields what a file has of the values of Keep, in its order.
func ReadKept(ctx context.Context, in *source.Input, o output.RowOptions) iter.Seq2[Kept, error] {
	return func(yield func(Kept, error) bool) {
		w, err := openWalk(ctx, in, 0, in.Size, o)
		if err != nil {
			yield(Kept{}, err)
			return
		}
		defer w.close()
		whole := Kept{Warnings: keptWarnings(w.rd.chunk.Files, w.rd.chunk.Failures)}
		if !ofRecords(w.format) {
			whole.End, whole.Meta = math.MaxInt64, w.file.Meta
			yield(whole, w.in.Verify())
			return
		}
		if !yield(whole, nil) {
			return
		}
		for {
			b, more, err := w.block()
			var fault *source.Error
			if errors.As(err, &fault) && fault.Kind == source.Permanent { // a row says so already
				more, err = false, nil
			}
			if !more && err == nil {
				if err = w.in.Verify(); err == nil {
					return
				}
			}
			if err != nil {
				yield(Kept{}, err)
				return
			}
			if b.record {
				_, end := w.covered()
				if !yield(Kept{end, b.document.Meta, keptWarnings([]output.File{*b.document}, b.faults)}, nil) {
					return
				}
			}
		}
	}
}

// keptWarnings are the rows of values that are not kept.
func keptWarnings(files []output.File, list []output.Failure) (rows []parquet.Failure) {
	batch := output.Batch{Files: files, Failures: list}
	for i := range list {
		if list[i].Kind == syntax.KindKept {
			rows = append(rows, batch.FailureRow(i))
		}
	}
	return rows
}

// A walk reads the blocks of a file, or of a file unpacked, from a place on, without parsing
// them.
type walk struct {
	*part
	next func() (block, error, bool)
	stop func()
}

// openWalk opens a file of which only the first size bytes are read.
func openWalk(ctx context.Context, in *source.Input, start, size int64, o output.RowOptions) (w *walk, err error) {
	p := source.Piece{Input: *in, Start: start, End: in.Size}
	r := &source.Range{N: 1, Pieces: []source.Piece{p}}
	rd := newRangeReader(ctx, r, nil, o, nil)
	if rd.rules, err = output.ParseRules(o.Rules); err != nil {
		return nil, err
	}
	rd.now = rd.rules.Options(&o, in)
	f, err := source.Open(ctx, r, &p)
	if err != nil {
		return nil, err
	}
	f.Truncate(size)
	r.Pieces[0].Size, r.Pieces[0].End = size, size
	w = &walk{part: &part{rd: rd, in: f, file: &output.File{DocID: in.DocID, URI: in.URI}, options: &rd.now}}
	w.start, w.end = r.Pieces[0].Interval()
	if err := w.read(in.URI); err != nil {
		f.Close()
		return nil, err
	}
	return w, nil
}

// read begins to read the blocks.
func (w *walk) read(name string) error {
	want, err := source.ParseFormat(w.options.From)
	if err != nil {
		return err
	}
	w.in.Expect(want)
	if w.head, err = w.in.Head(); err != nil {
		return err
	}
	if w.format, err = source.Detect(name, w.head, want, w.options.Encoding); err != nil {
		return err
	}
	w.file.Format, w.open = string(w.format), readers[w.format]
	if !ofRecords(w.format) {
		w.file.Meta = w.meta(make([]string, len(w.options.KeepKeys())))
	}
	blocks, err := w.open(w.part)
	if err == nil {
		w.next, w.stop = iter.Pull2(blocks)
	}
	return err
}

func (w *walk) close() {
	w.stop()
	w.in.Close()
}

// block returns the next block, false after the last.
func (w *walk) block() (block, bool, error) {
	b, err, more := w.next()
	if b.document != nil { // the reader goes on to use it
		document := *b.document
		b.document = &document
	}
	return b, more, err
}

// cuttable reports whether the file can be read from the middle.
func (w *walk) cuttable() bool {
	in := &w.rd.r.Pieces[0].Input
	return !w.in.Compressed() && in.In == nil && w.format != source.Parquet && LeastPiece(w.rd.options)(in, w.head) < math.MaxInt64
}

// like reports whether the beginnings of two files tell the same about them.
func (w *walk) like(other *walk, m Stages) bool {
	return w.format == other.format && reflect.DeepEqual(w.file, other.file) &&
		reflect.DeepEqual(w.rd.chunk.Failures, other.rd.chunk.Failures) && documentLanguage(m, w.sample) == documentLanguage(m, other.sample)
}

// tail returns the place from which a reader finds the block first, which w has just
// returned, and all that follow it: the end of the block before, the next line or, of
// CoNLL, a place before the blank line.
func (w *walk) tail(ctx context.Context, o output.RowOptions, end int64, first block) (int64, error) {
	line, err := w.lineAfter(ctx, end)
	if err != nil {
		return 0, err
	}
	in := w.rd.r.Pieces[0].Input
	for _, at := range []int64{end, line, max(end-3, 0)} {
		rest, err := openWalk(ctx, &in, at, in.Size, o)
		if err != nil {
			return 0, err
		}
		defer rest.close()
		b, more, err := rest.block()
		if err != nil {
			return 0, err
		}
		if from, _ := rest.covered(); !more || from < end || !b.same(&first) {
			continue
		}
		for more {
			var is block
			var there bool
			if b, more, err = rest.block(); err == nil {
				is, there, err = w.block()
			}
			if err != nil || more != there || !b.same(&is) {
				return 0, err
			}
		}
		return at, nil
	}
	return 0, nil
}

// lineAfter returns where the line after a place begins.
func (w *walk) lineAfter(ctx context.Context, at int64) (int64, error) {
	p := &w.rd.r.Pieces[0]
	f, err := source.Open(ctx, w.rd.r, p)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	in, err := f.At(at)
	if err != nil {
		return 0, err
	}
	line, err := bufio.NewReader(in).ReadSlice('\n')
	if err == bufio.ErrBufferFull || err == io.EOF {
		err = nil
	}
	return at + int64(len(line)), err
}

// same reports whether two blocks are the same, except that one reader did not begin at
// the file's beginning and knows no lines.
func (b *block) same(other *block) bool {
	return reflect.DeepEqual(b.unplaced(), other.unplaced())
}

// unplaced is the block without what only a reader from the file's beginning knows.
func (b *block) unplaced() block {
	c := *b
	c.size, c.faults = 0, slices.Clone(b.faults)
	for i := range c.faults {
		c.faults[i].Line = 0
	}
	if b.text != nil {
		t := *b.text
		t.From, t.Line, t.Char = 0, 0, 0
		c.text = &t
	}
	if b.sentence != nil {
		s := *b.sentence
		if s.Line = 0; s.Fault != nil {
			fault := *s.Fault
			fault.Line, s.Fault = 0, &fault
		}
		c.sentence = &s
	}
	return c
}
