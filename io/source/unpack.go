package source

import (
	"context"
	"errors"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/parser/syntax"
)

// openMember returns a reader of the bytes [off, end) of the member of an archive. It
// fails at the end if the bytes are not those that the archive says.
func (f *File) openMember(ctx context.Context, off, end int64) (io.ReadCloser, error) {
	p, m := &f.piece, f.piece.In
	r := &memberReader{piece: p, at: off, left: end - off}
	skip := int64(0)
	switch {
	case m.Stream:
		archive, err := f.openStream(ctx)
		if err != nil {
			return nil, err
		}
		r.close = archive.Close
		if r.dec, err = archive.At(0); err != nil {
			archive.Close()
			return nil, r.fault(err)
		}
		skip = m.At + off
	case m.Packed > 0:
		raw, err := store.NewReader(ctx, f.store, store.Info{Name: f.name, Version: m.Version}, m.At, m.Packed)
		if err != nil {
			return nil, err
		}
		r.stored = &storedReader{r: &contextReader{ctx, raw}}
		r.dec, r.close, skip = flate.NewReader(r.stored), raw.Close, off
	default:
		raw, err := store.NewReader(ctx, f.store, store.Info{Name: f.name, Version: m.Version}, m.At+off, end-off)
		if err != nil {
			return nil, err
		}
		r.dec, r.close = raw, raw.Close
	}
	if skip > 0 {
		if _, err := io.CopyN(io.Discard, r.dec, skip); err != nil {
			r.Close()
			return nil, r.fault(err)
		}
	}
	r.sums, r.more = m.Zip && off == 0 && end == p.Size, m.Packed > 0 && end == p.Size
	return r, nil
}

// openStream opens the archive that the member is in as a file.
func (f *File) openStream(ctx context.Context) (*File, error) {
	m := f.piece.In
	archive := Input{URI: f.name, Size: m.Size, Version: m.Version, Gzip: m.Gzip}
	return Open(ctx, &Range{}, &Piece{Input: archive, End: m.Size})
}

// A memberReader reads bytes of a member.
type memberReader struct {
	piece  *Piece
	dec    io.Reader
	stored *storedReader // of what is deflated
	close  func() error
	at     int64 // of the next byte
	left   int64
	sums   bool // all of the member is read, and has a sum
	sum    uint32
	more   bool // the end that the archive says is to be checked
	err    error
}

func (r *memberReader) Read(b []byte) (n int, err error) {
	if r.err != nil {
		return 0, r.err
	}
	if r.left > 0 {
		n, err = r.dec.Read(b[:min(int64(len(b)), r.left)])
		r.at, r.left = r.at+int64(n), r.left-int64(n)
		if r.sums {
			r.sum = crc32.Update(r.sum, crc32.IEEETable, b[:n])
		}
	}
	switch {
	case r.left > 0 && err == nil:
		return n, nil
	case r.left > 0:
		r.err = r.fault(err)
	default:
		r.err = r.end()
	}
	if n > 0 {
		return n, nil // the error comes with the next call
	}
	return 0, r.err
}

// end checks what was read to the end.
func (r *memberReader) end() error {
	if r.more {
		var b [1]byte
		if n, err := io.ReadFull(r.dec, b[:]); n > 0 {
			return permanent(r.piece.URI, r.at, syntax.KindDamaged, "the member has more bytes than the archive says; make the archive again")
		} else if err != io.EOF {
			return r.fault(err)
		}
	}
	if r.sums && r.sum != r.piece.In.CRC {
		return permanent(r.piece.URI, r.at, syntax.KindDamaged, "the bytes of the member do not have the sum that the archive says; fetch or make the archive again")
	}
	return io.EOF
}

// fault is the *Error of a read that failed.
func (r *memberReader) fault(err error) error {
	var known *Error
	switch {
	case errors.As(err, &known):
		of := *known
		of.URI, of.Offset = r.piece.URI, r.at
		return &of
	case r.stored != nil && r.stored.err != nil:
		return classify(r.piece, r.at, r.stored.err)
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
		return permanent(r.piece.URI, r.at, syntax.KindTruncated, "the member ends too early; fetch or make the archive again")
	case r.stored != nil:
		return permanent(r.piece.URI, r.at, syntax.KindDamaged, "the member is damaged (%v); fetch or make the archive again", err)
	}
	return classify(r.piece, r.at, err)
}

func (r *memberReader) Close() error { return r.close() }

// readWhole reads n bytes, which must be all.
func readWhole(r io.Reader, n int64) ([]byte, error) {
	data := make([]byte, n)
	_, err := io.ReadFull(r, data)
	if err == nil {
		if _, err = r.Read(make([]byte, 1)); err == io.EOF {
			err = nil
		}
	}
	return data, err
}
