package mirror

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Texts go to the file of their document, each file has its end, and documents
// that come twice, or that nobody announced, are errors.
func TestWriter(t *testing.T) {
	dir := t.TempDir()
	folder, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	m := Map([]Document{{"s1", "a/b.txt"}, {"s2", "../c"}, {"s3", "d.x"}}, ".x")
	if len(m.Renamed) != 1 || m.Renamed[0].ID != "../c" || m.Renamed[0].Name != m.Names[1] {
		t.Fatalf("%+v", m)
	}
	w := NewWriter(folder, m)
	ends := 0
	w.End = func(dst []byte) ([]byte, error) { ends++; return append(dst, "end"...), nil }
	text := func(s string) func([]byte) ([]byte, error) {
		return func(dst []byte) ([]byte, error) { return append(dst, s...), nil }
	}
	for _, x := range [][2]string{{"s1", "one "}, {"s1", "two "}, {"s2", "three "}} {
		if err := w.Write(x[0], text(x[1])); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, m.Names[1])); err == nil {
		t.Error("a file that is open has its name")
	}
	if err := w.Write("s1", text("")); err == nil || !strings.Contains(err.Error(), "do not stand together") {
		t.Errorf("a document again: %v", err)
	}
	if err := w.Write("nobody", text("")); err == nil || !strings.Contains(err.Error(), "no row in documents/") {
		t.Errorf("another document: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"one two end", "three end"} {
		if got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(m.Names[i]))); string(got) != want || err != nil {
			t.Errorf("%s: %q, %v", m.Names[i], got, err)
		}
	}
	if w.Files != 2 || w.Texts != 3 || ends != 2 {
		t.Errorf("%d files, %d texts, %d ends", w.Files, w.Texts, ends)
	}
	// What fails leaves nothing behind.
	bad := errors.New("bad")
	w.End = func(dst []byte) ([]byte, error) { return dst, bad }
	if err := errors.Join(w.Write("s3", text("x")), w.Close()); !errors.Is(err, bad) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "d.x")); err == nil {
		t.Error("half of a file is there")
	}
}
