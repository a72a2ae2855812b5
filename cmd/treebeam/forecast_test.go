package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// A run says at its end how good its trees are expected to be, if the model
// knows; sentences of five words the toy does not.
func TestForecast(t *testing.T) {
	line := regexp.MustCompile(`\nexpected: UPOS \d+\.\d, UAS \d+\.\d, LAS \d+\.\d \(standard error \d+\.\d\)\n`)
	summary := regexp.MustCompile(`"expected":\{"words":8,"upos":0\.\d{1,6},"upos_stderr":0\.\d{1,6},"uas":0\.\d{1,6},`)
	for text, known := range map[string]bool{"One two three .\n\nFour five six .\n": true, "One two three four .\n": false} {
		in := filepath.Join(t.TempDir(), "a.txt")
		must(t, os.WriteFile(in, []byte(text), 0o644))
		status, stdout, stderr := treebeam(t, "", toyCommand(in, "--output", filepath.Join(t.TempDir(), "out"))...)
		if status != exitOK || line.MatchString(stderr) != known || summary.MatchString(stdout) != known {
			t.Errorf("status %d\n%s\n%s", status, stdout, stderr)
		}
		status, stdout, stderr = treebeam(t, "", toyCommand(in, "--state", filepath.Join(t.TempDir(), "state"))...)
		if status != exitOK || line.MatchString(stderr) != known || summary.MatchString(stdout) != known {
			t.Errorf("a night: status %d\n%s\n%s", status, stdout, stderr)
		}
	}
}
