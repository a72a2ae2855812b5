package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model/modeltest"
)

// A world says where each of its languages comes from, and each of them is a model.
func TestWorldInfoAndEval(t *testing.T) {
	data, err := modeltest.World()
	must(t, err)
	path := filepath.Join(t.TempDir(), "world.tbm")
	must(t, os.WriteFile(path, data, 0o600))
	out, _ := ends(t, exitOK, "", "model", "info", path)
	for _, want := range []string{"Xalan-Toy (CC0)", "Xebnian-Toy (CC0)", "Xircish-Toy (CC0)", "Copyright (c) nobody"} {
		if !strings.Contains(out, want) {
			t.Errorf("model info lacks %q:\n%s", want, out)
		}
	}
	out, _ = ends(t, exitOK, "", "model", "info", path+"#xb")
	if !strings.Contains(out, "Xebnian-Toy") || strings.Contains(out, "Xalan-Toy") {
		t.Errorf("of one language:\n%s", out)
	}
	gold := filepath.Join(t.TempDir(), "gold.conllu")
	_, parsed, _ := treebeam(t, modeltest.Text("xb", 4), "parse", "-", "--to", "conllu", "--model", path+"#xb")
	must(t, os.WriteFile(gold, []byte(parsed), 0o600))
	out, _ = ends(t, exitOK, "", "eval", "--gold", gold, "--model", path+"#xb", "--row", "toy")
	if !strings.Contains(out, "100.0") {
		t.Errorf("trees are not those of before: %s", out)
	}
	ends(t, exitRefused, "FILE#de", "eval", "--gold", gold, "--model", path)
	ends(t, exitRefused, "xa, xb, xc", "eval", "--gold", gold, "--model", path+"#zz")
}

// A training that starts from a world's encoder gives the same bytes twice, whatever the
// threads, and says where it comes from.
func TestTrainFromWorld(t *testing.T) {
	toy, dir := trainedToy(t), t.TempDir()
	data, err := modeltest.World()
	must(t, err)
	world := filepath.Join(dir, "world.tbm")
	must(t, os.WriteFile(world, data, 0o600))
	ends(t, exitRefused, "--only needs a model of one language", "train", "--only", "lemmas", "--from", world,
		"--train", toyTrain, "--dev", toyDev, "--model", filepath.Join(dir, "m.tbm"))
	ends(t, exitRefused, "the licenses of all its treebanks", "train", "--only", "mix", "--from", toy, "--encoder", world,
		"--train", toyTrain, "--dev", toyDev, "--model", filepath.Join(dir, "m.tbm"))
	var models [2]string
	for i := range models {
		path := filepath.Join(dir, fmt.Sprint("m", i, ".tbm"))
		must(t, runTrain(t.Context(), strings.Fields(fmt.Sprintf("--only encoder --from %s --train %s --dev %s --epochs 2 --encoder %s --model %s --threads %d",
			toy, toyTrain, toyDev, world, path, 1+2*i))))
		b, err := os.ReadFile(path)
		must(t, err)
		models[i] = string(b)
		out, _ := ends(t, exitOK, "", "model", "info", path)
		for _, want := range []string{"; CC0, MIT (tiny) (world.tbm)\n", "world.tbm#und, sha256 ", "--encoder world.tbm", "tiny, tuned on the treebanks of world.tbm"} {
			if !strings.Contains(out, want) {
				t.Errorf("model info lacks %q:\n%s", want, out)
			}
		}
	}
	if models[0] != models[1] {
		t.Error("another number of threads gives other bytes")
	}
	ends(t, exitRefused, "one language", "train", "--train", toyTrain, "--dev", toyDev, "--model", filepath.Join(dir, "x.tbm"), "--encoder", toy)
}

