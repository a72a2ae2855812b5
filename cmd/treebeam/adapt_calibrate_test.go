package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/treebeam/treebeam/io/treebank"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/search"
)

// A calibrator that is too sure of the trees is adapted to them: what is expected to be right
// comes nearer to what is.
func TestAdaptCalibrates(t *testing.T) {
	dir := t.TempDir()
	toy, out, mine := filepath.Join(dir, "toy.tbm"), filepath.Join(dir, "a.tbm"), filepath.Join(dir, "mine.conllu")
	ends(t, exitOK, "", "calibrate", "--model", trainedToy(t), "--dev", manyToys(t, 40), "--output", toy)
	one, err := os.ReadFile(toyDev)
	must(t, err)
	odd := bytes.ReplaceAll(bytes.ReplaceAll(one, []byte("\tobj\t"), []byte("\tobl\t")), []byte("\tdet\t"), []byte("\tamod\t"))
	must(t, os.WriteFile(mine, bytes.Repeat(append(bytes.Clone(one), odd...), 30), 0o644)) // half of them, so that nobody can know
	ends(t, exitOK, "ECE of deprel_conf", "adapt", mine, "--from", toy, "--model", out, "--force")
	gold, err := treebank.Read(mine)
	must(t, err)
	var off [2]float64
	for k, file := range []string{toy, out} {
		m, err := model.Open(file)
		must(t, err)
		parsed, err := eval.Predict(m, search.Options{Seed: eval.SearchSeed}, gold.Sentences, nil, eval.GoldTokens, 0)
		must(t, err)
		for i := range parsed {
			for w, p := range parsed[i].Confidence.DeprelConf {
				off[k] += float64(p)
				if a, b := &parsed[i].Words[w], &gold.Sentences[i].Words[w]; a.Head == b.Head && a.Deprel == b.Deprel {
					off[k]--
				}
			}
		}
		if k == 0 {
			continue
		}
		c := m.Info.Adapted[0].Calibrated
		if c == nil || c.After >= c.Before || m.Info.Calibration.Adapted == nil || m.Info.Calibration.Adapted.File != "mine.conllu" {
			t.Errorf("%+v, %+v", c, m.Info.Calibration)
		}
	}
	if off[0] < 2*math.Abs(off[1]) {
		t.Errorf("words that are expected to be right, and are not: %.1f before, %.1f after", off[0], off[1])
	}
}
