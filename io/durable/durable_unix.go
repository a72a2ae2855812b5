//go:build !windows

package durable

import (
	"io/fs"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// A File is a file under a temporary name. CloseAtomicallyReplace syncs it and
// gives it its name; Cleanup removes it, and does nothing after
// CloseAtomicallyReplace. It is not safe for concurrent use.
type File = renameio.PendingFile

// Create makes a file with a random name in the folder tmp, which must be on
// the file system of path; "" is path's own folder. perm is what a new file
// may be used for, before the umask; one that is there keeps its permissions.
func Create(path, tmp string, perm fs.FileMode) (*File, error) {
	if tmp == "" {
		tmp = filepath.Dir(path)
	}
	return renameio.NewPendingFile(path, renameio.WithTempDir(tmp), renameio.WithPermissions(perm), renameio.WithExistingPermissions())
}
