package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
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
		p, err := Prepare(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		sum, err := Run(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
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
	p, err := Prepare(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	sum, err := Run(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
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
		{"heads weighed", got["heads_weighed"].Sum, sum.Work.Heads},
		{"restarts", got["restarts"].Sum, sum.Trees}, // the toy's are 1 each
		{"lengths", got["tokens_per_sentence"].Values, sum.Trees},
		{"words by length", got["tokens_per_sentence"].Sum, sum.Words},
		{"most work", got["heads_weighed_per_sentence"].Max, sum.Work.Max},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", c.name, c.got, c.want)
		}
	}
	if sum.Errors < 2 || sum.Warnings == 0 || sum.Work.Max == 0 {
		t.Error("the test wants failures, warnings and work", sum.Errors, sum.Warnings, sum.Work)
	}

	again, err := Prepare(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, err := Run(context.Background(), again); err != nil {
		t.Fatal(err)
	}
	for _, m := range again.Metrics() {
		if m.Name != "ranges_skipped" && m.Name != "model_load_ms" || m.Name == "ranges_skipped" && m.Sum != int64(p.Job.Ranges) {
			t.Errorf("where all was done: %v", m)
		}
	}
}

// The histogram of work is in the parts: it survives an interruption.
func TestWorkOfContinuedRun(t *testing.T) {
	o := options(write(t, map[string]string{"a.txt": prose(60)}), filepath.Join(t.TempDir(), "out"))
	o.RangeBytes = 1000
	run(t, o)
	first, err := output.ReadSummary(o.Output)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := output.PartPaths(o.Output, "trees")
	if err != nil {
		t.Fatal(err)
	}
	removeAll(t, append(parts[:len(parts)/2], filepath.Join(o.Output, "summary.json"), filepath.Join(o.Output, "manifest.json")))
	run(t, o)
	second, err := output.ReadSummary(o.Output)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(first.Work)
	b, _ := json.Marshal(second.Work)
	if string(a) != string(b) || first.Work.P99 == 0 {
		t.Errorf("%s\n%s", a, b)
	}
}

func removeAll(t *testing.T, names []string) {
	t.Helper()
	for _, name := range names {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}
