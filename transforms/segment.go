package transforms

import (
	"cmp"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Segment cuts the blocks of raw text into sentences. CoNLL sentences pass.
//
// PCollection<Chunk> -> PCollection<Chunk>
func Segment(s beam.Scope, job Job, chunks beam.PCollection) beam.PCollection {
	return perChunk(s, "Segment", job, chunks)
}

// SegmentChunk is Segment on one chunk.
func SegmentChunk(c Chunk, m Stages, o output.RowOptions) Chunk {
	made := make([][]syntax.Sentence, len(c.Blocks))
	panics := each(len(c.Blocks),
		func(i int) int { return len(c.Blocks[i].Text) },
		func(i int) {
			b := &c.Blocks[i]
			lines := text.Lines(c.Files[b.File].Lines)
			if lines == text.Sentence {
				made[i] = m.SegmentLine(b.Text, o.MaxWords)
			} else {
				made[i] = m.Segment(b.Text, o.MaxWords)
			}
			if o.Ranges {
				noteRanges(b, made[i])
			}
			if err := b.Place(made[i], lines); err != nil {
				panic(err)
			}
		})

	c.Segmented = make([]output.Count, len(c.Files))
	for i := range c.Sentences { // CoNLL: a sentence is a block
		c.Segmented[c.Sentences[i].File].Blocks++
	}
	var faults []syntax.Fault
	for i := range c.Blocks {
		b := &c.Blocks[i]
		if panics != nil && panics[i] != noFault {
			f := failed(stageSegment, panics[i], place{b.Start, b.Line}, b.Text)
			f.File, f.Block = b.File, true
			c.Failures = append(c.Failures, f)
			continue
		}
		c.Segmented[b.File].Blocks++
		for j := range made[i] {
			s := Sentence{File: b.File, Sentence: made[i][j]}
			if j == 0 && b.First {
				s.Comments = append(s.Comments, "# newdoc id = "+c.Files[b.File].DocID)
			}
			if j == 0 && (b.Opens || b.First) {
				s.Comments = append(s.Comments, "# newpar")
			}
			c.Sentences = append(c.Sentences, s)
		}
	}
	c.Blocks = nil
	slices.SortStableFunc(c.Sentences, func(a, b Sentence) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.StartByte, b.StartByte))
	})
	for i := range c.Sentences {
		c.Segmented[c.Sentences[i].File].Sentences++
		fault := noFault
		if given := c.Sentences[i].Fault; given != nil {
			fault = given.Fault
		} else if n := len(c.Sentences[i].Words); n > syntax.MaxWords {
			fault = syntax.Because(syntax.KindLongSentence, "sentence too long: %d words, the limit is %d", n, syntax.MaxWords)
		}
		if fault != noFault && faults == nil {
			faults = make([]syntax.Fault, len(c.Sentences))
		}
		if fault != noFault {
			faults[i] = fault
		}
	}
	c.keep(stageSegment, faults)
	return c
}
