package output

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkFinish measures what a part costs at the end of a run.
func BenchmarkFinish(b *testing.B) {
	const ranges = 2000
	job := Run{Record: Record{FP: strings.Repeat("0123456789abcdef", 4)}, Ranges: ranges, Output: b.TempDir()}
	for k := range ranges {
		r, err := job.Open(k)
		if err != nil {
			b.Fatal(err)
		}
		end := File{DocID: fmt.Sprintf("%d.txt", k), URI: fmt.Sprintf("/corpus/%d.txt", k), Version: strings.Repeat("f", 64), Format: "text", EOF: true, End: 1000}
		if err := r.Commit([]File{end}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if err := job.Finish(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/ranges, "us/part")
}
