package mirror

import (
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

func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "mirror")
	folder, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	ids := []string{"../up", "a", "A", "a.t/b", strings.Repeat("n", 300), "", "a"}
	names := Names(ids, ".t")
	for i, name := range names {
		if list, err := folder.Existing([]string{name}); err != nil || len(list) > 0 {
			t.Errorf("%s: %v, %v", name, list, err)
		}
		file, err := folder.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(file, "%d", i)
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is there before it is whole", name)
		}
		if err := file.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	for i, name := range names {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != fmt.Sprint(i) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if list, err := folder.Existing(append(names, "none.t", "a.t/b.t/deeper.t")); err != nil || !reflect.DeepEqual(list, names) {
		t.Errorf("%q, %v", list, err)
	}
	file, err := folder.Create("gone.t")
	if err != nil {
		t.Fatal(err)
	}
	file.Abort()
	count := 0
	filepath.WalkDir(filepath.Dir(filepath.Dir(dir)), func(_ string, d fs.DirEntry, _ error) error {
		if !d.IsDir() {
			count++
		}
		return nil
	})
	if count != len(ids) {
		t.Errorf("%d files, want %d: leftovers, or outside", count, len(ids))
	}
}

// A link in the folder does not lead out of it.
func TestFolderLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "sub")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	folder, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if file, err := folder.Create("sub/a.t"); err == nil {
		file.Abort()
		t.Error("a file was made through a link that leads outside")
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("%v", left)
	}
}
