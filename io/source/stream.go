package source

import (
	"bytes"
	"compress/bzip2"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/semaphore"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Bounds of the memory of zstd decoders. maxWindow is what "zstd --long" needs
// by default, narrowWindow what zstd needs at all levels but --ultra.
const (
	maxWindow    = 128 << 20
	narrowWindow = 8 << 20
)

// wide lets one file of the process at a time have a window over narrowWindow. It holds
// the decoder that is kept for such files, nil before the first: two decoders, one of
// them garbage, would take too much memory.
var (
	wide        = semaphore.NewWeighted(1)
	wideDecoder *zstd.Decoder
)

// newDecoder returns a decoder of zstd that refuses larger windows.
func newDecoder(r io.Reader, window uint64) (*zstd.Decoder, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(window))
}

// isTooWide reports that a decoder needs a larger window than it may have.
func isTooWide(err error) bool {
	return errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded)
}

// widen waits until no other file has a wide window, and decompresses the file
// of s once more, as far as s has come.
func (f *File) widen(s *stream) error {
	if err := wide.Acquire(f.ctx, 1); err != nil {
		s.stored.err = err
		return err
	}
	f.isWide = true
	raw, err := f.open(f.ctx, s.begin.At)
	if err != nil {
		s.stored.err = err
		return err
	}
	f.raw.Close()
	f.raw = raw
	s.dec.(io.Closer).Close()
	s.stored.r, s.stored.n = f.summed(&contextReader{f.ctx, raw}, s.begin.At), 0
	if wideDecoder == nil {
		if wideDecoder, err = newDecoder(nil, maxWindow); err != nil {
			return err
		}
	}
	if err := wideDecoder.Reset(s.stored); err != nil {
		return err
	}
	s.dec = wideDecoder
	if _, err = io.CopyN(io.Discard, s.dec, s.off-s.begin.From); err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// narrow lets another file have a wide window.
func (f *File) narrow() {
	if f.isWide {
		if wideDecoder != nil {
			wideDecoder.Reset(nil)
		}
		wide.Release(1)
		f.isWide = false
	}
}

// A compression is how stored bytes are compressed.
type compression uint8

const (
	plain compression = iota
	gzipped
	zstandard
	bzipped
)

var compressions = [...]struct{ ext, magic string }{
	gzipped:   {".gz", "\x1f\x8b"},
	zstandard: {".zst", "\x28\xb5\x2f\xfd"},
	bzipped:   {".bz2", "BZh"},
}

// compressionOf tells the compression by a file's name.
func compressionOf(name string) compression {
	ext := strings.ToLower(path.Ext(name))
	if ext == ".tgz" {
		return gzipped
	}
	for c := gzipped; c <= bzipped; c++ {
		if ext == compressions[c].ext {
			return c
		}
	}
	return plain
}

// compressionAt reads from r as many bytes as it takes to tell the compression, and
// returns them, too.
func compressionAt(r io.Reader) (compression, []byte, error) {
	var first []byte
	for {
		open := false // one more byte may complete a magic number
		for c := gzipped; c <= bzipped; c++ {
			magic := []byte(compressions[c].magic)
			if bytes.Equal(first, magic) {
				return c, first, nil
			}
			open = open || bytes.HasPrefix(magic, first)
		}
		if !open {
			return plain, first, nil
		}
		var b [1]byte
		switch _, err := io.ReadFull(r, b[:]); {
		case err == io.EOF:
			return plain, first, nil
		case err != nil:
			return plain, first, err
		}
		first = append(first, b[0])
	}
}

// reader returns the decompressed bytes of r. A window of zstd is of use below
// the limit.
func (c compression) reader(r io.Reader, window uint64) (io.Reader, error) {
	switch c {
	case gzipped:
		d, err := gzip.NewReader(r)
		if err != nil {
			return nil, err // and no nil pointer that is a reader
		}
		return d, nil
	case zstandard:
		d, err := newDecoder(r, window)
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	case bzipped:
		return bzip2.NewReader(r), nil
	}
	return r, nil
}

// Decompress returns the decompressed bytes of r. The extension of name tells the
// compression.
func Decompress(name string, r io.Reader) (io.Reader, error) {
	return compressionOf(name).reader(r, maxWindow)
}

// A storedReader reads stored bytes and notes how they failed, so that a fault of
// the disk is not taken for one of the compressed data.
type storedReader struct {
	r   io.Reader
	n   int64 // bytes read
	err error // of r, not io.EOF
}

func (s *storedReader) Read(b []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(b)
	s.n += int64(n)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// A stream reads the decompressed bytes of a file. Its errors are *Error.
type stream struct {
	piece  *Piece
	stored *storedReader
	dec    io.Reader
	begin  Member
	off    int64 // of the next byte
	err    error
	// widen, unless nil, puts a decoder of wide windows in the place of dec.
	widen func(*stream) error
}

func (s *stream) Read(b []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.dec.Read(b)
	s.off += int64(n)
	if s.widen != nil && isTooWide(err) {
		widen := s.widen
		s.widen = nil
		if err = widen(s); err == nil && n == 0 {
			return s.Read(b)
		}
	}
	if err == io.EOF {
		s.err = io.EOF
	} else if err != nil {
		s.fail(err)
	}
	if n > 0 {
		return n, nil // the error comes with the next call
	}
	return 0, s.err
}

// fail makes the *Error of a failed read and keeps it.
func (s *stream) fail(err error) error {
	switch {
	case s.stored.err != nil:
		s.err = classify(s.piece, s.off, s.stored.err)
	case isTooWide(err):
		s.err = permanent(s.piece.URI, s.off, syntax.KindDamaged,
			"it takes a window of over %d MB to decompress, or is damaged; compress it again with zstd --long=27, or less", maxWindow>>20)
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		s.err = permanent(s.piece.URI, s.off, syntax.KindTruncated,
			"the compressed data end too early; the file is truncated, fetch or compress it again")
	default:
		s.err = permanent(s.piece.URI, s.off, syntax.KindDamaged,
			"the compressed data are damaged, or not what the name says (%v); fetch or compress the file again", err)
	}
	return s.err
}

// A contextReader fails once its context is done.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}
