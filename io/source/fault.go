package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/parser/syntax"
)

// classify makes the *Error of a fault of the file system or the store. A lasting
// verdict on a file is Permanent. But if other ranges have other pieces of the file, it
// must be there for all of them, or it has changed.
func classify(p *Piece, off int64, err error) error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	changed := func(what string) error {
		return &Error{URI: p.URI, Kind: Changed, Offset: off, Err: errors.New(what)}
	}
	var short *store.ShortFile
	switch {
	case errors.As(err, &short):
		return permanent(p.URI, off, syntax.KindTruncated, "%v", short)
	case errors.Is(err, store.ErrNoBucket): // it was there when its objects were listed
	case errors.Is(err, fs.ErrNotExist) && !p.Whole():
		return changed("the file is gone since it was listed")
	case errors.Is(err, fs.ErrNotExist):
		return permanent(p.URI, off, syntax.KindGone, "the file is gone, or a link to nowhere")
	case errors.Is(err, fs.ErrPermission):
		return permanent(p.URI, off, syntax.KindPermission, "permission denied; give the user of this command the right to read it")
	case errors.Is(err, store.ErrVersion):
		return changed("the file changed since it was listed; run the same command again when nothing writes to it")
	case errors.Is(err, store.ErrNotRegular):
		return permanent(p.URI, off, syntax.KindIrregular, "%v", store.ErrNotRegular)
	case impossiblePath(err):
		return permanent(p.URI, off, syntax.KindPath, "%v", err)
	}
	return &Error{URI: p.URI, Kind: Transient, Offset: off, Err: err}
}

// notOpened is classify for the local or remote file name, seen from dir, that could
// not be opened. A file that was a regular one when it was listed and is something else
// now has changed; one that is gone together with its folder has not changed: a disk
// may have been unmounted, so the file is not at fault.
func notOpened(dir, name string, p *Piece, err error) error {
	switch {
	case store.IsRemote(name) || !p.wasFile():
	case errors.Is(err, fs.ErrNotExist):
		if folder, ok := folderIsGone(resolve(dir, name), strings.SplitN(p.DocID, InArchive, 2)[0]); ok {
			return &Error{URI: p.URI, Kind: Transient, Err: fmt.Errorf(
				"the file is gone, and nothing is left in %s: if that was unmounted, mount it again; "+
					"if it was emptied on purpose, start over with --overwrite", folder)}
		}
	case errors.Is(err, store.ErrNotRegular), impossiblePath(err):
		return &Error{URI: p.URI, Kind: Changed, Err: fmt.Errorf("the file changed since it was listed (%w); run the same command again when nothing writes to it", err)}
	}
	return classify(p, 0, err)
}

// wasFile reports whether the piece was listed as a regular file.
func (p *Piece) wasFile() bool {
	_, version := p.file()
	return strings.HasPrefix(version, "m")
}

// folderIsGone reports whether a file that is gone has taken with it the folder
// that was named as input, or left nothing but empty folders, and which: so it
// looks when a disk is unmounted. docID is the path from the input's folder.
func folderIsGone(path, docID string) (string, bool) {
	folder := filepath.Dir(path)
	for range strings.Count(docID, "/") + 1 {
		f, err := os.Open(folder)
		if err == nil {
			_, err = f.Readdirnames(1)
			f.Close()
			return folder, err == io.EOF
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return folder, false // it is another fault
		}
		path, folder = folder, filepath.Dir(folder)
	}
	return path, true
}

// impossiblePath reports faults that a path has for good: links in a circle,
// a name that is too long, a file where a folder should be.
func impossiblePath(err error) bool {
	return errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.ENOTDIR)
}

// checkListed returns the fault of a piece that is a folder or an archive which could not
// be listed, or a member that cannot be read.
func checkListed(p *Piece) error {
	if p.In != nil && p.In.Reason != "" {
		return permanent(p.URI, 0, p.In.Kind, "%s", p.In.Reason)
	}
	cause, ok := strings.CutPrefix(p.Version, unlisted)
	if !ok {
		return nil
	}
	return permanent(p.URI, 0, syntax.KindUnlisted,
		"the folder cannot be listed (%s), so what is in it is not in this output; give the user of this command the right to list it", cause)
}
