package transforms_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/transforms"
)

var megabytes = flag.Int64("megabytes", 20, "size of the files of BenchmarkCuts")

// BenchmarkCuts reads a large table by ranges, without parsing, on 1 and on 8 workers, and
// reports how many bytes were read for each byte of the file:
//
//	go test -run '^$' -bench Cuts -benchtime 1x ./transforms -args -megabytes 2000
//
// Every text in the CSV file is in quotes and holds quotes, commas and a line break, so
// that a range must find out whether it begins in a field. The number of records shows
// that no worker loses or doubles one.
func BenchmarkCuts(b *testing.B) {
	for _, format := range []string{"%d,\"The %d said: \"\"It is no word,\n%s\"\"\"\n", "%d\tThe %d said: \"It is no word.\"%s\n"} {
		name := map[byte]string{',': "x.csv", '\t': "x.tsv"}[format[2]]
		path, rows := filepath.Join(b.TempDir(), name), int64(0)
		f, err := os.Create(path)
		must(b, err)
		w := bufio.NewWriterSize(f, 1<<20)
		fmt.Fprintf(w, "id%ctext\n", format[2])
		for written := int64(0); written < *megabytes*1e6; rows++ {
			n, err := fmt.Fprintf(w, format, rows, rows, strings.Repeat(" And on it went.", int(rows%40)))
			must(b, err)
			written += int64(n)
		}
		must(b, w.Flush(), f.Close())
		for _, workers := range []int{1, 8} {
			b.Run(fmt.Sprintf("%s/workers=%d", name, workers), func(b *testing.B) {
				for b.Loop() {
					readTable(b, path, rows, workers)
				}
			})
		}
		os.Remove(path)
	}
}

// readTable plans a table and reads all of its ranges.
func readTable(b *testing.B, path string, rows int64, workers int) {
	b.Helper()
	before := bytesRead()
	inputs, err := source.List(b.Context(), []string{path}, source.ListOptions{})
	must(b, err)
	plan, err := source.NewPlan(b.Context(), source.ListingOf(inputs), source.PlanOptions{Least: transforms.LeastPiece(output.RowOptions{})})
	must(b, err)
	var records atomic.Int64
	group, ctx := errgroup.WithContext(b.Context())
	group.SetLimit(workers)
	for r, err := range plan.Ranges() {
		must(b, err)
		group.Go(func() error {
			return transforms.ReadPaced(ctx, &r, nil, output.RowOptions{}, nil, func(c transforms.Chunk) error {
				for i := range c.Ends {
					records.Add(c.Ends[i].Records)
				}
				return nil
			})
		})
	}
	must(b, group.Wait())
	if n := records.Load(); n != rows {
		b.Fatalf("%d records were read, the file has %d", n, rows)
	}
	b.SetBytes(plan.Bytes)
	b.ReportMetric(float64(len(plan.Sizes)), "ranges")
	if read := bytesRead() - before; read > 0 {
		b.ReportMetric(float64(read)/float64(plan.Bytes), "read/byte")
	}
}

// bytesRead is how many bytes this process has read from files so far; 0 where the
// system does not say.
func bytesRead() (n int64) {
	text, _ := os.ReadFile("/proc/self/io")
	fmt.Sscanf(string(text), "rchar: %d", &n)
	return n
}
