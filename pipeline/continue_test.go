//go:build unix

package pipeline

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/treebeam/treebeam/transforms"
)

var continueRanges = flag.Int("ranges", 2000, "BenchmarkContinue: number of finished ranges")

// processorSeconds is the time that this process has had of the processors.
func processorSeconds() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
}

// BenchmarkContinue is a run all of whose ranges are done, started again: from
// and to a local disk and a bucket of an emulator in this process. The requests
// that it reports do not depend on the machine.
//
//	go test -trimpath -tags disable_grpc_modules -run '^$' -bench Continue -benchtime 1x ./pipeline -args -ranges 20000
func BenchmarkContinue(b *testing.B) {
	const paragraph = "One two three four five .\n\n"
	transforms.RegisterModels("through", func(string) (transforms.Stages, string, error) { return through{}, "through", nil })
	text := map[string]string{"one.txt": strings.Repeat(paragraph, *continueRanges)}
	for _, scheme := range []string{"local", "gs"} {
		b.Run(scheme, func(b *testing.B) {
			in, out := write(b, text), filepath.Join(b.TempDir(), "out")
			requests := func() int { return 0 }
			if open := buckets[scheme]; open != nil {
				bucket := open(b)
				in, out = bucket.upload(b, in, "in"), bucket.uri+"/out"
				requests = bucket.server.Requests
			}
			o := options(in, out)
			o.Model, o.RangeBytes = "through:", int64(len(paragraph))
			first, start := requests(), time.Now()
			if err := tryRun(o); err != nil {
				b.Fatal(err)
			}
			once, took := requests()-first, time.Since(start)
			var used int
			cpu := processorSeconds()
			for b.Loop() {
				before := requests()
				written := transforms.Progress.Written.Load()
				p, err := Prepare(context.Background(), o)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := Run(context.Background(), p); err != nil {
					b.Fatal(err)
				}
				p.Close()
				if n := transforms.Progress.Written.Load() - written; n != 0 || p.Job.Ranges != *continueRanges {
					b.Fatal(fmt.Errorf("%d of %d ranges were written again", n, p.Job.Ranges))
				}
				used = requests() - before
			}
			b.ReportMetric(float64(once), "requests-first")
			b.ReportMetric(took.Seconds(), "s-first")
			b.ReportMetric(float64(used), "requests")
			b.ReportMetric((processorSeconds()-cpu)/float64(b.N), "processor-s")
		})
	}
}
