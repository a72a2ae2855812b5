package treebank

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/treebeam/treebeam/io/store"
)

// Phases keep the finished phases of a training as files of one folder
// (train.Store).
type Phases struct {
	dir  string
	lock *flock.Flock // nil where trainings share the folder
}

// OpenPhases makes the folder dir and locks it until Close, Remove or the end of the
// process: it refuses a folder that another training uses. It reuses phases of an earlier
// training only with resume, and never deletes them unasked: they may be an hour's work.
func OpenPhases(dir string, resume bool) (_ Phases, err error) {
	p, err := SharePhases(dir)
	if err != nil {
		return p, err
	}
	p.lock = flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o644))
	defer func() {
		if err != nil {
			p.Close()
		}
	}()
	if locked, err := p.lock.TryLock(); err == nil && !locked { // a file system may have no locks
		return p, fmt.Errorf("another training keeps its phases in %s: wait until it ends, stop it, or write another model", dir)
	}
	list, err := p.list("*.phase")
	if err != nil {
		return p, err
	}
	if len(list) > 0 && !resume {
		return p, fmt.Errorf("%s holds phases of an earlier training: add --resume to continue it, or remove that folder", dir)
	}
	// A training that was killed leaves what it had written half of: a checkpoint of an
	// encoder has hundreds of megabytes.
	halves, err := p.list(".*.phase*")
	if err != nil {
		return p, err
	}
	return p, removeAll(halves)
}

// Close lets other trainings have the folder.
func (p Phases) Close() error { return p.lock.Close() }

func removeAll(names []string) error {
	for _, name := range names {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	return nil
}

// SharePhases makes the folder dir for phases that trainings share: they are taken
// from it and left in it.
func SharePhases(dir string) (Phases, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Phases{}, fmt.Errorf("folder for the phases of the training: %w", err)
	}
	return Phases{dir: dir}, nil
}

// list returns the files whose names match a pattern. The name of the folder is not
// part of it: it may have brackets.
func (p Phases) list(pattern string) ([]string, error) {
	names, err := fs.Glob(os.DirFS(p.dir), pattern)
	for i := range names {
		names[i] = filepath.Join(p.dir, names[i])
	}
	return names, err
}

func (p Phases) path(name string) string { return filepath.Join(p.dir, name+".phase") }

// Load returns a phase, and whether it exists.
func (p Phases) Load(name string) ([]byte, bool) {
	data, err := os.ReadFile(p.path(name))
	return data, err == nil
}

// Save stores the parts of a phase, one after the other, whole or not at all.
func (p Phases) Save(name string, parts ...[]byte) error {
	f, err := store.CreateFile(p.path(name), p.dir)
	if err != nil {
		return err
	}
	defer f.Abort()
	for _, part := range parts {
		if _, err := f.Write(part); err != nil {
			return err
		}
	}
	return f.Commit()
}

// Remove deletes the phases, and the folder if nothing else is in it.
func (p Phases) Remove() error {
	list, err := p.list("*.phase")
	if err == nil {
		err = removeAll(list)
	}
	if err != nil {
		return err
	}
	// A lock that is held goes first, so that nobody gets it; Windows deletes no open file.
	held := os.Remove(p.lock.Path())
	if err := p.Close(); err != nil {
		return err
	}
	if held != nil {
		os.Remove(p.lock.Path())
	}
	os.Remove(p.dir) // stays if it holds files that are not ours
	return nil
}
