package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
)

// Its letters are those of the toy treebank, twice: others would be left out.
const silverTree = "1\tWe\twe\tPRON\t_\t_\t2\tnsubj\t_\tHeadConf=0.9\n2\tmended\tmend\tVERB\t_\t_\t0\troot\t_\tHeadConf=0.8|DeprelConf=0.8\n" +
	"3\tboat\tboat\tNOUN\t_\t_\t2\tobj\t_\t_\n\n"

func TestTrainSilver(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write([]byte(silverTree)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	first := write("first one.conllu.gz", zipped.String())
	second := write("second.conllu", silverTree+strings.ReplaceAll(silverTree, "We", "She"))
	path := filepath.Join(dir, "m.tbm")
	banks := []string{"--train", toyTrain, "--dev", toyDev, "--model", path, "--folds", "2"}
	if err := runTrain(t.Context(), append(banks, "--silver", first, "--silver", second, "--silver-weight", "0.5")); err != nil {
		t.Fatal(err)
	}
	m, err := model.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	printModel(&b, m)
	for _, want := range []string{"--silver 'first one.conllu.gz' --silver second.conllu --silver-weight 0.5", "silver-weight  0.5",
		"first one.conllu.gz, 1 sentences, 3 words, sha256 ", "second.conllu, 1 sentences, 3 words, sha256 "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("model info lacks %q:\n%s", want, &b)
		}
	}

	refused := filepath.Join(dir, "refused.tbm")
	for _, c := range []struct{ silver, want string }{
		{filepath.Join(dir, "nowhere.conllu"), "nowhere.conllu"},
		{dir, "directory"},
		{write("text.conllu", "This is no CoNLL-U.\n"), "text.conllu:1"},
		{write("plain.conllu.gz", silverTree), "plain.conllu.gz: gzip"},
		{write("cut.conllu.gz", zipped.String()[:zipped.Len()-12]), "cut.conllu.gz: "},
		{write("headless.conllu", strings.ReplaceAll(silverTree, "\t2\t", "\t_\t")), "no sentence to learn from"},
		{write("empty.conllu", ""), "no sentence to learn from"},
		{first + " --silver-words 0", "want a positive number"},
		{first + " --silver-weight -1", "--silver-weight -1"},
	} {
		args := []string{"--train", toyTrain, "--dev", toyDev, "--model", refused, "--silver"}
		if path, option, ok := strings.Cut(c.silver, " --silver-"); ok {
			args = append(append(args, path), strings.Fields("--silver-"+option)...)
		} else {
			args = append(args, c.silver)
		}
		err := runTrain(t.Context(), args)
		if _, ok := err.(*refusal); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("train --silver %s: %v, want a refusal with %q", c.silver, err, c.want)
		}
	}
	if err := runTrain(t.Context(), []string{"--train", toyTrain, "--dev", toyDev, "--model", second, "--silver", second}); err == nil ||
		!strings.Contains(err.Error(), "would be lost") {
		t.Errorf("a model over silver: %v", err)
	}
	if _, err := os.Stat(refused); err == nil {
		t.Error("a refused training wrote a model")
	}
}
