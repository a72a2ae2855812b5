package transforms

import (
	"fmt"
	"io"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/syntax"
)

// conll reads the sentences in CoNLL format that belong to [start, end).
func (rd *rangeReader) conll(in *source.File, f *File, format source.Format, start, end int64) error {
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
			rd.mended(f, &b, &b.Warnings[i], Failure{}, syntax.SeverityWarning)
		}
		if b.Err != nil {
			rd.mended(f, &b, b.Err, Failure{Block: true}, syntax.SeverityError)
			if err := rd.grow(1); err != nil {
				return err
			}
			continue
		}
		s := Sentence{File: rd.file(f), Sentence: b.Sentence}
		if rd.options.KeepHeads {
			s.Fault = b.CheckHeads()
		}
		rd.chunk.Sentences = append(rd.chunk.Sentences, s)
		if err := rd.grow(len(b.Sentence.Words)); err != nil {
			return err
		}
	}
}

// mended makes a failure row of what a CoNLL block's reader had to say.
func (rd *rangeReader) mended(f *File, b *conllu.Block, e *conllu.Error, row Failure, severity string) {
	reason := e.Reason
	if e.Column > 0 {
		reason = fmt.Sprintf("column %d: %s", e.Column, e.Reason)
	}
	row.Failure = syntax.Failure{
		ByteOffset: e.Offset, Line: e.Line, Stage: "read", Severity: severity, Reason: reason, Text: b.Raw,
	}
	rd.fail(f, row)
}
