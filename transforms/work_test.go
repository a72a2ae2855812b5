package transforms

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	beammetrics "github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Buckets are intervals without gaps, at most a quarter wide.
func TestBucketsOfWork(t *testing.T) {
	before := int64(-1)
	for n := int64(0); n < 1<<12; n++ {
		top := topOf(n)
		if top < n || n >= ownBuckets && (top-n)*4 > n {
			t.Fatalf("%d is in the bucket that ends at %d", n, top)
		}
		if top != before && before >= n {
			t.Fatalf("%d is in the bucket that ends at %d, and in that of %d", n, before, top)
		}
		before = top
	}
	for _, n := range []int64{1 << 40, 1<<62 - 1, 1 << 62, 1<<63 - 1} {
		if top := topOf(n); top < n || topOf(top) != top {
			t.Errorf("%d: %d", n, top)
		}
	}
}

// Quantiles are those of the sorted list, up to a quarter higher, and do not
// depend on how the sentences were divided.
func TestQuantilesOfWork(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var whole Work
		var parts [3]Work
		var list []int64
		for range 1 + r.IntN(300) {
			n := r.Int64N(1 << r.IntN(20))
			list = append(list, n)
			whole.note(n)
			parts[r.IntN(3)].note(n)
		}
		slices.Sort(list)
		for _, percent := range []int64{1, 50, 99, 100} {
			want := list[(int64(len(list))*percent+99)/100-1]
			if got := whole.quantile(percent); got < want || got > want+want/4 || got > whole.Max {
				t.Fatalf("%d%% of %d: %d, want %d", percent, len(list), got, want)
			}
		}
		var sum Work
		for i := range parts {
			sum.add(&parts[i])
		}
		sum.setQuantiles()
		whole.setQuantiles()
		a, _ := json.Marshal(&sum)
		b, _ := json.Marshal(&whole)
		if string(a) != string(b) {
			t.Fatalf("%s\n%s", a, b)
		}
	}
	if empty := new(Work); empty.quantile(50) != 0 {
		t.Error("work without sentences")
	}
}

func TestWorkSteps(t *testing.T) {
	for n, want := range map[int64]int{0: 0, 1: 0, 2: 1, 3: 2, 4: 2, 5: 3, 1024: 10, 1025: 11, 1 << 31: 31, 1 << 60: 31} {
		if got := workStep(n); got != want {
			t.Errorf("step of %d: %d, want %d", n, got, want)
		}
	}
}

// However many reasons there are, they are counted by kind, and so are the
// counters of Beam; outside Beam counting does nothing.
func TestReasonsAreCountedByKind(t *testing.T) {
	c := &Chunk{}
	sum := Tally{}
	c.Files = []File{{URI: "in/a"}}
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
	if err := sum.Add(c); err != nil {
		t.Fatal(err)
	}
	if len(sum.Reasons) != len(syntax.Kinds()) {
		t.Errorf("%d reasons for %d kinds", len(sum.Reasons), len(syntax.Kinds()))
	}
	for i, r := range sum.Reasons {
		if int(r.Kind) != i || r.ByteOffset != int64(i) || r.Count < 5000/int64(len(sum.Reasons)) || len(r.Reason) != FailureText || r.SourceURI != "in/a" {
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
	var work Work
	for b.Loop() {
		c.count(ctx)
		for i := range c.Sentences {
			work.note(c.Sentences[i].Confidence.Weighed)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/sentences, "ns/sentence")
}
