package transforms

import (
	"fmt"
	"io"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/syntax"
)

// conll reads the sentences in CoNLL format that belong to [start, end).
func (rd *rangeReader) conll(in *source.File, f *output.File, format source.Format, start, end int64) error {
	f.Encoding = "utf-8"
	r, err := in.At(start)
	if err != nil {
		return err
	}
	o := conllu.Options{Start: start, End: max(end, 0)}
	if format == source.CoNLLX {
		o.Format = conllu.X
	}
	blocks := conllu.NewReader(r, o)
	for {
		b, err := blocks.Next()
		f.Start, f.End = blocks.Covered()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if !in.Compressed() {
			rd.read += b.End - b.Start
		}
		f.Blocks++
		for i := range b.Warnings {
			why, at := blamed(&b.Warnings[i])
			rd.fail(f, warned(stageRead, why, at, b.Raw))
		}
		if b.Err != nil {
			why, at := blamed(b.Err)
			row := failed(stageRead, why, at, b.Raw)
			row.Block = true
			rd.fail(f, row)
			if err := rd.grow(0); err != nil {
				return err
			}
			continue
		}
		s := Sentence{File: rd.file(f), Sentence: b.Sentence}
		if rd.options.KeepHeads {
			s.Fault = b.CheckHeads()
		}
		rd.chunk.Sentences = append(rd.chunk.Sentences, s)
		if err := rd.grow(max(len(b.Sentence.Words), int(b.End-b.Start)/bytesPerWord)); err != nil {
			return err
		}
	}
}

// blamed is what the reader of CoNLL blocks had to say, and where.
func blamed(e *conllu.Error) (why syntax.Fault, at place) {
	why = e.Fault
	if e.Column > 0 {
		why.Reason = fmt.Sprintf("column %d: %s", e.Column, e.Reason)
	}
	return why, place{e.Offset, e.Line}
}
