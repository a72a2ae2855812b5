package losses

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/eval"
)

const report = `{"losses": {"words": 100, "lost": 10, "stages": [
	{"stage": "tags", "las_before": 0.9, "words": 4, "share": 0.04},
	{"stage": "labels", "las_before": 0.94, "words": 6, "share": 0.06}]}}`

// Stages that gold was given for leave a cell without a figure, not a row without a cell.
func TestShareOfAStageThatIsNotThere(t *testing.T) {
	l := &eval.Losses{Stages: []eval.Loss{{Stage: eval.TaggingStage, Share: 0.04}}}
	if got := share(l, eval.SegmentationStage) + " " + share(l, eval.TaggingStage); got != "- 4.00" {
		t.Error(got)
	}
}

func TestChart(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "a.json")
	if err := os.WriteFile(in, []byte(report), 0o644); err != nil {
		t.Fatal(err)
	}
	var charts [2][]byte
	for i := range charts {
		out := filepath.Join(dir, "chart.svg")
		if err := run(out, []string{"mine=" + in, "again=" + in}); err != nil {
			t.Fatal(err)
		}
		charts[i], _ = os.ReadFile(out)
	}
	if !bytes.Equal(charts[0], charts[1]) {
		t.Error("two charts of the same figures differ")
	}
	for _, want := range []string{">mine<", ">again<", ">pruning"} {
		if !strings.Contains(string(charts[0]), want) {
			t.Errorf("the chart has no %s", want)
		}
	}
	if err := os.WriteFile(in, []byte(`{"losses": {}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{nil, {"mine"}, {"mine=" + in}, {"mine=" + in + "x"}} {
		if err := run(filepath.Join(dir, "no.svg"), args); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
