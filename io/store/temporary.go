package store

import "os"

// A Temporary is a file without a name on the local disk, which Close removes.
type Temporary struct{ *os.File }

// NewTemporary opens an empty Temporary.
func NewTemporary() (Temporary, error) {
	f, err := os.CreateTemp("", "treebeam-*")
	if err == nil {
		os.Remove(f.Name()) // it lives until it is closed; where that cannot be, Close removes it
	}
	return Temporary{f}, err
}

// Close removes the file.
func (t Temporary) Close() error {
	err := t.File.Close()
	os.Remove(t.Name())
	return err
}
