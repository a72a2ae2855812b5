//go:build unix

package pipeline

import (
	"bufio"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/treebeam/treebeam/transforms"
)

var (
	readWriteMB    = flag.Int("megabytes", 20, "BenchmarkReadWrite: size of the one file, decompressed")
	readWriteFiles = flag.Int("files", 2000, "BenchmarkReadWrite: number of small files")
)

// BenchmarkReadWrite is the pipeline without its arithmetic: stages that make
// one sentence of a block, with one word. It reports the largest memory that the
// process has had, so each case wants a process of its own:
//
//	go test -trimpath -tags disable_grpc_modules -run '^$' -bench ReadWrite/file -benchtime 1x ./pipeline -args -megabytes 5000
func BenchmarkReadWrite(b *testing.B) {
	transforms.RegisterModels("through", func(string) (transforms.Stages, string, error) { return through{}, "through", nil })
	for _, c := range []struct {
		name     string
		generate func(dir string) error
	}{
		{"file", func(dir string) error { return generateFile(filepath.Join(dir, "one.txt"), false) }},
		{"gz", func(dir string) error { return generateFile(filepath.Join(dir, "one.txt.gz"), true) }},
		{"small", generateSmall},
	} {
		b.Run(c.name, func(b *testing.B) {
			dir := b.TempDir()
			if err := c.generate(dir); err != nil {
				b.Fatal(err)
			}
			before := peakMB(b)
			for b.Loop() {
				out := filepath.Join(b.TempDir(), "out")
				o := options(dir, out)
				o.Model = "through:"
				p, err := Prepare(context.Background(), o)
				if err != nil {
					b.Fatal(err)
				}
				sum, err := Run(context.Background(), p)
				p.Close()
				if err != nil {
					b.Fatal(err)
				}
				if sum.Errors != 0 || sum.Trees == 0 {
					b.Fatalf("%d trees, %d failures", sum.Trees, sum.Errors)
				}
				b.SetBytes(sum.StoredBytes)
				b.ReportMetric(float64(sum.Trees), "sentences")
				b.ReportMetric(float64(p.Job.Ranges), "ranges")
			}
			b.ReportMetric(before, "MB-before")
			b.ReportMetric(peakMB(b), "MB-peak")
		})
	}
}

// peakMB is the largest resident memory of this process so far.
func peakMB(b *testing.B) float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	if runtime.GOOS == "darwin" {
		return float64(used.Maxrss) / (1 << 20)
	}
	return float64(used.Maxrss) / (1 << 10)
}

// paragraph is number i of about a kilobyte.
func paragraph(i int) string {
	return fmt.Sprintf("Paragraph %d begins here, and %s.\n\n", i, strings.Repeat(fmt.Sprintf("goes on with the number %d, ", i%977), 36))
}

func generateFile(name string, zip bool) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	var w io.Writer = f
	if zip {
		z, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
		if err != nil {
			return err
		}
		defer z.Close()
		w = z
	}
	buffer := bufio.NewWriterSize(w, 1<<20)
	for i, written := 0, 0; written < *readWriteMB*1e6; i++ {
		n, err := buffer.WriteString(paragraph(i))
		if err != nil {
			return err
		}
		written += n
	}
	return buffer.Flush()
}

func generateSmall(dir string) error {
	for i := range *readWriteFiles {
		folder := filepath.Join(dir, fmt.Sprintf("%03d", i/1000))
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
		text := fmt.Sprintf("File %d has two paragraphs of text in it.\n\nThis is the second of them, the one of file %d.\n", i, i)
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%06d.txt", i)), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}
