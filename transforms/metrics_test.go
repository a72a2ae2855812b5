package transforms

import (
	"context"
	"strings"
	"testing"

	beammetrics "github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/parser/syntax"
)

// However many reasons there are, they are counted by kind, and so are the
// counters of Beam; outside Beam counting does nothing.
func TestReasonsAreCountedByKind(t *testing.T) {
	c := &Chunk{}
	sum := output.Tally{}
	c.Files = []output.File{{URI: "in/a"}}
	for i := range 5000 {
		kind := syntax.Kind(i % len(syntax.Kinds()))
		why := syntax.Because(kind, "%s %d", strings.Repeat(string(rune('a'+i%26)), 2000), i)
		c.Failures = append(c.Failures, failed(stageRead, why, place{int64(i), 0}, ""))
	}
	c.count(context.Background())
	names := 0
	failureCounters.Range(func(name, _ any) bool {
		names++
		return true
	})
	if n := len(syntax.Kinds()); names != n {
		t.Errorf("%d names of counters for %d kinds", names, n)
	}
	if err := sum.Add(c.Batch()); err != nil {
		t.Fatal(err)
	}
	if len(sum.Reasons) != len(syntax.Kinds()) {
		t.Errorf("%d reasons for %d kinds", len(sum.Reasons), len(syntax.Kinds()))
	}
	for i, r := range sum.Reasons {
		if int(r.Kind) != i || r.ByteOffset != int64(i) || r.Count < 5000/int64(len(sum.Reasons)) || len(r.Reason) != output.FailureText || r.SourceURI != "in/a" {
			t.Errorf("reason %d: %+v", i, r)
		}
	}
}

// BenchmarkCount measures what counting costs a sentence.
func BenchmarkCount(b *testing.B) {
	const sentences = 1000
	ctx := beammetrics.SetPTransformID(beammetrics.SetBundleID(context.Background(), "bundle"), "Write")
	c := &Chunk{}
	for i := range sentences {
		s := syntax.Sentence{Words: make([]syntax.Word, 20)}
		s.Confidence.Restarts, s.Confidence.Weighed = 3, int64(i*7)
		c.Sentences = append(c.Sentences, Sentence{Sentence: s})
	}
	var work output.Work
	for b.Loop() {
		c.count(ctx)
		for i := range c.Sentences {
			work.Note(c.Sentences[i].Confidence.Weighed)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/sentences, "ns/sentence")
}
