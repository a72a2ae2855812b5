package mirror

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
)

// A Folder is where a mirror is written. Not even a symbolic link in it leads
// out of it. It is not safe for concurrent use.
type Folder struct {
	root *os.Root
	temp string // name of the file being written, under which it never stays
}

// Open makes the folder if it is not there.
func Open(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Folder{root: root, temp: fmt.Sprintf(".treebeam-%d.tmp", os.Getpid())}, nil
}

// Close releases the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Existing returns those of names that are there already, be it as folders.
func (f *Folder) Existing(names []string) (list []string, err error) {
	for _, name := range names {
		switch _, err := f.root.Lstat(filepath.FromSlash(name)); {
		case err == nil:
			list = append(list, name)
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			return nil, err
		}
	}
	return list, nil
}

// A File appears under its name when Commit is called, whole or not at all.
type File struct {
	*os.File
	folder     *Folder
	name, temp string
}

// Create begins the file called name, a path from Names. Folders are made as
// needed. A file that is there is replaced by Commit. One file can be open at a
// time.
func (f *Folder) Create(name string) (*File, error) {
	dir := path.Dir(name)
	if err := f.root.MkdirAll(filepath.FromSlash(dir), 0o755); err != nil {
		return nil, err
	}
	temp := filepath.FromSlash(path.Join(dir, f.temp))
	file, err := f.root.Create(temp)
	if err != nil {
		return nil, err
	}
	return &File{File: file, folder: f, name: filepath.FromSlash(name), temp: temp}, nil
}

// Commit closes the file and gives it its name. After an error nothing of it
// is left.
func (f *File) Commit() error {
	err := f.Close()
	if err == nil {
		err = f.folder.root.Rename(f.temp, f.name)
	}
	if err != nil {
		_ = f.folder.root.Remove(f.temp)
	}
	return err
}

// Abort closes the file and removes it.
func (f *File) Abort() {
	_ = f.Close()
	_ = f.folder.root.Remove(f.temp)
}
