// Package mirror writes one file per document into a folder that mirrors a tree of
// documents: Map names the files, Mapping.Open writes them. Whatever the names of
// documents are, no file is outside the folder, no two documents share a file, and no
// existing file is replaced unless the caller wants it.
package mirror

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxName is the longest name of a file or folder that we write, in bytes. Most
// file systems allow 255; a few bytes are left for the numbers of Names.
const maxName = 240

// Names returns a path for each document, relative, with slashes, ending in
// extension, such as ".conllu". It is the document's id with the extension
// appended unless it is there, except for:
//
//   - names that lead nowhere or elsewhere (empty ones, "." and "..", a slash at the
//     beginning), characters that a name cannot have here, and control
//     characters: as %XX, byte by byte;
//   - names over 240 bytes: their beginning, "~" and 8 digits of their SHA-256;
//   - a path that an earlier document or a folder has, ignoring case and Unicode
//     normal form, because some file systems ignore them: "~2", "~3" and so on
//     before the extension.
//
// The paths depend only on the ids and their order. Ids may repeat.
func Names(ids []string, extension string) []string {
	names := make([]string, len(ids))
	taken := make(map[string]bool, len(ids)) // folded paths of folders and of files so far
	fold := cases.Fold()
	key := func(name string) string { return fold.String(norm.NFC.String(name)) }
	for i, id := range ids {
		parts := strings.Split(strings.TrimSuffix(id, extension), "/")
		last := len(parts) - 1
		for k := range parts {
			room := maxName
			if k == last {
				room -= len(extension)
			}
			parts[k] = shorten(escape(parts[k]), room)
			if k < last {
				taken[key(strings.Join(parts[:k+1], "/"))] = true
			}
		}
		names[i] = strings.Join(parts, "/")
	}
	next := map[string]int{} // by folded name: the numbers from 2 up to it are taken
	for i, name := range names {
		free, of := name+extension, key(name)
		for n := max(next[of], 2); taken[key(free)]; n++ {
			free, next[of] = fmt.Sprintf("%s~%d%s", name, n, extension), n
		}
		taken[key(free)] = true
		names[i] = free
	}
	return names
}

