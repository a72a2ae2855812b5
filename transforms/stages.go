package transforms

import (
	"context"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/parser/syntax"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[chunkFn]())
	register.Emitter1[Chunk]()
}

// A chunkFn is a stage between Read and Write, by its name. It turns a chunk into one.
type chunkFn struct {
	Stage   string
	Parsing parsing
	stages  Stages
}

// perChunk adds a stage to a pipeline, in a scope of its name.
func perChunk(s beam.Scope, stage string, o Options, chunks beam.PCollection) beam.PCollection {
	return beam.ParDo(s.Scope(stage), &chunkFn{Stage: stage, Parsing: o.parsing(stage)}, chunks)
}

func (f *chunkFn) Setup(ctx context.Context) (err error) {
	f.stages, err = f.Parsing.open(ctx)
	return err
}

func (f *chunkFn) ProcessElement(ctx context.Context, c Chunk, emit func(Chunk)) {
	m, o := f.stages, f.Parsing.Rows
	switch f.Stage {
	case "Segment":
		c = SegmentChunk(c, m, o)
	case "Encode":
		var encoded int
		c, encoded = EncodeChunk(c, m, o)
		safely(ctx, func() { inc(ctx, metrics.tokensEncoded, int64(encoded)) })
	case "Tag":
		c = TagChunk(c, m, o)
	case "Prune":
		c = PruneChunk(c, m, o)
	case "Parse":
		c = ParseChunk(c, m, o)
	default:
		panic("no stage " + f.Stage)
	}
	emit(c)
}

// own gives c copies of what Tag and Parse change.
func (c *Chunk) own() {
	c.Sentences = slices.Clone(c.Sentences)
	for i := range c.Sentences {
		s := &c.Sentences[i]
		s.Words, s.TagProb = slices.Clone(s.Words), slices.Clone(s.TagProb)
	}
}

// Tag fills in the tags, features and lemmas of sentences in which a word has no UPOS.
// With Options.Retag, it replaces them in all sentences. Otherwise a tagged sentence
// stays as it is, because its empty features mean that there are none. Tag does not
// change the sentences that Encode parses.
//
// PCollection<Chunk> -> PCollection<Chunk>
func Tag(s beam.Scope, chunks beam.PCollection, o Options) beam.PCollection {
	return perChunk(s, "Tag", o, chunks)
}

// TagChunk is Tag on one chunk.
func TagChunk(c Chunk, m Stages, o output.RowOptions) Chunk {
	if left := c.fast(m, &o); left != nil {
		c.own()
		c.perSentence(stageTag, left, func(s *syntax.Sentence, m Stages) syntax.Fault {
			tagSentence(s, m, &o)
			return noFault
		})
	}
	return c
}

func tagSentence(s *syntax.Sentence, m Stages, o *output.RowOptions) {
	if needsTags(s, o) {
		m.Tag(s, o.Retag)
		return
	}
	s.TagsGiven = true
}

// needsTags reports whether a word has no UPOS, or whether all tags are replaced.
func needsTags(s *syntax.Sentence, o *output.RowOptions) bool {
	return o.Retag || slices.ContainsFunc(s.Words, func(w syntax.Word) bool { return w.UPOS == "" })
}

// Prune finds the candidate heads of every word. It does not change the sentences that
// Encode parses.
//
// PCollection<Chunk> -> PCollection<Chunk>
func Prune(s beam.Scope, chunks beam.PCollection, o Options) beam.PCollection {
	return perChunk(s, "Prune", o, chunks)
}

// PruneChunk is Prune on one chunk.
func PruneChunk(c Chunk, m Stages, o output.RowOptions) Chunk {
	if left := c.fast(m, &o); left != nil {
		c.Sentences = slices.Clone(c.Sentences)
		c.perSentence(stagePrune, left, func(s *syntax.Sentence, m Stages) syntax.Fault {
			m.Prune(s)
			return noFault
		})
	}
	return c
}

// StageSegmented runs a chunk through the stages after Segment, up to o.StopAfter.
func StageSegmented(c Chunk, m Stages, o output.RowOptions) Chunk {
	if o.StopAfter == output.StopSegment {
		return c
	}
	c, _ = EncodeChunk(c, m, o)
	c = TagChunk(c, m, o)
	if o.StopAfter == output.StopTag {
		return c
	}
	return ParseChunk(PruneChunk(c, m, o), m, o)
}
