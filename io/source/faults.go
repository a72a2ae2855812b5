package source

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/treebeam/treebeam/parser/syntax"
)

// OwnDir is the folder that marks the output of a run: it is never input.
const OwnDir = "_treebeam"

// impossiblePath reports faults that a path has for good: links in a circle,
// a name that is too long, a file where a folder should be.
func impossiblePath(err error) bool {
	return errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.ENOTDIR)
}

// unlisted begins the version of a folder that could not be listed; the cause
// follows.
const unlisted = "unlisted: "

// addUnlisted lists, in place of what is in it, the folder dir below root that
// could not be listed, so that it leaves a row behind: a tree of a million
// files is not refused for one of its folders.
func (l *lister) addUnlisted(root, dir string, cause error) {
	l.matches++
	cause = cmp.Or(errors.Unwrap(cause), cause)
	l.insert(l.resolve(dir), Input{URI: escape(dir, isInvalid), DocID: idOf(relative(root, dir)) + "/", Version: unlisted + cause.Error()})
}

// checkListed returns the fault of a piece that is a folder which could not be
// listed.
func checkListed(p *Piece) error {
	cause, ok := strings.CutPrefix(p.Version, unlisted)
	if !ok {
		return nil
	}
	return permanent(p.URI, 0, syntax.KindUnlisted,
		"the folder cannot be listed (%s), so what is in it is not in this output; give the user of this command the right to list it", cause)
}

// skips reports whether an entry of a folder is not to be listed, or a link to
// such a path.
func (l *lister) skips(abs string, e os.DirEntry) bool {
	if l.skip[abs] {
		return true
	}
	if e.Type()&os.ModeSymlink == 0 || len(l.skip) == 0 {
		return false
	}
	to, err := os.Readlink(abs)
	return err == nil && l.skip[resolve(filepath.Dir(abs), to)]
}

// isOutput reports whether a folder with these entries is the output of a run.
func isOutput(entries []os.DirEntry) bool {
	for _, e := range entries {
		if e.Name() == OwnDir && e.IsDir() {
			return true
		}
	}
	return false
}
