package source

import (
	"cmp"
	"context"
	"errors"
	"hash/crc64"
	"io"
	"slices"
)

// What is fetched at once of a file that is read at random places, and how many of these
// blocks are held. What a file says of itself, at its end, is fetched in small blocks.
const (
	blockBytes = 1 << 20
	smallBlock = HeadBytes
	maxBlocks  = 16
)

// ErrOnce is the error of random access to a file that can only be read from its
// beginning to its end.
var ErrOnce = errors.New("the file can only be read from its beginning to its end")

// Random returns a reader of the stored bytes at any place, or ErrOnce if the file is
// compressed or live. Errors of the reader are *Error. It must not be used after Close.
func (f *File) Random() (*Random, error) {
	if f.live != nil || f.comp != plain || !f.piece.In.sliced() {
		return nil, ErrOnce
	}
	f.random = &Random{f: f}
	return f.random, nil
}

// A Random reads a file at random places.
type Random struct {
	f        *File
	blocks   []block // the one last used is the last
	from, to int64   // see Own
	sums     []*Sum  // of the blocks there; nil of those that were not read
}

type block struct {
	at   int64
	data []byte
}

// Own sets the bytes of the file that only this piece reads, for File.Sum. Pieces that
// own adjacent intervals read a file once.
func (r *Random) Own(from, to int64) {
	r.from, r.to, r.blocks = from, to, nil
	r.sums = make([]*Sum, (to-from+blockBytes-1)/blockBytes)
}

// ReadAt implements io.ReaderAt, for one goroutine at a time.
func (r *Random) ReadAt(b []byte, off int64) (n int, err error) {
	rest := r.f.piece.Size - off
	if off < 0 || rest <= 0 {
		return 0, io.EOF
	}
	if int64(len(b)) > rest {
		n, err = r.ReadAt(b[:rest], off)
		return n, cmp.Or(err, io.EOF)
	}
	for n < len(b) {
		at := off + int64(n)
		found, err := r.block(r.extent(at))
		if err != nil {
			return n, err
		}
		n += copy(b[n:], found.data[at-found.at:])
	}
	return n, nil
}

// extent returns the block that holds a place.
func (r *Random) extent(place int64) (from, to int64) {
	if r.from <= place && place < r.to {
		from = r.from + (place-r.from)/blockBytes*blockBytes
		return from, min(from+blockBytes, r.to)
	}
	size := int64(blockBytes)
	if r.sums == nil || place >= r.f.piece.Size-blockBytes {
		size = smallBlock
	}
	from = place / size * size
	if to = min(from+size, r.f.piece.Size); place < r.from {
		return from, min(to, r.from)
	}
	return max(from, r.to), to
}

// block returns the block [from, to).
func (r *Random) block(from, to int64) (block, error) {
	if i := slices.IndexFunc(r.blocks, func(b block) bool { return b.at == from }); i >= 0 {
		b := r.blocks[i]
		r.blocks = append(slices.Delete(r.blocks, i, i+1), b)
		return b, nil
	}
	var data []byte
	if len(r.blocks) == maxBlocks {
		data = r.blocks[0].data[:0]
		r.blocks = slices.Delete(r.blocks, 0, 1)
	}
	b := block{from, slices.Grow(data, int(to-from))[:to-from]}
	if err := r.fetch(b.data, from); err != nil {
		return block{}, err
	}
	if r.from <= from && from < r.to {
		r.sums[(from-r.from)/blockBytes] = &Sum{from, to, crc64.Checksum(b.data, sumTable)}
	}
	r.blocks = append(r.blocks, b)
	return b, nil
}

// fetch fills b with the bytes from off on.
func (r *Random) fetch(b []byte, off int64) error {
	in, err := r.f.openRange(r.f.ctx, off, off+int64(len(b)))
	if err == nil {
		_, err = io.ReadFull(&contextReader{r.f.ctx, in}, b)
		in.Close()
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		err = classify(&r.f.piece, off, err)
	}
	return err
}

// sum returns the sum of what is owned. It reads the blocks that nobody has asked for.
func (r *Random) sum() (Sum, error) {
	whole := Sum{From: r.from, To: r.from}
	for i := range r.sums {
		if r.sums[i] == nil {
			if _, err := r.block(r.extent(whole.To)); err != nil {
				return Sum{}, err
			}
		}
		whole, _ = whole.Join(*r.sums[i])
	}
	return whole, nil
}
