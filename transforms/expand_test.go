package transforms

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
)

// Expand emits every range of the plan once, in order, in few spans, and without its
// pieces if it is done. A plan of another run, or one that cannot be read, fails the
// run with its cause.
func TestExpand(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "x.txt"), []byte(strings.Repeat("Word .\n\n", 1000)), 0o644))
	inputs, err := source.List(t.Context(), []string{filepath.Join(dir, "x.txt")}, source.ListOptions{})
	must(t, err)
	for _, c := range []struct{ bytes, long int }{{800, 1}, {10, 2}} {
		plan, err := source.NewPlan(t.Context(), source.ListingOf(inputs), source.PlanOptions{RangeBytes: int64(c.bytes)})
		must(t, err)
		n := len(plan.Sizes)
		f := &expandFn{Job: Job{Run: output.Run{Record: output.Record{FP: strings.Repeat("0", 64)}, Ranges: n, Output: t.TempDir()}}}
		f.Job.FormatVersion = output.FormatVersion
		must(t, plan.Write(t.Context(), f.Job.PlanPath(), ""))
		parts, err := f.Job.Open(t.Context(), 1)
		must(t, err)
		must(t, parts.Commit(nil))

		k := 0
		check := func(s Span) {
			if len(s.Ranges) != c.long && k+len(s.Ranges) != n {
				t.Errorf("a span of %d ranges", len(s.Ranges))
			}
			for _, r := range s.Ranges {
				if r.K != k || r.Done != (k == 1) || (r.Pieces == nil) != r.Done {
					t.Errorf("%+v comes as range %d", r, k)
				}
				k++
			}
		}
		if err := f.ProcessElement(t.Context(), nil, check); err != nil || k != n {
			t.Errorf("%d ranges of %d, %v", k, n, err)
		}
		ignore := func(Span) {}
		f.Job.Ranges--
		if err := f.ProcessElement(t.Context(), nil, ignore); err == nil || !strings.Contains(err.Error(), "more ranges than the run") {
			t.Errorf("with a range too many: %v", err)
		}
		must(t, os.Remove(f.Job.PlanPath()))
		if err := f.ProcessElement(t.Context(), nil, ignore); err == nil {
			t.Error("without a plan: no error")
		}
		if cause, known := f.Job.FirstCause(t.Context()); !known || cause.Range != -1 {
			t.Errorf("cause %+v", cause)
		}
	}
}
