package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"
)

// A run removes the folders that killed runs have left in TMPDIR, and no others.
func TestSweepScratch(t *testing.T) {
	tmp := t.TempDir()
	for _, name := range tempVariables() {
		t.Setenv(name, tmp)
	}
	folder := func(name string, marks ...string) string {
		dir := filepath.Join(tmp, name)
		must(t, os.MkdirAll(filepath.Join(dir, "socket"), 0o700))
		for _, mark := range marks {
			must(t, os.Mkdir(filepath.Join(dir, mark), 0o700))
		}
		return dir
	}
	locked := func(dir string) *flock.Flock {
		lock := flock.New(filepath.Join(dir, scratchLock))
		if held, err := lock.TryLock(); err != nil || !held {
			t.Fatal(err)
		}
		return lock
	}
	gone := map[string]bool{
		"killed":                 true,
		"alive":                  false,
		"of another machine":     false,
		"begins now":             false,
		"of an earlier version":  false,
		"another program's":      false,
		"whose lock was removed": false,
	}
	killed := folder("treebeam-1", scratchMark())
	locked(killed).Close()
	alive := folder("treebeam-2", scratchMark())
	defer locked(alive).Close()
	elsewhere := folder("treebeam-3", "on-elsewhere")
	locked(elsewhere).Close()
	begins := folder("treebeam-4")
	locked(begins).Close()
	other := folder("other-5", scratchMark())
	locked(other).Close()
	paths := map[string]string{"killed": killed, "alive": alive, "of another machine": elsewhere, "begins now": begins,
		"of an earlier version": folder("treebeam-6"), "another program's": other, "whose lock was removed": folder("treebeam-7", scratchMark())}
	done, err := openScratch()
	must(t, err)
	sweepScratch(tmp)
	mine := scratch.dir
	if _, err := os.Stat(mine); err != nil {
		t.Error("a run has swept its own folder")
	}
	done()
	if _, err := os.Stat(mine); err == nil {
		t.Error("a run leaves its folder")
	}
	for name, path := range paths {
		if _, err := os.Stat(path); (err != nil) != gone[name] {
			t.Errorf("the folder %s: %v", name, err)
		}
	}
}
