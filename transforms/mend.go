package transforms

import (
	"context"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/filter"

	"github.com/treebeam/treebeam/io/source"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[mendFn]())
}

// Mend processes the ranges that Write found torn. One call takes a range from reading to
// the commit, with the functions of the stages, so the bytes are the same. Runners that
// fuse the stages from Read to Write leave none. Mend leaves a range alone that another
// attempt has written meanwhile.
//
// PCollection<Done> (torn) -> PCollection<Done> (written)
func Mend(s beam.Scope, job Job, torn beam.PCollection) (written beam.PCollection) {
	s = s.Scope("Mend")
	o := job.Parsing()
	return beam.ParDo(s, &mendFn{Job: job, Parsing: o.parsing("Mend")}, filter.Distinct(s, torn))
}

type mendFn struct {
	Job     Job
	Parsing parsing
	stages  Stages
}

func (f *mendFn) Setup(ctx context.Context) (err error) {
	f.stages, err = f.Parsing.open(ctx)
	return err
}

func (f *mendFn) ProcessElement(ctx context.Context, torn Done, emit func(Done)) error {
	if !f.Job.Done(torn.K) {
		if err := f.mend(ctx, torn.K); err != nil {
			return f.Job.failed(ctx, torn.K, fmt.Errorf("range %d: %w", torn.K, err))
		}
	}
	emit(torn)
	return nil
}

func (f *mendFn) mend(ctx context.Context, k int) error {
	leave, err := enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	r, err := source.PlanRange(ctx, f.Job.PlanPath(), k)
	if err != nil {
		return err
	}
	parts, err := f.Job.Open(ctx, k)
	if err != nil {
		return err
	}
	defer parts.Abandon()
	return ReadPaced(ctx, &r, f.stages, f.Job.Options, nil, func(c Chunk) error {
		c = StageSegmented(SegmentChunk(c, f.stages, f.Job.Options), f.stages, f.Job.Options)
		return writeChunk(ctx, parts, &c)
	})
}
