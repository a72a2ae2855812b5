package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A run that could parse nothing at all is no success: it ends with status 3,
// the reason in full, which names the remedy, and the command that shows more.
func TestNothingParsed(t *testing.T) {
	records := strings.Repeat(`{"id": 7, "body": "Here is text ."}`+"\n", 5)
	in := writeFiles(t, map[string]string{"a.jsonl": records})
	out := filepath.Join(t.TempDir(), "out")
	const why = `but "id", "body"; name the right one with --text-key`
	status, stdout, stderr := treebeam(t, "", toyCommand(in, "--output", out)...)
	if status != exitFailures || !strings.Contains(stdout, `"errors":5`) ||
		!strings.Contains(stderr, "  5 failures no_text (read), the first in "+filepath.Join(in, "a.jsonl")+", line 1: ") ||
		!strings.Contains(stderr, why) || !strings.Contains(stderr, "\ntreebeam failures "+out+" lists every one\n") ||
		!strings.HasSuffix(stderr, "\nnothing could be parsed\n") {
		t.Errorf("status %d, output %q\n%s", status, stdout, stderr)
	}
	status, stdout, stderr = treebeam(t, "", toyCommand(in, "--to", "text")...)
	if status != exitFailures || stdout != "" || !strings.Contains(stderr, why) || !strings.Contains(stderr, "treebeam failures FOLDER") {
		t.Errorf("to standard output: status %d, %q\n%s", status, stdout, stderr)
	}
	ends(t, exitOK, "", toyCommand(in, "--output", out, "--overwrite", "--text-key", "body")...)
	// One tree is enough, and nothing to parse is no failure.
	for _, files := range []map[string]string{
		{"a.jsonl": records + `{"text": "One ."}` + "\n"},
		{"a.txt": ""},
	} {
		ends(t, exitOK, "", toyCommand(writeFiles(t, files), "--output", filepath.Join(t.TempDir(), "out"))...)
	}
}

// A first night that could parse nothing makes nothing current, so that another
// option can be tried; a later one keeps what there is.
func TestNothingParsedAtNight(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.jsonl": `{"body": "Here is text ."}` + "\n"})
	state := filepath.Join(t.TempDir(), "state")
	night := func(args ...string) (int, string) {
		status, _, stderr := treebeam(t, "", toyCommand(append([]string{in, "--state", state}, args...)...)...)
		return status, stderr
	}
	for range 2 {
		status, stderr := night()
		if status != exitFailures || !strings.Contains(stderr, "nothing could be parsed") || !strings.Contains(stderr, "treebeam failures "+state) {
			t.Errorf("status %d\n%s", status, stderr)
		}
		if _, err := os.Stat(filepath.Join(state, "CURRENT")); err == nil {
			t.Error("a night without trees is current")
		}
	}
	if status, stderr := night("--text-key", "body"); status != exitOK {
		t.Fatalf("with the right key: status %d\n%s", status, stderr)
	}
	if status, stderr := night("--text-key", "text", "--all"); status != exitFailures {
		t.Errorf("all anew, with the wrong key: status %d\n%s", status, stderr)
	}
	must(t, os.WriteFile(filepath.Join(in, "b.pdf"), []byte("%PDF-1.7\n"), 0o644))
	if status, stderr := night("--text-key", "body"); status != exitOK {
		t.Errorf("one more file, which is no text: status %d\n%s", status, stderr)
	}
}
