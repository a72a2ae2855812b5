package nightly

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/pipeline"
	"github.com/treebeam/treebeam/transforms"
)

// A cursor goes once through what a run has, sorted by source_uri, and gives
// that of the files that it is asked for.
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

// of yields the rows of the file uri. Files must be asked for in their order.
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
	trees    map[string]*cursor[parquet.Tree]
	failures map[string]*cursor[parquet.Failure]
	files    map[string]*cursor[transforms.File]
}

func (s *Snapshot) rows() *rows {
	return &rows{s, map[string]*cursor[parquet.Tree]{}, map[string]*cursor[parquet.Failure]{}, map[string]*cursor[transforms.File]{}}
}

// treesOf yields the trees of a document, and an error if there are not as
// many as it counts.
func (r *rows) treesOf(e *parquet.Entry) iter.Seq2[*parquet.Tree, error] {
	return of(r.snapshot.state, r.trees, e, "trees", e.Trees, parquet.Rows[parquet.Tree],
		func(t *parquet.Tree) string { return t.SourceURI })
}

// failuresOf is treesOf for failures and warnings.
func (r *rows) failuresOf(e *parquet.Entry) iter.Seq2[*parquet.Failure, error] {
	return of(r.snapshot.state, r.failures, e, "failures", e.Failures+e.Warnings, parquet.Rows[parquet.Failure],
		func(f *parquet.Failure) string { return f.SourceURI })
}

// fileOf yields what the run counted of the document's file.
func (r *rows) fileOf(e *parquet.Entry) iter.Seq2[*transforms.File, error] {
	return of(r.snapshot.state, r.files, e, "trees", 1, transforms.PartFiles,
		func(f *transforms.File) string { return f.URI })
}

func of[T any](s *State, opened map[string]*cursor[T], e *parquet.Entry, kind string, count int64,
	all func(parts []string) iter.Seq2[*T, error], uri func(*T) string) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		if count == 0 {
			return
		}
		c := opened[e.Run]
		if c == nil {
			parts, err := s.parts(context.Background(), e.Run, kind)
			if err != nil {
				yield(nil, err)
				return
			}
			c = newCursor(all(parts), uri)
			opened[e.Run] = c
		}
		n := int64(0)
		for row, err := range c.of(e.SourceURI) {
			n++
			if !yield(row, err) || err != nil {
				return
			}
		}
		if n != count {
			yield(nil, fmt.Errorf("%s has %d rows of %s in %s, but the snapshot counts %d: the folder is damaged; treebeam parse --all parses everything anew",
				s.RunDir(e.Run), n, e.SourceURI, kind, count))
		}
	}
}

func (r *rows) close() {
	for _, c := range r.trees {
		c.stop()
	}
	for _, c := range r.failures {
		c.stop()
	}
	for _, c := range r.files {
		c.stop()
	}
}

// Trees yields the trees of the snapshot in input order. The pair with an
// error is the last.
func (s *Snapshot) Trees() iter.Seq2[*parquet.Tree, error] {
	return func(yield func(*parquet.Tree, error) bool) {
		r := s.rows()
		defer r.close()
		for e, err := range s.Entries() {
			if err != nil {
				yield(nil, err)
				return
			}
			for t, err := range r.treesOf(e) {
				if !yield(t, err) || err != nil {
					return
				}
			}
		}
	}
}

// Convert is pipeline.Convert of the rows of the snapshot.
func (s *Snapshot) Convert(yield func(*pipeline.Row) error) (pipeline.Converted, error) {
	var stats pipeline.Converted
	r := s.rows()
	defer r.close()
	for e, err := range s.Entries() {
		if err != nil {
			return stats, err
		}
		if err := r.convert(e, &stats, yield); err != nil {
			return stats, err
		}
	}
	return stats, nil
}

// convert gives the sentences of one document to yield, those that failed in
// their places.
func (r *rows) convert(e *parquet.Entry, stats *pipeline.Converted, yield func(*pipeline.Row) error) error {
	next, stop := iter.Pull2(r.failuresOf(e))
	defer stop()
	failed, err, more := next()
	before := func(t *parquet.Tree) error { // all that are left if t is nil
		for ; more; failed, err, more = next() {
			switch {
			case err != nil:
				return err
			case t != nil && failed.ByteOffset > t.StartByte:
				return nil
			case failed.Block != "":
				stats.Unparsed++
				if err := yield(&pipeline.Row{DocID: failed.DocID, Format: e.Format, Failure: failed}); err != nil {
					return err
				}
			case failed.Severity == "error":
				stats.Lost++
			}
		}
		return nil
	}
	for t, err := range r.treesOf(e) {
		if err != nil {
			return err
		}
		if err := before(t); err != nil {
			return err
		}
		if err := yield(&pipeline.Row{DocID: t.DocID, Format: e.Format, Tree: t}); err != nil {
			return err
		}
	}
	return before(nil)
}
