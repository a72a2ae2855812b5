package mirror

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

func TestNames(t *testing.T) {
	if filepath.Separator != '/' {
		t.Skip("what must be escaped differs here")
	}
	long := strings.Repeat("ж", 200)
	for _, test := range []struct{ ids, want []string }{
		{[]string{"a.txt", "b/c.txt", "b/d"}, []string{"a.txt.x", "b/c.txt.x", "b/d.x"}},
		{[]string{"a.x", "a", "a.x"}, []string{"a.x", "a~2.x", "a~3.x"}}, // repeats, too
		{[]string{"a", "a~2", "a"}, []string{"a.x", "a~2.x", "a~3.x"}},
		{[]string{"A", "a", "Straße", "STRASSE"}, []string{"A.x", "a~2.x", "Straße.x", "STRASSE~2.x"}},
		{[]string{"\u00e9", "e\u0301"}, []string{"\u00e9.x", "e\u0301~2.x"}},
		{[]string{"a", "a.x/b", "a.X/c/d"}, []string{"a~2.x", "a.x/b.x", "a.X/c/d.x"}}, // a file and a folder
		{[]string{"../../etc/passwd", "/etc/passwd", "", ".", "..", "a//b", "a/../b", "./c"},
			[]string{"%2E./%2E./etc/passwd.x", "%/etc/passwd.x", "%.x", "%2E.x", "%2E..x", "a/%/b.x", "a/%2E./b.x", "%2E/c.x"}},
		{[]string{"a\x00b", "a\nb", "a\x1b[31m", "a\xffb", "a\u0085b", "a\tb"},
			[]string{"a%00b.x", "a%0Ab.x", "a%1B[31m.x", "a%FFb.x", "a%C2%85b.x", "a%09b.x"}},
		{[]string{".x", "d/.x"}, []string{"%.x", "d/%.x"}},
		{[]string{long, long + "2", long[:300] + "/a"}, []string{
			strings.Repeat("ж", 114) + "~baf72f2a.x", strings.Repeat("ж", 114) + "~c6c80012.x", strings.Repeat("ж", 115) + "~9cc86211/a.x"}},
	} {
		if got := Names(test.ids, ".x"); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%.60q:\n got %q\nwant %q", test.ids, got, test.want)
		}
	}
}

// A name for each of many documents with one id takes as few steps as for others: some
// allocations, which count them.
func TestManyOfOneName(t *testing.T) {
	ids := make([]string, 1000)
	for i := range ids {
		ids[i] = []string{"same.txt", "Same.txt"}[i%2]
	}
	steps := testing.AllocsPerRun(1, func() {
		if last := Names(ids, ".x")[999]; last != "Same.txt~1000.x" {
			t.Error(last)
		}
	})
	if steps > 50*1000 {
		t.Errorf("%.0f allocations", steps)
	}
}

// Whatever the ids are, every document gets a file of its own below the folder.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"a\n../a\nA\n/a", "x/y\nx.t\nx", "\x00\n\xff\n..", strings.Repeat("é", 150) + "\n" + strings.Repeat("é", 150)} {
		f.Add(strings.ReplaceAll(s, "\n", "|"))
	}
	f.Fuzz(func(t *testing.T, joined string) {
		names := Names(strings.Split(joined, "|"), ".t")
		folded := map[string]bool{}
		for _, name := range names {
			for _, part := range strings.Split(name, "/") {
				if part == "" || part == "." || part == ".." || len(part) > 255 || !filepath.IsLocal(part) {
					t.Errorf("%q: part %q of %q", joined, part, name)
				}
			}
			if !utf8.ValidString(name) || !strings.HasSuffix(name, ".t") || !filepath.IsLocal(filepath.FromSlash(name)) {
				t.Errorf("%q: %q", joined, name)
			}
			key := cases.Fold().String(norm.NFC.String(name))
			if folded[key] {
				t.Errorf("%q: %q twice", joined, name)
			}
			folded[key] = true
		}
		for _, name := range names {
			for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
				if folded[cases.Fold().String(norm.NFC.String(dir))] {
					t.Errorf("%q: %q is a file and a folder", joined, dir)
				}
			}
		}
	})
}

func words(s string) func([]byte) ([]byte, error) {
	return func(dst []byte) ([]byte, error) { return append(dst, s...), nil }
}

