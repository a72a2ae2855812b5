package parquet

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	pq "github.com/parquet-go/parquet-go"

	"github.com/treebeam/treebeam/io/store"
)

var (
	// Every error about a damaged file wraps ErrDamaged: its bytes differ from the
	// bytes that were written, or do not belong under its name.
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

// A File is an open file of package parquet, with rows of any kind. It is not safe for
// concurrent use.
type File struct {
	name             string
	in               *reading
	file             *pq.File
	size, footerSize int64 // of the file, and of the footer with what follows it
}

// A source is what bytes come from.
type source interface {
	io.ReaderAt
	io.Closer
}

// A reading remembers the first fault of a source: then it is not the file that is damaged.
type reading struct {
	source
	size  int64
	mu    sync.Mutex
	fault error
}

// ReadAt implements io.ReaderAt. A damaged file may name places that it does not have.
func (r *reading) ReadAt(b []byte, off int64) (int, error) {
	if off < 0 || off >= r.size {
		return 0, io.EOF
	}
	n, err := r.source.ReadAt(b, off)
	if err != nil && !errors.Is(err, io.EOF) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.fault = cmp.Or(r.fault, err)
	}
	return n, err
}

// cause is the fault of the source, if there was one, else err.
func (r *reading) cause(err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return cmp.Or(r.fault, err)
}

// OpenFile opens a file at a path or a URI. From an object store it fetches only the
// footer; rows are fetched when they are read.
func OpenFile(path string) (*File, error) {
	if store.IsRemote(path) {
		info, err := store.Stat(context.Background(), path)
		if err != nil {
			return nil, err
		}
		return OpenListed(info)
	}
	f, info, err := store.OpenLocal(path)
	if err != nil {
		return nil, err
	}
	return open(path, f, info.Size())
}

// OpenListed is OpenFile for a file that was listed. In an object store, it opens the
// version in the listing, with one request less.
func OpenListed(info store.Info) (*File, error) {
	if !store.IsRemote(info.Name) {
		return OpenFile(info.Name)
	}
	tail, err := store.OpenTail(context.Background(), info)
	if err != nil {
		return nil, err
	}
	return open(info.Name, tail, info.Size)
}

func open(name string, from source, size int64) (_ *File, err error) {
	_, remote := from.(*store.Tail)
	in := &reading{source: from, size: size}
	defer func() {
		if err = in.cause(err); err != nil {
			in.Close()
		}
	}()
	defer recoverDamage(name, &err)
	// In an object store the first bytes are far from the last, and those say enough.
	file, err := pq.OpenFile(in, size, pq.SkipPageIndex(true), pq.SkipBloomFilters(true), pq.SkipMagicBytes(remote))
	if err != nil {
		return nil, damaged(name, "not a Parquet file, or damaged: %w", err)
	}
	footer, err := footerSize(file, in, size)
	if err != nil {
		return nil, damaged(name, "damaged: %w", err)
	}
	return &File{name: name, in: in, file: file, size: size, footerSize: footer}, nil
}

// recoverDamage makes an error of a panic: the Parquet library trusts files.
func recoverDamage(name string, err *error) {
	if p := recover(); p != nil {
		*err = damaged(name, "damaged: %v", p)
	}
}

// Footer returns the value of a key, and whether the footer has it.
func (f *File) Footer(key string) (string, bool) { return f.file.Lookup(key) }

// footer returns all of it but the digest.
func (f *File) footer() map[string]string {
	all := map[string]string{}
	for _, kv := range f.file.Metadata().KeyValueMetadata {
		if kv.Key != keyDigest {
			all[kv.Key] = kv.Value
		}
	}
	return all
}

// Len returns the number of rows.
func (f *File) Len() int64 { return f.file.NumRows() }

// Close releases the file.
func (f *File) Close() error { return f.in.Close() }

// checkPart returns ErrDamaged if the footer is not that of this part, as in a copy of
// another part.
func (f *File) checkPart(p *PartFile) error {
	fp, _ := f.Footer(KeyFingerprint)
	if fp == "" || !strings.HasPrefix(fp, p.FP) {
		return damaged(p.Path, "another file has its name: its footer has the fingerprint %.8q, that of the run is %.8q", fp, p.FP)
	}
	if p.N > 0 {
		k, _ := f.Footer(KeyRange)
		n, _ := f.Footer(KeyRanges)
		if k != strconv.Itoa(p.K) || n != strconv.Itoa(p.N) {
			return damaged(p.Path, "another file has its name: its footer says range %q of %q", k, n)
		}
	}
	if p.Rows >= 0 && f.Len() != p.Rows {
		return damaged(p.Path, "another file has its name: it has %d rows, not %d", f.Len(), p.Rows)
	}
	return nil
}

// Verify reads the whole file and compares it with the digest in its footer.
func (f *File) Verify() error {
	want, _ := f.Footer(keyDigest)
	if err := f.in.cause(verifySeal(f.in, f.size, f.footerSize, want)); err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	return nil
}

// verifyPart is checkPart and Verify.
func (f *File) verifyPart(p *PartFile) error {
	if err := f.checkPart(p); err != nil {
		return err
	}
	return f.Verify()
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
