package transforms

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[expandFn]())
}

// Expand gives the ranges of the job's plan. The graph carries the plan's
// place only.
//
// -> PCollection<source.Range>
func Expand(s beam.Scope, job Job) beam.PCollection {
	s = s.Scope("Expand")
	return beam.Reshuffle(s, beam.ParDo(s, &expandFn{Job: job}, beam.Impulse(s)))
}

type expandFn struct {
	Job Job
}

func (f *expandFn) ProcessElement(ctx context.Context, _ []byte, emit func(source.Range)) error {
	if err := f.Job.checkToken(); err != nil {
		return marked(err)
	}
	for r, err := range source.PlanRanges(ctx, f.Job.planPath()) {
		if err != nil {
			return marked(err)
		}
		emit(r)
	}
	return nil
}

func (j *Job) planPath() string {
	return store.Join(j.Output, OwnDir, source.PlanName(j.FP))
}
