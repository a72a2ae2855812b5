package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/transforms/transformstest"
)

// nights are calls of treebeam over one folder of inputs and one state.
type nights struct{ in, state string }

// run runs a night with more flags, and returns what it printed.
func (n *nights) run(t *testing.T, want int, more ...string) (stdout, stderr string) {
	t.Helper()
	args := append([]string{"--runner=DirectRunner", "--job_name=nightly", "--model=" + transformstest.ModelURI,
		"--input=" + n.in, "--state=" + n.state, "--quiet", "--json"}, more...)
	return ends(t, want, "", args...)
}

// A nightLine has the last line on standard output.
type nightLine struct {
	Trees int64
	Night nightReport
}

func lastLine(t *testing.T, stdout string) (s nightLine) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &s); err != nil {
		t.Fatalf("%v: %s", err, stdout)
	}
	return s
}

// A scheduler's flags, night after night, and what is printed.
func TestNightsByFlags(t *testing.T) {
	content := map[string]string{}
	for i := range 12 {
		content[fmt.Sprintf("%02d.txt", i)] = fmt.Sprintf("File %d . And more .\n", i)
	}
	n := &nights{in: writeFiles(t, content), state: filepath.Join(t.TempDir(), "state")}
	transformstest.Register()

	n.plan(t, 12)
	stdout, _ := n.run(t, exitOK)
	if r := lastLine(t, stdout); r.Trees != 24 || r.Night.Counts["new"] != 12 || !strings.HasPrefix(r.Night.Snapshot, "000001-") {
		t.Fatalf("%+v", r)
	}
	stdout, stderr := n.run(t, exitOK)
	if r := lastLine(t, stdout); r.Trees != 0 || len(r.Night.Runs) != 0 || r.Night.Counts["unchanged"] != 12 || !strings.Contains(stderr, "nothing to do") {
		t.Fatalf("%+v\n%s", r, stderr)
	}
	n.change(t)
	n.converts(t)
	n.failTooOften(t)
	compactsByFlags(t, n.state)
}

// plan looks at a first night of files, which writes nothing.
func (n *nights) plan(t *testing.T, files int) {
	stdout, _ := n.run(t, exitOK, "--plan-only=json")
	var plan nightReport
	if err := json.Unmarshal([]byte(stdout), &plan); err != nil || plan.Counts["new"] != files || len(plan.Files) != files || plan.Snapshot != "" {
		t.Fatalf("%v: %s", err, stdout)
	}
	if _, err := os.Stat(n.state); err == nil {
		t.Fatal("--plan-only wrote something")
	}
}

