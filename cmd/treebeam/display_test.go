package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Trees are shown of an output, of files and of standard input alike, and what
// parse writes at once is the same.
func TestShowsTheSame(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.txt": fine, "b.txt": "Here is one more .\n"})
	out := filepath.Join(t.TempDir(), "out")
	ends(t, exitOK, "", "parse", "--quiet", in, "-o", out)
	_, text, _ := treebeam(t, "", "convert", out, "--conf")
	file := filepath.Join(writeFiles(t, map[string]string{"x.conllu": text}), "x.conllu")
	for _, flags := range []string{"", "--conf", "--lemmas --color always", "--to html --conf"} {
		args := strings.Fields(flags)
		show := func(stdin string, names ...string) string {
			t.Helper()
			status, stdout, stderr := treebeam(t, stdin, append(append([]string{"show", "-n", "99"}, names...), args...)...)
			if status != exitOK || stderr != "" {
				t.Errorf("%s: status %d: %s", flags, status, stderr)
			}
			return stdout
		}
		want := show("", out)
		if got := show("", file); got != want {
			t.Errorf("%s: of a file: %s", flags, firstDifference(got, want))
		}
		if got := show(text, "-"); got != want {
			t.Errorf("%s: of standard input: %s", flags, firstDifference(got, want))
		}
		if !strings.Contains(flags, "--to") {
			args = append(args, "--to", "tree")
		}
		if _, got, stderr := treebeam(t, "", append([]string{"parse", in}, args...)...); got != want {
			t.Errorf("%s: parse: %s%s", flags, firstDifference(got, want), stderr)
		}
		if _, got, stderr := treebeam(t, "", append([]string{"convert", out}, args...)...); got != want {
			t.Errorf("%s: convert: %s%s", flags, firstDifference(got, want), stderr)
		}
	}
	if _, got, _ := treebeam(t, "", "show", out, "--id", "b.txt@0"); !strings.Contains(got, "Here is one more .\n") || !strings.Contains(got, "─╼ Here") {
		t.Errorf("got\n%s", got)
	}
	if _, got, _ := treebeam(t, text, "show", "-", "--doc", "b.txt", "--to", "svg"); !strings.HasPrefix(got, "<svg ") || !strings.Contains(got, "<title>Here is one more .</title>") {
		t.Errorf("got\n%s", got)
	}
}

// Standard output that is no terminal has no colors unless they are wanted.
func TestColor(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.txt": fine})
	for when, want := range map[string]bool{"": false, "auto": false, "never": false, "always": true} {
		args := []string{in, "--to", "tree"}
		if when != "" {
			args = append(args, "--color", when)
		}
		if _, got, stderr := treebeam(t, "", toyCommand(args...)...); strings.Contains(got, "\x1b[") != want || got == "" {
			t.Errorf("%q: %s%s", when, got, stderr)
		}
	}
	ends(t, exitRefused, "always", toyCommand(in, "--color", "blue")...)
}

func TestShowRefusals(t *testing.T) {
	dir := writeFiles(t, map[string]string{"a.txt": "Some text .\n", "two.conllu": "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n1\tb\t_\t_\t_\t_\t0\troot\t_\t_\n\n", "none.conllu": "# nothing\n"})
	for args, want := range map[string]string{
		"":                     "name an output folder",
		"a.txt":                "treebeam parse",
		"missing.conllu":       "does not exist",
		"two.conllu --id x":    "# sent_id",
		"two.conllu --doc x":   "# newdoc id",
		"two.conllu --to svg":  "--to html",
		"two.conllu --to text": "must be tree, svg or html",
	} {
		fields := strings.Fields(args)
		if len(fields) > 0 {
			fields[0] = filepath.Join(dir, fields[0])
		}
		if status, stdout, stderr := treebeam(t, "", append([]string{"show"}, fields...)...); status != exitRefused || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d %s%s", args, status, stdout, stderr)
		}
	}
	if status, stdout, stderr := treebeam(t, "", "show", "-"); status != exitOK || stdout != "" || !strings.Contains(stderr, "no trees") {
		t.Errorf("status %d %s%s", status, stdout, stderr)
	}
}

// What is drawn or searched is not written over, however it is named.
func TestDrawnFilesStay(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.conllu")
	const text = "1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n"
	must(t, os.WriteFile(file, []byte(text), 0o644))
	for _, name := range []string{file, dir, filepath.Join(dir, "*.conllu"), filepath.Join(dir, "**", "x*")} {
		for _, args := range [][]string{{"show", name, "--to", "tree", "-o", file}, {"find", name, "VERB", "-o", file}} {
			ends(t, exitRefused, "it would be lost", args...)
		}
	}
	ends(t, exitOK, "", "show", filepath.Join(dir, "*.conllu"), "--to", "tree", "-o", filepath.Join(dir, "new.txt"))
	if b, err := os.ReadFile(file); err != nil || string(b) != text {
		t.Errorf("the file is %q now, %v", b, err)
	}
}
