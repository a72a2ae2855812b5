package source

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// rangesOf are the ranges of a plan.
func rangesOf(p *Plan) (list []Range) {
	for r, err := range p.Ranges() {
		if err != nil {
			panic(err)
		}
		list = append(list, r)
	}
	return list
}

// A listing of more files than are held is the same as one of fewer: sorted, without
// duplicates, with the names that are to be told apart; and it can be gone through again.
func TestSpooledListing(t *testing.T) {
	dir := t.TempDir()
	put := func(name string) {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must(t, os.WriteFile(path, []byte(name), 0o666))
	}
	for i := range 3000 {
		put(fmt.Sprintf("%d/%d.txt", i%7, i))
	}
	put("a-b.txt")
	put("a/b.txt")
	for _, name := range []string{"\xff.txt", "%FF.txt", "x\x01.txt", "x%01.txt"} {
		put("odd/" + name)
	}
	patterns := []string{dir, filepath.Join(dir, "3"), dir + "/*/1*.txt"}
	want, err := List(t.Context(), patterns, ListOptions{})
	if err != nil || len(want) != 3006 {
		t.Fatal(len(want), err)
	}
	sorted := slices.IsSortedFunc(want, func(a, b Input) int {
		if a.URI < b.URI {
			return -1
		}
		return 1
	})
	if !sorted {
		t.Error("not sorted, or a file is there twice")
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	for _, n := range []int{1 << 17, 3006, 1000, 700, 3} {
		spooled = n
		l, err := Find(t.Context(), patterns, ListOptions{})
		spooled = 1 << 17
		must(t, err)
		for range 2 {
			var got []Input
			for in, err := range l.All() {
				must(t, err)
				got = append(got, *in)
			}
			if !slices.Equal(got, want) || l.Files != len(want) {
				t.Errorf("%d at once: %d files, want %d", n, len(got), len(want))
			}
		}
		l.Close()
		if left, _ := os.ReadDir(temp); len(left) > 0 {
			t.Errorf("%d at once: %d files are left", n, len(left))
		}
		spooled = n
		_, err = List(t.Context(), []string{filepath.Join(dir, "3"), filepath.Join(dir, "4/4.txt"), filepath.Join(dir, "a/b.txt"), dir + "/*.txt", dir + "/odd/x*"}, ListOptions{Paths: []string{dir + "/0/0.txt"}})
		spooled = 1 << 17
		if err != nil {
			t.Errorf("%d at once: %v", n, err)
		}
	}
	t.Setenv("TMPDIR", filepath.Join(temp, "none"))
	spooled = 100
	defer func() { spooled = 1 << 17 }()
	if _, err := List(t.Context(), patterns, ListOptions{}); err == nil {
		t.Error("without a folder for temporary files nothing was said")
	}
}
