package transforms

import (
	"context"
	"fmt"
	"iter"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[expandFn]())
	register.Emitter1[Span]()
}

// A Span is a run of consecutive ranges of the plan. Its coder is opaque: a path need
// not be UTF-8.
type Span struct{ Ranges []source.Range }

// A plan of more than manySpans ranges has spans of several ranges, up to longSpan. This
// leaves fewer elements for an engine that splits, and enough for one that does not.
const (
	manySpans = 512
	longSpan  = 8
)

// Expand emits the ranges of the job's plan, and marks those that are done, of which a
// resumed run may have a hundred thousand. The graph holds only the place of the plan.
// The spans are separate elements, and reshuffled, because Flink processes the parts of
// one element one after the other on one worker.
//
// -> PCollection<Span>
func Expand(s beam.Scope, job Job) beam.PCollection {
	s = s.Scope("Expand")
	return beam.Reshuffle(s, beam.ParDo(s, &expandFn{Job: job}, beam.Impulse(s)))
}

type expandFn struct {
	Job Job
}

func (f *expandFn) ProcessElement(ctx context.Context, _ []byte, emit func(Span)) error {
	if err := f.Job.CheckToken(); err != nil {
		return f.Job.failed(ctx, -1, err)
	}
	var span Span
	long := min(1+f.Job.Ranges/manySpans, longSpan)
	next, stop := iter.Pull2(f.Job.Found(ctx))
	defer stop()
	for r, err := range source.PlanRanges(ctx, f.Job.PlanPath()) {
		var more bool
		if err == nil {
			var found output.Found
			if found, err, more = next(); found.Damaged {
				Progress.Damaged.Add(1)
			}
			r.Done = found.Done
		}
		if err == nil && !more {
			err = fmt.Errorf("the plan has more ranges than the run, %d", f.Job.Ranges)
		}
		if err != nil {
			return f.Job.failed(ctx, -1, err)
		}
		if r.Done {
			r.Pieces = nil // nobody reads them
		}
		if span.Ranges = append(span.Ranges, r); len(span.Ranges) == long || r.K == r.N-1 {
			emit(span)
			span = Span{}
		}
	}
	return nil
}
