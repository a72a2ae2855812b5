package transforms

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/treebeam/treebeam/io/output"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[pruneFn]())
}

// Prune finds the candidate heads of every word. It leaves alone what Encode does.
//
// PCollection<Chunk> -> PCollection<Chunk>
func Prune(s beam.Scope, job Job, chunks beam.PCollection) beam.PCollection {
	return beam.ParDo(s.Scope("Prune"), &pruneFn{Job: job}, chunks)
}

type pruneFn struct {
	Job    Job
	stages Stages
}

func (f *pruneFn) Setup() (err error) {
	f.stages, err = f.Job.open()
	return err
}

func (f *pruneFn) ProcessElement(_ context.Context, c Chunk, emit func(Chunk)) error {
	emit(PruneChunk(c, f.stages, f.Job.Options))
	return nil
}

// PruneChunk is Prune on one chunk.
func PruneChunk(c Chunk, m Stages, o output.RowOptions) Chunk {
	if x, _ := encoder(m, &o); x == nil {
		c.perSentence(stagePrune, m.Prune)
	}
	return c
}
