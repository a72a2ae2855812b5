package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/treebank"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/model/modeltest"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/pipeline"
)

const (
	toyTrain = "testdata/xx_toy-ud-train.conllu"
	toyDev   = "testdata/xx_toy-ud-dev.conllu"
)

// evalOutput runs treebeam eval.
func evalOutput(t *testing.T, f evalFlags) (string, error) {
	t.Helper()
	if f.samples == 0 {
		f.samples = 100
	}
	if err := f.validate(); err != nil {
		return "", err
	}
	var out bytes.Buffer
	err := f.run(context.Background(), &out)
	return out.String(), err
}

func TestEvalOfFiles(t *testing.T) {
	wrong := filepath.Join(t.TempDir(), "wrong.conllu")
	text, err := os.ReadFile(toyDev)
	must(t, err)
	// noon hangs on shore in the first sentence: 1 of 17 heads is wrong.
	bad := strings.Replace(string(text), "Number=Sing\t2\tobl", "Number=Sing\t4\tnmod", 1)
	must(t, os.WriteFile(wrong, []byte(bad), 0o644))
	out, err := evalOutput(t, evalFlags{gold: toyDev, system: wrong, row: "toy"})
	if want := fmt.Sprintf("LAS %.2f UAS %.2f UPOS 100.00", 100*16.0/17, 100*16.0/17); err != nil || !strings.Contains(out, want) {
		t.Errorf("row %q, %v; want %s", out, err, want)
	}
	f := evalFlags{gold: toyDev, system: toyDev}
	f.report.JSON = true
	out, err = evalOutput(t, f)
	var report struct {
		Metrics map[string]struct{ F1 float64 }
	}
	if err != nil || json.Unmarshal([]byte(out), &report) != nil || report.Metrics["LAS"].F1 != 1 {
		t.Errorf("JSON %.200s, %v", out, err)
	}
	f = evalFlags{gold: toyDev, system: wrong}
	f.report.Plain = true
	out, err = evalOutput(t, f)
	if err != nil || !strings.HasPrefix(out, "Metric     | Precision |") || strings.Contains(out, "nopunct") {
		t.Errorf("-v prints %.200s, %v", out, err)
	}
	out, err = evalOutput(t, evalFlags{gold: toyDev, system: toyDev, against: wrong})
	if err != nil || !strings.Contains(out, "LAS: 100.00 against 94.12") {
		t.Errorf("comparison %q, %v", out, err)
	}
}

// A file of tokens and tags gets its scores, and a word on why those of its trees are 0.
func TestEvalWithoutHeads(t *testing.T) {
	text, err := os.ReadFile(toyDev)
	must(t, err)
	tagged := filepath.Join(t.TempDir(), "tagged.conllu")
	must(t, os.WriteFile(tagged, regexp.MustCompile(`(?m)^(\d+\t.*)\t\d+\t[^\t]+(\t[^\t]*\t[^\t]*)$`).ReplaceAll(text, []byte("$1\t_\t_$2")), 0o644))
	const want = "tagged.conllu has no heads: UAS and LAS are 0"
	stdout, _ := ends(t, exitOK, want, "eval", "--gold", toyDev, "--system", tagged, "--row", "x")
	if !strings.Contains(stdout, "LAS 0.00 UAS 0.00 UPOS 100.00") {
		t.Error(stdout)
	}
	ends(t, exitOK, want, "eval", "--gold", toyDev, "--system", toyDev, "--against", tagged)
	if _, stderr := ends(t, exitOK, "", "eval", "--gold", toyDev, "--system", toyDev); strings.Contains(stderr, "heads") {
		t.Error(stderr)
	}
}

func TestEvalRefusals(t *testing.T) {
	for _, c := range []struct {
		f    evalFlags
		want string
	}{
		{evalFlags{}, "--gold FILE is missing"},
		{evalFlags{gold: toyDev}, "give --system"},
		{evalFlags{gold: toyDev, system: "a", model: "b"}, "give --system"},
		{evalFlags{gold: toyDev, system: toyDev, goldTags: true}, "need --model"},
		{evalFlags{gold: toyDev, system: toyDev, effort: "0.5"}, "need --model"},
		{evalFlags{gold: "nowhere.conllu", system: toyDev}, "nowhere.conllu"},
		{evalFlags{gold: toyDev, system: "nowhere.conllu"}, "nowhere.conllu"},
		{evalFlags{gold: toyDev, system: t.TempDir()}, "it is not an output"},
		{evalFlags{gold: toyDev, system: toyTrain}, "same text"},
		{evalFlags{gold: toyDev, model: toyDev}, "CoNLL-U"},
		{evalFlags{gold: toyDev, system: toyDev, against: toyDev, samples: math.MaxInt}, "must be from 1 to"},
	} {
		_, err := evalOutput(t, c.f)
		if status := report("eval", err); status != exitRefused || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want a refusal with %q", c.f, err, c.want)
		}
	}
}

