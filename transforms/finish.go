package transforms

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[finishFn]())
	register.Iter1[Done]()
}

// Finish waits for all ranges, checks the sums in the footers of their parts, and writes
// documents/, summary.json and, last of all, manifest.json. An output with manifest.json
// is complete.
//
// PCollection<Done> ->
func Finish(s beam.Scope, job Job, done beam.PCollection) {
	s = s.Scope("Finish")
	beam.ParDo0(s, &finishFn{Job: job}, beam.GroupByKey(s, beam.AddFixedKey(s, done)))
}

// manySums bounds the sums that Finish holds, some kilobytes each. The footers of other
// ranges are read.
const manySums = 10_000

type finishFn struct {
	Job Job
}

func (f *finishFn) ProcessElement(ctx context.Context, _ int, next func(*Done) bool) error {
	seen := make([]bool, f.Job.Ranges)
	sums := map[int]string{}
	changed := false
	var d Done
	for next(&d) {
		if d.K < 0 || d.K >= len(seen) {
			return f.Job.failed(ctx, -1, fmt.Errorf("range %d was finished, but the plan has %d", d.K, len(seen)))
		}
		seen[d.K] = true
		changed = changed || !d.Skipped
		if d.Sums != "" && len(sums) < manySums {
			sums[d.K] = d.Sums
		}
	}
	if k := slices.Index(seen, false); k >= 0 {
		return f.Job.failed(ctx, -1, fmt.Errorf("range %d of %d was lost on the way: run the same command again", k, len(seen)))
	}
	return f.Job.failed(ctx, -1, f.Job.Finish(ctx, changed, sums))
}
