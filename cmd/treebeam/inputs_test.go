package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/transforms/transformstest"
)

// Lists of files and exclusions do the same to Parquet, to streams and to states.
func TestFilesFrom(t *testing.T) {
	dir := memoryFolder(t)
	for name, text := range map[string]string{
		"a/x.txt": "One two .\n", "b/x.txt": "Three four .\n", "b/old/y.txt": "Five six .\n", "c [1].txt": "Seven eight .\n",
		"list": "b/x.txt\r\na/x.txt\n\nb\nc [1].txt\na/x.txt\n",
	} {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
	}
	t.Chdir(dir)
	list, err := os.ReadFile("list")
	must(t, err)
	const want = "One two .\nFive six .\nThree four .\nSeven eight .\n" // in the order of the paths
	status, text, stderr := treebeam(t, "", toyCommand("--files-from", "list", "--to", "text")...)
	if status != exitOK || text != want {
		t.Errorf("status %d, %q, %s", status, text, stderr)
	}
	if status, text, stderr = treebeam(t, string(list), toyCommand("--files-from", "-", "--exclude", "old", "-t", "text", "--exclude", "a/*")...); status != exitOK ||
		text != "Three four .\nSeven eight .\n" {
		t.Errorf("status %d, %q, %s", status, text, stderr)
	}
	must(t, os.WriteFile("list.gz", []byte(zipped(string(list))), 0o644))
	if status, text, stderr = treebeam(t, "", toyCommand("--files-from", "list.gz", "-t", "text")...); status != exitOK || text != want {
		t.Errorf("status %d, %q, %s", status, text, stderr)
	}
	ends(t, exitOK, "", toyCommand("--files-from=list", "--output=out", "-q")...)
	if _, text, stderr = treebeam(t, "", "convert", "out", "--to", "text"); text != want {
		t.Errorf("%q, %s", text, stderr)
	}
	ends(t, exitRefused, "leaves no file", toyCommand("--files-from=list", "--exclude", "*.txt", "--state=state", "-q")...)
	ends(t, exitOK, "", toyCommand("--files-from=list", "--exclude", "b/*.txt", "--state=state", "-q")...)
	if _, text, stderr = treebeam(t, "", "convert", "state", "--to", "text"); text != "One two .\nFive six .\nSeven eight .\n" {
		t.Errorf("%q, %s", text, stderr)
	}
}

// A list that cannot be read is refused; a file that it names and that is gone is
// a failure.
func TestListsRefused(t *testing.T) {
	dir := memoryFolder(t)
	must(t, os.WriteFile(filepath.Join(dir, "empty"), nil, 0o644), os.WriteFile(filepath.Join(dir, "a.txt"), []byte("One two .\n"), 0o644),
		os.WriteFile(filepath.Join(dir, "wrong"), []byte("no/such.txt\n"), 0o644), os.WriteFile(filepath.Join(dir, "gone"), []byte("no/such.txt\na.txt\n"), 0o644))
	t.Chdir(dir)
	transformstest.Register()
	for args, want := range map[string]string{
		"--files-from none":                 "--files-from none: no such file",
		"--files-from=":                     "--files-from is empty",
		"--files-from .":                    "--files-from .: is a directory",
		"--files-from empty":                "--files-from: empty: names no file",
		"--files-from wrong":                "no/such.txt: does not exist, and it is the only path in the list; check the working directory",
		"--files-from - -":                  "standard input is read once",
		"--files-from - --files-from -":     "standard input is read once",
		"--files-from ftp://b/list":         "ftp:// is not supported",
		"a.txt --exclude [":                 `--exclude "[": is not a valid pattern`,
		"--files-from gone --exclude *.txt": "leaves no file",
	} {
		if status, _, stderr := treebeam(t, "a.txt\n", toyCommand(append(strings.Fields(args), "-t", "conllu")...)...); status != exitRefused || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s", args, status, stderr)
		}
	}
	status, stdout, stderr := treebeam(t, "", toyCommand("--files-from", "gone", "-t", "text")...)
	if status != exitOK || stdout != "One two .\n" || !strings.Contains(stderr, "no/such.txt") {
		t.Errorf("status %d, %q, %s", status, stdout, stderr)
	}
}
