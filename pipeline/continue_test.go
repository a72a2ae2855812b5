package pipeline

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/treebeam/treebeam/transforms"
)

var continueRanges = flag.Int("ranges", 2000, "BenchmarkContinue: number of finished ranges")

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
			b.ReportMetric(float64(requests()-first), "requests-first")
			b.ReportMetric(time.Since(start).Seconds(), "s-first")
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
				b.ReportMetric(float64(requests()-before), "requests")
			}
		})
	}
}
