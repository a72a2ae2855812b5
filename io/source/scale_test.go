package source

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkPlan makes, writes and reads the plan of 5 TB of text, about 10^12
// tokens: 5,000 files of 1 GB in an object store.
func BenchmarkPlan(b *testing.B) {
	var inputs []Input
	for i := range 5000 {
		name := fmt.Sprintf("crawl-2026/segment-%04d/part-%05d.txt", i/50, i)
		inputs = append(inputs, Input{URI: "gs://a-bucket-of-text/" + name, DocID: name, Size: 1e9, Version: fmt.Sprint(1700000000000000 + i)})
	}
	path := filepath.Join(b.TempDir(), "plan")
	for b.Loop() {
		p, err := NewPlan(inputs, PlanOptions{})
		if err != nil {
			b.Fatal(err)
		}
		if err := p.Write(context.Background(), path, ""); err != nil {
			b.Fatal(err)
		}
		n := 0
		for _, err := range PlanRanges(context.Background(), path) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		b.ReportMetric(float64(n), "ranges")
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size()), "bytes-of-plan")
}
