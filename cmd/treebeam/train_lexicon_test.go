package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A lexicon teaches lemmas, alone too, and the model says so.
func TestTrainLexicon(t *testing.T) {
	toy := trainedToy(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	words := write("words.tsv", "zwom\tVERB\t_\t_\tzwim\n")
	path := filepath.Join(dir, "new.tbm")
	command := "--only lemmas --from " + toy + " --train " + toyTrain + " --dev " + toyDev + " --lexicon " + words + " --model " + path
	if err := runTrain(t.Context(), strings.Fields(command)); err != nil {
		t.Fatal(err)
	}
	m, err := model.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	s := syntax.Sentence{Words: []syntax.Word{{Form: "zwom", UPOS: "VERB"}}}
	m.Tag(&s, false)
	if s.Words[0].Lemma != "zwim" {
		t.Errorf("%+v", s.Words[0])
	}
	var b bytes.Buffer
	printModel(&b, m)
	if got := m.Info.Options["lexicon of lemmas"]; !strings.HasPrefix(got, "1 words of words.tsv ") || !strings.Contains(b.String(), "--lexicon words.tsv") {
		t.Errorf("%q in\n%s", got, &b)
	}
	for _, x := range []struct{ args, want string }{
		{"--lexicon " + write("bad.tsv", "zwom\tVERB\n"), "line 1 has 2 columns"},
		{"--lexicon " + filepath.Join(dir, "none.tsv"), "none.tsv"},
	} {
		args := strings.Fields("--train " + toyTrain + " --dev " + toyDev + " --model " + path + " " + x.args)
		if err := runTrain(t.Context(), args); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v", x.args, err)
		}
	}
	args := strings.Fields("--train " + toyTrain + " --dev " + toyDev + " --lexicon " + words + " --model " + words)
	if err := runTrain(t.Context(), args); err == nil || !strings.Contains(err.Error(), "would be lost") {
		t.Errorf("a model over its lexicon: %v", err)
	}
}
