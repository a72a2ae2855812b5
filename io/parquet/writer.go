package parquet

import (
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"sync"

	pq "github.com/parquet-go/parquet-go"
)

// Row is a type of row that a file may hold.
type Row interface {
	Tree | Failure | Document | Entry | Word
}

// A KeyValue is an entry of a file's footer.
type KeyValue struct{ Key, Value string }

// RowGroupBytes is the size of column data, before compression, that closes a row
// group.
const RowGroupBytes = 16 << 20

// Sizes inside a file. Rows are handed on in batches of a fixed number, or of
// fewer that have as many values, so that how many of them the caller gives at
// once leaves no trace in the bytes.
const (
	batchRows   = 64
	batchValues = 1 << 17 // each takes 24 bytes; a batch of usual rows has a fifth of them
	pageBytes   = 128 << 10
	maxDictSize = 512 << 10
)

// batches are the columns of closed Writers, empty, with the memory of their values.
var batches = sync.Pool{New: func() any { return new([][]pq.Value) }}

// A Writer writes rows of one kind as a Parquet file. Row groups close at
// about RowGroupBytes of column data, so memory is bounded. It is not safe for
// concurrent use.
type Writer[T Row] struct {
	w     *pq.GenericWriter[T]
	table *table
	out   *sealer
	batch rowBuilder // its bytes are those of the row group
	count int        // rows in the batch
	rows  int64
	keys  []string // of kept values

	footer map[string]string // what SetFooter set, written by Close in the order of keys
}

// NewWriter returns a writer to w, which it does not close. keys are the keys of kept
// values: each becomes a column (MetaColumn), filled from the Meta of rows. Failures
// have none.
func NewWriter[T Row](w io.Writer, meta []KeyValue, keys ...string) *Writer[T] {
	options := []pq.WriterOption{
		pq.CreatedBy("treebeam", FormatVersion, "parquet-go"),
		pq.Compression(&pq.Zstd),
		pq.PageBufferSize(pageBytes),
		pq.DictionaryMaxBytes(maxDictSize),
		pq.DataPageStatistics(false),
		pq.KeyValueMetadata(KeyFormat, FormatVersion),
		pq.KeyValueMetadata(keyDigest, noDigest),
	}
	table := tables[reflect.TypeFor[T]()]
	var sorted []pq.SortingColumn
	for _, name := range table.sorted {
		sorted = append(sorted, pq.Ascending(name))
	}
	if sorted != nil {
		options = append(options, pq.SortingWriterConfig(pq.SortingColumns(sorted...)))
	}
	for _, kv := range meta {
		options = append(options, pq.KeyValueMetadata(kv.Key, kv.Value))
	}
	schema := withMeta(pq.SchemaOf(new(T)), keys)
	for _, path := range schema.Columns() {
		c := table.column(path[0])
		if leaf, ok := schema.Lookup(path...); ok && leaf.Node.Type().Kind() == pq.ByteArray && (c == nil || !c.bounded) {
			options = append(options, pq.SkipPageBounds(path...))
		}
	}
	options = append(options, schema)
	out := newSealer(w)
	columns := *batches.Get().(*[][]pq.Value)
	columns = slices.Grow(columns[:0], len(schema.Columns()))[:len(schema.Columns())]
	return &Writer[T]{w: pq.NewGenericWriter[T](out, options...), table: table, out: out, batch: rowBuilder{columns: columns}, keys: keys, footer: map[string]string{}}
}

// Write appends rows.
func (w *Writer[T]) Write(rows ...T) error {
	for i := range rows {
		row := reflect.ValueOf(&rows[i]).Elem()
		b := &w.batch
		b.append(w.table, row)
		if w.table.meta != nil {
			b.meta(w.keys, *row.FieldByIndex(w.table.meta).Addr().Interface().(*[]KeyValue))
		}
		w.count++
		w.rows++
		full := b.bytes >= RowGroupBytes
		if !full && w.count < batchRows && b.values < batchValues {
			continue
		}
		if err := w.flush(); err != nil {
			return err
		}
		if full {
			if err := w.w.Flush(); err != nil {
				return fmt.Errorf("writing a row group: %w", err)
			}
			b.bytes = 0
		}
	}
	return nil
}

// flush hands on the batch.
func (w *Writer[T]) flush() (err error) {
	for i, to := range w.w.ColumnWriters() {
		values := w.batch.columns[i]
		if err == nil && len(values) > 0 {
			_, err = to.WriteRowValues(values)
		}
		clear(values)
		w.batch.columns[i] = values[:0]
		if cap(values) > batchValues/16 {
			w.batch.columns[i] = nil // the next rows will hardly be as long
		}
	}
	w.count, w.batch.values = 0, 0
	if err != nil {
		return fmt.Errorf("writing rows: %w", err)
	}
	return nil
}

// Len returns the number of rows so far.
func (w *Writer[T]) Len() int64 { return w.rows }

// SetFooter sets a key of the footer.
func (w *Writer[T]) SetFooter(key, value string) { w.footer[key] = value }

// Close writes the footer.
func (w *Writer[T]) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	columns := w.batch.columns
	batches.Put(&columns)
	w.batch.columns = nil // or two writers have it
	if err := w.w.Flush(); err != nil {
		return fmt.Errorf("writing a row group: %w", err)
	}
	w.out.end()
	for _, key := range slices.Sorted(maps.Keys(w.footer)) {
		w.w.SetKeyValueMetadata(key, w.footer[key])
	}
	err := w.w.Close()
	if err == nil {
		err = w.out.seal()
	}
	if err != nil {
		return fmt.Errorf("writing the footer: %w", err)
	}
	return nil
}
