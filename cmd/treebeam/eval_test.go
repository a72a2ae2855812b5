package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/treebank"
	"github.com/treebeam/treebeam/model"
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
	if err != nil {
		t.Fatal(err)
	}
	// noon hangs on shore in the first sentence: 1 of 17 heads is wrong.
	bad := strings.Replace(string(text), "Number=Sing\t2\tobl", "Number=Sing\t4\tnmod", 1)
	if err := os.WriteFile(wrong, []byte(bad), 0o644); err != nil {
		t.Fatal(err)
	}
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

func TestEvalRefusals(t *testing.T) {
	for _, c := range []struct {
		f    evalFlags
		want string
	}{
		{evalFlags{}, "want --gold"},
		{evalFlags{gold: toyDev}, "give --system"},
		{evalFlags{gold: toyDev, system: "a", model: "b"}, "give --system"},
		{evalFlags{gold: toyDev, system: toyDev, goldTags: true}, "need --model"},
		{evalFlags{gold: toyDev, system: toyDev, effort: "0.5"}, "need --model"},
		{evalFlags{gold: "nowhere.conllu", system: toyDev}, "nowhere.conllu"},
		{evalFlags{gold: toyDev, system: "nowhere.conllu"}, "nowhere.conllu"},
		{evalFlags{gold: toyDev, system: t.TempDir()}, "it is not an output"},
		{evalFlags{gold: toyDev, system: toyTrain}, "same text"},
		{evalFlags{gold: toyDev, model: toyDev}, "CoNLL-U"},
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
	if err := runTrain(t.Context(), args); err != nil {
		t.Fatal(err)
	}
	if list, err := filepath.Glob(path + "*"); err != nil || len(list) != 1 {
		t.Errorf("training left %v", list)
	}
	m, err := model.Open(path)
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := treebank.Blocks(sents)
	want := "She found the shore at noon. The red sail turned.|Who mended our boat?"
	if err != nil || strings.Join(blocks, "|") != want {
		t.Errorf("blocks %q, %v; want %s", blocks, err, want)
	}
}
