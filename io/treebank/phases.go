package treebank

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/treebeam/treebeam/io/store"
)

// Phases keep the finished phases of a training as files of one folder
// (train.Store).
type Phases struct{ dir string }

// OpenPhases makes the folder dir. It reuses phases of an earlier training only with
// resume, and never deletes them unasked: they may be an hour's work.
func OpenPhases(dir string, resume bool) (Phases, error) {
	p := Phases{dir}
	if list, err := p.list("*.phase"); err != nil {
		return p, err
	} else if len(list) > 0 && !resume {
		return p, fmt.Errorf("%s holds phases of an earlier training: add --resume to continue it, or remove that folder", dir)
	}
	// A training that was killed leaves what it had written half of: a checkpoint of an
	// encoder has hundreds of megabytes.
	halves, err := p.list(".*.phase*")
	if err == nil {
		err = removeAll(halves)
	}
	if err != nil {
		return p, err
	}
	return p, p.make()
}

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
	p := Phases{dir}
	return p, p.make()
}

func (p Phases) make() error {
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return fmt.Errorf("folder for the phases of the training: %w", err)
	}
	return nil
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
	os.Remove(p.dir) // stays if it holds files that are not ours
	return nil
}
