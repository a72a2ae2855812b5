package transforms

import (
	"io"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/io/tokens"
)

// tokens reads the sentences of pre-tokenised text that begin in [start,
// end). A sentence is a block.
func (rd *rangeReader) tokens(in *source.File, f *output.File, head []byte, format source.Format, start, end int64) error {
	kind := tokens.Line
	if format == source.Vertical {
		kind = tokens.Vertical
	}
	layout, err := tokens.Decide(head, rd.options.Encoding, kind)
	if err != nil {
		return err
	}
	f.Encoding = layout.Encoding
	r, err := in.At(text.SeekTo(start))
	if err != nil {
		return err
	}
	sentences, err := tokens.NewReader(r, layout, kind, start, end)
	if err != nil {
		return err
	}
	for {
		s, err := sentences.Next()
		f.Start, f.End = sentences.Cover()
		if err == io.EOF {
			rd.suspect(f, head, start)
			return nil
		}
		if err != nil {
			return err
		}
		if !in.Compressed() {
			rd.read += s.End - s.From
		}
		f.Blocks++
		rd.repaired(f, f, &s.Block)
		if s.Fault != noFault {
			row := failed(stageRead, s.Fault, place{s.Offset(s.At), s.LineOf(s.At)}, s.Text[s.At:])
			row.Block = true
			rd.fail(f, row)
			if err := rd.grow(0); err != nil {
				return err
			}
			continue
		}
		if start == 0 && f.Blocks == 1 {
			s.Sentence.Comments = append(s.Sentence.Comments, "# newdoc id = "+f.DocID)
		}
		if kind == tokens.Line && s.Opens {
			s.Sentence.Comments = append(s.Sentence.Comments, "# newpar")
		}
		rd.chunk.Sentences = append(rd.chunk.Sentences, Sentence{File: rd.file(f), Sentence: s.Sentence})
		if err := rd.grow(max(len(s.Sentence.Words), len(s.Text)/bytesPerWord)); err != nil {
			return err
		}
	}
}
