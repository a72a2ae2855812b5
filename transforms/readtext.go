package transforms

import (
	"io"
	"strconv"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// text reads the blocks of raw text that begin in [start, end).
func (rd *rangeReader) text(in *source.File, f *output.File, head []byte, start, end int64) error {
	lines := text.Lines(rd.options.Lines)
	if rd.options.Document == output.ByLine && lines != text.Sentence {
		lines = text.Paragraph
	}
	layout, err := text.Decide(head, text.Options{Encoding: rd.options.Encoding, Lines: lines})
	if err != nil {
		return err
	}
	f.Encoding, f.Lines = layout.Encoding, string(layout.Lines)
	before := int64(0) // code points of the file before the range
	if counts := rd.options.Ranges && rd.options.Document != output.ByLine; counts && start > 0 && layout.Cuttable {
		r, err := in.At(0)
		if err == nil {
			before, err = text.CharsBefore(r, layout, start)
		}
		if err != nil {
			return err
		}
	}
	r, err := in.At(text.SeekTo(start))
	if err != nil {
		return err
	}
	var blocks *text.Reader
	if in.Live() {
		blocks, err = text.NewStream(r, head, text.Options{Encoding: rd.options.Encoding, Lines: lines})
	} else {
		blocks, err = text.NewReader(r, layout, start, end)
	}
	if err != nil {
		return err
	}
	if start > 0 {
		blocks.CountFrom(before)
	}
	document := *f
	for {
		b, err := blocks.Next()
		f.Start, f.End = blocks.Cover()
		if err == io.EOF {
			rd.suspect(f, head, start)
			return nil
		}
		if err != nil {
			return err
		}
		if !in.Compressed() {
			rd.read += b.End - b.From
		}
		first := start == 0 && f.Blocks == 0
		if rd.options.Document == output.ByLine && !b.Continues {
			document.DocID, first, before = partID(f, b.Start), true, b.Char
		}
		if rd.options.Document == output.ByLine {
			b.Char -= before
		}
		if err := rd.block(f, &document, b, first); err != nil {
			return err
		}
		if rd.options.Document == output.ByLine && !b.Cut {
			rd.ended(&document)
		}
	}
}

// partID is the id of the document that begins at byte at of f and has none
// of its own: it does not depend on how the file was cut into ranges.
func partID(f *output.File, at int64) string { return f.DocID + "#" + strconv.FormatInt(at, 10) }

// block appends a block of f to the chunk. It belongs to document, which is f
// or a part of it, and is the document's first one or not.
func (rd *rangeReader) block(f, document *output.File, b text.Block, first bool) error {
	f.Blocks++
	rd.repaired(f, document, &b)
	rd.chunk.Blocks = append(rd.chunk.Blocks, Block{File: rd.file(document), First: first, Block: b})
	return rd.grow(len(b.Text) / bytesPerToken)
}

// repaired counts what was repaired in a block and says so.
func (rd *rangeReader) repaired(f, document *output.File, b *text.Block) {
	f.Repaired += int64(b.Repaired)
	if b.Repaired > 0 {
		what := "characters"
		if b.Repaired == 1 {
			what = "character"
		}
		why := syntax.Because(syntax.KindBytes, "invalid bytes: %d %s replaced by U+FFFD", b.Repaired, what)
		rd.fail(document, warned(stageRead, why, place{b.FirstBad, b.Line}, b.Text))
	}
}

// suspect guesses the encoding of a file of which much had to be repaired.
func (rd *rangeReader) suspect(f *output.File, head []byte, start int64) {
	if start == 0 && f.Encoding == "utf-8" && f.MuchRepaired() {
		f.Suspect = text.Suspect(head)
	}
}
