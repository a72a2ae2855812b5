package transforms

import (
	"context"
	"fmt"
	"iter"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[expandFn]())
}

// Expand gives the ranges of the job's plan, and says which of them are done:
// of a run that is continued there may be a hundred thousand. The graph
// carries the plan's place only.
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
	next, stop := iter.Pull2(inOrder(ctx, f.Job.held(ctx), func(h held) (bool, error) {
		done, damaged := f.Job.isDone(h)
		if damaged {
			Progress.Damaged.Add(1)
		}
		return done, nil
	}))
	defer stop()
	for r, err := range source.PlanRanges(ctx, f.Job.planPath()) {
		var more bool
		if err == nil {
			r.Done, err, more = next()
		}
		if err == nil && !more {
			err = fmt.Errorf("the plan has more ranges than the run, %d", f.Job.Ranges)
		}
		if err != nil {
			return marked(err)
		}
		if r.Done {
			r.Pieces = nil // nobody reads them
		}
		emit(r)
	}
	return nil
}

func (j *Job) planPath() string {
	return store.Join(j.Output, OwnDir, source.PlanName(j.FP))
}
