package main

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/treebeam/treebeam/io/output"
)

// The name of an output says what is written.
func TestFormatOf(t *testing.T) {
	t.Chdir(writeFiles(t, map[string]string{"folder.conllu/x": "", "file.conllu": ""}))
	for name, want := range map[string]string{
		"out": "", "out/": "", "a.conllu/": "", "folder.conllu": "", "out.d/run": "", ".conllu.d": "", "out.parquet": "",
		"file.conllu": "conllu", "new.conllu": "conllu", "dir/NEW.CoNLLU.gz": "conllu", "x.conllu.zst": "conllu", "x.gz": "", "x.conllu.bz2": "",
		"x.jsonl": "jsonl", "x.ndjson.gz": "jsonl", "x.txt": "text", "x.tree": "tree", "x.svg": "svg", "x.html": "html", "x.htm": "html",
	} {
		if got := formatOf(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// Without --to, trees are CoNLL-U on standard output, and what --output names
// elsewhere.
func TestOutputSaysTheFormat(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.txt": fine})
	dir := t.TempDir()
	parse := func(args ...string) string {
		t.Helper()
		stdout, _ := ends(t, exitOK, "", toyCommand(append([]string{"--quiet", in}, args...)...)...)
		return stdout
	}
	want := parse("--to", "conllu")
	if got := parse(); got != want || !strings.HasPrefix(got, "# generator") {
		t.Errorf("without flags:\n%s", got)
	}
	if got := parse("-o", "-"); got != want {
		t.Errorf("with -o -:\n%s", got)
	}
	unpack := map[string]func(io.Reader) (io.Reader, error){
		"x.conllu":     func(r io.Reader) (io.Reader, error) { return r, nil },
		"x.conllu.gz":  func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"x.conllu.zst": func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) },
	}
	for name, open := range unpack {
		path := filepath.Join(dir, name)
		parse("-o", path)
		f, err := os.Open(path)
		must(t, err)
		defer f.Close()
		r, err := open(f)
		must(t, err)
		if text, err := io.ReadAll(r); err != nil || string(text) != want {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	parse("-o", filepath.Join(dir, "out"))
	if _, err := output.Open(t.Context(), filepath.Join(dir, "out")); err != nil {
		t.Errorf("a folder: %v", err)
	}
	if _, got, _ := treebeam(t, "", "convert", filepath.Join(dir, "out"), "-o", filepath.Join(dir, "y.jsonl")); got != "" {
		t.Errorf("convert prints %s", got)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "y.jsonl")); err != nil || !strings.HasPrefix(string(text), "{") {
		t.Errorf("%v: %.100s", err, text)
	}
}

// A run that fails leaves no half of a file, compressed or not.
func TestNoHalfOfAFile(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.txt": "One two .\n\nThree four .\n"})
	for _, name := range []string{"x.svg", "x.svg.gz", "x.svg.zst"} {
		dir := t.TempDir()
		status, _, stderr := treebeam(t, "", toyCommand(in, "-o", filepath.Join(dir, name))...)
		left, err := os.ReadDir(dir)
		if status != exitRefused || err != nil || len(left) != 0 || !strings.Contains(stderr, "html") {
			t.Errorf("%s: status %d, %v left: %s", name, status, left, stderr)
		}
	}
}
