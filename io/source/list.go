package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	// Stdin is what "-" reads. It is copied to a file below Spool, which must
	// then be set, because a range may be read more than once.
	Stdin io.Reader
	Spool string
	// Paths are files and folders beside the patterns. No character of them is a
	// wildcard, and the id of a document is its path as it is written. One that
	// is not there is listed, so that it leaves a row behind.
	Paths []string
	// Exclude are patterns of files and folders that are not listed: of a path if
	// they have a slash, else of a name anywhere. What they take of a folder is
	// not even looked at.
	Exclude []string
	// AllowEmpty lets a folder or a glob match no file.
	AllowEmpty bool
	// Live lists "-" and named pipes as inputs that are read as they come,
	// instead of copying them: see OpenLive. A plan cannot hold these.
	Live bool
}

// An InputError says that a pattern cannot be used: nothing matches it, it is
// not readable, or two of them give the same document id. It names the remedy.
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
// A file that two patterns name is listed once, under the longer of its
// document ids. Files that cannot be read are listed all the same: opening
// them fails, so that they leave a row behind.
func List(ctx context.Context, patterns []string, o ListOptions) ([]Input, error) {
	if len(patterns) == 0 && len(o.Paths) == 0 {
		return nil, &InputError{Pattern: "no input", Reason: "name files, folders or globs, or - for standard input"}
	}
	dir, err := absolute(o.Dir)
	if err != nil {
		return nil, err
	}
	l := &lister{ctx: ctx, dir: dir, o: o, skip: map[string]bool{}, byPath: map[string]int{}}
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
			return nil, &InputError{p, "matches no file; check the spelling, and that the names do not start with . or _"}
		}
	}
	if err := l.paths(); err != nil {
		return nil, err
	}
	if l.matches == 0 && l.excluded > 0 && !o.AllowEmpty {
		return nil, &InputError{"--exclude " + strings.Join(o.Exclude, " --exclude "), "leaves no file of the input; exclude less"}
	}
	l.tellApart()
	slices.SortFunc(l.inputs, func(a, b Input) int { return cmp.Compare(a.URI, b.URI) })
	return l.inputs, distinctIDs(l.inputs)
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

// distinctIDs returns an error if two inputs have the same document id.
func distinctIDs(inputs []Input) error {
	byID := make(map[string]int, len(inputs))
	for i := range inputs {
		id := inputs[i].DocID
		if j, ok := byID[id]; ok {
			return &InputError{inputs[i].URI, fmt.Sprintf(
				"has the same document id %q as %s; name one folder that holds both, or parse them into two outputs", id, inputs[j].URI)}
		}
		byID[id] = i
	}
	return nil
}

