package durable

import (
	"io/fs"
	"os"
	"path/filepath"
)

// A File is a file under a temporary name. CloseAtomicallyReplace syncs it and
// gives it its name; Cleanup removes it, and does nothing after
// CloseAtomicallyReplace. It is not safe for concurrent use.
type File struct {
	*os.File
	path   string
	done   bool // it has its name, or is removed
	closed bool
}

// Create makes a file with a random name in the folder tmp, which must be on
// the volume of path; "" is path's own folder. perm means nothing here.
func Create(path, tmp string, _ fs.FileMode) (*File, error) {
	if tmp == "" {
		tmp = filepath.Dir(path)
	}
	return add(func() (*File, error) {
		f, err := os.CreateTemp(tmp, "."+filepath.Base(path))
		return &File{File: f, path: path}, err
	})
}

// CloseAtomicallyReplace syncs and closes the file and gives it its name.
func (f *File) CloseAtomicallyReplace() error { return f.named(f.replace) }

func (f *File) replace() error {
	if err := f.Sync(); err != nil {
		return err
	}
	f.closed = true
	if err := f.File.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), f.path); err != nil {
		return err
	}
	f.done = true
	return nil
}

// Cleanup closes and removes the file unless it has its name.
func (f *File) Cleanup() error {
	if f.done {
		return nil
	}
	defer f.forget()
	var err error
	if !f.closed {
		f.closed = true
		err = f.File.Close()
	}
	if removeErr := os.Remove(f.Name()); removeErr != nil {
		return removeErr
	}
	f.done = true
	return err
}

// discard removes the file, which another goroutine may be writing.
func (f *File) discard() {
	f.File.Close() // an open file cannot be removed
	os.Remove(f.Name())
}
