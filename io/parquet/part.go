package parquet

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
)

// Row is what a file may hold.
type Row interface{ Tree | Failure | Document }

// A KeyValue is an entry of a file's footer.
type KeyValue struct{ Key, Value string }

// Keys of every footer.
const (
	KeyFingerprint = "treebeam.fp"
	KeyRange       = "treebeam.k"
	KeyRanges      = "treebeam.n"
	KeyFormat      = "treebeam.format_version"
)

// PartName returns "part-00007-of-00256-<fp8>.parquet" for range k of n.
func PartName(k, n int, fp string) string {
	return fmt.Sprintf("part-%05d-of-%05d-%.8s.parquet", k, n, fp)
}

// A PartID names the output of one range.
type PartID struct {
	Out string // output folder; parts go to Out/trees, Out/failures and Out/documents
	K   int    // 0-based range
	N   int    // number of ranges
	FP  string // fingerprint of the run
}

// Path returns where the part of kind "trees", "failures" or "documents" is.
func (id PartID) Path(kind string) string {
	return filepath.Join(id.Out, kind, PartName(id.K, id.N, id.FP))
}

// Done reports whether the range is done: all its parts exist with footers
// that name its fingerprint and place. A part that exists but is damaged or
// of another run is not done; why says what is wrong with it ("" if there is
// none).
func (id PartID) Done() (done bool, why string) { return false, "" }

// A Part writes the output of one range to temporary files and publishes them
// together. It is not safe for concurrent use. Always defer Abort.
type Part struct{}

// Create begins the part. Temporary files get random names in tmp, which must
// be on the same file system as id.Out; both folders are made if needed. meta
// goes into the footers beside the keys of this package.
func Create(id PartID, tmp string, meta []KeyValue) (*Part, error) {
	return nil, errors.ErrUnsupported
}

// Trees appends rows to trees/, which must come sorted.
func (p *Part) Trees(rows ...Tree) error { return errors.ErrUnsupported }

// Failures appends rows to failures/. They are sorted by (source_uri,
// byte_offset) when the part is committed; those that compare equal keep their
// order.
func (p *Part) Failures(rows ...Failure) error { return errors.ErrUnsupported }

// Documents appends rows to documents/.
func (p *Part) Documents(rows ...Document) error { return errors.ErrUnsupported }

// SetFooter sets a key in the footers of all files of the part, such as a
// count that is known only at the end.
func (p *Part) SetFooter(key, value string) {}

// Commit closes, syncs and renames the files: documents, then failures, then
// trees, whose presence is the mark that the range is done. After an error
// nothing of trees is visible.
func (p *Part) Commit() error { return errors.ErrUnsupported }

// Abort removes the temporary files of a part that was not committed. It does
// nothing after Commit.
func (p *Part) Abort() {}

// A Writer writes rows of one kind as a Parquet file. Row groups close at
// about RowGroupBytes of column data, so memory is bounded.
type Writer[T Row] struct{}

// RowGroupBytes is the size of column data, before compression, at which a
// row group closes.
const RowGroupBytes = 16 << 20

// NewWriter returns a writer to w, which it does not close.
func NewWriter[T Row](w io.Writer, meta []KeyValue) *Writer[T] { return &Writer[T]{} }

// Write appends rows.
func (w *Writer[T]) Write(rows ...T) error { return errors.ErrUnsupported }

// SetFooter sets a key of the footer.
func (w *Writer[T]) SetFooter(key, value string) {}

// Close writes the footer.
func (w *Writer[T]) Close() error { return errors.ErrUnsupported }

// A Reader reads the rows of a file in order.
type Reader[T Row] struct{}

// Open opens a file and checks that it has the columns of T.
func Open[T Row](path string) (*Reader[T], error) { return nil, errors.ErrUnsupported }

// Check returns an error unless the footer names range k of n and the
// fingerprint fp.
func (r *Reader[T]) Check(fp string, k, n int) error { return errors.ErrUnsupported }

// Footer returns the value of a key and whether it is there.
func (r *Reader[T]) Footer(key string) (string, bool) { return "", false }

// Len returns the number of rows.
func (r *Reader[T]) Len() int64 { return 0 }

// All yields the rows in order, holding a few at a time. Rows belong to the
// caller.
func (r *Reader[T]) All() iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {}
}

// Close releases the file.
func (r *Reader[T]) Close() error { return nil }
