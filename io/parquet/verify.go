package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	pq "github.com/parquet-go/parquet-go"

	"github.com/treebeam/treebeam/io/store"
)

var (
	// ErrDamaged is in every error that says that the bytes of a file are not
	// those that were written, or not those that belong under its name.
	ErrDamaged = errors.New("damaged")
	// ErrForeign is in the error of a Parquet file that has other columns.
	ErrForeign = errors.New("another version of treebeam wrote it, or another program")
)

// A damage is an ErrDamaged with a text of its own.
type damage struct{ error }

func (d damage) Is(target error) bool { return target == ErrDamaged }
func (d damage) Unwrap() error        { return d.error }

func damaged(name, format string, a ...any) error {
	return damage{fmt.Errorf("%s: "+format, append([]any{name}, a...)...)}
}

// A PartFile is a part that should be there, and what its footer must say.
type PartFile struct {
	Path string
	FP   string // fingerprint of the run, or its first digits
	K, N int    // range K of N; N is 0 for documents/, which belongs to no range
	Rows int64  // -1: unknown
}

// ParsePartName returns what the name of a part, as PartName makes it, says.
func ParsePartName(name string) (k, n int, fp8 string, ok bool) {
	rest, ok := strings.CutPrefix(name, "part-")
	if !ok {
		return 0, 0, "", false
	}
	rest, ok = strings.CutSuffix(rest, ".parquet")
	fields := strings.Split(rest, "-")
	if !ok || len(fields) != 4 || fields[1] != "of" {
		return 0, 0, "", false
	}
	k, err1 := strconv.Atoi(fields[0])
	n, err2 := strconv.Atoi(fields[2])
	if err1 != nil || err2 != nil || len(fields[3]) != 8 || k < 0 || k >= n || PartName(k, n, fields[3]) != name {
		return 0, 0, "", false
	}
	return k, n, fields[3], true
}

// OpenPart opens a part and reads all of its bytes once. It is ErrDamaged if
// they are not those that were written, or if the footer does not say what it
// must, as that of a copy of another part does not.
func OpenPart[T Row](p *PartFile) (*Reader[T], error) {
	r, err := Open[T](p.Path)
	if err != nil {
		return nil, err
	}
	if err = r.is(p); err == nil {
		err = r.Verify()
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *Reader[T]) is(p *PartFile) error {
	fp, _ := r.Footer(KeyFingerprint)
	if fp == "" || !strings.HasPrefix(fp, p.FP) {
		return damaged(p.Path, "another file stands under its name: its footer has the fingerprint %.8q, that of the run is %.8q", fp, p.FP)
	}
	if p.N > 0 {
		k, _ := r.Footer(KeyRange)
		n, _ := r.Footer(KeyRanges)
		if k != strconv.Itoa(p.K) || n != strconv.Itoa(p.N) {
			return damaged(p.Path, "another file stands under its name: its footer says range %q of %q", k, n)
		}
	}
	if p.Rows >= 0 && r.Len() != p.Rows {
		return damaged(p.Path, "another file stands under its name: it has %d rows, not %d", r.Len(), p.Rows)
	}
	return nil
}

// Parts yields the rows of parts one after the other, each open while its rows
// are read. The pair with an error is the last.
func Parts[T Row](parts []PartFile) iter.Seq2[*T, error] { return rowsOf[T](parts, nil) }

// TreesWith is Parts of trees that decodes only some of their columns, by name;
// source_uri is always one of them. What the others hold is left empty in the
// rows. Columns that may be null, and those of kept values (MetaColumn), may be
// missing in a file; a name that is no column is an error. Every byte of a part is
// compared with its digest all the same.
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

// Verify reads the whole file and compares it with the digest in its footer.
func (r *Reader[T]) Verify() error {
	want, _ := r.Footer(KeyDigest)
	err := verifySeal(r.in, r.size, r.footerSize, want)
	if tail, ok := r.in.(*store.Tail); ok && tail.Err() != nil {
		return tail.Err() // it is not the file that is damaged
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	return nil
}

// verifying bounds how many ranges are verified at once: of an object store a
// part, or its end, is in memory meanwhile.
var verifying = make(chan struct{}, 4)

// Verify is Done of a range of which every byte is read: it returns what is
// wrong with its parts, or nil.
func (id PartID) Verify() error {
	verifying <- struct{}{}
	defer func() { <-verifying }()
	if err := verifyPart[Failure](id, "failures"); err != nil {
		return err
	}
	if id.Words {
		if err := verifyPart[Word](id, "words"); err != nil {
			return err
		}
	}
	return verifyPart[Tree](id, "trees")
}

func verifyPart[T Row](id PartID, kind string) error {
	r, err := OpenPart[T](&PartFile{Path: id.Path(kind), FP: id.FP, K: id.K, N: id.N, Rows: -1})
	if err != nil {
		return err
	}
	return r.Close()
}

// footerSize returns the length of the footer with all that follows it, and
// an error unless it begins where the last thing that it names ends. A file
// that was cut or spliced in its middle has a footer, but at another place.
func footerSize(file *pq.File, in io.ReaderAt, size int64) (int64, error) {
	const tail = 8 // the footer's length and the magic number
	var last [tail]byte
	if _, err := in.ReadAt(last[:], size-tail); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	footer := tail + int64(binary.LittleEndian.Uint32(last[:4]))
	end := int64(len("PAR1"))
	for _, group := range file.Metadata().RowGroups {
		for i := range group.Columns {
			c := &group.Columns[i]
			start := c.MetaData.DataPageOffset
			if dict := c.MetaData.DictionaryPageOffset; dict > 0 {
				start = min(start, dict)
			}
			end = max(end, start+c.MetaData.TotalCompressedSize,
				c.ColumnIndexOffset+int64(c.ColumnIndexLength), c.OffsetIndexOffset+int64(c.OffsetIndexLength))
		}
	}
	if extra := size - footer - end; extra != 0 {
		return 0, fmt.Errorf("its size is not that which its footer describes: %d bytes too many, or too few if negative", extra)
	}
	return footer, nil
}
