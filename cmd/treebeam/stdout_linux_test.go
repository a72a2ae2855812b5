package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Whatever a command prints on a disk that is full: status 1 and the reason.
func TestFullStandardOutput(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.txt": "Some words here .\n", "b.pdf": "%PDF-1.4\n"})
	tmp := t.TempDir()
	out, state := filepath.Join(tmp, "out"), filepath.Join(tmp, "state")
	for _, args := range [][]string{
		toyCommand(in, "--output", out, "--quiet"),
		toyCommand(in, "--output", out, "--quiet"), // there is nothing to do
		toyCommand(in, "--output", filepath.Join(tmp, "x.conllu"), "--json"),
		toyCommand(in, "--output", filepath.Join(tmp, "limited"), "--max-failures", "0"),
		toyCommand("--input", in, "--state", state, "--plan-only"),
		toyCommand("--input", in, "--state", state),
		toyCommand("--input", in, "--state", state, "--quiet"),
		toyCommand(in),
		toyCommand(in, "--to", "tree"),
		{"help"}, {"help", "parse"}, {"help", "beam"}, {"parse", "--help"}, {"version"}, {"--version"},
		{"model", "info"}, {"model", "info", "--json"},
		{"completion", "bash"}, {"__complete", "pa"},
		{"convert", out}, {"show", out}, {"failures", out}, {"diff", out, out}, {"sample", out, "--random", "1"},
		{"report", out, "--output", "-"},
	} {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		must(t, err)
		status, _, stderr := treebeamTo(t, "", full, args...)
		full.Close()
		if status != exitFailed || strings.Count(stderr, "no space left on device") != 1 {
			t.Errorf("%q: status %d\n%s", args, status, stderr)
		}
		ends(t, exitOK, "", "version")
	}
}

// All that commands print goes through stdout.
func TestOneStandardOutput(t *testing.T) {
	names, err := filepath.Glob("*.go")
	must(t, err)
	allowed := regexp.MustCompile(`os\.Stdout\.Fd\(\)|showsColors\(os\.Stdout\)`)
	for _, name := range names {
		if name == "output.go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		must(t, err)
		if rest := allowed.ReplaceAllString(string(text), ""); regexp.MustCompile(`os\.Stdout|fmt\.Print`).MatchString(rest) {
			t.Errorf("%s writes to os.Stdout, and not to stdout", name)
		}
	}
}
