package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/treebeam/treebeam/io/spill"
	"github.com/treebeam/treebeam/io/store"
)

// ListOptions say how List looks for files. The zero value lists relative to
// the working directory and refuses "-".
type ListOptions struct {
	// Dir is what relative patterns are relative to; "" is the working
	// directory. It does not appear in any URI.
	Dir string
	// Skip are paths (files or folders) that are never listed, such as the
	// output folder.
	Skip []string
	// Paths are files and folders in addition to the patterns. No character of them is
	// a wildcard, and the id of a document is its path as it is written. A path that
	// does not exist is listed, so that it gets a row in failures/.
	Paths []string
	// Exclude are patterns of files and folders that are not listed: of a path if they
	// have a slash, else of a name anywhere. List does not look into the folders that
	// they match.
	Exclude []string
	// AllowEmpty lets a folder or a glob match no file.
	AllowEmpty bool
	// Live lists "-" and named pipes as inputs that are read as they come: see
	// OpenLive. A plan cannot hold these, because a range may be read more than once.
	Live bool
}

// An InputError says that a pattern cannot be used: it matches nothing, it cannot be
// read, or two patterns give the same document id. It names the remedy.
type InputError struct {
	Pattern string
	Reason  string
}

func (e *InputError) Error() string { return e.Pattern + ": " + e.Reason }

// List returns the files that the patterns name, sorted by the bytes of their
// URI and without duplicates. A pattern is a file, a folder (walked
// recursively; names that start with "." or "_" are skipped, links to folders
// are not followed), a glob whose "**" matches any number of folders, or "-".
// A named pipe is treated as "-" is. A pattern without any match is an
// *InputError.
//
// An archive (.zip, .tar, .tar.gz, .tgz, .tar.zst, .tar.bz2) is listed as its members, as if
// it were a folder: see Place. It is opened for this.
//
// A file that two patterns name is listed once, under the longer of its document ids.
// Files that cannot be read are listed, too: opening them fails, which adds a row to
// failures/.
//
// The list is in memory: see Find.
func List(ctx context.Context, patterns []string, o ListOptions) ([]Input, error) {
	l, err := Find(ctx, patterns, o)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	return l.Inputs()
}

// Find is List for any number of files.
func Find(ctx context.Context, patterns []string, o ListOptions) (*Listing, error) {
	if len(patterns) == 0 && len(o.Paths) == 0 {
		return nil, &InputError{Pattern: "no input", Reason: "name files, folders or globs, or - for standard input"}
	}
	dir, err := absolute(o.Dir)
	if err != nil {
		return nil, err
	}
	l := &lister{ctx: ctx, dir: dir, o: o, skip: map[string]bool{}, found: sorted(byPlace)}
	defer l.found.Close()
	for _, s := range o.Skip {
		if store.IsRemote(s) {
			l.skipRemote = append(l.skipRemote, strings.TrimRight(s, "/")+"/")
		} else {
			l.skip[l.resolve(s)] = true
		}
	}
	if l.exclude, err = exclusions(o.Exclude); err != nil {
		return nil, err
	}
	for _, p := range patterns {
		before, excluded := l.matches, l.excluded
		if err := l.pattern(p); err != nil {
			return nil, err
		}
		if l.matches == before && l.excluded == excluded && !o.AllowEmpty {
			return nil, l.unmatched(p)
		}
	}
	if err := l.paths(); err != nil {
		return nil, err
	}
	if l.err != nil {
		return nil, l.err
	}
	if l.matches == 0 && l.excluded > 0 && !o.AllowEmpty {
		return nil, &InputError{"--exclude " + strings.Join(o.Exclude, " --exclude "), "leaves no file of the input; exclude less"}
	}
	return l.listing()
}

// A lister lists the files of patterns and paths.
type lister struct {
	ctx        context.Context
	dir        string // absolute, or ""
	o          ListOptions
	skip       map[string]bool // absolute paths
	skipRemote []string        // prefixes of URIs
	exclude    []Pattern

	found    *spill.Sorter[found]
	err      error // the first, of archives
	matches  int   // files met, duplicates included
	excluded int   // files and folders met that are
}

