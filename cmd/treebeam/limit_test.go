package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/pipeline/nightly"
)

func TestFailureLimit(t *testing.T) {
	for _, c := range []struct {
		limit string
		found nightly.Found
		want  string // in the error, "" for none
	}{
		{"", nightly.Found{Errors: 9, Trees: 9, Files: 18, FilesFailed: 9}, ""},
		{"", nightly.Found{Errors: 10, Trees: 9, Files: 1}, "10 failures beside 9 trees: more than half failed; "},
		{"", nightly.Found{Errors: 4, Trees: 90, Files: 7, FilesFailed: 4}, "4 of 7 files could not be read: more than half failed; "},
		{"", nightly.Found{Errors: 1, Files: 1, FilesFailed: 1}, "nothing could be parsed"},
		{"100%", nightly.Found{Errors: 10, Trees: 1, Files: 9, FilesFailed: 8}, ""},
		{"2", nightly.Found{Errors: 2, Trees: 1, Files: 2, FilesFailed: 2}, ""},
		{"2", nightly.Found{Errors: 3, Trees: 1000, Files: 2}, "3 failures beside 1,000 trees, more than --max-failures allows"},
		{"10%", nightly.Found{Errors: 1, Trees: 9, Files: 1}, ""},
		{"10%", nightly.Found{Errors: 2, Trees: 9, Files: 1}, "2 failures beside 9 trees, more"},
		{"10%", nightly.Found{Errors: 1, Trees: 1000, Files: 10, FilesFailed: 1}, ""},
		{"10%", nightly.Found{Errors: 2, Trees: 1000, Files: 10, FilesFailed: 2}, "2 of 10 files could not be read, more"},
		{"10%", nightly.Found{Errors: 2, Trees: 1000, Files: 1, FilesFailed: 1}, "1 of 1 file could not be read, more"},
		{"0%", nightly.Found{Trees: 1, Files: 1}, ""},
		{"100%", nightly.Found{Errors: 1, Files: 1, FilesFailed: 1}, "nothing could be parsed"},
	} {
		command := newParseCommand(newCommand("parse", "", "").Flags())
		command.maxFailures = c.limit
		l, err := command.limit()
		must(t, err)
		switch err := l.accept(c.found, c.found, false); {
		case (err == nil) != (c.want == ""):
			t.Errorf("%q, %+v: %v", c.limit, c.found, err)
		case err != nil && !strings.HasPrefix(err.Error(), c.want):
			t.Errorf("%q, %+v: %v, want %s", c.limit, c.found, err, c.want)
		}
	}
}

// Half of the files cannot be read: few failures beside the sentences of the
// other half, but half of the input.
func TestUnreadFilesAreMany(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.txt": strings.Repeat("One two .\n\n", 100), "b.pdf": "%PDF-1.4"})
	out := filepath.Join(t.TempDir(), "out")
	const warning = "WARNING: 1 of 2 files could not be read, or only in part"
	ends(t, exitOK, warning, toyCommand(in, "--output", out)...)
	if status, _, stderr := treebeam(t, "", toyCommand(in, "--output", out, "--max-failures", "5%")...); status != exitFailures ||
		!strings.Contains(stderr, "1 of 2 files could not be read, more than --max-failures allows") {
		t.Errorf("status %d\n%s", status, stderr)
	}
}

// The limit that nobody has given is of all documents of a state: one file that cannot be
// read does not keep a night from becoming current, but more than half of them do. The
// snapshot before stays, and the same command with another limit accepts without parsing.
func TestNightsOfFailures(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.txt": "One two .\n", "b.txt": "One .\n"})
	state := filepath.Join(t.TempDir(), "state")
	add := func(names ...string) {
		for _, name := range names {
			must(t, os.WriteFile(filepath.Join(in, name), []byte("%PDF-1.4"), 0o644))
		}
	}
	night := toyCommand(in, "--state", state, "--json")
	ends(t, exitOK, "", night...)
	add("c.pdf")
	ends(t, exitOK, "1 failure", night...)
	add("d.pdf", "e.pdf")
	for range 2 {
		_, said := ends(t, exitFailures, "3 failures beside 2 trees: more than half failed; ", night...)
		if !strings.Contains(said, "no new snapshot is current") {
			t.Error(said)
		}
	}
	stdout, _ := ends(t, exitOK, "", append(night, "--max-failures", "100%")...)
	if r := lastLine(t, stdout); len(r.Night.Runs) != 0 || r.Night.Snapshot[:7] != "000003-" {
		t.Errorf("%+v", r)
	}
}

// More than half of the documents failed: the run is complete, says why and what helps,
// and ends with status 3, unless the limit is another.
func TestMostFailed(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.jsonl": `{"text": "One ."}` + "\n" + strings.Repeat("{}\n", 2)})
	out := filepath.Join(t.TempDir(), "out")
	const why = "2 failures beside 1 tree: more than half failed; "
	for range 2 {
		if _, said := ends(t, exitFailures, why, toyCommand(in, "--output", out)...); !strings.Contains(said, "Give the right one") && !strings.Contains(said, "no_text") {
			t.Error(said)
		}
	}
	ends(t, exitOK, "nothing to do", toyCommand(in, "--output", out, "--max-failures", "100%")...)
	ends(t, exitFailures, why, toyCommand(in, "--to", "conllu")...)
	ends(t, exitOK, "", toyCommand(in, "--to", "conllu", "--end-marks")...)
	ends(t, exitFailures, "2 failures beside 1 tree, more than --max-failures allows", toyCommand(in, "--to", "conllu", "--end-marks", "--max-failures", "1")...)
	ends(t, exitRefused, "--max-failures is empty", toyCommand(in, "--output", out, "--max-failures", "")...)
}
