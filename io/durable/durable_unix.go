//go:build !windows

package durable

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// A File is a file under a temporary name. CloseAtomicallyReplace syncs it and
// gives it its name; Cleanup removes it, and does nothing after
// CloseAtomicallyReplace. It is not safe for concurrent use.
type File struct{ *renameio.PendingFile }

// Create makes a file with a random name in the folder tmp, which must be on
// the file system of path; "" is path's own folder. perm is what a new file
// may be used for, before the umask; one that is there keeps its permissions.
func Create(path, tmp string, perm fs.FileMode) (*File, error) {
	if tmp == "" {
		tmp = filepath.Dir(path)
	}
	return add(func() (*File, error) {
		f, err := renameio.NewPendingFile(path, renameio.WithTempDir(tmp), renameio.WithPermissions(perm), renameio.WithExistingPermissions())
		return &File{f}, err
	})
}

// CloseAtomicallyReplace syncs and closes the file and gives it its name.
func (f *File) CloseAtomicallyReplace() error { return f.named(f.PendingFile.CloseAtomicallyReplace) }

// Cleanup closes and removes the file unless it has its name.
func (f *File) Cleanup() error {
	defer f.forget()
	return f.PendingFile.Cleanup()
}

// discard removes the file, which another goroutine may be writing.
func (f *File) discard() { os.Remove(f.Name()) }