// pattern lists the files that a pattern names.
func (l *lister) pattern(p string) error {
	if p == "-" {
		return l.live(p, "standard input")
	}
	if store.IsRemote(p) {
		return l.remote(p)
	}
	local, err := localPath(p)
	if err != nil {
		return err
	}
	segs, _ := splitPattern(local) // of a folder or file all, of a pattern the folders that it begins with
	if named := strings.Join(segs, "/"); named != "" && l.excludesAny(path.Dir(named), named) {
		return nil
	}
	info, err := os.Stat(l.resolve(local))
	switch {
	case err == nil && info.IsDir():
		return l.walk(local, local, nil, 1)
	case err == nil && l.isOutputPart(local):
		return &InputError{p, isAPart}
	case err == nil && info.Mode().IsRegular() && l.excludesAny(path.Dir(local), local): // with a name like a pattern
		return nil
	case err == nil && info.Mode().IsRegular():
		l.add(path.Dir(local), local, info, nil)
		return nil
	case err == nil:
		return l.live(local, "a pipe or a device")
	case isWild(p):
		return l.globPattern(local)
	case errors.Is(err, fs.ErrNotExist):
		return &InputError{p, "does not exist; check the spelling and the working directory"}
	}
	return &InputError{p, fmt.Sprintf("cannot be examined: %v; check its permissions", errors.Unwrap(err))}
}

// localPath returns the cleaned path of a local pattern with forward slashes.
func localPath(p string) (string, error) {
	if p == "" {
		return "", &InputError{`""`, "is an empty file name; check for an unset variable in the command"}
	}
	return path.Clean(filepath.ToSlash(strings.TrimPrefix(p, "file://"))), nil
}

// globPattern lists the files that match a pattern with wildcards.
func (l *lister) globPattern(p string) error {
	fixed, rest := splitPattern(p)
	root := "."
	if len(fixed) > 0 {
		root = cmp.Or(strings.Join(fixed, "/"), "/")
	}
	g, err := newGlob(p, rest)
	if err != nil {
		return err
	}
	if _, err := os.Stat(l.resolve(root)); err != nil {
		return &InputError{p, fmt.Sprintf("the folder %s does not exist; check the spelling and the working directory", root)}
	}
	return l.walk(root, root, g, g.start())
}

// walk lists the files below dir whose names g takes from at on. dir is root, which
// document ids are relative to, or below it. The output of a run is refused as root
// and skipped elsewhere; links to folders are not followed.
func (l *lister) walk(root, dir string, g glob, at places) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	abs := l.resolve(dir)
	switch skipped := l.skip[abs]; {
	case skipped && dir == root:
		return &InputError{dir, isTheOutput}
	case isOutput(abs) && dir == root:
		return &InputError{dir, isAnOutput}
	case skipped, isOutput(abs):
		return nil
	}
	below := map[string]places{}
	for e, err := range entries(abs) {
		switch {
		case err != nil && dir == root:
			return &InputError{dir, fmt.Sprintf("cannot be listed: %v; check its permissions, or name the files one by one", errors.Unwrap(err))}
		case err != nil:
			l.addUnlisted(root, dir, err)
			return nil
		}
		p := join(dir, e.Name())
		if l.skips(filepath.Join(abs, e.Name()), e) || l.excludes(root, p) {
			continue
		}
		next := g.step(at, e.Name())
		switch {
		case e.IsDir() && next != 0:
			below[p] = next
		case !e.IsDir() && g.takes(next):
			if info, err := os.Stat(l.resolve(p)); err != nil || !info.IsDir() { // not a link to a folder
				l.add(root, p, info, err)
			}
		}
	}
	for _, p := range slices.Sorted(maps.Keys(below)) {
		if err := l.walk(root, p, g, below[p]); err != nil {
			return err
		}
	}
	return nil
}

// entries yields what is in a folder, in any order. The pair with an error is the last.
func entries(folder string) iter.Seq2[fs.DirEntry, error] {
	const atOnce = 1000
	return func(yield func(fs.DirEntry, error) bool) {
		f, err := os.Open(folder)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		for {
			list, err := f.ReadDir(atOnce)
			for _, e := range list {
				if !yield(e, nil) {
					return
				}
			}
			if err != nil {
				if err != io.EOF {
					yield(nil, err)
				}
				return
			}
		}
	}
}

