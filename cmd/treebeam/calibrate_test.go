package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms"
)

// manyToys is a treebank of all sentences of toyDev so many times.
func manyToys(t *testing.T, times int) string {
	t.Helper()
	data, err := os.ReadFile(toyDev)
	must(t, err)
	path := filepath.Join(t.TempDir(), "many.conllu")
	must(t, os.WriteFile(path, bytes.Repeat(data, times), 0o644))
	return path
}

// A calibrated model makes the same trees, with probabilities; the same
// sentences give the same bytes; the file that is named is replaced.
func TestCalibrate(t *testing.T) {
	toy, gold := trainedToy(t), manyToys(t, 40)
	out := filepath.Join(t.TempDir(), "calibrated.tbm")
	status, printed, stderr := treebeam(t, "", "calibrate", "--model", toy, "--dev", gold, "--output", out)
	if status != exitOK || stderr != "" || !strings.Contains(printed, "head_conf") || !strings.Contains(printed, out) {
		t.Fatalf("status %d\n%s%s", status, printed, stderr)
	}
	first, err := os.ReadFile(out)
	must(t, err)
	ends(t, exitOK, "", "calibrate", "--model", out, "--dev", gold, "--threads", "1")
	if again, err := os.ReadFile(out); err != nil || !bytes.Equal(again, first) {
		t.Errorf("fitted again to the same, the model differs (%v)", err)
	}
	raw, err := model.Open(toy)
	must(t, err)
	m, err := model.Open(out)
	if err != nil || m.Calibrator == nil || raw.Calibrator != nil {
		t.Fatalf("%v, %v", m, err)
	}
	conllu := func(model string) string {
		_, out, _ := treebeam(t, "", "parse", "--model", model, toyDev, "--to", "conllu")
		return unsigned(t, out)
	}
	if a, b := conllu(toy), conllu(out); a != b || a == "" {
		t.Error("the calibrator changed trees")
	}
	_, rows, _ := treebeam(t, "", "parse", "--model", out, toyDev, "--to", "jsonl")
	if strings.Contains(rows, `"tree_conf":null`) || !strings.Contains(rows, `"tree_conf":0.`) || !strings.Contains(rows, `"deprel_conf":[`) {
		t.Errorf("rows\n%s", rows)
	}
	if _, info, _ := treebeam(t, "", "model", "info", out); !strings.Contains(info, "calibrated on many.conllu") {
		t.Errorf("model info\n%s", info)
	}
	adapted, fewer := filepath.Join(t.TempDir(), "adapted.tbm"), manyToys(t, 20)
	for range 2 { // an adaptation is put in place of an earlier one
		status, printed, stderr := treebeam(t, "", "calibrate", "--model", out, "--dev", fewer, "--output", adapted)
		if status != exitOK || !strings.Contains(printed, "calibrated on many.conllu, 120 sentences") || !strings.Contains(printed, "adapted to many.conllu, 60 sentences") {
			t.Errorf("status %d\n%s%s", status, printed, stderr)
		}
		out = adapted
	}
	if _, printed, _ := treebeam(t, "", "calibrate", "--model", out, "--anew", "--dev", fewer, "--output", adapted); !strings.Contains(printed, "calibrated on many.conllu, 60 sentences") || strings.Contains(printed, "adapted to") {
		t.Errorf("anew:\n%s", printed)
	}
	alone := filepath.Join(t.TempDir(), "alone.cal")
	ends(t, exitOK, "", "calibrate", "--model", toy, "--dev", gold, "--output", alone)
	if info, err := os.Stat(alone); err != nil || info.Size() > 40_000 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestCalibrateRefusals(t *testing.T) {
	toy := trainedToy(t)
	few := manyToys(t, 1)
	data, err := os.ReadFile(few)
	must(t, err)
	lacks := func(value string) string {
		path := filepath.Join(t.TempDir(), "lacks.conllu")
		must(t, os.WriteFile(path, bytes.Replace(data, []byte("\t"+value+"\t"), []byte("\t_\t"), 1), 0o644))
		return path
	}
	for _, c := range []struct{ args, want string }{
		{"", "give --model"},
		{"--model m.tbm", "give --model"},
		{"--model nowhere.tbm --dev " + few, "nowhere.tbm"},
		{"--model " + toy + " --dev nowhere.conllu", "nowhere.conllu"},
		{"--model " + toy + " --dev " + few, "want at least 50"},
		{"--model " + toy + " --dev " + toyTrain, "was trained on"},
		{"--model " + toy + " --dev " + lacks("NOUN"), "1 word without UPOS"},
		{"--model " + toy + " --dev " + lacks("nsubj"), "1 word without DEPREL"},
		{"--model embedded --dev " + few, "--output"},
		{"--model embedded --dev " + few + " --output x.cal", "name that with --model"},
		{"--model m --dev d x", "unexpected"},
		{"--model m --overlay o --dev d", "--overlay goes with"},
		{"--model embedded --overlay o --dev d --output x.cal", "--overlay goes with"},
		{"--model " + toy + " --overlay nowhere.tbm --dev " + few + " --output x.cal", "nowhere.tbm"},
	} {
		err := runWith(t.Context(), newCalibrate(), strings.Fields(c.args))
		if _, ok := err.(*refusal); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("calibrate %s: %v, want a refusal with %q", c.args, err, c.want)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(toy), "*.cal")); left != nil {
		t.Error(left)
	}
}

// Heads and deprels that are kept are certain, and so is a tree of them.
func TestKeptHeadsAreCertain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.tbm")
	ends(t, exitOK, "", "calibrate", "--model", trainedToy(t), "--dev", manyToys(t, 40), "--output", path)
	m, _, err := transforms.OpenModel(path)
	must(t, err)
	_, gold := withHeads(t, func(i, k int, w *syntax.Word) {})
	parse := func(hide func(k int, w *syntax.Word)) *syntax.Sentence {
		s := gold[0]
		s.Words = slices.Clone(s.Words)
		for k := range s.Words {
			hide(k, &s.Words[k])
		}
		var c transforms.Chunk
		c.Sentences = append(c.Sentences, transforms.Sentence{Sentence: s})
		c = transforms.PruneChunk(c, m, output.RowOptions{})
		c = transforms.ParseChunk(c, m, output.RowOptions{KeepHeads: true})
		if len(c.Sentences) != 1 {
			t.Fatalf("%+v", c)
		}
		return &c.Sentences[0].Sentence
	}
	all := &parse(func(k int, w *syntax.Word) {}).Confidence
	if !all.HasTreeConf || all.TreeConf != 1 || slices.Min(all.HeadConf) != 1 || slices.Min(all.DeprelConf) != 1 {
		t.Errorf("all given: %+v", all)
	}
	some := &parse(func(k int, w *syntax.Word) {
		switch k {
		case 0:
			w.Deprel = ""
		case 1:
		default:
			w.Head, w.Deprel = syntax.NoHead, ""
		}
	}).Confidence
	if some.HeadConf[0] != 1 || some.DeprelConf[0] == 1 || some.HeadConf[1] != 1 || some.DeprelConf[1] != 1 || some.TreeConf == 1 {
		t.Errorf("some given: %+v", some)
	}
	none := &parse(func(k int, w *syntax.Word) { w.Head, w.Deprel = syntax.NoHead, "" }).Confidence
	if none.HeadConf[0] == 1 || none.TreeConf > some.TreeConf {
		t.Errorf("none given: %+v", none)
	}
}