// Every document gets its own file below the folder, whatever it is called, and
// nothing else is left.
func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "mirror")
	var documents []Document
	for i, id := range []string{"../up", "a", "A", "a.t/b", strings.Repeat("n", 300), "", "a"} {
		documents = append(documents, Document{fmt.Sprint(i), id})
	}
	w, err := Map(append(documents, Document{"none", "none"}), ".t").Open(dir)
	must(t, err)
	if list, err := w.Existing(); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
	for i, d := range documents {
		must(t, w.Write(d.Source, words(d.Source)))
		if _, err := os.Stat(filepath.Join(dir, w.Names[i])); err == nil {
			t.Errorf("%s is there before it is whole", w.Names[i])
		}
	}
	must(t, w.Close())
	for i, d := range documents {
		if text, err := os.ReadFile(filepath.Join(dir, w.Names[i])); err != nil || string(text) != d.Source {
			t.Errorf("%s: %q, %v", w.Names[i], text, err)
		}
	}
	if list, err := w.Existing(); err != nil || !reflect.DeepEqual(list, w.Names[:len(documents)]) {
		t.Errorf("%q, %v", list, err)
	}
	w.Abort()
	if w, err = Map([]Document{{"s", "a.t/b.t/below a file"}}, ".t").Open(dir); err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if list, err := w.Existing(); err != nil || len(list) > 0 {
		t.Errorf("%q, %v", list, err)
	}
	if err := w.Write("s", words("x")); err == nil {
		t.Error("a file is a folder")
	}
	count := 0
	filepath.WalkDir(filepath.Dir(filepath.Dir(dir)), func(_ string, d fs.DirEntry, _ error) error {
		if !d.IsDir() {
			count++
		}
		return nil
	})
	if count != len(documents) {
		t.Errorf("%d files, want %d: leftovers, or outside", count, len(documents))
	}
}

// A link in the folder does not lead out of it.
func TestFolderLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "sub")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	w, err := Map([]Document{{"s", "sub/a"}}, ".t").Open(dir)
	must(t, err)
	defer w.Abort()
	if err := w.Write("s", words("x")); err == nil {
		t.Error("a file was made through a link that leads outside")
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("%v", left)
	}
}

// Texts go to the file of their document, each file has its end, and documents
// that come twice, or that nobody announced, are errors.
func TestWriter(t *testing.T) {
	dir := t.TempDir()
	m := Map([]Document{{"s1", "a/b.txt"}, {"s2", "../c"}, {"s3", "d.x"}}, ".x")
	if want := []Renamed{{"../c", m.Names[1]}}; !reflect.DeepEqual(m.Renamed, want) {
		t.Fatalf("%+v", m)
	}
	w, err := m.Open(dir)
	must(t, err)
	ends := 0
	w.End = func(dst []byte) ([]byte, error) { ends++; return append(dst, "end"...), nil }
	for _, x := range [][2]string{{"s1", "one "}, {"s1", "two "}, {"s2", "three "}} {
		must(t, w.Write(x[0], words(x[1])))
	}
	for source, want := range map[string]string{"s1": "are not together", "nobody": "no row in documents/"} {
		if err := w.Write(source, words("")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", source, err)
		}
	}
	must(t, w.Close())
	for i, want := range []string{"one two end", "three end"} {
		if got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(m.Names[i]))); string(got) != want || err != nil {
			t.Errorf("%s: %q, %v", m.Names[i], got, err)
		}
	}
	if w.Files != 2 || w.Texts != 3 || ends != 2 {
		t.Errorf("%d files, %d texts, %d ends", w.Files, w.Texts, ends)
	}
	// What fails, or is given up, leaves nothing behind.
	bad := errors.New("bad")
	w.End = func(dst []byte) ([]byte, error) { return dst, bad }
	if err := errors.Join(w.Write("s3", words("x")), w.Close()); !errors.Is(err, bad) {
		t.Error(err)
	}
	if w, err = m.Open(dir); err != nil || w.Write("s3", words("x")) != nil {
		t.Fatal(err)
	}
	w.Abort()
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("%v", left)
	}
}

// must ends the test at the first error.
func must(tb testing.TB, errs ...error) {
	tb.Helper()
	for _, err := range errs {
		if err != nil {
			tb.Fatal(err)
		}
	}
}