type lister struct {
	ctx     context.Context
	dir     string // absolute, or ""
	o       ListOptions
	skip    map[string]bool
	inputs  []Input
	byPath  map[string]int // absolute path, or URI, to its place in inputs
	matches int            // files met, duplicates included

	exclude  []exclusion
	excluded int // files and folders met that are

	skipRemote []string // prefixes of URIs
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

// isOutputPart says whether a path is that of a part of an output: of trees/,
// failures/, words/ or documents/.
func (l *lister) isOutputPart(p string) bool {
	full := l.resolve(p)
	folder := filepath.Dir(full)
	switch filepath.Base(folder) {
	case "trees", "failures", "words", "documents":
		_, err := os.Stat(filepath.Join(filepath.Dir(folder), OwnDir))
		return err == nil && strings.HasSuffix(strings.ToLower(full), ".parquet")
	}
	return false
}

func (l *lister) pattern(p string) error {
	if p == "-" {
		return l.spool("-", "-", l.o.Stdin)
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
		return l.walk(local, local)
	case err == nil && l.isOutputPart(local):
		return &InputError{p, "is a part of an output; treebeam convert reads the folder of one, treebeam parse the texts it was made of"}
	case err == nil && info.Mode().IsRegular() && l.excludesAny(path.Dir(local), local): // with a name like a pattern
		return nil
	case err == nil && info.Mode().IsRegular():
		return l.add(path.Dir(local), local, info, nil)
	case err == nil:
		return l.pipe(local)
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
	p = strings.TrimPrefix(p, "file://")
	return path.Clean(filepath.ToSlash(p)), nil
}

// walk lists all files below dir.
func (l *lister) walk(root, dir string) error {
	return l.each(root, dir, func(name string, e fs.DirEntry) error {
		switch p := join(dir, name); {
		case isHidden(name):
			return nil
		case e.IsDir():
			return l.walk(root, p)
		default:
			return l.entry(root, p)
		}
	})
}

// each calls fn with the entries of dir in byte order, those to be skipped
// left out. dir is root or below it. The output of a run is refused as root
// and skipped elsewhere.
func (l *lister) each(root, dir string, fn func(name string, e fs.DirEntry) error) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	abs := l.resolve(dir)
	if l.skip[abs] && dir == root {
		return &InputError{dir, "is the output folder too; name another --output"}
	}
	if l.skip[abs] {
		return nil
	}
	entries, err := os.ReadDir(abs)
	if err != nil && dir != root {
		l.addUnlisted(root, dir, err)
		return nil
	}
	if err != nil {
		return &InputError{dir, fmt.Sprintf("cannot be listed: %v; check its permissions, or name the files one by one", errors.Unwrap(err))}
	}
	if isOutput(entries) && dir == root {
		return &InputError{dir, "is an output of treebeam's; treebeam show, convert and report read it"}
	}
	if isOutput(entries) {
		return nil
	}
	for _, e := range entries {
		if l.skips(filepath.Join(abs, e.Name()), e) || len(l.exclude) > 0 && l.excludes(root, join(dir, e.Name())) {
			continue
		}
		if err := fn(e.Name(), e); err != nil {
			return err
		}
	}
	return nil
}

// entry adds a file met in a folder. Links to folders are left out.
func (l *lister) entry(root, p string) error {
	info, err := os.Stat(l.resolve(p))
	if err == nil && info.IsDir() {
		return nil
	}
	return l.add(root, p, info, err)
}

// add adds the file p, or only its name if it cannot be examined.
func (l *lister) add(root, p string, info fs.FileInfo, statErr error) error {
	l.matches++
	in := Input{URI: p, DocID: relative(root, p)}
	switch {
	case statErr != nil:
		in.Version = "unreadable"
	case !info.Mode().IsRegular():
		in.Version = "irregular"
	default:
		in.Size, in.Version = info.Size(), store.FileVersion(info)
	}
	if !utf8.ValidString(in.URI) {
		in.Path = l.resolve(p)
		in.URI = escape(in.URI, isInvalid)
	}
	in.DocID = idOf(in.DocID)
	l.insert(l.resolve(p), in)
	return nil
}

// insert adds an input unless its file is there already, under the longer of
// the document ids and the smaller of the URIs, so that the order of the
// patterns does not matter.
func (l *lister) insert(abs string, in Input) {
	i, ok := l.byPath[abs]
	if !ok {
		l.byPath[abs] = len(l.inputs)
		l.inputs = append(l.inputs, in)
		return
	}
	old := &l.inputs[i]
	old.URI = min(old.URI, in.URI)
	if len(in.DocID) > len(old.DocID) {
		old.DocID = in.DocID
	}
}

// isHidden reports whether a name is skipped in folders.
func isHidden(name string) bool { return name != "" && (name[0] == '.' || name[0] == '_') }

// join is path.Join but for "." and the cost.
func join(dir, name string) string {
	switch dir {
	case ".":
		return name
	case "/":
		return "/" + name
	}
	return dir + "/" + name
}

// relative returns p relative to the folder root above it.
func relative(root, p string) string {
	if root == "." {
		return p
	}
	return strings.TrimPrefix(strings.TrimPrefix(p, root), "/")
}

// idOf is the document id that is made of a name: in comments of CoNLL-U no
// character of it may end a line, for any reader.
func idOf(name string) string {
	return escape(name, func(r rune, size int) bool {
		return isInvalid(r, size) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	})
}

// escape writes the bytes of the characters of a file name that are bad as %XX.
func escape(s string, bad func(r rune, size int) bool) string {
	var b strings.Builder
	for i, w := 0, 0; i < len(s); i += w {
		var r rune
		r, w = utf8.DecodeRuneInString(s[i:])
		if !bad(r, w) {
			b.WriteString(s[i : i+w])
			continue
		}
		for _, c := range []byte(s[i : i+w]) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func isInvalid(r rune, size int) bool { return r == utf8.RuneError && size == 1 }

// tellApart changes the ids and URIs that escape made where a file is called so
// in truth: \xff.txt beside %FF.txt becomes %25FF.txt.
func (l *lister) tellApart() {
	uris, ids := map[string]int{}, map[string]int{}
	var escaped []*Input
	for i := range l.inputs {
		in := &l.inputs[i]
		uris[in.URI]++
		ids[in.DocID]++
		if in.Path != "" || !strings.HasSuffix(in.URI, in.DocID) {
			escaped = append(escaped, in)
		}
	}
	slices.SortFunc(escaped, func(a, b *Input) int { return cmp.Or(cmp.Compare(a.URI, b.URI), cmp.Compare(a.Path, b.Path)) })
	again := func(name *string, seen map[string]int) {
		for seen[*name] > 1 {
			seen[*name]--
			*name = strings.ReplaceAll(*name, "%", "%25")
			seen[*name]++
		}
	}
	for _, in := range escaped {
		if strings.Contains(in.DocID, "%") && in.Version != LiveVersion {
			again(&in.DocID, ids)
			if in.Path != "" {
				again(&in.URI, uris)
			}
		}
	}
}