// escape makes one part of a path a name that is local and printable.
func escape(part string) string {
	if part == "" {
		return "%"
	}
	var b strings.Builder
	for i, r := range part {
		_, size := utf8.DecodeRuneInString(part[i:])
		switch {
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError && size == 1 || forbidden(r):
			for _, c := range []byte(part[i : i+size]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		default:
			b.WriteString(part[i : i+size])
		}
	}
	if name := b.String(); name != "." && name != ".." && filepath.IsLocal(name) {
		return name
	}
	return fmt.Sprintf("%%%02X", part[0]) + b.String()[1:] // "..", or a device of Windows
}

// forbidden reports whether a name cannot have r where paths have backslashes.
func forbidden(r rune) bool {
	return filepath.Separator == '\\' && strings.ContainsRune(`<>:"\|?*`, r)
}

// shorten cuts a name to at most room bytes.
func shorten(name string, room int) string {
	if len(name) <= room {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	end := room - 9
	for !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + "~" + hex.EncodeToString(sum[:4])
}

// A Document is a document with a file in a mirror.
type Document struct {
	Source string // how Write identifies it
	ID     string // its name, from which Names makes the file's
}

// A Renamed is a document whose file has another name than its id.
type Renamed struct{ ID, Name string }

// A Mapping says which file each document is in. Make one with Map.
type Mapping struct {
	Names   []string  // paths of the files, in the order of the documents
	Renamed []Renamed // documents whose ids could not be the names of files

	names map[string]string // by source
}

// Map gives every document a file. The sources of the documents must differ.
func Map(documents []Document, extension string) *Mapping {
	ids := make([]string, len(documents))
	for i := range documents {
		ids[i] = documents[i].ID
	}
	m := &Mapping{Names: Names(ids, extension), names: make(map[string]string, len(documents))}
	for i, name := range m.Names {
		m.names[documents[i].Source] = name
		if name != ids[i] && name != ids[i]+extension {
			m.Renamed = append(m.Renamed, Renamed{ids[i], name})
		}
	}
	return m
}

// A Writer writes texts of documents, which come document by document, to a file
// each, in a folder that not even a symbolic link in it leads out of. A file
// appears under its name whole or not at all, in the place of one that was there.
// The Writer has one file open at a time.
type Writer struct {
	// End, if set, appends to dst what follows the last text of a file.
	End   func(dst []byte) ([]byte, error)
	Files int // begun so far
	Texts int64

	*Mapping
	root   *os.Root
	begun  map[string]bool // by source
	source string          // of the open file
	temp   string          // its path
	file   *os.File        // nil if none is open
	out    *bufio.Writer
	buf    []byte
}

// Open returns a writer of the documents into a folder, which it makes if it is
// not there. Always defer Abort.
func (m *Mapping) Open(dir string) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Writer{Mapping: m, root: root, begun: map[string]bool{}}, nil
}

// Existing returns the names that exist already, as files or folders.
func (w *Writer) Existing() (list []string, err error) {
	for _, name := range w.Names {
		switch _, err := w.root.Lstat(filepath.FromSlash(name)); {
		case err == nil:
			list = append(list, name)
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			return nil, err
		}
	}
	return list, nil
}

// Write appends to the file of a document what text appends to dst. If the document is
// not that of the call before, it first ends the file before.
func (w *Writer) Write(source string, text func(dst []byte) ([]byte, error)) (err error) {
	if w.file == nil || source != w.source {
		if err := w.next(source); err != nil {
			return err
		}
	}
	if w.buf, err = text(w.buf[:0]); err != nil {
		return err
	}
	w.Texts++
	_, err = w.out.Write(w.buf)
	return err
}

// next ends the open file and begins the file of source.
func (w *Writer) next(source string) error {
	if err := w.Close(); err != nil {
		return err
	}
	name, ok := w.names[source]
	switch {
	case !ok:
		return fmt.Errorf("%s has sentences, but no row in documents/ that counts them: the output is damaged; parse again with --overwrite", source)
	case w.begun[source]:
		return fmt.Errorf("the sentences of %s are not together: the output is damaged; parse again with --overwrite", source)
	}
	w.temp = filepath.FromSlash(path.Join(path.Dir(name), fmt.Sprintf(".treebeam-%d.tmp", os.Getpid())))
	err := w.root.MkdirAll(filepath.Dir(w.temp), 0o755)
	if err == nil {
		w.file, err = w.root.Create(w.temp)
	}
	if err != nil {
		return fmt.Errorf("writing the mirror of %s: %w", source, err)
	}
	w.begun[source] = true
	w.source, w.out = source, bufio.NewWriterSize(w.file, 1<<16)
	w.Files++
	return nil
}

// Close ends the open file, if there is one, and gives it its name. After an error,
// nothing of the file remains.
func (w *Writer) Close() (err error) {
	if w.file == nil {
		return nil
	}
	if w.End != nil {
		if w.buf, err = w.End(w.buf[:0]); err == nil {
			_, err = w.out.Write(w.buf)
		}
	}
	if err == nil {
		err = w.out.Flush()
	}
	err = errors.Join(err, w.file.Close())
	if err == nil {
		err = w.root.Rename(w.temp, filepath.FromSlash(w.names[w.source]))
	}
	if err != nil {
		_ = w.root.Remove(w.temp)
	}
	w.file = nil
	return err
}

// Abort removes the open file, if there is one, and closes the folder.
func (w *Writer) Abort() {
	if w.file != nil {
		_ = w.file.Close()
		_ = w.root.Remove(w.temp)
		w.file = nil
	}
	_ = w.root.Close()
}
