package source

import (
	"context"
	"errors"
	"io"
)

// HeadBytes is how much of a file's beginning its format is decided on.
const HeadBytes = 64 << 10

// A File is an open input, decompressed. It is not safe for concurrent use.
type File struct{}

// Open opens the file of a piece of r. The file must be the one that was
// listed: a different size or version is an *Error of kind Changed.
// Compression (.gz, .zst, .bz2) goes by the name, for standard input by the
// content.
func Open(ctx context.Context, r *Range, p *Piece) (*File, error) {
	return nil, errors.ErrUnsupported
}

// Head returns up to HeadBytes from the beginning of the decompressed file,
// whatever the piece. The slice must not be changed.
func (f *File) Head() ([]byte, error) { return nil, errors.ErrUnsupported }

// At returns a reader of the decompressed bytes from offset off to the end of
// the file, which replaces the one returned before. A compressed file can only
// be read from offset 0. Errors of the reader are *Error.
func (f *File) At(off int64) (io.Reader, error) { return nil, errors.ErrUnsupported }

// Compressed reports whether the stored bytes are compressed.
func (f *File) Compressed() bool { return false }

// Digest returns the SHA-256 of the stored bytes as 64 hexadecimal digits.
// It reads the file once; for files cut into several pieces the process keeps
// the last few answers.
func (f *File) Digest(ctx context.Context) (string, error) { return "", errors.ErrUnsupported }

// Verify reports as an *Error of kind Changed that the file is no longer the
// one that was listed. Call it after the last byte was read.
func (f *File) Verify() error { return errors.ErrUnsupported }

// Close releases the file. It may be called more than once.
func (f *File) Close() error { return nil }
