package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/model/modeltest"
)

// accurateToy is trainedToy with an encoder.
func accurateToy(t *testing.T) string {
	t.Helper()
	m, err := model.Open(trainedToy(t))
	if err != nil {
		t.Fatal(err)
	}
	data, err := modeltest.WithEncoder(m)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "accurate.tbm")
	must(t, os.WriteFile(path, data, 0o600))
	return path
}

// A model with an encoder parses with it; --effort 0 does without, and gives
// what the model without gives.
func TestParseWithAnEncoder(t *testing.T) {
	toy, accurate := trainedToy(t), accurateToy(t)
	in := filepath.Join(t.TempDir(), "a.txt")
	must(t, os.WriteFile(in, []byte("The old dog sees a small cat in the house. A cat and a dog like the red birds."), 0o600))
	parse := func(args ...string) string {
		t.Helper()
		out, _ := ends(t, exitOK, "", append([]string{"parse", in, "--to", "conllu"}, args...)...)
		return unsigned(t, out)
	}
	fast, all := parse("--model", toy), parse("--model", accurate)
	if parse("--model", accurate, "--effort", "0") != fast || parse("--model", accurate, "--effort", "1") != all || fast == all {
		t.Errorf("fast:\n%s\naccurate:\n%s", fast, all)
	}
	status, _, stderr := treebeam(t, "", "parse", in, "--to", "conllu", "--model", accurate, "--effort", "0.5")
	if status != exitRefused || !strings.Contains(stderr, "not calibrated") { // the toy has too few sentences
		t.Errorf("status %d, %s", status, stderr)
	}
	for _, c := range [][3]string{{accurate, "0.5", "not calibrated"}, {toy, "0.5", "no encoder"}, {accurate, "2", "must be a number"}} {
		ends(t, exitRefused, c[2], "eval", "--gold", toyDev, "--model", c[0], "--effort", c[1])
	}
	status, out, stderr := treebeam(t, "", "model", "info", accurate)
	if status != exitOK || !strings.Contains(out, "Copyright (c) nobody") || !strings.Contains(out, "tags 0.250") {
		t.Errorf("status %d, %s%s", status, out, stderr)
	}
}

// --accurate takes the accurate model in the program, or says that there is
// none.
func TestAccurate(t *testing.T) {
	_, err := model.Open(model.EmbeddedAccurate)
	status, out, stderr := treebeam(t, "It rains.\n", "parse", "-", "--to", "conllu", "--accurate")
	switch {
	case errors.Is(err, model.ErrNoAccurate):
		if status != exitRefused || !strings.Contains(stderr, "without the accurate English model") {
			t.Errorf("status %d, %s", status, stderr)
		}
	case err != nil:
		t.Fatal(err)
	case status != exitOK || strings.Count(out, "\n") < 4:
		t.Errorf("status %d, %s%s", status, out, stderr)
	}
}