// skips reports whether an entry of a folder is not to be listed, or a link to
// such a path.
func (l *lister) skips(abs string, e fs.DirEntry) bool {
	if l.skip[abs] || e.Type()&fs.ModeSymlink == 0 || len(l.skip) == 0 {
		return l.skip[abs]
	}
	to, err := os.Readlink(abs)
	return err == nil && l.skip[resolve(filepath.Dir(abs), to)]
}

// OwnDir is the folder that marks the output of a run. It is never read as input.
const OwnDir = "_treebeam"

// CurrentFile is in the folder of a state: see package nightly.
const CurrentFile = "CURRENT"

const (
	isTheOutput = "is the output folder too; name another --output"
	isAnOutput  = "is an output of treebeam's; treebeam show, convert and report read it"
	isAPart     = "is a part of an output; treebeam convert reads the folder of one, treebeam parse the texts it was made of"
)

// isOutput reports whether a folder is the output of a run.
func isOutput(folder string) bool {
	info, err := os.Lstat(filepath.Join(folder, OwnDir))
	return err == nil && info.IsDir()
}

// outputOf is the folder of an output, with a slash at its end, if a path may be of a part of
// one by its name, else "".
func outputOf(p string) string {
	folder, name := path.Split(p)
	output, kind := path.Split(strings.TrimSuffix(folder, "/"))
	if !slices.Contains([]string{"trees", "failures", "words", "documents"}, kind) || !strings.HasSuffix(strings.ToLower(name), ".parquet") {
		return ""
	}
	return output
}

// isOutputPart reports whether a path belongs to a part of an output.
func (l *lister) isOutputPart(p string) bool {
	output := outputOf(filepath.ToSlash(l.resolve(p)))
	_, err := os.Stat(filepath.FromSlash(output + OwnDir))
	return output != "" && err == nil
}

// add adds the local file p, or only its name if it cannot be examined.
func (l *lister) add(root, p string, info fs.FileInfo, statErr error) {
	in := Input{URI: p}
	switch {
	case statErr != nil:
		in.Version = unreadable
	case !info.Mode().IsRegular():
		in.Version = "irregular"
	default:
		in.Size, in.Version = info.Size(), store.FileVersion(info)
	}
	if !utf8.ValidString(p) {
		in.Path = l.resolve(p)
		in.URI = escape(p, isInvalid)
	}
	if statErr == nil && info.Mode().IsRegular() && isArchive(p) {
		l.addArchive(root, relative(root, p), in)
		return
	}
	l.insert(l.resolve(p), in, relative(root, p))
}

// unreadable is the version of a file that cannot be examined. unlisted begins the
// version of a folder that cannot be listed; the cause follows.
const (
	unreadable = "unreadable"
	unlisted   = "unlisted: "
)

// addUnlisted lists the folder dir below root, which could not be listed, in place of
// its contents, so that it gets a row: a tree of a million files is not refused because
// of one folder.
func (l *lister) addUnlisted(root, dir string, cause error) {
	cause = cmp.Or(errors.Unwrap(cause), cause)
	l.insert(l.resolve(dir), Input{URI: escape(dir, isInvalid), Version: unlisted + cause.Error()}, relative(root, dir)+"/")
}

// insert adds an input, whose file has a path or URI and a name below its root.
func (l *lister) insert(place string, in Input, name string) {
	l.matches++
	in.DocID = idOf(name)
	l.found.Add(found{in, place}) // All returns an error
}

