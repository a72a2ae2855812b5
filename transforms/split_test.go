package transforms

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
)

// Wherever and whenever a span is split, each range is read once, and gives the same
// chunks.
func TestSplitAnywhere(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "x.txt"), []byte(strings.Repeat("Some words .\n\n", 90)), 0o644))
	inputs, err := source.List(t.Context(), []string{filepath.Join(dir, "x.txt")}, source.ListOptions{})
	must(t, err)
	plan, err := source.NewPlan(t.Context(), source.ListingOf(inputs), source.PlanOptions{RangeBytes: 200})
	if err != nil || len(plan.Sizes) < 5 {
		t.Fatal(err)
	}
	var ranges []source.Range
	for r, err := range plan.Ranges() {
		must(t, err)
		ranges = append(ranges, r)
	}
	span := Span{ranges[1:]} // not from the first
	f := &readFn{Job: Job{Run: output.Run{Output: filepath.Join(dir, "out"), Ranges: len(ranges)}}}
	f.Job.Options.MaxWords = 100
	// read reads a part of the span, which is split while its range at is read.
	read := func(part offsetrange.Restriction, at int, fraction float64) (chunks []string, rest any) {
		tracker := f.CreateTracker(part)
		err := f.ProcessElement(t.Context(), tracker, span, func(c Chunk) {
			if c.Range == at && rest == nil {
				if _, rest, err = tracker.TrySplit(fraction); err != nil {
					t.Fatal(err)
				}
			}
			c.Attempt = 0
			chunks = append(chunks, fmt.Sprintf("%+v", c))
		})
		if err != nil || !tracker.IsDone() {
			t.Fatalf("done %v, %v", tracker.IsDone(), err)
		}
		return chunks, rest
	}
	whole := f.CreateInitialRestriction(span)
	want, _ := read(whole, -1, 0)
	if len(want) != len(span.Ranges) {
		t.Fatalf("%d chunks of %d ranges", len(want), len(span.Ranges))
	}
	for _, r := range span.Ranges {
		for _, fraction := range []float64{0, 0.3, 0.5, 0.9, 1} {
			got, rest := read(whole, r.K, fraction)
			if rest != nil {
				part := rest.(offsetrange.Restriction)
				if f.RestrictionSize(span, part) <= 0 || f.RestrictionSize(span, part) >= f.RestrictionSize(span, whole) {
					t.Errorf("size of %v: %v", part, f.RestrictionSize(span, part))
				}
				others, _ := read(part, -1, 0)
				got = append(got, others...)
			} else if fraction == 0 && r.K < ranges[len(ranges)-1].K {
				t.Errorf("range %d: no split", r.K)
			}
			if !slices.Equal(got, want) {
				t.Errorf("split at %d, %v: got %d chunks, want %d", r.K, fraction, len(got), len(want))
			}
		}
	}
}

// must ends the test if there is an error.
func must(tb testing.TB, errs ...error) {
	tb.Helper()
	for _, err := range errs {
		if err != nil {
			tb.Fatal(err)
		}
	}
}
