package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/parser/eval"
)

// An output and the CoNLL-U that --conf makes of it say the same of confidence;
// what was expected of an output is what its summary says, beside what is true.
func TestEvalOfConfidence(t *testing.T) {
	dir := t.TempDir()
	out, sure := filepath.Join(dir, "out"), filepath.Join(dir, "sure.conllu")
	ends(t, exitOK, "", toyCommand(toyTrain, "--retag", "--output", out)...)
	text, _ := ends(t, exitOK, "", "convert", out, "--to", "conllu", "--conf")
	must(t, os.WriteFile(sure, []byte(text), 0o644))
	read := func(system string) (r eval.Result) {
		f := evalFlags{gold: toyTrain, system: system}
		f.report.JSON = true
		text, err := evalOutput(t, f)
		must(t, err, json.Unmarshal([]byte(text), &r))
		return r
	}
	folder, file := read(out), read(sure)
	if len(folder.Confidence) == 0 || folder.Confidence[len(folder.Confidence)-2].Column != "upos_conf" {
		t.Fatalf("%+v", folder.Confidence)
	}
	kept := folder.Confidence[:0:0]
	for _, r := range folder.Confidence {
		if !strings.Contains(r.Column, "marginal") { // which CoNLL-U has not
			kept = append(kept, r)
		}
	}
	if !reflect.DeepEqual(kept, file.Confidence) || file.Forecast != nil {
		t.Errorf("the output has %+v,\nCoNLL-U %+v, %+v", kept, file.Confidence, file.Forecast)
	}
	sum, err := output.ReadSummary(out)
	must(t, err)
	if len(folder.Forecast) != 3 || sum.Forecast == nil {
		t.Fatalf("%+v, %+v", folder.Forecast, sum.Forecast)
	}
	las, want := folder.Forecast[2], sum.Forecast
	if las.Metric != eval.LAS || math.Abs(las.Expected-float64(want.LAS)) > 1e-6 || math.Abs(las.Stderr-float64(want.LASStderr)) > 1e-6 ||
		las.F1 != folder.Scores[eval.LAS].F1() || las.Difference != las.F1-las.Expected {
		t.Errorf("%+v, the summary has %+v", las, want)
	}
}