// TestTrainThenEval goes through the commands with a toy treebank: train,
// model info, and eval under every setting.
func TestTrainThenEval(t *testing.T) {
	path := filepath.Join(t.TempDir(), "toy.tbm")
	args := []string{"--train", toyTrain, "--dev", toyDev, "--model", path, "--folds", "2", "--licence", "none", "--release", "1"}
	must(t, runTrain(t.Context(), args))
	if list, err := filepath.Glob(path + "*"); err != nil || len(list) != 1 {
		t.Errorf("training left %v", list)
	}
	m, err := model.Open(path)
	must(t, err)
	if m.Info.Train.Sentences != 10 || m.Info.Language != "xx" || len(m.Info.Scores) != 3 || m.Info.Licence != "none" {
		t.Errorf("provenance %+v", m.Info)
	}
	var info bytes.Buffer
	printModel(&info, m)
	for _, want := range []string{m.Digest, "xx_toy 1", "treebeam train --train xx_toy-ud-train.conllu", "gold-tokens", "segment", "parse"} {
		if !strings.Contains(info.String(), want) {
			t.Errorf("model info lacks %q:\n%s", want, info.String())
		}
	}
	for i, f := range []evalFlags{{}, {goldTokens: true}, {goldTags: true}} {
		f.gold, f.model, f.row, f.search.Seed = toyDev, path, "toy", eval.SearchSeed
		f.write = filepath.Join(t.TempDir(), "system.conllu")
		out, err := evalOutput(t, f)
		want := fmt.Sprintf("LAS %.2f UAS %.2f", m.Info.Scores[i].LAS, m.Info.Scores[i].UAS)
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("setting %d: %q, %v; the model's provenance says %s", i, out, err, want)
		}
		if _, err := conllu.ReadAll(f.write); err != nil {
			t.Errorf("setting %d: written trees: %v", i, err)
		}
		again, err := evalOutput(t, evalFlags{gold: toyDev, system: f.write, row: "toy"})
		if err != nil || again != out {
			t.Errorf("setting %d: written trees score %q, %v; want %q", i, again, err, out)
		}
	}
}

// TestEvalSearchesAsParseDoes holds eval --model to the defaults of a run.
func TestEvalSearchesAsParseDoes(t *testing.T) {
	rows := pipeline.DefaultRows()
	if rows.Parse.Seed != eval.SearchSeed || rows.MaxWords != eval.DefaultMaxWords || rows.Parse.Restarts != 0 {
		t.Errorf("a run of the pipeline has the defaults %+v", rows)
	}
}

func TestRawBlocks(t *testing.T) {
	sents, err := conllu.ReadAll(toyDev)
	must(t, err)
	blocks, err := treebank.Blocks(sents)
	want := "She found the shore at noon. The red sail turned.|Who mended our boat?"
	if err != nil || strings.Join(blocks, "|") != want {
		t.Errorf("blocks %q, %v; want %s", blocks, err, want)
	}
}

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

// accurateToy is trainedToy with an encoder.
func accurateToy(t *testing.T) string {
	t.Helper()
	m, err := model.Open(trainedToy(t))
	must(t, err)
	data, err := modeltest.WithEncoder(m)
	must(t, err)
	path := filepath.Join(t.TempDir(), "accurate.tbm")
	must(t, os.WriteFile(path, data, 0o600))
	return path
}

