package parquet

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"
)

// keyDigest is the key in every footer whose value is a digest of the whole
// file: 16 hexadecimal digits, the xxHash64 (Collet 2012) of its bytes with
// these digits themselves replaced by noDigest. Parquet's own checksums cover
// the pages only, neither their headers nor the footer. It is the only key that
// differs between the two parts of a range.
const keyDigest = "treebeam.digest"

// noDigest is as long as a digest.
const noDigest = "................"

// sealKey is what precedes the digest in the file, where the footer is in Thrift's
// compact protocol: the key, the header of the next field, a string, and its length. No
// value of ours holds such bytes, and statistics, which may hold any, come before it.
const sealKey = keyDigest + "\x18\x10"

// A sealer passes on what is written to it, and from end on holds it back, so
// that the digest can be put into it.
type sealer struct {
	w    io.Writer
	sum  *xxhash.Digest
	tail []byte
	held bool
}

func newSealer(w io.Writer) *sealer { return &sealer{w: w, sum: xxhash.New()} }

func (s *sealer) Write(b []byte) (int, error) {
	if s.held {
		s.tail = append(s.tail, b...)
		return len(b), nil
	}
	n, err := s.w.Write(b)
	s.sum.Write(b[:n])
	return n, err
}

// end begins the tail, which holds the footer.
func (s *sealer) end() { s.held = true }

// seal writes the tail with the digest in it.
func (s *sealer) seal() error {
	at := bytes.LastIndex(s.tail, []byte(sealKey+noDigest))
	if at < 0 {
		return errors.New("the footer has no place for the digest")
	}
	s.sum.Write(s.tail)
	at += len(sealKey)
	copy(s.tail[at:], digest(s.sum))
	_, err := s.w.Write(s.tail)
	return err
}

func digest(sum *xxhash.Digest) string { return hex.EncodeToString(sum.Sum(nil)) }

// verifySeal reads the whole of a file and compares it with its digest, which is in the
// last footer bytes.
func verifySeal(in io.ReaderAt, size, footer int64, want string) error {
	tail := make([]byte, footer)
	if _, err := in.ReadAt(tail, size-footer); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	at := bytes.LastIndex(tail, []byte(sealKey+want))
	if at < 0 {
		return damage{fmt.Errorf("damaged: its digest %q is not in its place", want)}
	}
	copy(tail[at+len(sealKey):], noDigest)
	sum := xxhash.New()
	if _, err := io.CopyBuffer(sum, io.NewSectionReader(in, 0, size-footer), make([]byte, 1<<18)); err != nil {
		return err
	}
	sum.Write(tail)
	if digest(sum) != want {
		return damage{errors.New("damaged: its bytes are not those that were written")}
	}
	return nil
}
