package source

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/treebeam/treebeam/io/store"
)

// Limits of a list of paths.
const (
	maxPathList = 128 << 20 // bytes of the paths, and pathBytes for each
	pathBytes   = 16
	maxPath     = 32 << 10 // bytes of a path
)

// ReadPaths reads a list of paths, one per line, or each followed by a zero byte, as
// find -print0 writes them (the first within maxPath bytes). It skips empty lines and a
// byte order mark. Its errors are *InputError with the name of the list, or errors of
// r.
func ReadPaths(r io.Reader, name string) ([]string, error) { return readPaths(r, name, maxPathList) }

func readPaths(r io.Reader, name string, limit int64) (paths []string, err error) {
	in := bufio.NewReaderSize(r, maxPath+2)
	head, _ := in.Peek(maxPath + 1) // an error comes again
	if isUTF16(head, "") || isWideList(head) {
		return nil, &InputError{name, "is UTF-16; make it UTF-8 first, for example with iconv -f UTF-16 -t UTF-8"}
	}
	end := byte('\n')
	if bytes.IndexByte(head, 0) >= 0 {
		end = 0
	}
	if bytes.HasPrefix(head, []byte("\ufeff")) {
		in.Discard(len("\ufeff"))
	}
	size := int64(0)
	for line := 1; err == nil; line++ {
		var p []byte
		if p, err = in.ReadSlice(end); err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			return nil, err
		}
		p = bytes.TrimSuffix(p, []byte{end})
		if end == '\n' {
			p = bytes.TrimSuffix(p, []byte{'\r'})
		}
		if len(p) > maxPath || err == bufio.ErrBufferFull {
			return nil, &InputError{name, fmt.Sprintf("line %d has more than %d bytes, the most of a path: is it a list of files?", line, maxPath)}
		}
		if len(p) == 0 {
			continue
		}
		if size += int64(len(p)) + pathBytes; size > limit {
			return nil, &InputError{name, fmt.Sprintf("has more than %d MB of paths; name folders or patterns instead", limit>>20)}
		}
		paths = append(paths, string(p))
	}
	if len(paths) == 0 {
		return nil, &InputError{name, "names no file; write one path a line"}
	}
	return paths, nil
}

// isWideList reports whether a list looks like UTF-16 without a byte order mark. Its NULs
// would separate paths of one letter, and the path / would be among them. No list that is
// separated by NULs has a line break as a path.
func isWideList(head []byte) bool {
	return bytes.Contains(head, []byte("\x00\n\x00")) || bytes.HasPrefix(head, []byte("\x00")) && bytes.HasSuffix(head, []byte("\x00\n"))
}

// paths lists o.Paths. Missing files are listed, too, unless all of them are missing.
func (l *lister) paths() error {
	objects, err := l.statRemote()
	if err != nil {
		return err
	}
	missing := 0
	for i, p := range l.o.Paths {
		if o := &objects[i]; o.name != "" {
			bucket, _, _ := store.Split(o.name)
			l.addRemote(o.name[:strings.Index(o.name, "://")+3]+bucket, o.name, o.info, o.err)
			err = o.err
		} else if err = l.path(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if errors.Is(err, fs.ErrNotExist) {
			missing++
		}
	}
	switch n := len(l.o.Paths); {
	case missing < n || n == 0:
	case n == 1:
		return &InputError{l.o.Paths[0], "does not exist, and it is the only path in the list; check the working directory"}
	default:
		return &InputError{l.o.Paths[0], fmt.Sprintf("does not exist, nor any of the %d paths in the list; check the working directory", n)}
	}
	return l.ctx.Err()
}

// path lists a file, or a folder with all that is below it, under the id that is
// its path as it is written. That it is not there is an error, though it is listed.
func (l *lister) path(p string) error {
	local, err := localPath(p)
	if err != nil {
		return err
	}
	root := "."
	if path.IsAbs(local) {
		root = "/"
	}
	if l.excludesAny(root, local) || l.skipsBelow(l.resolve(local)) {
		return nil
	}
	info, err := os.Stat(l.resolve(local))
	if err == nil && info.IsDir() {
		return l.walk(root, local, nil, 1)
	}
	l.add(root, local, info, err)
	return err
}

// skipsBelow reports whether a path is not to be listed, or below such a folder.
func (l *lister) skipsBelow(abs string) bool {
	for up := filepath.Dir(abs); !l.skip[abs]; up = filepath.Dir(abs) {
		if up == abs {
			return false
		}
		abs = up
	}
	return true
}

// skipsRemote is skipsBelow for an object.
func (l *lister) skipsRemote(name string) bool {
	return slices.ContainsFunc(l.skipRemote, func(skip string) bool { return strings.HasPrefix(name, skip) })
}

// An object is what a store says of one of the paths.
type object struct {
	name string // as the store spells it, "" of a local path
	info store.Info
	err  error
}

// statAtOnce bounds the questions that are open at an object store.
const statAtOnce = 64

// statRemote asks for the objects among o.Paths. It returns an error if a store
// cannot be reached at all.
func (l *lister) statRemote() ([]object, error) {
	objects := make([]object, len(l.o.Paths))
	g, ctx := errgroup.WithContext(l.ctx)
	g.SetLimit(statAtOnce)
	for i, p := range l.o.Paths {
		if !store.IsRemote(p) {
			continue
		}
		g.Go(func() error {
			s, name, err := store.Of(ctx, p)
			if err != nil {
				return &InputError{store.Redact(p), err.Error()}
			}
			if _, _, err := store.Split(name); err != nil {
				return &InputError{p, "names no bucket; write it between the first slashes"}
			}
			info, err := s.Stat(ctx, name)
			objects[i] = object{name, info, err}
			return ctx.Err()
		})
	}
	return objects, g.Wait()
}
