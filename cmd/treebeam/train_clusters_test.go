package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/search"
)

const toyClusters = "00\tboat\t9\n00\tsail\t4\n00\twind\t4\n0100\tleft\t3\n0100\tmended\t3\n0101\tturned\t2\n1\tthe\t20\n1\tour\t7\n"

// Classes of words become part of the model, whatever the threads, and the model
// says where they come from.
func TestTrainClusters(t *testing.T) {
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
	z.Write([]byte(toyClusters))
	z.Close()
	plain, compressed := write("toy.tsv", toyClusters), write("toy.tsv.gz", zipped.String())
	var models [][]byte
	for _, more := range []string{"--threads 1 --clusters " + plain, "--threads 3 --clusters " + plain, "--clusters " + compressed} {
		path := filepath.Join(dir, "m.tbm")
		args := strings.Fields("--train " + toyTrain + " --dev " + toyDev + " --folds 2 --preset fast --model " + path + " " + more)
		if err := runTrain(t.Context(), args); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, data)
	}
	if !bytes.Equal(models[0], models[1]) {
		t.Error("the number of threads changes the model")
	}
	m, err := model.OpenBytes(models[2])
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	printModel(&b, m)
	for _, want := range []string{"--clusters toy.tsv.gz", "clusters  ", "4 classes of toy.tsv.gz "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("model info lacks %q:\n%s", want, &b)
		}
	}
	for _, s := range m.Segment("Our boat left at noon.", 100) {
		m.Tag(&s, false)
		m.Prune(&s)
		if err := m.Parse(&s, search.Options{}); err != nil {
			t.Error(err)
		}
	}

	for _, c := range []struct{ clusters, want string }{
		{filepath.Join(dir, "nowhere.tsv"), "nowhere.tsv"},
		{write("bad.tsv", "01\tboat\t2\n02\tsail\t3\n"), "bad.tsv: line 2"},
		{write("blank.tsv", "\n\n"), "blank.tsv: no word has a class, the file is empty: make one"},
		{write("cut.gz", zipped.String()[:len(zipped.String())-9]), "cut.gz: line 9: unexpected EOF"},
		{dir, "is a directory"},
	} {
		args := strings.Fields("--train " + toyTrain + " --dev " + toyDev + " --model " + filepath.Join(dir, "refused.tbm") + " --clusters " + c.clusters)
		if err := runTrain(t.Context(), args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
		check := []string{"train", "--train", toyTrain, "--dev", toyDev, "--check", "--clusters", c.clusters}
		ends(t, exitRefused, c.want, check...)
	}
	status, _, stderr := treebeam(t, "", "train", "--train", toyTrain, "--dev", toyDev, "--check", "--clusters", compressed)
	if want := "toy.tsv.gz: 8 words in 4 classes; 28.8 % of the words of train and 41.2 % of dev have one\n"; status != exitOK || !strings.Contains(stderr, want) {
		t.Errorf("--check: status %d, %s, want %q", status, stderr, want)
	}
	args := strings.Fields("--train " + toyTrain + " --dev " + toyDev + " --clusters " + plain + " --model " + plain)
	if err := runTrain(t.Context(), args); err == nil || !strings.Contains(err.Error(), "would be lost") {
		t.Errorf("a model over its clusters: %v", err)
	}
}