// remote lists the objects of a URI: one object, the objects below it, or the objects
// that match a pattern. Object stores have no folders, only slashes in names.
func (l *lister) remote(p string) error {
	for strings.HasSuffix(p, "/") && !strings.HasSuffix(p, "://") {
		p = p[:len(p)-1]
	}
	s, name, err := store.Of(l.ctx, p)
	if err != nil {
		return &InputError{store.Redact(p), err.Error()}
	}
	bucket, object, err := store.Split(name)
	if err != nil || isWild(bucket) {
		return &InputError{p, "names no bucket; write it between the first slashes, without * ? [ {"}
	}
	if object != "" {
		info, err := s.Stat(l.ctx, name)
		if output := outputOf(name); err == nil && output != "" {
			for _, err := range s.List(l.ctx, output+OwnDir+"/") {
				if err != nil { // who may read an object need not be allowed to list others
					break
				}
				return &InputError{p, isAPart}
			}
		}
		if err == nil && l.skipsRemote(name) {
			return &InputError{p, "is in the output folder; name another --output"}
		}
		if err == nil {
			l.addRemote(name[:strings.LastIndexByte(name, '/')], name, info, nil)
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return &InputError{p, fmt.Sprintf("cannot be examined: %v; check its spelling and your rights", err)}
		}
	}
	root, g := name, glob(nil)
	if isWild(object) {
		_, rest := splitPattern(object)
		root = strings.TrimSuffix(name, "/"+strings.Join(rest, "/"))
		if g, err = newGlob(p, rest); err != nil {
			return err
		}
	}
	if slices.Contains(l.skipRemote, root+"/") {
		return &InputError{root, isTheOutput}
	}
	narrow := "" // the beginning of the first segment
	if len(g) > 0 {
		narrow = g[0][:max(0, strings.IndexAny(g[0]+"*", wildOnly))]
	}
	output := "/" // the last output or state that was met: its own file comes before all else that it has
	for info, err := range s.List(l.ctx, root+"/"+narrow) {
		if err != nil {
			return &InputError{p, fmt.Sprintf("cannot be listed: %v; check the name of the bucket and your right to list it", err)}
		}
		if strings.HasPrefix(info.Name, output) {
			continue
		}
		folder, _, is := strings.Cut(info.Name, "/"+OwnDir+"/")
		if !is && l.isCurrent(info) {
			folder, is = strings.TrimSuffix(info.Name, "/"+CurrentFile), true
		}
		switch {
		case is && folder == root:
			return &InputError{root, isAnOutput}
		case is:
			output = folder + "/"
			continue
		}
		parts := strings.Split(relative(root, info.Name), "/")
		empty := parts[len(parts)-1] == "" && info.Size == 0 // so consoles show a folder that is empty
		if !empty && g.matches(parts) {
			l.addRemote(root, info.Name, info, nil)
		}
	}
	return l.ctx.Err()
}

// snapshotName is what CurrentFile holds.
var snapshotName = regexp.MustCompile(`^\d{6,}-[0-9a-f]{8}\.parquet\n$`)

// isCurrent reports whether an object is the file CurrentFile of a state, which has no
// OwnDir in an object store.
func (l *lister) isCurrent(info store.Info) bool {
	if !strings.HasSuffix(info.Name, "/"+CurrentFile) || info.Size > 64 {
		return false
	}
	text, err := store.ReadFile(l.ctx, info.Name)
	return err == nil && snapshotName.Match(text)
}

// addRemote adds an object, which was found below root, or only its name if the store
// says nothing of it.
func (l *lister) addRemote(root, name string, info store.Info, statErr error) {
	if l.skipsRemote(name) || l.excludesAny(root, name) {
		return
	}
	in := Input{URI: name, Size: info.Size, Version: info.Version, Gzip: info.Gzip}
	if statErr != nil {
		in = Input{URI: name, Version: unreadable}
	} else if isArchive(name) {
		l.addArchive(root, relative(root, name), in)
		return
	}
	l.insert(name, in, relative(root, name))
}

// live adds an input that is read as it comes, if the caller takes such ones. What
// names it in a refusal.
func (l *lister) live(uri, what string) error {
	if !l.o.Live {
		return &InputError{uri, what + " can be read only once: copy it to a file and name that, or write trees to a stream instead of a folder (--to conllu)"}
	}
	l.insert(uri, Input{URI: uri, Version: liveVersion}, path.Base(uri))
	return nil
}

// resolve returns the absolute path of a URI.
func (l *lister) resolve(uri string) string { return resolve(l.dir, uri) }

func resolve(dir, uri string) string {
	p := filepath.FromSlash(uri)
	if !filepath.IsAbs(p) {
		p = filepath.Join(dir, p)
	}
	return filepath.Clean(p)
}

// absolute is filepath.Abs, but "" for a working directory that was removed:
// absolute names are found without one, and others are not.
func absolute(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return abs, err
}