func TestTreebanks(t *testing.T) {
	dir := t.TempDir()
	list := filepath.Join(dir, "LIST.tsv")
	write := func(text string) { must(t, os.WriteFile(list, []byte(text), 0o600)) }
	write("ya\tOne\ta.conllu\n")
	ends(t, exitRefused, "want code, name, train, dev, sources", "train", "--treebanks", list, "--model", filepath.Join(dir, "m.tbm"))
	write("ya\tOne\ta.conllu\tb.conllu\tToy\n")
	ends(t, exitRefused, "has no licence", "train", "--treebanks", list, "--model", filepath.Join(dir, "m.tbm"))
	ends(t, exitRefused, "--dev", "train", "--treebanks", list, "--dev", "x", "--model", filepath.Join(dir, "m.tbm"))
	ends(t, exitRefused, "--model", "train", "--treebanks", list)
	for _, want := range []string{"--folds 1", "--cased 51", "--weights -1"} {
		ends(t, exitRefused, want+": must be", append([]string{"train", "--treebanks", list, "--model", filepath.Join(dir, "m.tbm")}, strings.Fields(want)...)...)
	}
	ends(t, exitRefused, "is the file of --treebanks", "train", "--treebanks", list, "--model", list)
	ends(t, exitRefused, "--small is for a model of one language", "train", "--treebanks", list, "--model", filepath.Join(dir, "m.tbm"), "--encoder", "x", "--small")
	ends(t, exitRefused, "is the file of --encoder", "train", "--treebanks", list, "--model", toyDev, "--encoder", toyDev)
	data, err := os.ReadFile(toyDev)
	must(t, err)
	bank := filepath.Join(dir, "yy_toy-ud-dev.conllu")
	must(t, os.WriteFile(bank, data, 0o600))
	write(strings.Repeat("yy\tOne\tyy_toy-ud-dev.conllu\tyy_toy-ud-dev.conllu\tToy (CC0)\n", 2))
	ends(t, exitRefused, "LIST.tsv:2: language yy is named twice", "train", "--treebanks", list, "--model", filepath.Join(dir, "m.tbm"))
	write("und\tOne\tyy_toy-ud-dev.conllu\tyy_toy-ud-dev.conllu\tToy (CC0)\n" + "yz\tTwo\tyy_toy-ud-dev.conllu\tyy_toy-ud-dev.conllu\tToy (CC0)\n")
	ends(t, exitRefused, "LIST.tsv:1: und is the code of", "train", "--treebanks", list, "--model", filepath.Join(dir, "m.tbm"))
	write("yy\tOne\tyy_toy-ud-dev.conllu\tyy_toy-ud-dev.conllu\tToy (CC0)\n" + "yz\t\tyy_toy-ud-dev.conllu\tyy_toy-ud-dev.conllu\tToy (CC0)\n")
	ends(t, exitRefused, "is a treebank of", "train", "--treebanks", list, "--model", bank)
	model := filepath.Join(dir, "m.tbm")
	ends(t, exitOK, "", "train", "--treebanks", list, "--model", model)
	if out, _ := ends(t, exitOK, "", "model", "info", model); !strings.Contains(out, " treebeam train --treebanks LIST.tsv\n") {
		t.Errorf("the command does not train the model again:\n%s", out)
	}
}

// The calibrator of a world is fitted to the dev treebanks of its languages, into a file of
// its own.
func TestCalibrateLanguages(t *testing.T) {
	dir := t.TempDir()
	data, err := modeltest.World()
	must(t, err)
	world, list, cal := filepath.Join(dir, "world.tbm"), filepath.Join(dir, "LIST.tsv"), filepath.Join(dir, "world.cal")
	must(t, os.WriteFile(world, data, 0o600))
	lines := "zz\t\txa.conllu\txa.conllu\tToy (CC0)\n" // no language of the world
	for _, code := range []string{"xa", "xb", "xc"} {
		_, parsed, _ := treebeam(t, modeltest.Text(code, 20), "parse", "-", "--to", "conllu", "--model", world+"#"+code)
		must(t, os.WriteFile(filepath.Join(dir, code+".conllu"), []byte(parsed), 0o600))
		lines += fmt.Sprintf("%s\tToy\t%s.conllu\t%s.conllu\tToy (CC0)\n", code, code, code)
	}
	must(t, os.WriteFile(list, []byte(lines), 0o600))
	out, _ := ends(t, exitOK, "", "calibrate", "--model", world, "--treebanks", list, "--output", cal)
	if !strings.Contains(out, "calibrated on dev, 60 sentences") || !strings.Contains(out, cal+": ") {
		t.Error(out)
	}
	first, err := os.ReadFile(cal)
	must(t, err)
	ends(t, exitOK, "", "calibrate", "--model", world, "--treebanks", list, "--output", cal, "--threads", "1")
	if again, err := os.ReadFile(cal); err != nil || string(again) != string(first) || len(first) > 100_000 {
		t.Errorf("%d bytes, with one thread %d others (%v)", len(first), len(again), err)
	}
	for _, c := range [][]string{
		{"--output X.cal", "--model", world}, {"--output X.cal", "--model", world, "--output", filepath.Join(dir, "x.tbm")},
		{"--output X.cal", "--model", world, "--output", cal, "--dev", toyDev}, {"--output X.cal", "--model", "world", "--output", cal},
		{"one language", "--model", trainedToy(t), "--output", cal},
	} {
		ends(t, exitRefused, c[0], append([]string{"calibrate", "--treebanks", list}, c[1:]...)...)
	}
	must(t, os.WriteFile(list, []byte(strings.Replace(lines, "zz\t", "zz\tToy", 1)), 0o600))
	ends(t, exitRefused, "zz", "calibrate", "--model", world, "--treebanks", list, "--output", cal)
	must(t, os.WriteFile(list, []byte(lines), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "xb.conllu"), []byte("1\tx\t_\t_\t_\t_\t0\troot\t_\t_\n\n"), 0o600))
	ends(t, exitRefused, "1 word without UPOS", "calibrate", "--model", world, "--treebanks", list, "--output", cal)
}
