package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strconv"
	"strings"

	pq "github.com/parquet-go/parquet-go"
	"github.com/treebeam/treebeam/io/store"
)

// A Reader reads the rows of a file in order. It is not safe for concurrent
// use.
type Reader[T Row] struct {
	name             string
	in               file
	file             *pq.File
	size, footerSize int64 // of the file, and of the footer with what follows it
}

// A file is what Open reads from.
type file interface {
	io.ReaderAt
	io.Closer
}

// Open opens a file, at a path or a URI, and checks that it has the columns of
// T. One that may be null may be missing, as those are that came with a later
// version: it is null in all rows. Of a file in an object store it fetches the footer only; the rows are
// fetched when they are asked for.
func Open[T Row](path string) (*Reader[T], error) {
	f, size, err := openFile(path)
	if err != nil {
		return nil, err
	}
	return open[T](path, f, size)
}

// OpenListed is Open for a file that was listed: of an object store it takes
// the state that the listing names, and one request less.
func OpenListed[T Row](info store.Info) (*Reader[T], error) {
	if !store.IsRemote(info.Name) {
		return Open[T](info.Name)
	}
	tail, err := store.OpenListedTail(context.Background(), info)
	if err != nil {
		return nil, err
	}
	return open[T](info.Name, tail, tail.Size())
}

func open[T Row](path string, f file, size int64) (*Reader[T], error) {
	r, err := newReader[T](path, f, size)
	if tail, ok := f.(*store.Tail); ok && tail.Err() != nil {
		err = tail.Err() // it is not the file that is damaged
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

func openFile(path string) (file, int64, error) {
	if store.IsRemote(path) {
		tail, err := store.OpenTail(context.Background(), path)
		if err != nil {
			return nil, 0, err
		}
		return tail, tail.Size(), nil
	}
	f, info, err := store.OpenLocal(path)
	if err != nil {
		return nil, 0, err
	}
	return f, info.Size(), nil
}

func newReader[T Row](name string, in file, size int64) (r *Reader[T], err error) {
	defer recoverDamage(name, &err)
	_, remote := in.(*store.Tail) // the first bytes are far from the last, and those say enough
	file, err := pq.OpenFile(in, size, pq.SkipPageIndex(true), pq.SkipBloomFilters(true), pq.SkipMagicBytes(remote))
	if err != nil {
		return nil, damaged(name, "not a Parquet file, or damaged: %w", err)
	}
	footer, err := footerSize(file, in, size)
	if err != nil {
		return nil, damaged(name, "damaged: %w", err)
	}
	r = &Reader[T]{name: name, in: in, file: file, size: size, footerSize: footer}
	optional, present := fields(pq.SchemaOf(new(T))), fields(file.Schema())
	for _, path := range pq.SchemaOf(new(T)).Columns() {
		if _, there := present[path[0]]; !there && optional[path[0]] {
			continue
		}
		want, _ := pq.SchemaOf(new(T)).Lookup(path...)
		got, ok := file.Schema().Lookup(path...)
		if ok && got.Node.Type().Kind() == want.Node.Type().Kind() && got.MaxRepetitionLevel == want.MaxRepetitionLevel {
			continue
		}
		if _, ours := r.Footer(KeyDigest); ours {
			if err := r.Verify(); err != nil {
				return nil, err
			}
		}
		return nil, fmt.Errorf("%s: %w: it has no column %s of the right type", name, ErrForeign, strings.Join(path, "."))
	}
	return r, nil
}

// fields says of each column of a schema, by name, whether it may be null.
func fields(s *pq.Schema) map[string]bool {
	optional := map[string]bool{}
	for _, f := range s.Fields() {
		optional[f.Name()] = f.Optional()
	}
	return optional
}

// recoverDamage makes an error of a panic: the Parquet library trusts files.
func recoverDamage(name string, err *error) {
	if p := recover(); p != nil {
		*err = damaged(name, "damaged: %v", p)
	}
}

// Check returns an error unless the footer names range k of n and the
// fingerprint fp.
func (r *Reader[T]) Check(fp string, k, n int) error {
	for _, kv := range []KeyValue{
		{KeyFormat, FormatVersion}, {KeyFingerprint, fp}, {KeyRange, strconv.Itoa(k)}, {KeyRanges, strconv.Itoa(n)},
	} {
		if got, ok := r.Footer(kv.Key); !ok || got != kv.Value {
			return fmt.Errorf("%s: its footer has %s = %q, not %q", r.name, kv.Key, got, kv.Value)
		}
	}
	return nil
}

// Footer returns the value of a key and whether it is there.
func (r *Reader[T]) Footer(key string) (string, bool) { return r.file.Lookup(key) }

// footer returns all of it but the digest.
func (r *Reader[T]) footer() map[string]string {
	all := map[string]string{}
	for _, kv := range r.file.Metadata().KeyValueMetadata {
		if kv.Key != KeyDigest {
			all[kv.Key] = kv.Value
		}
	}
	return all
}

// Len returns the number of rows.
func (r *Reader[T]) Len() int64 { return r.file.NumRows() }

// All yields the rows in order, one at a time. Rows belong to the caller. The
// pair with an error is the last.
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

// Close releases the file.
func (r *Reader[T]) Close() error { return r.in.Close() }
