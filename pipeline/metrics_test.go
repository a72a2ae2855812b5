package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// What went through the encoder is counted.
func TestMetricOfAnEncoder(t *testing.T) {
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "word%d it is . ", i)
	}
	for effort, least := range map[string]int64{"0": 0, "0.5": 1, "1": 1} {
		o := options(write(t, map[string]string{"a.txt": text.String()}), filepath.Join(t.TempDir(), "out"))
		o.Model, o.Rows.Effort = transformstest.EncoderURI, effort
		p := prepared(t, o)
		sum, err := Run(context.Background(), p)
		must(t, err)
		encoded := int64(0)
		for _, m := range p.Metrics() {
			if m.Name == "tokens_encoded" {
				encoded = m.Sum
			}
		}
		if encoded < least || encoded > sum.Words || (effort == "0") != (encoded == 0) || (effort == "1") != (encoded == sum.Words) {
			t.Errorf("effort %s: %d of %d words were encoded", effort, encoded, sum.Words)
		}
	}
}

// What the runner reports agrees with the summary, which does not come from it.
func TestMetrics(t *testing.T) {
	dir := write(t, map[string]string{
		"a.txt": prose(60), "b.conllu": small + "1\tbad\n\n", "c.pdf": "%PDF-1.7\n", "d.txt": "caf\xe9 au lait .\n",
	})
	o := options(dir, filepath.Join(t.TempDir(), "out"))
	o.RangeBytes = 1000
	p := prepared(t, o)
	sum, err := Run(context.Background(), p)
	must(t, err)
	got := map[string]Metric{}
	for _, m := range p.Metrics() {
		got[m.Name] = m
	}
	failures, warnings := int64(0), int64(0)
	for name, m := range got {
		switch {
		case strings.HasPrefix(name, "failures_"):
			failures += m.Sum
		case strings.HasPrefix(name, "warnings_"):
			warnings += m.Sum
		}
	}
	for _, c := range []struct {
		name      string
		got, want int64
	}{
		{"sentences", got["sentences"].Sum, sum.Trees},
		{"tokens", got["tokens"].Sum, sum.Words},
		{"ranges", got["ranges_written"].Sum, int64(p.Job.Ranges)},
		{"skipped", got["ranges_skipped"].Sum, 0},
		{"repaired", got["sentences_repaired"].Sum, sum.Status["repaired"]},
		{"failures", failures, sum.Errors},
		{"warnings", warnings, sum.Warnings},
		{"heads weighed", got["heads_weighed"].Sum, got["heads_weighed_per_sentence"].Sum},
		{"restarts", got["restarts"].Sum, sum.Trees}, // the toy's are 1 each
		{"lengths", got["tokens_per_sentence"].Values, sum.Trees},
		{"words by length", got["tokens_per_sentence"].Sum, sum.Words},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", c.name, c.got, c.want)
		}
	}
	if sum.Errors < 2 || sum.Warnings == 0 || got["heads_weighed"].Sum == 0 {
		t.Error("the test wants failures, warnings and work", sum.Errors, sum.Warnings)
	}

	again := prepared(t, o)
	if _, err := Run(context.Background(), again); err != nil {
		t.Fatal(err)
	}
	for _, m := range again.Metrics() {
		if m.Name != "ranges_skipped" && m.Name != "model_load_ms" || m.Name == "ranges_skipped" && m.Sum != int64(p.Job.Ranges) {
			t.Errorf("where all was done: %v", m)
		}
	}
}

// A forecast is what is expected by the columns of trees, without the sums that
// the stages carry.
type forecast struct {
	words         int
	sum, variance [3]float64 // of UPOS, UAS and LAS
}

func (f *forecast) add(t *parquet.Tree) {
	if t.HeadConf == nil {
		return
	}
	f.words += len(t.Tokens)
	for k, list := range [][]float32{t.UPOSConf, t.HeadConf, t.DeprelConf} {
		for _, p := range list {
			f.sum[k] += float64(p)
			f.variance[k] += float64(p) * (1 - float64(p))
		}
	}
}

// check compares shares and standard errors with the columns'. Variances are
// rounded down to 1/4096, word by word.
func (f *forecast) check(t *testing.T, what string, shares, stderrs [3]float64) {
	t.Helper()
	n := float64(f.words)
	for k := range shares {
		if share := f.sum[k] / n; math.Abs(shares[k]-share) > 1e-6 {
			t.Errorf("%s: %v is expected, by the columns %v", what, shares[k], share)
		}
		low, high := math.Sqrt(math.Max(f.variance[k]-n/4096, 0))/n, math.Sqrt(f.variance[k])/n
		if stderrs[k] < low-1e-6 || stderrs[k] > high+1e-6 {
			t.Errorf("%s: a standard error of %v, by the columns %v to %v", what, stderrs[k], low, high)
		}
	}
}

// What documents/, the summary and that of a stream expect is what the columns
// of the trees say, and null where they are.
func TestExpected(t *testing.T) {
	o := options(corpus(t), filepath.Join(t.TempDir(), "out"))
	o.RangeBytes = rangeBytes
	run(t, o)
	all, by := new(forecast), map[string]*forecast{}
	for _, row := range rowsOf[parquet.Tree](t, o.Output, "trees") {
		if by[row.SourceURI] == nil {
			by[row.SourceURI] = new(forecast)
		}
		by[row.SourceURI].add(&row)
		all.add(&row)
	}
	nulls := 0
	for _, d := range rowsOf[parquet.Document](t, o.Output, "documents") {
		f := by[d.SourceURI]
		if f == nil {
			f = new(forecast)
		}
		if d.CalibratedWords != int64(f.words) {
			t.Fatalf("%s has %d words with probabilities, by the columns %d", d.DocID, d.CalibratedWords, f.words)
		}
		if f.words == 0 {
			nulls++
			continue
		}
		f.check(t, d.DocID, [3]float64{d.ExpectedUPOS, d.ExpectedUAS, d.ExpectedLAS},
			[3]float64{d.ExpectedUPOSStderr, d.ExpectedUASStderr, d.ExpectedLASStderr})
	}
	if nulls < 2 || all.words == 0 || len(by) < 20 {
		t.Errorf("%d documents without, %d words, %d documents: the test needs some", nulls, all.words, len(by))
	}
	sum := summary(t, o.Output)
	e := sum.Forecast
	if e == nil || e.Words != int64(all.words) || e.Words >= sum.Words {
		t.Fatalf("expected %+v of %d words", e, sum.Words)
	}
	all.check(t, "summary", [3]float64{float64(e.UPOS), float64(e.UAS), float64(e.LAS)},
		[3]float64{float64(e.UPOSStderr), float64(e.UASStderr), float64(e.LASStderr)})
	var b bytes.Buffer
	streamed, err := Stream(context.Background(), o, &b)
	if err != nil || streamed.Expected != sum.Expected {
		t.Errorf("a stream expects %+v, a run %+v, %v", streamed.Expected, sum.Expected, err)
	}

	// Sums of two summaries are those of the rows of both.
	twice := *sum
	twice.Merge(sum)
	if f := twice.Forecast; f.Words != 2*e.Words || math.Abs(float64(f.LAS-e.LAS)) > 1e-6 || math.Abs(float64(f.LASStderr)*math.Sqrt2-float64(e.LASStderr)) > 2e-6 {
		t.Errorf("twice %+v is %+v", e, f)
	}
}
