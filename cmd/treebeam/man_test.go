package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// Every command has a page with all of its flags, in which groff finds no fault.
func TestManualPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man", "man1")
	if status, stdout, stderr := treebeam(t, "", "man", dir); status != exitOK || stdout != "" {
		t.Fatalf("status %d, %s%s", status, stdout, stderr)
	}
	groff, _ := exec.LookPath("groff")
	entries, err := os.ReadDir(dir)
	must(t, err)
	commands := newRoot().Commands()
	if len(entries) != len(commands) { // one is hidden, and the program has a page
		t.Errorf("%d pages of %d commands", len(entries), len(commands))
	}
	for _, cmd := range commands {
		if cmd.Hidden {
			continue
		}
		path := filepath.Join(dir, "treebeam-"+cmd.Name()+".1")
		page, err := os.ReadFile(path)
		must(t, err)
		if groff == "" {
			continue
		}
		made := exec.Command(groff, "-k", "-man", "-Tutf8", "-ww", "-P-cbou", "-rLL=200n", path)
		var complaints strings.Builder
		made.Stderr = &complaints
		text, err := made.Output()
		if err != nil || complaints.Len() > 0 {
			t.Errorf("%s: %v, %s", path, err, complaints.String())
		}
		plain := strings.Join(strings.Fields(strings.ReplaceAll(string(text), "‐", "-")), " ")
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if want := strings.Join(strings.Fields(flagHead(f)+" "+flagUsage(f)), " "); !f.Hidden && f.Name != "help" && !strings.Contains(plain, want) {
				t.Errorf("%s has no %q in %d bytes\n%s", path, want, len(page), plain)
			}
		})
		for line := range strings.Lines(cmd.Example) {
			if !strings.Contains(string(text), strings.TrimSpace(line)) {
				t.Errorf("%s has not %q", path, line)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o644))
	for _, args := range [][]string{{"man"}, {"man", dir, dir}, {"man", file}} {
		if status, _, stderr := treebeam(t, "", args...); status != exitRefused || stderr == "" {
			t.Errorf("%q: status %d", args, status)
		}
	}
}
