package store

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// A File is a local file that appears under its name only at Commit, when it is
// whole: it is written under a temporary name, synced, then renamed. After a
// crash the name holds the old file, the new one or none, never half of one.
//
// On Windows a file cannot be replaced while a process has it open; there
// Commit fails, and the old file stays.
type File struct {
	*os.File
	path string
	done error // nil until Commit or Abort
}

var errDone = errors.New("the file was published or dropped already")

// pending are the temporary files of this process. Goroutines that make or rename one
// hold the lock for reading; Abandon keeps it for ever.
var pending struct {
	sync.RWMutex
	files sync.Map // *File
}

// maxBase leaves room for a random number in the 255 bytes of a name.
const maxBase = 240

// CreateFile begins the file path. Until Commit it has a random name in the folder
// temp, which must be on the same file system; "" is the folder of path. A file that
// replaces another keeps its permissions.
func CreateFile(path, temp string) (*File, error) {
	pending.RLock()
	defer pending.RUnlock()
	base := filepath.Base(path)
	base = strings.ToValidUTF8(base[:min(len(base), maxBase)], "")
	name := "." + base + strconv.FormatUint(rand.Uint64(), 36)
	f, err := os.OpenFile(filepath.Join(cmp.Or(temp, filepath.Dir(path)), name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	w := &File{File: f, path: path}
	pending.files.Store(w, nil)
	if old, err := os.Lstat(path); err == nil && old.Mode().IsRegular() {
		if err := f.Chmod(old.Mode().Perm()); err != nil {
			w.Abort()
			return nil, err
		}
	}
	return w, nil
}

// Commit syncs and closes the file and gives it its name.
func (f *File) Commit() error {
	if f.done != nil {
		return f.done
	}
	err := cmp.Or(f.Sync(), f.Close())
	pending.RLock()
	defer pending.RUnlock()
	if err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	if err != nil {
		return err
	}
	f.done = errDone
	pending.files.Delete(f)
	if dir, err := os.Open(filepath.Dir(f.path)); err == nil {
		_ = dir.Sync() // not every file system can; the rename itself is done
		dir.Close()
	}
	return nil
}

// Abort closes and removes the file. After Commit it does nothing.
func (f *File) Abort() {
	if f.done == nil {
		f.done = errDone
		pending.files.Delete(f)
		f.discard()
	}
}

// discard removes the file, which another goroutine may be writing.
func (f *File) discard() {
	f.Close() // on Windows an open file cannot be removed
	os.Remove(f.Name())
}

// Abandon is for a process that is about to end. It removes the temporary files of the
// process. From then on, a goroutine that creates or publishes a file blocks until the
// process ends.
func Abandon() {
	pending.Lock()
	pending.files.Range(func(f, _ any) bool {
		f.(*File).discard()
		return true
	})
}

// ReplaceFile writes data to the local file path, all of it or nothing. The folder
// must be there.
func ReplaceFile(path string, data []byte) error {
	f, err := CreateFile(path, "")
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Commit()
}
