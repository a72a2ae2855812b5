package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
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

// All yields the rows in order, holding a few at a time. Rows belong to the
// caller. The pair with an error is the last.
func (r *Reader[T]) All() iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		var rows *pq.GenericReader[T]
		kept, err := r.keptReader()
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() {
			kept.close()
			if rows != nil {
				rows.Close()
			}
		}()
		for done := false; !done; {
			batch, err := r.read(&rows, kept)
			for i := range batch {
				if !yield(&batch[i], nil) {
					return
				}
			}
			if err != nil && !errors.Is(err, io.EOF) {
				yield(nil, err)
			}
			done = err != nil
		}
	}
}

// read returns the next rows, with io.EOF perhaps together with the last.
func (r *Reader[T]) read(rows **pq.GenericReader[T], kept *keptReader) (batch []T, err error) {
	defer recoverDamage(r.name, &err)
	if *rows == nil {
		*rows = pq.NewGenericReader[T](r.file)
	}
	batch = make([]T, r.batchRows())
	n, err := (*rows).Read(batch)
	if err != nil && !errors.Is(err, io.EOF) {
		err = damaged(r.name, "damaged: %w", err)
	}
	batch = batch[:n]
	for i := range batch {
		if kept == nil {
			break
		}
		values, keptErr := kept.next()
		if keptErr != nil {
			return batch[:i], damaged(r.name, "damaged: %w", keptErr)
		}
		*any(&batch[i]).(keeper).kept() = values
	}
	return batch, err
}

// batchRows is how many rows are read at once: fewer where the rows of a group
// are long.
func (r *Reader[T]) batchRows() int {
	n := int64(batchRows)
	for _, group := range r.file.Metadata().RowGroups {
		n = min(n, readBytes*group.NumRows/max(group.TotalByteSize, 1))
	}
	return int(max(n, 1))
}

// readBytes is about how many bytes of rows are read at once.
const readBytes = 4 << 20

// Close releases the file.
func (r *Reader[T]) Close() error { return r.in.Close() }
