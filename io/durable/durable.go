// Package durable writes files that appear under their names only when they
// are whole: under a temporary name first, synced, then renamed. After a crash
// a file is the old one, the new one or not there, never half of it.
//
//	f, err := durable.Create(path, tmp, 0o644)
//	...
//	defer f.Cleanup()
//	... write to f ...
//	err = f.CloseAtomicallyReplace()
//
// On Windows a file cannot be replaced while a process has it open; there
// CloseAtomicallyReplace fails, and the old file stays.
package durable

import "io/fs"

// WriteFile writes data to path, all of it or nothing. The arguments are those
// of Create.
func WriteFile(path, tmp string, data []byte, perm fs.FileMode) error {
	f, err := Create(path, tmp, perm)
	if err != nil {
		return err
	}
	defer f.Cleanup()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}
