package transforms

import (
	"context"
	"errors"
	"iter"
	"math"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A walk reads the blocks of a file, or of a file unpacked, from a place on, without parsing
// them.
type walk struct {
	*part
	next func() (block, error, bool)
	stop func()
}

// openWalk opens a file of which only the first size bytes are read.
func openWalk(ctx context.Context, in *source.Input, start, size int64, o output.RowOptions) (*walk, error) {
	return walkBy(ctx, source.Open, in, start, size, o)
}

// walkBy is openWalk by a function like source.Open.
func walkBy(ctx context.Context, open func(context.Context, *source.Range, *source.Piece) (*source.File, error),
	in *source.Input, start, size int64, o output.RowOptions) (w *walk, err error) {
	p := source.Piece{Input: *in, Start: start, End: in.Size}
	r := &source.Range{N: 1, Pieces: []source.Piece{p}}
	rd := newRangeReader(ctx, r, nil, o, nil)
	if rd.rules, err = output.ParseRules(o.Rules); err != nil {
		return nil, err
	}
	rd.now = rd.rules.Options(&o, in)
	f, err := open(ctx, r, &p)
	if err != nil {
		return nil, err
	}
	f.Truncate(size)
	r.Pieces[0].Size, r.Pieces[0].End = size, size
	w = new(walk)
	var blocks iter.Seq2[block, error]
	if w.part, err = rd.newPart(f, &output.File{DocID: in.DocID, URI: in.URI}); err == nil {
		blocks, err = w.open(w.part)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	w.next, w.stop = iter.Pull2(blocks)
	return w, nil
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

// A Kept is what a file has of the values to keep in a record, or in all of it.
type Kept struct {
	End      int64 // where the record ends; 0 of warnings about the whole file
	Meta     []KeyValue
	Warnings []parquet.Failure // of values that are not kept
}

// ReadKept yields what a file, number i of files, has of the values of Keep, in its order.
func ReadKept(ctx context.Context, files *source.Files, i int, in *source.Input, o output.RowOptions) iter.Seq2[Kept, error] {
	open := func(context.Context, *source.Range, *source.Piece) (*source.File, error) { return files.Open(i) }
	return func(yield func(Kept, error) bool) {
		w, err := walkBy(ctx, open, in, 0, in.Size, o)
		if _, ok := errors.AsType[*source.NotText](err); ok { // a row says so already
			return
		}
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
			if fault, ok := errors.AsType[*source.Error](err); ok && fault.Kind == source.Permanent { // a row says so already
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
