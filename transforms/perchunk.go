package transforms

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
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
