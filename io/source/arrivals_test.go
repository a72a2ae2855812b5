package source

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestArrivals(t *testing.T) {
	var s Arrivals
	file := func(name string, size int64, version string) Input {
		return Input{URI: name, Size: size, Version: version}
	}
	poll := func(want string, wantGone bool, listing ...Input) []Input {
		t.Helper()
		ready, gone := s.Poll(listing)
		var names []string
		for i := range ready {
			names = append(names, ready[i].URI)
		}
		if got := strings.Join(names, " "); got != want || gone != wantGone {
			t.Errorf("ready: %q, want %q; gone: %v", got, want, gone)
		}
		return ready
	}
	a, b, object := file("a", 1, "m1"), file("b", 1, "m1"), file("gs://x/c", 1, "g1")
	s.Settle(poll("gs://x/c", false, a, object)) // an object is whole, a file may not be
	grown := file("b", 2, "m1")
	poll("a", false, a, b, object)
	s.Settle(poll("a", false, a, grown, object)) // not parsed the first time; b is being written
	later := file("b", 2, "m2")
	poll("", false, a, later, object)
	s.Settle(poll("b", false, a, later, object))
	poll("", false, a, later, object)
	poll("", true, a, object)
	poll("", false, a, object)
	poll("", false, a, later, object) // it is there again: nothing remembers it
	s.Settle(poll("b", false, a, later, object))
	poll("", true, file("a", 1, "m3"), later, object)
	if len(s.known) != 3 {
		t.Errorf("remembers %d files", len(s.known))
	}
}

func TestUnfinishedFilesAreLeftOut(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt.tmp", "c.part", "d.txt~", ".e.txt", "_f/g.txt", "g/.h/i.txt", "j.tmp/k.txt"} {
		path := filepath.Join(dir, name)
		must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)))
	}
	list, err := List(context.Background(), []string{dir}, ListOptions{Exclude: Unfinished})
	if err != nil || len(list) != 1 || list[0].DocID != "a.txt" {
		t.Errorf("%v, %v", list, err)
	}
}
