package store_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/treebeam/treebeam/io/store"
)

// A file appears under its name at Commit, whole, and Abort leaves the old one.
func TestFileAppearsWhole(t *testing.T) {
	dir := t.TempDir()
	tmp := filepath.Join(dir, "tmp")
	path := filepath.Join(dir, "file")
	must(t, os.Mkdir(tmp, 0o777))
	now := ""
	for _, content := range []string{"first", "second, over the first", "dropped"} {
		f := create(t, path, tmp)
		if _, err := f.WriteString(content); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); string(got) != now || entries(t, tmp) != 1 {
			t.Errorf("%q was there before its time, %d temporary files", got, entries(t, tmp))
		}
		if content != "dropped" {
			must(t, f.Commit())
			now = content
		}
		f.Abort()
		if err := f.Commit(); err == nil {
			t.Error("Commit at the end gave no error")
		}
		if got, err := os.ReadFile(path); string(got) != now || entries(t, tmp) != 0 {
			t.Errorf("got %q, %v; %d temporary files are left", got, err, entries(t, tmp))
		}
	}
}

// A file that is replaced passes its permissions on.
func TestPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(path, nil, 0o640))
	for _, mode := range []os.FileMode{0o600, 0o444, 0o666} {
		must(t, os.Chmod(path, mode))
		want, _ := os.Stat(path) // not every system has all modes
		must(t, store.ReplaceFile(path, []byte("x")))
		if got, err := os.Stat(path); err != nil || got.Mode() != want.Mode() || got.Size() != 1 {
			t.Errorf("got %v, %v; want %v", got, err, want.Mode())
		}
	}
}

// A file that cannot get its name leaves nothing.
func TestNameThatCannotBeGiven(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "folder")
	must(t, os.MkdirAll(filepath.Join(folder, "below"), 0o777))
	for _, path := range []string{folder, filepath.Join(dir, "none", "file")} {
		if err := store.ReplaceFile(path, []byte("x")); err == nil {
			t.Errorf("%s was written", path)
		}
	}
	if n := entries(t, dir); n != 1 {
		t.Errorf("%d entries, want the folder only", n)
	}
}

// A process that ends in the midst of its work leaves no temporary file, and
// nothing appears after that. Abandon is for good: this process plays the one that ends.
func TestAbandon(t *testing.T) {
	if os.Getenv("TREEBEAM_ABANDON") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestAbandon$")
		cmd.Env = append(os.Environ(), "TREEBEAM_ABANDON=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	dir := t.TempDir()
	done, open := create(t, filepath.Join(dir, "a"), ""), create(t, filepath.Join(dir, "b"), "")
	must(t, done.Commit())
	stop, late := make(chan bool), make(chan error)
	go func() { // makes files as fast as it can
		for i := 0; ; i++ {
			f, err := store.CreateFile(filepath.Join(dir, "d"), "")
			if err != nil {
				late <- err
			}
			f.Abort() // may find that it is removed
			if i == 10 {
				close(stop)
			}
		}
	}()
	<-stop
	store.Abandon()
	go func() { late <- open.Commit() }()
	select {
	case err := <-late:
		t.Errorf("something went on: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	if n := entries(t, dir); n != 1 {
		t.Errorf("%d files, want the one that has its name", n)
	}
}

func create(t *testing.T, path, temp string) *store.File {
	t.Helper()
	f, err := store.CreateFile(path, temp)
	must(t, err)
	return f
}

func entries(t *testing.T, dir string) int {
	t.Helper()
	list, err := os.ReadDir(dir)
	must(t, err)
	return len(list)
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

// A file may have the longest name of its file system.
func TestLongestName(t *testing.T) {
	name := filepath.Join(t.TempDir(), strings.Repeat("n", 255))
	must(t, store.ReplaceFile(name, []byte("data")))
}
