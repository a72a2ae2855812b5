package parquet

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strings"

	pq "github.com/parquet-go/parquet-go"
)

// A Reader reads the rows of a file in order.
type Reader[T Row] struct{ *File }

// Open opens a file as OpenFile does, and checks that it has the columns of T. A column
// that may be null, such as one that a later version has added, may be missing: it is
// then null in all rows.
func Open[T Row](path string) (*Reader[T], error) {
	f, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	if err := f.hasColumns(pq.SchemaOf(new(T))); err != nil {
		f.Close()
		return nil, err
	}
	return &Reader[T]{f}, nil
}

// hasColumns compares the columns of the file with the columns of a schema.
func (f *File) hasColumns(schema *pq.Schema) error {
	optional, present := fields(schema), fields(f.file.Schema())
	for _, path := range schema.Columns() {
		if _, there := present[path[0]]; !there && optional[path[0]] {
			continue
		}
		want, _ := schema.Lookup(path...)
		got, ok := f.file.Schema().Lookup(path...)
		if ok && got.Node.Type().Kind() == want.Node.Type().Kind() && got.MaxRepetitionLevel == want.MaxRepetitionLevel {
			continue
		}
		if _, ours := f.Footer(keyDigest); ours {
			if err := f.Verify(); err != nil {
				return err
			}
		}
		return fmt.Errorf("%s: %w: it has no column %s of the right type", f.name, ErrForeign, strings.Join(path, "."))
	}
	return nil
}

// fields says of each column of a schema, by name, whether it may be null.
func fields(s *pq.Schema) map[string]bool {
	optional := map[string]bool{}
	for _, f := range s.Fields() {
		optional[f.Name()] = f.Optional()
	}
	return optional
}

// OpenPart opens a part and reads all of its bytes once. The error is ErrDamaged if
// they differ from the bytes that were written, or if the footer is not that of the
// part.
func OpenPart[T Row](p *PartFile) (*Reader[T], error) {
	r, err := Open[T](p.Path)
	if err != nil {
		return nil, err
	}
	if err := r.verifyPart(p); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// All yields the rows in order, one at a time. Rows belong to the caller. The last pair
// has the error, if any.
func (r *Reader[T]) All() iter.Seq2[*T, error] { return r.rows(nil) }

// rows is All of some columns: see newRowReader.
func (r *Reader[T]) rows(columns []string) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		in, err := r.newRowReader(columns)
		if err != nil {
			yield(nil, err)
			return
		}
		defer in.close()
		for {
			row := new(T)
			if err := in.next(reflect.ValueOf(row).Elem()); err != nil {
				if !errors.Is(err, io.EOF) {
					yield(nil, err)
				}
				return
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

// Parts yields the rows of parts one after the other, each open while its rows
// are read. The pair with an error is the last.
func Parts[T Row](parts []PartFile) iter.Seq2[*T, error] { return rowsOf[T](parts, nil) }

// TreesWith is Parts of trees that decodes only some of their columns, by name;
// source_uri is always one of them. The other columns of the rows are empty. Columns
// that may be null, and columns of kept values (MetaColumn), may be missing in a file;
// a name that is not a column is an error. Every byte of a part is still compared with
// its digest.
func TreesWith(parts []PartFile, columns ...string) iter.Seq2[*Tree, error] {
	return rowsOf[Tree](parts, append(slices.Clone(columns), "source_uri"))
}

// rowsOf is Parts of some columns: see newRowReader.
func rowsOf[T Row](parts []PartFile, columns []string) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for i := range parts {
			r, err := OpenPart[T](&parts[i])
			if err != nil {
				yield(nil, err)
				return
			}
			for row, err := range r.rows(columns) {
				if !yield(row, err) || err != nil {
					r.Close()
					return
				}
			}
			r.Close()
		}
	}
}
