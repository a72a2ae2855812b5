package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/pipeline/diff"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// Two outputs, a state and its snapshots, with and without thresholds.
func TestDiff(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.txt": "One sentence .\n\nAnother one .\n", "b.txt": "A third .\n", "c.txt": "A fourth .\n",
		"d.txt": "A fifth .\n", "e.txt": "A sixth .\n"})
	state := filepath.Join(t.TempDir(), "state")
	transformstest.Register()
	before, after := filepath.Join(t.TempDir(), "before"), filepath.Join(t.TempDir(), "after")
	night := []string{"--quiet", "--model", transformstest.ModelURI, "--input", in, "--state", state}
	ends(t, exitOK, "", append(night, "--all")...)
	ends(t, exitOK, "", toyCommand("--quiet", "--input", in, "--output", before)...)
	if _, stderr := ends(t, exitRefused, "", "diff", "--state", state); !strings.Contains(stderr, "one snapshot only") {
		t.Error(stderr)
	}
	must(t, os.WriteFile(filepath.Join(in, "a.txt"), []byte("Something new .\n\nAnother one .\n"), 0o644))
	os.Remove(filepath.Join(in, "b.txt"))
	ends(t, exitOK, "", night...)
	ends(t, exitOK, "", toyCommand("--quiet", "--input", in, "--output", after)...)

	for _, args := range [][]string{{"--state", state}, {"--state", state, "1", "2"}, {before, after}, {before, state}} {
		stdout, _ := ends(t, exitOK, "", append([]string{"diff", "--json"}, args...)...)
		var r diff.Report
		must(t, json.Unmarshal([]byte(stdout), &r))
		d, s := r.Documents, r.Sentences
		if d.Same != 3 || d.Changed != 1 || d.Removed != 1 || d.Examples.Removed[0] != "b.txt" || s.Both != 4 || s.Added != 1 || s.Removed != 2 ||
			r.Words.Compared != 12 || r.Words.Arcs != 0 {
			t.Errorf("%v: %s", args, stdout)
		}
	}
	stdout, _ := ends(t, exitOK, "", "diff", before, after, "--max-changed", "0%", "--max-drift", "1")
	for _, want := range []string{"3 same, 1 changed, 0 added, 1 removed", "removed    b.txt", "4 in both, 1 added, 2 removed", "12 compared: 0 arcs changed (0.00%)"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if _, stderr := ends(t, exitFailures, "", "diff", before, after, "--max-drift", "0.000001"); !strings.Contains(stderr, "drifted") {
		t.Error(stderr)
	}
	none := filepath.Join(t.TempDir(), "none") // no sentence
	ends(t, exitOK, "", toyCommand("--quiet", "--input", writeFiles(t, map[string]string{"a.txt": ""}), "--output", none)...)
	for _, args := range [][]string{{before, none}, {none, before}} {
		if _, stderr := ends(t, exitFailures, "", append([]string{"diff", "--max-drift", "1"}, args...)...); !strings.Contains(stderr, "one side has no words") {
			t.Error(stderr)
		}
		if _, stderr := ends(t, exitOK, "", append([]string{"diff", "--max-changed", "1"}, args...)...); !strings.Contains(stderr, "no word was compared") {
			t.Error(stderr)
		}
	}
	if _, stderr := ends(t, exitOK, "", "diff", none, none, "--max-drift", "0"); stderr != "" {
		t.Error(stderr)
	}
	for want, args := range map[string][]string{
		"got 1 argument\n": {before}, "manifest.json": {before, in}, "not the number": {"--state", state, "x", "y"},
		"no snapshot 9": {"--state", state, "1", "9"}, "not negative": {before, after, "--max-changed", "-1"}, "--top 0": {before, after, "--top", "0"},
	} {
		if _, stderr := ends(t, exitRefused, "", append([]string{"diff"}, args...)...); !strings.Contains(stderr, want) {
			t.Errorf("%v: no %q in %s", args, want, stderr)
		}
	}
	// Without CURRENT, the next snapshot is number 3, and the first of its chain.
	must(t, os.Remove(filepath.Join(state, "CURRENT")))
	ends(t, exitOK, "", night...)
	if _, stderr := ends(t, exitRefused, "", "diff", "--state", state); !strings.Contains(stderr, "one snapshot only") {
		t.Error(stderr)
	}
}

// One arc is not "1 arcs".
func TestOneChangedArc(t *testing.T) {
	var b strings.Builder
	must(t, printDiff(&b, &diff.Report{Words: diff.Words{Compared: 10, Arcs: 1, Heads: 1}, Migrations: []diff.Migration{{Count: 1}}}))
	for _, want := range []string{"10 compared: 1 arc changed (10.00%), 1 head, 0 labels; 0 tags\n", "the most frequent of 1 arc that became others"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}

// Nothing in relations and tags reaches a terminal as a command.
func TestDiffIsHarmless(t *testing.T) {
	var out strings.Builder
	const attack = "\x1b[31m\n"
	arc := diff.Shape{Head: attack, Label: attack, Modifier: attack}
	left := arc
	left.Direction = "left"
	must(t, printDiff(&out, &diff.Report{Migrations: []diff.Migration{{From: arc, To: left, Head: "same", Count: 1}}}))
	if got := out.String(); strings.Contains(got, "\x1b") || !strings.Contains(got, "1  ␛[31m  -␛[31m -> ␛[31m  became") {
		t.Errorf("%q", got)
	}
}