// A model with an encoder parses with it; --effort 0 does without, and gives
// what the model without gives.
func TestParseWithAnEncoder(t *testing.T) {
	toy, accurate := trainedToy(t), accurateToy(t)
	in := filepath.Join(t.TempDir(), "a.txt")
	must(t, os.WriteFile(in, []byte("The old dog sees a small cat in the house. A cat and a dog like the red birds."), 0o600))
	parse := func(args ...string) string {
		t.Helper()
		out, _ := ends(t, exitOK, "", append([]string{"parse", in, "--to", "conllu"}, args...)...)
		return unsigned(t, out)
	}
	fast, all := parse("--model", toy), parse("--model", accurate)
	if parse("--model", accurate, "--effort", "0") != fast || parse("--model", accurate, "--effort", "1") != all || fast == all {
		t.Errorf("fast:\n%s\naccurate:\n%s", fast, all)
	}
	status, _, stderr := treebeam(t, "", "parse", in, "--to", "conllu", "--model", accurate, "--effort", "0.5")
	if status != exitRefused || !strings.Contains(stderr, "not calibrated") { // the toy has too few sentences
		t.Errorf("status %d, %s", status, stderr)
	}
	for _, c := range [][3]string{{accurate, "0.5", "not calibrated"}, {toy, "0.5", "no encoder"}, {accurate, "2", "must be a number"}} {
		ends(t, exitRefused, c[2], "eval", "--gold", toyDev, "--model", c[0], "--effort", c[1])
	}
	status, out, stderr := treebeam(t, "", "model", "info", accurate)
	if status != exitOK || !strings.Contains(out, "Copyright (c) nobody") || !strings.Contains(out, "tags 0.250") {
		t.Errorf("status %d, %s%s", status, out, stderr)
	}
}

// --accurate takes the accurate model in the program, or says that there is
// none.
func TestAccurate(t *testing.T) {
	_, err := model.Open(model.EmbeddedAccurate)
	status, out, stderr := treebeam(t, "It rains.\n", "parse", "-", "--to", "conllu", "--accurate")
	switch {
	case errors.Is(err, model.ErrNoAccurate):
		if status != exitRefused || !strings.Contains(stderr, "without the accurate English model") {
			t.Errorf("status %d, %s", status, stderr)
		}
	case err != nil:
		t.Fatal(err)
	case status != exitOK || strings.Count(out, "\n") < 4:
		t.Errorf("status %d, %s%s", status, out, stderr)
	}
}

// Without a flag, English is parsed by the accurate model, or by the fast one, of which a line
// says so, in a program without the accurate one. --effort is between.
func TestDefaultModel(t *testing.T) {
	const text = "Does the bus stop here? That is the guy whose dog bit you.\n"
	parse := func(args ...string) (out, said string) {
		status, out, said := treebeam(t, text, append([]string{"parse", "-", "--to", "conllu"}, args...)...)
		if status != exitOK {
			t.Fatalf("%v: status %d, %s", args, status, said)
		}
		return out, said
	}
	fast, said := parse("--fast")
	if said != "" || !strings.HasPrefix(fast[strings.Index(fast, "# model"):], "# model = embedded ") {
		t.Errorf("--fast: %s\n%s", said, fast)
	}
	byDefault, said := parse()
	if model.Default() == model.Embedded {
		if byDefault != fast || !strings.Contains(said, "without the accurate English model") {
			t.Errorf("the default: %s\n%s", said, byDefault)
		}
		return
	}
	accurate, _ := parse("--accurate")
	if said != "" || byDefault != accurate || byDefault == fast || !strings.Contains(byDefault, "\tstop\tstop\tVERB\t") {
		t.Errorf("the default: %s\n%s\n--accurate:\n%s", said, byDefault, accurate)
	}
	without, _ := parse("--effort", "0")
	_, without, _ = strings.Cut(without, "\n# newdoc")
	if _, want, _ := strings.Cut(fast, "\n# newdoc"); without != want {
		t.Errorf("--effort 0: %s", firstDifference(without, want))
	}
}

// The pipeline asks the encoder where sentences end with effort 1 only.
func TestEffortOfSentenceEnds(t *testing.T) {
	if model.Default() == model.Embedded {
		t.Skip("the program is without the accurate English model")
	}
	for effort, want := range map[string]int{"0": 2, "0.85": 2, "1": 1} {
		status, out, stderr := treebeam(t, "File -> Save Page does not open a window.", "parse", "-", "--effort", effort)
		if got := strings.Count(out, "# sent_id"); status != 0 || got != want {
			t.Errorf("effort %s: %d sentences, want %d\n%s%s", effort, got, want, out, stderr)
		}
	}
}
