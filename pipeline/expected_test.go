package pipeline

import (
	"bytes"
	"context"
	"math"
	"path/filepath"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
)

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
	out, err := output.Open(context.Background(), o.Output)
	if err != nil {
		t.Fatal(err)
	}
	all, by := new(forecast), map[string]*forecast{}
	for row, err := range out.Trees {
		if err != nil {
			t.Fatal(err)
		}
		if by[row.SourceURI] == nil {
			by[row.SourceURI] = new(forecast)
		}
		by[row.SourceURI].add(row)
		all.add(row)
	}
	nulls := 0
	for d, err := range out.Documents {
		if err != nil {
			t.Fatal(err)
		}
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
	sum, err := output.ReadSummary(o.Output)
	if err != nil {
		t.Fatal(err)
	}
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
