package transforms

import (
	"context"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/parser/syntax"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[chunkFn]())
}

// A chunkFn is a stage between Read and Write, by its name: it makes one chunk of one.
type chunkFn struct {
	Job    Job
	Stage  string
	stages Stages
}

// perChunk adds a stage to a pipeline, in a scope of its name.
func perChunk(s beam.Scope, stage string, job Job, chunks beam.PCollection) beam.PCollection {
	return beam.ParDo(s.Scope(stage), &chunkFn{Job: job, Stage: stage}, chunks)
}

func (f *chunkFn) Setup() (err error) {
	f.stages, err = f.Job.open()
	return err
}

func (f *chunkFn) ProcessElement(ctx context.Context, c Chunk, emit func(Chunk)) {
	m, o := f.stages, f.Job.Options
	switch f.Stage {
	case "Segment":
		c = SegmentChunk(c, m, o)
	case "Encode":
		var encoded int
		c, encoded = EncodeChunk(c, m, o)
		safely(func() { inc(ctx, metrics.tokensEncoded, int64(encoded)) })
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

// Tag fills in the tags, features and lemmas of sentences in which a word has no UPOS,
// or replaces them in all sentences. A sentence that is already tagged stays as it is,
// because its empty features mean that there are none. Tag does not change what Encode
// sets.
//
// PCollection<Chunk> -> PCollection<Chunk>
func Tag(s beam.Scope, job Job, chunks beam.PCollection) beam.PCollection {
	return perChunk(s, "Tag", job, chunks)
}

// TagChunk is Tag on one chunk.
func TagChunk(c Chunk, m Stages, o output.RowOptions) Chunk {
	if effort(m, &o) == 0 {
		c.perSentence(stageTag, func(s *syntax.Sentence) { tagSentence(s, m, &o) })
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

// Prune finds the candidate heads of every word. It leaves alone what Encode does.
//
// PCollection<Chunk> -> PCollection<Chunk>
func Prune(s beam.Scope, job Job, chunks beam.PCollection) beam.PCollection {
	return perChunk(s, "Prune", job, chunks)
}

// PruneChunk is Prune on one chunk.
func PruneChunk(c Chunk, m Stages, o output.RowOptions) Chunk {
	if effort(m, &o) == 0 {
		c.perSentence(stagePrune, m.Prune)
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
