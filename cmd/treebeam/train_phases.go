package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/treebeam/treebeam/io/durable"
)

// phases keeps the finished phases of a training as files of one folder.
type phases struct{ dir string }

// openPhases makes the folder. Phases of an earlier training are only taken
// over with resume, and never deleted unasked: they may be an hour's work.
func openPhases(dir string, resume bool) (phases, error) {
	p := phases{dir}
	if list, err := p.list(); err != nil {
		return p, err
	} else if len(list) > 0 && !resume {
		return p, fmt.Errorf("%s holds phases of an earlier training: add --resume to continue it, or remove that folder", dir)
	}
	if err := p.sweep(); err != nil {
		return p, err
	}
	return p, p.make()
}

// sweep deletes what a training that was killed had written half of: a
// checkpoint of an encoder has hundreds of megabytes.
func (p phases) sweep() error {
	halves, err := filepath.Glob(filepath.Join(p.dir, ".*.phase*"))
	if err != nil {
		return err
	}
	for _, name := range halves {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	return nil
}

func (p phases) make() error {
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return fmt.Errorf("folder for the phases of the training: %w", err)
	}
	return nil
}

func (p phases) list() ([]string, error) { return filepath.Glob(filepath.Join(p.dir, "*.phase")) }

func (p phases) path(name string) string { return filepath.Join(p.dir, name+".phase") }

func (p phases) Load(name string) ([]byte, bool) {
	data, err := os.ReadFile(p.path(name))
	return data, err == nil
}

func (p phases) Save(name string, parts ...[]byte) error {
	f, err := durable.Create(p.path(name), p.dir, 0o644)
	if err != nil {
		return err
	}
	defer f.Cleanup()
	for _, part := range parts {
		if _, err := f.Write(part); err != nil {
			return err
		}
	}
	return f.CloseAtomicallyReplace()
}

// remove deletes the phases, and the folder if nothing else is in it.
func (p phases) remove() error {
	list, err := p.list()
	if err != nil {
		return err
	}
	for _, name := range list {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	os.Remove(p.dir) // stays if it holds files that are not ours
	return nil
}
