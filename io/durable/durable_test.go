package durable

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestFileAppearsWhole(t *testing.T) {
	dir := t.TempDir()
	tmp := filepath.Join(dir, "tmp")
	if err := os.Mkdir(tmp, 0o777); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "file")
	for _, content := range []string{"first", "second, over the first"} {
		f, err := Create(path, tmp, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		before, _ := os.ReadFile(path)
		if _, err := f.WriteString(content); err != nil {
			t.Fatal(err)
		}
		if now, _ := os.ReadFile(path); string(now) != string(before) {
			t.Errorf("%q was there before its time", now)
		}
		if n := entries(t, tmp); n != 1 {
			t.Errorf("%d temporary files", n)
		}
		if err := f.CloseAtomicallyReplace(); err != nil {
			t.Fatal(err)
		}
		if err := f.Cleanup(); err != nil {
			t.Error(err)
		}
		if now, err := os.ReadFile(path); string(now) != content {
			t.Errorf("got %q, %v", now, err)
		}
		if n := entries(t, tmp); n != 0 {
			t.Errorf("%d temporary files are left", n)
		}
	}
}

func TestCleanupLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := WriteFile(path, "", []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Create(path, "", 0o666)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("new"); err != nil {
		t.Fatal(err)
	}
	if err := f.Cleanup(); err != nil {
		t.Error(err)
	}
	if now, err := os.ReadFile(path); string(now) != "old" {
		t.Errorf("got %q, %v", now, err)
	}
	if n := entries(t, dir); n != 1 {
		t.Errorf("%d files, want the old one only", n)
	}
}

// What cannot get its name is no file of that name, and leaves nothing.
func TestNameThatCannotBeGiven(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(path, "below"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, dir, []byte("x"), 0o666); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if err := WriteFile(filepath.Join(dir, "none", "file"), "", []byte("x"), 0o666); err == nil {
		t.Error("a file appeared in a folder that is not there")
	}
	if n := entries(t, dir); n != 1 {
		t.Errorf("%d entries, want the folder only", n)
	}
}

func entries(t *testing.T, dir string) int {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// A process that ends in the midst of its work leaves no temporary file, and
// nothing appears after that.
func TestAbandon(t *testing.T) {
	dir := t.TempDir()
	var open []*File
	for _, name := range []string{"a", "b", "c"} {
		f, err := Create(filepath.Join(dir, name), "", 0o666)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, f)
	}
	if err := open[0].CloseAtomicallyReplace(); err != nil {
		t.Fatal(err)
	}
	if err := open[1].Cleanup(); err != nil {
		t.Fatal(err)
	}
	if len(pending.files) != 1 || pending.creating != 0 {
		t.Errorf("%d files are pending, %d being made", len(pending.files), pending.creating)
	}
	stop, late := make(chan bool), make(chan error)
	go func() { // makes files as fast as it can
		for i := 0; ; i++ {
			f, err := Create(filepath.Join(dir, "d"), "", 0o666)
			if err != nil {
				late <- err
			}
			f.Cleanup() // may find that it is removed
			if i == 10 {
				close(stop)
			}
		}
	}()
	<-stop
	Abandon()
	go func() { late <- open[2].CloseAtomicallyReplace() }()
	select {
	case err := <-late:
		t.Errorf("something went on: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	if n := entries(t, dir); n != 1 {
		t.Errorf("%d files, want that which has its name", n)
	}
	pending.Lock()
	pending.ended = false // for the other tests; two goroutines wait for ever
	pending.Unlock()
}