// change changes a file and deletes one; the next night does what its plan says.
func (n *nights) change(t *testing.T) {
	must(t, os.WriteFile(filepath.Join(n.in, "03.txt"), []byte("Quite another text .\n"), 0o644))
	must(t, os.Remove(filepath.Join(n.in, "04.txt")))
	stdout, _ := n.run(t, exitOK, "--plan-only")
	for _, want := range []string{"changed   " + n.in + "/03.txt (21 bytes, 20 before)\n", "deleted   " + n.in + "/04.txt\n",
		"1 changed, 1 deleted, 10 unchanged", "1 file would be parsed into 000002-"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	stdout, _ = n.run(t, exitOK)
	if r := lastLine(t, stdout); r.Trees != 1 || r.Night.Counts["changed"] != 1 {
		t.Fatalf("%+v", r)
	}
}

// converts compares what is current with what parse gives for the input.
func (n *nights) converts(t *testing.T) {
	_, converted, _ := treebeam(t, "", "convert", n.state, "--to", "text")
	_, parsed, _ := treebeam(t, "", toyCommand(n.in, "--to", "conllu", "--quiet")...)
	for _, line := range strings.Split(parsed, "\n") {
		if text, ok := strings.CutPrefix(line, "# text = "); ok {
			var first string
			first, converted, _ = strings.Cut(converted, "\n")
			if first != text {
				t.Errorf("convert gives %q for %q", first, text)
			}
		}
	}
	if converted != "" {
		t.Errorf("convert gives more: %q", converted)
	}
}

// failTooOften runs nights of other options, which --all allows; one with too many
// failures does not become current.
func (n *nights) failTooOften(t *testing.T) {
	_, stderr := n.run(t, exitRefused, "--seed=9")
	if !strings.Contains(stderr, "--seed: was 1, is 9") {
		t.Error(stderr)
	}
	must(t, os.WriteFile(filepath.Join(n.in, "x.pdf"), []byte("%PDF-1.7\n"), 0o644))
	_, current, _ := treebeam(t, "", "convert", n.state, "--to", "jsonl")
	stdout, _ := n.run(t, exitFailures, "--seed=9", "--all", "--max-failures=0", "--max-words=1")
	if r := lastLine(t, stdout); r.Night.Counts["again"] != 11 {
		t.Errorf("%+v", r)
	}
	if _, after, _ := treebeam(t, "", "convert", n.state, "--to", "jsonl"); after != current {
		t.Error("a night with too many failures has become current")
	}
	n.run(t, exitOK, "--seed=9", "--all", "--max-failures=1", "--max-words=1")
}

func compactsByFlags(t *testing.T, state string) {
	t.Helper()
	_, before, _ := treebeam(t, "", "convert", state, "--to", "jsonl")
	if _, stderr := ends(t, exitOK, "nothing to merge", "compact", "--state", state, "--prune", "--keep", "1"); !strings.Contains(stderr, "removed data/000001-") {
		t.Error(stderr)
	}
	if _, after, _ := treebeam(t, "", "convert", state, "--to", "jsonl"); after != before {
		t.Error("compact changed rows")
	}
}

// Files with the bytes of another are left out of an output and of a state, and the run
// says so; renamed files are copied.
func TestDuplicateFiles(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.txt": "One two .\n", "b.txt": "One two .\n", "c.txt": "One tow .\n"})
	said := "files with the bytes of another are left out: 1, such as " + filepath.Join(in, "b.txt") + " (" + filepath.Join(in, "a.txt") + ")"
	out, state := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "state")
	ends(t, exitOK, said, toyCommand(in, "--output", out, "--dedup")...)
	if trees, _ := ends(t, exitOK, "", "convert", out, "-t", "conllu"); strings.Count(trees, "# text = ") != 2 {
		t.Error(trees)
	}
	stdout, _ := ends(t, exitOK, said, toyCommand(in, "--state", state, "--dedup", "--json")...)
	if r := lastLine(t, stdout); r.Trees != 2 || r.Night.Duplicates != 1 {
		t.Errorf("%+v", r)
	}
	must(t, os.Rename(filepath.Join(in, "c.txt"), filepath.Join(in, "d.txt")))
	plan, _ := ends(t, exitOK, "", toyCommand(in, "--state", state, "--dedup", "--plan-only")...)
	for _, line := range []string{"copied    " + filepath.Join(in, "d.txt") + " (the bytes of " + filepath.Join(in, "c.txt") + ")\n",
		"left out  " + filepath.Join(in, "b.txt") + " (the bytes of " + filepath.Join(in, "a.txt") + ")\n"} {
		if !strings.Contains(plan, line) {
			t.Errorf("%swant %s", plan, line)
		}
	}
	stdout, _ = ends(t, exitOK, "", toyCommand(in, "--state", state, "--dedup", "--json")...)
	if r := lastLine(t, stdout); r.Trees != 0 || r.Night.Counts["copied"] != 1 || r.Night.Counts["deleted"] != 1 || r.Night.Counts["unchanged"] != 1 {
		t.Errorf("%+v", r)
	}
	ends(t, exitRefused, "--dedup is for runs", toyCommand(in, "--to", "conllu", "--dedup")...)
}
