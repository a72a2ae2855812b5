package mirror

import (
	"bufio"
	"fmt"
)

// A Document is one that a mirror has a file of.
type Document struct {
	Source string // by which Write knows it
	ID     string // its name, of which Names makes the file's
}

// A Mapping says in which file each document is. Make one with Map.
type Mapping struct {
	Names   []string  // paths of the files, in the order of the documents
	Renamed []Renamed // documents whose ids could not be the names of files

	files map[string]*mapped // by source
}

// A Renamed document is in a file that is not called as it is.
type Renamed struct{ ID, Name string }

// A mapped document: the path of its file, and whether that was begun.
type mapped struct {
	name    string
	written bool
}

// Map gives every document a file. Their sources differ.
func Map(documents []Document, extension string) *Mapping {
	ids := make([]string, len(documents))
	for i := range documents {
		ids[i] = documents[i].ID
	}
	m := &Mapping{Names: Names(ids, extension), files: make(map[string]*mapped, len(documents))}
	for i, name := range m.Names {
		m.files[documents[i].Source] = &mapped{name: name}
		if name != ids[i] && name != ids[i]+extension {
			m.Renamed = append(m.Renamed, Renamed{ids[i], name})
		}
	}
	return m
}

// A Writer writes texts of documents, which come document by document, to a file
// each. It has one file open at a time.
type Writer struct {
	// End, if set, appends to dst what stands behind the last text of a file.
	End   func(dst []byte) ([]byte, error)
	Files int // begun so far
	Texts int64

	folder *Folder
	files  map[string]*mapped
	source string // of the open file
	file   *File  // nil if none is open
	out    *bufio.Writer
	buf    []byte
}

// NewWriter returns a writer of the documents of a mapping into a folder.
func NewWriter(folder *Folder, m *Mapping) *Writer { return &Writer{folder: folder, files: m.files} }

// Write appends to the file of a document what text appends to dst. If that is
// another document than before, the file before has its end by then.
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

// next closes the file that is open and begins that of source.
func (w *Writer) next(source string) error {
	if err := w.Close(); err != nil {
		return err
	}
	to := w.files[source]
	switch {
	case to == nil:
		return fmt.Errorf("%s has sentences, but no row in documents/ that counts them: the output is damaged; parse again with --overwrite", source)
	case to.written:
		return fmt.Errorf("the sentences of %s do not stand together: the output is damaged; parse again with --overwrite", source)
	}
	file, err := w.folder.Create(to.name)
	if err != nil {
		return fmt.Errorf("writing the mirror of %s: %w", source, err)
	}
	to.written = true
	w.source, w.file, w.out = source, file, bufio.NewWriterSize(file, 1<<16)
	w.Files++
	return nil
}

// Close gives the open file, if there is one, its name. After an error nothing of it
// is left.
func (w *Writer) Close() error {
	file := w.file
	if file == nil {
		return nil
	}
	w.file = nil
	var err error
	if w.End != nil {
		if w.buf, err = w.End(w.buf[:0]); err == nil {
			_, err = w.out.Write(w.buf)
		}
	}
	if err == nil {
		err = w.out.Flush()
	}
	if err != nil {
		file.Abort()
		return err
	}
	return file.Commit()
}

// Abort removes the open file, if there is one.
func (w *Writer) Abort() {
	if w.file != nil {
		w.file.Abort()
		w.file = nil
	}
}
