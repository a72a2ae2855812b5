package source

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
)

// pipe adds a named pipe or a device, which can be read only once.
func (l *lister) pipe(p string) error {
	if l.o.Live {
		return l.live(p, path.Base(p))
	}
	if l.o.Spool == "" {
		return &InputError{p, "is not a regular file; copy it to one first"}
	}
	f, err := os.Open(l.resolve(p))
	if err != nil {
		return &InputError{p, fmt.Sprintf("cannot be opened: %v; name a file or a pipe that can be read", err)}
	}
	defer f.Close()
	return l.spool(p, path.Base(p), f)
}

// spool copies r to a file below Spool and adds that under the given names.
// The file is named after its content, so that the same input gives the same
// plan.
func (l *lister) spool(uri, docID string, r io.Reader) error {
	if i, ok := l.byPath[uri]; ok && l.inputs[i].URI == uri {
		l.matches++
		return nil
	}
	if l.o.Live && r != nil {
		return l.live(uri, docID)
	}
	if r == nil || l.o.Spool == "" {
		return &InputError{uri, "standard input is not available here; name a file"}
	}
	if err := os.MkdirAll(l.o.Spool, 0o777); err != nil {
		return &InputError{uri, fmt.Sprintf("cannot be copied: %v; check the folder for temporary files", err)}
	}
	f, err := os.CreateTemp(l.o.Spool, "stdin-*")
	if err != nil {
		return &InputError{uri, fmt.Sprintf("cannot be copied: %v; check the folder for temporary files", err)}
	}
	defer os.Remove(f.Name()) // fails, as it should, once renamed
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(f, sum), &contextReader{l.ctx, r})
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return &SpoolError{fmt.Errorf("%s cannot be copied to %s: %w; make room there and give the same input again", uri, l.o.Spool, err)}
	}
	digest := hex.EncodeToString(sum.Sum(nil))
	name, err := filepath.Abs(filepath.Join(l.o.Spool, "stdin-"+digest[:16]))
	if err != nil {
		return err
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return &SpoolError{fmt.Errorf("%s cannot be copied: %w", uri, err)}
	}
	l.matches++
	l.insert(uri, Input{URI: uri, DocID: docID, Size: size, Version: spooled + digest, Path: name})
	return nil
}

// A SpoolError is the error of a copy of standard input or of a pipe that was
// begun: the disk is full, or the input broke off.
type SpoolError struct{ err error }

func (e *SpoolError) Error() string { return e.err.Error() }
func (e *SpoolError) Unwrap() error { return e.err }

// live adds an input that is read as it comes.
func (l *lister) live(uri, docID string) error {
	l.matches++
	l.insert(uri, Input{URI: uri, DocID: docID, Version: LiveVersion})
	return nil
}

// spooled begins the version of spooled input; its digest follows.
const spooled = "sha256-"
