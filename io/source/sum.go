package source

import (
	"context"
	"fmt"
	"hash/crc64"
	"io"
)

// sumPolynomial is the polynomial of CRC-64/NVME, the lowest power first. S3 keeps the
// same checksum of new objects.
const sumPolynomial = 0x9a6c9329ac4bc9b5

var sumTable = crc64.MakeTable(sumPolynomial)

// A Sum is the CRC-64/NVME of the stored bytes [From, To) of a file. Ranges sum what they
// read; the sums of adjacent intervals join to the sum of both, so that the sum of a
// file does not depend on how it was cut. It tells one content from another, but not
// from one that somebody made to have the same sum.
type Sum struct {
	From int64  `json:"from"`
	To   int64  `json:"to"`
	CRC  uint64 `json:"crc"`
}

// String is the sum as source_version has it.
func (s Sum) String() string { return fmt.Sprintf("crc64nvme:%016x", s.CRC) }

// add adds what of b, which stands at an offset of the file, is next before end.
func (s *Sum) add(b []byte, at, end int64) {
	if from, to := s.To-at, min(end-at, int64(len(b))); from >= 0 && from < to {
		s.CRC = crc64.Update(s.CRC, sumTable, b[from:to])
		s.To = at + to
	}
}

// Join returns the sum of two adjacent intervals. It reports false if next does not begin
// where s ends.
func (s Sum) Join(next Sum) (Sum, bool) {
	crc := times(powerOf8(next.To-next.From), s.CRC) ^ next.CRC
	return Sum{s.From, next.To, crc}, s.To == next.From
}

// times multiplies two polynomials over GF(2) modulo the sum's.
func times(a, b uint64) (product uint64) {
	for ; a != 0; a <<= 1 {
		if a>>63 == 1 {
			product ^= b
		}
		b = b>>1 ^ b&1*sumPolynomial
	}
	return product
}

// powerOf8 is x to the power of 8n: what n more bytes multiply a sum by.
func powerOf8(n int64) uint64 {
	power := uint64(1) << 63
	for square := uint64(1) << 55; n > 0; n >>= 1 {
		if n&1 == 1 {
			power = times(square, power)
		}
		square = times(square, square)
	}
	return power
}

// Sum returns the sum of the piece's stored bytes, or of the bytes that Random.Own
// names. It reads the bytes that the readers of Head and At have not read. It fails for
// a live file, whose end is unknown. A reader returned by At must not be used
// afterwards.
func (f *File) Sum(ctx context.Context) (Sum, error) {
	if f.live != nil {
		return Sum{}, ErrOnce
	}
	if f.random != nil && f.random.sums != nil {
		return f.random.sum()
	}
	if f.sum.To < f.piece.End {
		f.closeStream()
		f.ready = false
		raw, err := f.openRange(ctx, f.sum.To, f.piece.End)
		if err == nil {
			_, err = io.Copy(io.Discard, f.summed(&contextReader{ctx, raw}, f.sum.To))
			raw.Close()
		}
		if err != nil {
			return Sum{}, classify(&f.piece, 0, err)
		}
	}
	return f.sum, nil
}

// summed returns a reader of r, which stands at an offset of the file, that adds what it
// reads to the file's sum.
func (f *File) summed(r io.Reader, at int64) io.Reader {
	return &summingReader{r, &f.sum, at, f.piece.End}
}

type summingReader struct {
	r       io.Reader
	sum     *Sum
	at, end int64
}

func (s *summingReader) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	s.sum.add(b[:n], s.at, s.end)
	s.at += int64(n)
	return n, err
}
