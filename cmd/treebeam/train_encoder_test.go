package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/encoder"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/encode"
)

// tinyFile writes a random encoder of two layers to a file.
func tinyFile(t *testing.T) string {
	t.Helper()
	p, _ := encode.Tiny(3, nil)
	var b bytes.Buffer
	must(t, encoder.Write(&b, p))
	path := filepath.Join(t.TempDir(), "tiny.tbe")
	must(t, os.WriteFile(path, b.Bytes(), 0o644))
	return path
}

// An encoder that is tuned onto a finished model gives the model that a whole
// training gives, and an overlay of the same is what it adds.
func TestTrainOnlyEncoder(t *testing.T) {
	toy, dir, tiny := trainedToy(t), t.TempDir(), tinyFile(t)
	text := filepath.Join(dir, "more.txt")
	must(t, os.WriteFile(text, []byte("Quick, quiz (quail)!\nquick quiz\xff"), 0o644))
	train := func(name, flags string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		command := "--from " + toy + " --train " + toyTrain + " --dev " + toyDev + " --model " + path + " --reuse " + filepath.Join(dir, "phases") + " " + flags
		must(t, runTrain(t.Context(), strings.Fields(command)))
		if _, err := os.Stat(path + ".train"); err == nil {
			t.Error("the phases of a finished training were left")
		}
		return path
	}
	path := train("new.tbm", "--only encoder --encoder "+tiny+" --layers 1 --epochs 2 --text "+text)
	m, err := model.Open(path)
	must(t, err)
	var b bytes.Buffer
	printModel(&b, m)
	for _, want := range []string{
		"licence      none; MIT (tiny)\n", "--encoder tiny.tbe", "--layers 1 --only encoder --text more.txt\n", "  made for ", "  file ", "tiny.tbe, sha256 ",
		"  layers     1, tuned", "more.txt, 5 words", "scores on dev without the encoder", "factors of the encoder", "mix ",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("model info lacks %q:\n%s", want, &b)
		}
	}
	whole, err := os.ReadFile(path)
	must(t, err)
	want, err := model.Decode(whole)
	must(t, err)
	once := filepath.Join(dir, "once.tbm")
	flags := "--folds 2 --licence none --release 1 --preset accurate --layers 1 --epochs 2 --encoder " + tiny + " --text " + text
	must(t, runTrain(t.Context(), strings.Fields("--train "+toyTrain+" --dev "+toyDev+" --model "+once+" "+flags)))
	got, _, err := readModel(once)
	must(t, err)
	haveSections(t, got, want)

	over, err := os.ReadFile(train("over.tbm", "--overlay --only mix --encoder "+path))
	must(t, err)
	sparse, digest, err := readModel(toy)
	must(t, err)
	if got, err = sparse.Overlay(over, digest); err != nil {
		t.Fatal(err)
	}
	haveSections(t, got, want)
	again, err := os.ReadFile(train("over.tbm", "--overlay --only mix --encoder "+filepath.Join(dir, "over.tbm")))
	must(t, err)
	if f, err := sparse.Overlay(again, digest); err != nil {
		t.Errorf("an overlay that was mixed again, in its place: %v", err)
	} else {
		haveSections(t, f, want)
	}
	if got.Info.Parts[0].Name != "mix" || got.Info.Encoder.SHA256 != want.Info.Encoder.SHA256 {
		t.Errorf("provenance %+v", got.Info)
	}
}

// haveSections compares the sections of two models.
func haveSections(t *testing.T, got, want *model.File) {
	t.Helper()
	if len(got.Sections) != len(want.Sections) {
		t.Fatalf("%d sections, want %d", len(got.Sections), len(want.Sections))
	}
	for i, s := range got.Sections {
		if s.Name != want.Sections[i].Name || !bytes.Equal(s.Data, want.Sections[i].Data) {
			t.Errorf("section %s differs", s.Name)
		}
	}
}
