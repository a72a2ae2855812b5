package pipeline

import (
	"context"
	"io"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
)

// NamesFiles reports whether a name that a user gives means CoNLL-U or CoNLL-X files,
// and not the folder of an output or a state. Such a name is "-", a local file or pipe,
// a glob, or a name with the extension of such files that does not exist or is in a
// store.
func NamesFiles(name string) bool {
	if name == "-" {
		return true
	}
	if info, err := os.Stat(strings.TrimPrefix(name, "file://")); err == nil && !store.IsRemote(name) {
		return !info.IsDir()
	}
	if isAnnotated(name) {
		return true
	}
	return strings.ContainsAny(name, "*?[{")
}

// isAnnotated reports whether a name ends as the names of CoNLL files do.
func isAnnotated(name string) bool {
	base := strings.ToLower(path.Base(name))
	for _, packed := range []string{".gz", ".zst", ".bz2"} {
		base = strings.TrimSuffix(base, packed)
	}
	switch path.Ext(base) {
	case ".conllu", ".conllx", ".conll":
		return true
	}
	return false
}

// FilesIn returns the sorted paths of the CoNLL-U and CoNLL-X files in a local folder,
// such as a treebank, without pipes and names that begin with a dot. It returns none if
// the folder belongs to an output or cannot be read.
func FilesIn(folder string) (files []string) {
	folder = strings.TrimPrefix(folder, "file://")
	if store.IsRemote(folder) {
		return nil
	}
	if _, err := os.Stat(filepath.Join(folder, output.ManifestFile)); err == nil {
		return nil
	}
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		name := filepath.Join(folder, e.Name())
		if e.Name()[0] == '.' || !isAnnotated(name) {
			continue
		}
		if info, err := os.Stat(name); err != nil || info.Mode().IsRegular() { // a link to nowhere is an error later
			files = append(files, name)
		}
	}
	return files
}

// ReadAnnotated yields the sentences of CoNLL-U and CoNLL-X files as rows of trees/,
// with their heads, relations and confidence (ReadConfidence). Patterns are written as
// for inputs; "-" is stdin. Files come in the order of source.List, plain or .gz, .zst,
// .bz2. The document id of a sentence is that of the last "# newdoc id", otherwise the
// name of its file. The last pair has the error if a file cannot be read or is not
// CoNLL; patterns without files are a *Refusal. ReadAnnotated passes broken blocks to
// broken, with file and line, and leaves them out. It holds one sentence in memory.
func ReadAnnotated(ctx context.Context, patterns []string, stdin io.Reader, broken func(*conllu.Error)) iter.Seq2[*parquet.Tree, error] {
	return func(yield func(*parquet.Tree, error) bool) {
		inputs, err := source.List(ctx, patterns, source.ListOptions{Live: true})
		if err != nil {
			yield(nil, refuse("%w", err))
			return
		}
		for i := range inputs {
			for t, err := range annotated(ctx, &inputs[i], stdin, broken) {
				if err == nil {
					err = ctx.Err()
				}
				if !yield(t, err) || err != nil {
					return
				}
			}
		}
	}
}

// annotated yields the sentences of one file.
func annotated(ctx context.Context, in *source.Input, stdin io.Reader, broken func(*conllu.Error)) iter.Seq2[*parquet.Tree, error] {
	return func(yield func(*parquet.Tree, error) bool) {
		f, done, err := openInput(ctx, in, stdin)
		if err != nil {
			yield(nil, err)
			return
		}
		defer done()
		head, err := f.Head()
		format := source.Auto
		if err == nil && len(head) > 0 {
			format, err = source.Detect(in.URI, head, source.Auto, "")
		}
		if err == nil && len(head) > 0 && !format.Annotated() {
			err = refuse("%s is %s, not CoNLL-U: it has no trees; treebeam parse makes some", in.URI, format)
		}
		var r io.Reader
		if err == nil {
			r, err = f.At(0)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		o := conllu.Options{}
		if format == source.CoNLLX {
			o.Format = conllu.X
		}
		doc := parquet.Doc{DocID: in.DocID, SourceURI: in.URI}
		for b, err := range conllu.Read(r, o) {
			if err != nil {
				yield(nil, err)
				return
			}
			comments := b.Sentence.Comments
			if b.Err != nil { // the document that it may begin has other sentences
				comments = commentsOf(b.Raw)
			}
			for _, c := range comments {
				if key, value := conllu.Comment(c); key == "newdoc id" && value != "" {
					doc.DocID = value
				}
			}
			if b.Err != nil {
				b.Err.File = in.URI
				broken(b.Err)
				continue
			}
			ReadConfidence(&b.Sentence)
			t := parquet.ToRow(&b.Sentence, &doc)
			if !yield(&t, nil) {
				return
			}
		}
	}
}

// commentsOf returns the comments before the words of a block.
func commentsOf(raw string) (list []string) {
	for line := range strings.Lines(raw) {
		if !strings.HasPrefix(line, "#") {
			break
		}
		list = append(list, strings.TrimRight(line, "\r\n"))
	}
	return list
}

// openInput opens a listed file, a named pipe or standard input. done closes it.
func openInput(ctx context.Context, in *source.Input, stdin io.Reader) (f *source.File, done func(), err error) {
	closeAll := func() {}
	switch {
	case !in.Live():
		if f, err = source.OpenFile(ctx, in); err != nil {
			return nil, nil, err
		}
		return f, func() { f.Close() }, nil
	case in.URI != "-":
		pipe, err := os.Open(filepath.FromSlash(in.URI))
		if err != nil {
			return nil, nil, err
		}
		closeAll, stdin = func() { pipe.Close() }, pipe
	}
	if f, err = source.OpenLive(ctx, in, stdin, func() error { return nil }); err != nil {
		closeAll()
		return nil, nil, err
	}
	return f, func() { f.Close(); closeAll() }, nil
}
