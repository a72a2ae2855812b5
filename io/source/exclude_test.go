package source

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// What is excluded is not listed, wherever it is met.
func TestExclude(t *testing.T) {
	dir := tree(t, map[string]string{
		"c/a.txt": "a", "c/b.txt": "b", "c/old/a.txt": "o", "c/s/old/x.txt": "x", "c/s/d.txt": "d", "c/s/e.md": "e", "c/[x].txt": "x",
	})
	all := "c/[x].txt c/a.txt c/b.txt c/old/a.txt c/s/d.txt c/s/e.md c/s/old/x.txt"
	for _, c := range []struct{ patterns, exclude, want string }{
		{"c", "", all},
		{"c", "none *.jsonl c/none/**", all},
		{"c", "old", "c/[x].txt c/a.txt c/b.txt c/s/d.txt c/s/e.md"},
		{"c", "old/", "c/[x].txt c/a.txt c/b.txt c/s/d.txt c/s/e.md"},
		{"c", "*.txt", "c/s/e.md"},
		{"c", "*.{txt,jsonl} s/old", "c/s/e.md"},
		{"c", "c/old", "c/[x].txt c/a.txt c/b.txt c/s/d.txt c/s/e.md c/s/old/x.txt"},
		{"c", "./old/*", "c/[x].txt c/a.txt c/b.txt c/s/d.txt c/s/e.md c/s/old/x.txt"},
		{"c", "**/old/**", "c/[x].txt c/a.txt c/b.txt c/s/d.txt c/s/e.md"},
		{"c/**/*.txt", "c/s", "c/[x].txt c/a.txt c/b.txt c/old/a.txt"},
		{"c/*.txt", "?.txt", "c/[x].txt"},
		{"c/a.txt c/s", "a.txt", "c/s/d.txt c/s/e.md c/s/old/x.txt"},
		{"c/[x].txt c/s/e.md", `\[x\].txt`, "c/s/e.md"},
		{"./c/s", "c", "c/s/d.txt c/s/e.md c/s/old/x.txt"}, // a folder above is not met
		{"c/s", "c/*", "error: --exclude c/*: leaves no file"},
		{"c", "*", "error: --exclude *: leaves no file"},
		{"c", "[", `error: --exclude "[": is not a valid pattern`},
		{"c", "./", `error: --exclude "./": is not a valid pattern`},
	} {
		inputs, err := List(t.Context(), strings.Fields(c.patterns), ListOptions{Dir: dir, Exclude: strings.Fields(c.exclude)})
		var uris []string
		for i := range inputs {
			uris = append(uris, inputs[i].URI)
		}
		got := strings.Join(uris, " ")
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != c.want && !(strings.HasPrefix(c.want, "error") && strings.HasPrefix(got, c.want)) {
			t.Errorf("%s without %s:\n got %s\nwant %s", c.patterns, c.exclude, got, c.want)
		}
	}
}

// An excluded folder is not looked at: that it cannot be read is no failure.
func TestExcludedIsNotRead(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	dir := tree(t, map[string]string{"c/a.txt": "a", "c/secret/b.txt": "b"})
	secret := filepath.Join(dir, "c", "secret")
	if err := os.Chmod(secret, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(secret, 0o755)
	inputs, err := List(t.Context(), []string{"c"}, ListOptions{Dir: dir, Exclude: []string{"secret"}})
	if err != nil || len(inputs) != 1 {
		t.Errorf("%v, %v", inputs, err)
	}
}

// Paths stand for themselves, under ids that do not depend on the others.
func TestPaths(t *testing.T) {
	dir := tree(t, map[string]string{"c/a.txt": "a", "d/a.txt": "b", "d/e/f.txt": "f", "c/*.txt": "star", "d/out/_treebeam/x": ""})
	abs := filepath.ToSlash(filepath.Join(dir, "c/a.txt"))
	for _, c := range []struct{ paths, want string }{
		{"c/a.txt d/a.txt", "c/a.txt=c/a.txt d/a.txt=d/a.txt"},
		{"./d c/*.txt", "c/*.txt=c/*.txt d/a.txt=d/a.txt d/e/f.txt=d/e/f.txt"},
		{"c/none.txt c/a.txt", "c/a.txt=c/a.txt c/none.txt=c/none.txt"},
		{abs, abs + "=" + strings.TrimPrefix(abs, "/")},
		{"none nor", "error: none: does not exist, nor any of the 2 paths in the list"},
		{"c/{a,b}.txt", "error: c/{a,b}.txt: does not exist"},
	} {
		got, err := List(t.Context(), nil, ListOptions{Dir: dir, Paths: strings.Fields(c.paths)})
		s := names(got)
		if err != nil {
			s = "error: " + err.Error()
		}
		if s != c.want && !(strings.HasPrefix(c.want, "error") && strings.HasPrefix(s, c.want)) {
			t.Errorf("%s:\n got %s\nwant %s", c.paths, s, c.want)
		}
	}
	got, err := List(t.Context(), []string{"d"}, ListOptions{Dir: dir, Paths: []string{"d/e/f.txt", "c/a.txt"}, Exclude: []string{"c"}})
	if want := "d/a.txt=a.txt d/e/f.txt=d/e/f.txt"; err != nil || names(got) != want {
		t.Errorf("%v, %s, want %s", err, names(got), want)
	}
}

func TestReadPaths(t *testing.T) {
	for list, want := range map[string]string{
		"a.txt\nb c.txt\n":                     "a.txt|b c.txt",
		"\ufeffa.txt\r\n\r\nb.txt\r":           "a.txt|b.txt",
		"a\nb.txt\x00c.txt\x00":                "a\nb.txt|c.txt",
		"\n\n":                                 "error: L: names no file",
		"":                                     "error: L: names no file",
		"a\n" + strings.Repeat("x", maxPath+1): "error: L: line 2 has more than 32768 bytes",
		strings.Repeat("x", 1<<20):             "error: L: line 1 has more than 32768 bytes",
	} {
		paths, err := ReadPaths(strings.NewReader(list), "L")
		got := strings.Join(paths, "|")
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != want && !(strings.HasPrefix(want, "error") && strings.HasPrefix(got, want)) {
			t.Errorf("%.20q: %q, want %q", list, got, want)
		}
	}
	if _, err := ReadPaths(iotest.ErrReader(os.ErrPermission), "L"); err == nil {
		t.Error("no error of the reader")
	}
	endless := io.LimitReader(zeros{}, 1<<30)
	counted := &countingReader{r: endless}
	if _, err := ReadPaths(counted, "L"); err == nil || counted.n > 1<<20 {
		t.Errorf("%v after %d bytes of one that never ends", err, counted.n)
	}
	const most = (1 << 20) / (5 + pathBytes)
	for n, want := range map[int]string{most: "", most + 1: "more than 1 MB"} {
		list := strings.Repeat("a.txt\n", n)
		if _, err := readPaths(strings.NewReader(list), "L", 1<<20); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%d paths: %v, want %q", n, err, want)
		}
	}
}

// zeros are letters without an end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '0'
	}
	return len(b), nil
}

type countingReader struct {
	r io.Reader
	n int
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += n
	return n, err
}
