package transforms

import (
	"bufio"
	"context"
	"io"
	"math"
	"reflect"
	"slices"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
)

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
	if !before.cuttable() { // a second decoder with a wide window would wait for the first
		return 0, nil
	}
	now, err := openWalk(ctx, in, 0, in.Size, o)
	if err != nil {
		return 0, err
	}
	defer now.close()
	if !now.like(before, m) {
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
