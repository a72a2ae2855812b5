package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
)

func TestProvenanceOfTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	readme := "# Summary\n* 2020-05-15 v2.6\n* 2024-11-15 v2.15\nLicense: CC BY-SA 4.0 \nIncludes text: yes\n"
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte(readme), 0o644); err != nil {
		t.Fatal(err)
	}
	fs := newCommand("train", "", "").Flags()
	var f trainFlags
	f.define(fs)
	args := []string{"--train", filepath.Join(dir, "xx_toy-ud-train.conllu"), "--dev", "elsewhere/dev.conllu",
		"--model", "m.tbm", "--preset", "full", "--families=-span", "--gold_tags", "--threads", "7", "--treebank", "a toy", "--seed=9"}
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	f.describe(fs)
	i := f.o.Info
	want := "treebeam train --train xx_toy-ud-train.conllu --dev dev.conllu --families -span --gold-tags --preset full --seed 9 --treebank 'a toy'"
	if i.Command != want {
		t.Errorf("command %s, want %s", i.Command, want)
	}
	if i.Language != "xx" || i.Treebank != "a toy" || i.Licence != "CC BY-SA 4.0" || i.Release != "2.15" {
		t.Errorf("provenance %+v", i)
	}
}

// A model of several files names all of them, and their licences.
func TestTrainOnSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	more, path := filepath.Join(dir, "more.conllu"), filepath.Join(dir, "m.tbm")
	must(t, os.WriteFile(more, []byte(silverTree), 0o644), os.WriteFile(filepath.Join(dir, "README.md"), []byte("License: CC0\n"), 0o644))
	args := []string{"--train", toyTrain, "--train", more, "--repeat", "3", "--dev", toyDev, "--model", path, "--folds", "2"}
	if err := runTrain(t.Context(), args); err != nil {
		t.Fatal(err)
	}
	m, err := model.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	printModel(&b, m)
	if text := b.String(); strings.Count(text, "more.conllu, 1 sentences, 3 words, sha256 ") != 1 ||
		!strings.Contains(text, "treebeam train --train xx_toy-ud-train.conllu --train more.conllu --dev xx_toy-ud-dev.conllu --folds 2 --repeat 3 ") ||
		!strings.Contains(text, "licence      CC0\n") {
		t.Errorf("model info:\n%s", text)
	}
	err = runTrain(t.Context(), []string{"--train", toyTrain, "--train", more, "--dev", toyDev, "--model", more})
	if err == nil || !strings.Contains(err.Error(), "would be lost") {
		t.Errorf("a model over a further file: %v", err)
	}
}

func TestTrainRefusals(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.conllu")
	if err := os.WriteFile(bad, []byte("1\ta\ta\tX\t_\t_\t2\tdep\t_\t_\n2\tb\tb\tX\t_\t_\t1\tdep\t_\t_\n\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"", "give --train"},
		{"--train x --dev y", "give --model"},
		{"--train nowhere --dev y --model m", "nowhere"},
		{"--train " + bad + " --dev " + bad + " --model m", bad + ":1"},
		{"--train x --dev y --model m --preset huge", "fast, standard, full or accurate"},
		{"--train x --dev y --model m --families gs", "+ or -"},
		{"--train x --dev y --model m --families -all", "only arcs"},
		{"--train x --dev y --model m --strategy skip", "lab/notes/family.md"},
		{"--nonsense", "unknown option --nonsense"},
		{"x.conllu", "x.conllu"},
	} {
		err := runTrain(t.Context(), strings.Fields(c.args))
		if _, ok := err.(*refusal); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("train %s: %v, want a refusal with %q", c.args, err, c.want)
		}
	}
}
