package nightly

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"path"
	"path/filepath"
	"slices"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/view"
)

// A cursor goes once through the rows of a run, sorted by source_uri, and yields the
// rows of the files that a caller asks for.
type cursor[T any] struct {
	next func() (*T, error, bool)
	stop func()
	row  *T
	err  error
	more bool
	uri  func(*T) string
}

func newCursor[T any](all iter.Seq2[*T, error], uri func(*T) string) *cursor[T] {
	c := &cursor[T]{uri: uri}
	c.next, c.stop = iter.Pull2(all)
	c.advance()
	return c
}

func (c *cursor[T]) advance() { c.row, c.err, c.more = c.next() }

// of yields the rows of the file uri. Callers must ask for files in order.
func (c *cursor[T]) of(uri string) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for ; c.more; c.advance() {
			if c.err != nil {
				yield(nil, c.err)
				return
			}
			switch at := cmp.Compare(c.uri(c.row), uri); {
			case at > 0:
				return
			case at == 0:
				if row := c.row; !yield(row, nil) {
					c.advance()
					return
				}
			}
		}
	}
}

// rows are the rows of a snapshot: cursors into its runs, by run. All three
// are asked for the documents of the snapshot in order.
type rows struct {
	snapshot *Snapshot
	columns  []string // of trees; nil are all
	trees    map[string]*cursor[parquet.Tree]
	failures map[string]*cursor[parquet.Failure]
	files    map[string]*cursor[output.File]
	stops    []func() // of all cursors
}

func (s *Snapshot) rows() *rows {
	return &rows{snapshot: s, trees: map[string]*cursor[parquet.Tree]{}, failures: map[string]*cursor[parquet.Failure]{}, files: map[string]*cursor[output.File]{}}
}

// treesOf yields the trees of a document, and an error if there are not as
// many as it counts.
func (r *rows) treesOf(e *parquet.Entry) iter.Seq2[*parquet.Tree, error] {
	all := parquet.Parts[parquet.Tree]
	if r.columns != nil {
		all = func(parts []parquet.PartFile) iter.Seq2[*parquet.Tree, error] {
			return parquet.TreesWith(parts, r.columns...)
		}
	}
	return of(r, r.trees, e, "trees", e.Trees, all,
		func(t *parquet.Tree) string { return t.SourceURI })
}

// failuresOf is treesOf for failures and warnings.
func (r *rows) failuresOf(e *parquet.Entry) iter.Seq2[*parquet.Failure, error] {
	return of(r, r.failures, e, "failures", e.Failures+e.Warnings, parquet.Parts[parquet.Failure],
		func(f *parquet.Failure) string { return f.SourceURI })
}

// fileOf returns what the run counted of the document's file.
func (r *rows) fileOf(e *parquet.Entry) (file output.File, err error) {
	for f, err := range of(r, r.files, e, "trees", 1, filesOf, func(f *output.File) string { return f.URI }) {
		if err != nil {
			return file, err
		}
		file = *f
	}
	return file, nil
}

// of yields the rows of a document by the cursor of its run, which it opens first, and
// an error if there are not as many as counted.
func of[T any](r *rows, opened map[string]*cursor[T], e *parquet.Entry, kind string, count int64,
	all func(parts []parquet.PartFile) iter.Seq2[*T, error], uri func(*T) string) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		if count == 0 {
			return
		}
		s, c := r.snapshot.state, opened[e.Run]
		if c == nil {
			parts, err := s.parts(context.Background(), e.Run, kind)
			if err != nil {
				yield(nil, err)
				return
			}
			c = newCursor(all(parts), uri)
			opened[e.Run], r.stops = c, append(r.stops, c.stop)
		}
		n := int64(0)
		for row, err := range c.of(e.SourceURI) {
			n++
			if !yield(row, err) || err != nil {
				return
			}
		}
		if n != count {
			yield(nil, fmt.Errorf("%s is %w: it has %s of %s in %s, but the snapshot counts %s",
				s.runDir(e.Run), parquet.ErrDamaged, view.Many(n, "row"), e.SourceURI, kind, view.Number(count)))
		}
	}
}

func (r *rows) close() {
	for _, stop := range r.stops {
		stop()
	}
}

// filesOf is output.PartFiles of parts that were checked.
func filesOf(parts []parquet.PartFile) iter.Seq2[*output.File, error] {
	paths := make([]string, len(parts))
	for i := range parts {
		paths[i] = parts[i].Path
	}
	return output.PartFiles(paths)
}

// parts are the parts of a run of one kind, trees or failures, in the order of the
// input. If the run has a manifest, they are the parts that the manifest names. If the
// run was interrupted, so that only some of its files are current, they are the parts
// that exist.
func (s *State) parts(ctx context.Context, run, kind string) ([]parquet.PartFile, error) {
	dir := s.runDir(run)
	switch whole, err := store.Exists(ctx, store.Join(dir, output.ManifestFile)); {
	case err != nil:
		return nil, err
	case whole:
		m, err := output.Check(ctx, dir)
		if err != nil {
			return nil, err
		}
		return m.Parts(dir, kind), nil
	}
	var list []parquet.PartFile
	for info, err := range store.List(ctx, store.Join(dir, kind)) {
		if err != nil {
			return nil, err
		}
		k, n, fp, ok := parquet.ParsePartName(path.Base(filepath.ToSlash(info.Name)))
		if ok {
			list = append(list, parquet.PartFile{Path: info.Name, FP: fp, K: k, N: n, Rows: -1})
		}
	}
	slices.SortFunc(list, func(a, b parquet.PartFile) int { return cmp.Compare(a.K, b.K) })
	return list, nil
}

// Output returns the rows of the snapshot.
func (s *Snapshot) Output() *output.Reader {
	o := output.Reader{
		Name: s.Name, Snapshot: s.Name, Made: s.Made,
		Documents: func(yield func(*parquet.Document, error) bool) {
			for e, err := range s.entries() {
				if err != nil {
					yield(nil, err)
					return
				}
				if !yield(&e.Document, nil) {
					return
				}
			}
		},
		Trees:    rowsOf(s, nil, (*rows).treesOf),
		Failures: rowsOf(s, nil, (*rows).failuresOf),
		TreesWith: func(columns ...string) iter.Seq2[*parquet.Tree, error] {
			return rowsOf(s, append([]string{}, columns...), (*rows).treesOf)
		},
	}
	return o.Checked(s.state.remedy())
}

// rowsOf yields the rows of all documents of the snapshot, of trees with some
// columns only unless these are nil.
func rowsOf[T any](s *Snapshot, columns []string, of func(*rows, *parquet.Entry) iter.Seq2[*T, error]) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		r := s.rows()
		r.columns = columns
		defer r.close()
		for e, err := range s.entries() {
			if err != nil {
				yield(nil, err)
				return
			}
			for row, err := range of(r, e) {
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
	}
}
