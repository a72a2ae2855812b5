package transforms

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Segment cuts documents, or the blocks of raw text in chunks, into sentences. It finds
// the language of each sentence. CoNLL sentences keep their words; too long ones become
// failures. ParseDocuments says which documents share a chunk.
//
// Segment, Encode, Tag, Prune and Parse process the chunks of a bundle one after
// another, each on all cores of the worker, and emit one chunk for each. It has the
// window, timestamp and pane of its input and keeps the order of sentences. Only the
// program that encoded a chunk can decode it. Between stages that a runner does not
// fuse, chunks are copied whole.
//
//	PCollection<Document> or PCollection<Chunk> -> PCollection<Chunk>
func Segment(s beam.Scope, docs beam.PCollection, o Options) beam.PCollection {
	if docs.Type().Type() == reflect.TypeFor[Document]() {
		docs = beam.ParDo(s.Scope("Cut"), &cutFn{Parsing: o.parsing("Segment"), Together: together(docs)}, docs)
	}
	return perChunk(s, "Segment", o, docs)
}

// SegmentChunk is Segment on one chunk.
func SegmentChunk(c Chunk, m Stages, o output.RowOptions) Chunk {
	made := c.segment(m, &o)
	c.Sentences, c.Failures = slices.Clone(c.Sentences), slices.Clip(c.Failures)
	c.Segmented = make([]output.Count, len(c.Files))
	for i := range c.Sentences { // CoNLL: a sentence is a block
		s := &c.Sentences[i]
		c.Segmented[s.File].Blocks++
		said := s.Text
		if c.Files[s.File].Language == "" { // its reader did not know of languages
			said = s.surface()
		}
		g, _ := languageOf(m, &c.Files[s.File], said)
		noteLanguage(m, &s.Sentence, g)
	}
	for i := range c.Blocks {
		b := &c.Blocks[i]
		if why := made[i].fault; why != noFault {
			f := failed(stageSegment, why, place{b.Start, b.Line}, b.Text)
			f.File, f.Block = b.File, true
			c.Failures = append(c.Failures, f)
			continue
		}
		c.Segmented[b.File].Blocks++
		for j := range made[i].sentences {
			s := Sentence{File: b.File, Sentence: made[i].sentences[j]}
			if j == 0 && b.First {
				s.Comments = append(s.Comments, "# newdoc id = "+c.Files[b.File].DocID)
			}
			if j == 0 && (b.Opens || b.First) {
				s.Comments = append(s.Comments, "# newpar")
			}
			noteLanguage(m, &s.Sentence, made[i].language)
			c.Sentences = append(c.Sentences, s)
		}
	}
	c.Blocks = nil
	slices.SortStableFunc(c.Sentences, func(a, b Sentence) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.StartByte, b.StartByte))
	})
	faults := make([]stageFault, len(c.Sentences))
	for i := range c.Sentences {
		c.Segmented[c.Sentences[i].File].Sentences++
		faults[i].stage = stageSegment
		if given := c.Sentences[i].Fault; given != nil {
			faults[i].fault = given.Fault
		} else if n := len(c.Sentences[i].Words); n > syntax.MaxWords {
			faults[i].fault = syntax.Because(syntax.KindLongSentence, "sentence too long: %d words, the limit is %d", n, syntax.MaxWords)
		}
	}
	c.keep(faults)
	return c
}

// segmented is what became of a block.
type segmented struct {
	sentences []syntax.Sentence
	language  model.Guess
	fault     syntax.Fault // noFault unless there are no sentences because of it
}

// segment segments the blocks of the chunk, on all cores.
func (c *Chunk) segment(m Stages, o *output.RowOptions) []segmented {
	list := make([]segmented, len(c.Blocks))
	panics := each(len(c.Blocks),
		func(i int) int { return len(c.Blocks[i].Text) },
		func(i int) {
			b, made := &c.Blocks[i], &list[i]
			lines := text.Lines(c.Files[b.File].Lines)
			var of Stages
			made.language, of = languageOf(m, &c.Files[b.File], b.Text)
			switch {
			case lines == text.Sentence:
				made.sentences = of.SegmentLine(b.Text, o.MaxWords)
			case effort(of, o) < 1:
				made.sentences = of.SegmentFast(b.Text, o.MaxWords)
			default:
				made.sentences = of.Segment(b.Text, o.MaxWords)
			}
			if o.Ranges {
				noteRanges(b, made.sentences)
			}
			if err := b.Place(made.sentences, lines); err != nil {
				panic(err)
			}
		})
	for i, fault := range panics {
		list[i].fault = fault
	}
	return list
}

// noteRanges puts the place of every token into MISC, as TokenRange=start:end does for
// UDPipe: in code points of the document, half open. The words of a multiword token
// have no TokenRange; the token has it. The sentences must come from b and not be
// placed yet: StartByte is in b.Text.
func noteRanges(b *Block, sentences []syntax.Sentence) {
	char, at := b.Char, 0
	var bounds []int
	var places []int64 // in the document, of bounds
	for i := range sentences {
		s := &sentences[i]
		char += int64(utf8.RuneCountInString(b.Text[at:s.StartByte]))
		source := b.Text[s.StartByte:s.EndByte]
		bounds = text.Bounds(bounds[:0], source)
		places = append(places[:0], char)
		for k, end := range bounds[1:] {
			char += int64(utf8.RuneCountInString(source[bounds[k]:end]))
			places = append(places, char)
		}
		at = int(s.EndByte)
		token := func(misc *string, w *syntax.Word) {
			if w.EndChar <= w.StartChar || int(w.EndChar) >= len(places) {
				return
			}
			note := "TokenRange=" + strconv.FormatInt(places[w.StartChar], 10) + ":" + strconv.FormatInt(places[w.EndChar], 10)
			if *misc != "" {
				note = *misc + "|" + note
			}
			*misc = note
		}
		inside := int32(0) // words up to this one are parts of a token
		mwts := s.MWTs
		for j := range s.Words {
			if len(mwts) > 0 && int(mwts[0].First) == j+1 {
				token(&mwts[0].Misc, &s.Words[j])
				inside, mwts = mwts[0].Last, mwts[1:]
			}
			if int32(j+1) > inside {
				token(&s.Words[j].Misc, &s.Words[j])
			}
		}
	}
}
