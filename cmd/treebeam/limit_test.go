package main

import (
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
		{"", nightly.Found{Errors: 9, Trees: 1, Files: 9, FilesFailed: 9}, ""},
		{"2", nightly.Found{Errors: 2, Trees: 1, Files: 2, FilesFailed: 2}, ""},
		{"2", nightly.Found{Errors: 3, Trees: 1000, Files: 2}, "3 failures, more"},
		{"10%", nightly.Found{Errors: 1, Trees: 9, Files: 1}, ""},
		{"10%", nightly.Found{Errors: 2, Trees: 9, Files: 1}, "2 failures, more"},
		{"10%", nightly.Found{Errors: 1, Trees: 1000, Files: 10, FilesFailed: 1}, ""},
		{"10%", nightly.Found{Errors: 2, Trees: 1000, Files: 10, FilesFailed: 2}, "2 of 10 files could not be read, more"},
		{"0%", nightly.Found{Trees: 1, Files: 1}, ""},
		{"100%", nightly.Found{Errors: 1, Files: 1, FilesFailed: 1}, "nothing could be parsed"},
	} {
		l, err := parseLimit(c.limit)
		must(t, err)
		switch err := l.accept(c.found, false); {
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
