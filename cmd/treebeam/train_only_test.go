package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/pack"
)

func TestTrainOnlyLemmas(t *testing.T)    { trainsAlone(t, "lemmas", "lemmas      ") }
func TestTrainOnlySegmenter(t *testing.T) { trainsAlone(t, "segmenter", "segmenter   ") }

// trainsAlone trains a part of a model again, of the same treebank: all of it
// stays as it is but for the provenance. said is how its line there begins.
func trainsAlone(t *testing.T, part, said string) {
	toy := trainedToy(t)
	path := filepath.Join(t.TempDir(), "new.tbm")
	command := "train --only " + part + " --from " + toy + " --train " + toyTrain + " --dev " + toyDev + " --created-by me --model " + path
	if err := runTrain(t.Context(), strings.Fields(command)[1:]); err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(toy)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	printModel(&b, m)
	for _, want := range []string{
		said + " treebeam train --train xx_toy-ud-train.conllu --dev xx_toy-ud-dev.conllu --from toy.tbm --only " + part + "\n",
		"made for   " + model.Digest(old), "created    me", "gold-tokens",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("model info lacks %q:\n%s", want, &b)
		}
	}
	before, err := model.Decode(old)
	if err != nil {
		t.Fatal(err)
	}
	if m.Info.Command != before.Info.Command || m.Info.Release != before.Info.Release || len(m.Sections) != len(before.Sections) {
		t.Errorf("provenance %+v", m.Info)
	}
	for i, s := range m.Sections {
		if !bytes.Equal(s.Data, before.Sections[i].Data) {
			t.Errorf("section %s changed", s.Name)
		}
	}
}

func TestTrainOnlyRefusals(t *testing.T) {
	toy := trainedToy(t)
	other := filepath.Join(t.TempDir(), "yy_toy-ud-train.conllu")
	data, err := os.ReadFile(toyTrain)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, data, 0o644); err != nil {
		t.Fatal(err)
	}
	part := incomplete(t, toy)
	model := filepath.Join(t.TempDir(), "new.tbm")
	banks := " --train " + toyTrain + " --dev " + toyDev + " --model " + model
	for _, c := range []struct{ args, want string }{
		{"--only lemmas" + banks, "give --from"},
		{"--from " + toy + banks, "with --only"},
		{"--only pruner --from " + toy + banks, "must be lemmas, segmenter, encoder or mix"},
		{"--only lemmas --from " + toy + banks + " --preset fast --resume", "nothing to do for --preset, --resume"},
		{"--only encoder --from " + toy + banks, "give --encoder"},
		{"--only encoder --from " + toy + " --encoder nowhere.tbe" + banks, "nowhere.tbe"},
		{"--only encoder --from " + toy + " --encoder " + toyTrain + banks, "not a treebeam encoder"},
		{"--only encoder --from " + toy + " --encoder x.tbe --preset fast" + banks, "nothing to do for --preset"},
		{"--only mix --from " + toy + " --layers 3" + banks, "nothing to do for --layers"},
		{"--only mix --from " + toy + banks, "has no encoder"},
		{"--only mix --from " + toy + " --encoder " + toyDev + banks, "looks like CoNLL-U"},
		{"--preset accurate" + banks, "want --encoder"},
		{"--layers 3 --text a.txt" + banks, "--layers, --text: with --encoder"},
		{"--only lemmas --from nowhere.tbm" + banks, "nowhere.tbm"},
		{"--only lemmas --from " + toyTrain + banks, "looks like CoNLL-U"},
		{"--only lemmas --from " + toy + " --train " + other + " --dev " + toyDev + " --model " + model, `language "xx"`},
		{"--only encoder --from " + toy + " --encoder x.tbe --train " + toyTrain + " --dev " + toyDev + " --overlay --model " + toy, "of which an overlay holds a part"},
		{"--encoder " + other + " --train " + toyTrain + " --dev " + toyDev + " --model " + other, "is the file of --encoder"},
		{"--encoder x.tbe --text " + toy + " --text " + other + " --train " + toyTrain + " --dev " + toyDev + " --model " + other, "is a file of --text"},
		{"--only encoder --encoder x.tbe --from " + part + banks, "component tag"},
	} {
		err := runTrain(t.Context(), strings.Fields(c.args))
		if _, ok := err.(*refusal); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("train %s: %v, want a refusal with %q", c.args, err, c.want)
		}
	}
	if _, err := os.Stat(model); err == nil {
		t.Error("a refused training wrote a model")
	}
}

// incomplete returns a copy of a model that lacks its tagger.
func incomplete(t *testing.T, path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := model.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	part := filepath.Join(t.TempDir(), "part.tbm")
	left := slices.DeleteFunc(slices.Clone(f.Sections), func(s pack.Section) bool { return strings.HasPrefix(s.Name, model.TagName+".") })
	cut, err := model.Encode(f.Info, left)
	must(t, err, os.WriteFile(part, cut, 0o644))
	return part
}
