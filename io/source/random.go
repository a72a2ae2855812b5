package source

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/treebeam/treebeam/io/store"
)

// What is fetched at once of a file in an object store that is read at random
// places, and how many of these blocks are held.
const (
	blockBytes = 1 << 20
	maxBlocks  = 16
)

// ErrOnce says that a file can only be read sequentially, from its beginning.
var ErrOnce = errors.New("the file can only be read from its beginning to its end")

// Random returns a reader of the stored bytes at any place, ErrOnce for a file
// that is compressed or live. Errors of the reader are *Error. It must not be
// used after Close.
func (f *File) Random() (io.ReaderAt, error) {
	if f.live != nil || f.comp != plain {
		return nil, ErrOnce
	}
	return &random{f: f}, nil
}

type random struct {
	f      *File
	blocks []block // the one last used is the last
}

type block struct {
	at   int64
	data []byte
}

// ReadAt implements io.ReaderAt, for one goroutine at a time.
func (r *random) ReadAt(b []byte, off int64) (n int, err error) {
	rest := r.f.piece.Size - off
	if off < 0 || rest <= 0 {
		return 0, io.EOF
	}
	if int64(len(b)) > rest {
		n, err = r.ReadAt(b[:rest], off)
		return n, cmp.Or(err, io.EOF)
	}
	if !store.IsRemote(r.f.stored()) || len(b) > blockBytes {
		if err := r.fetch(b, off); err != nil {
			return 0, err
		}
		return len(b), nil
	}
	for n < len(b) {
		at := off + int64(n)
		data, err := r.block(at / blockBytes * blockBytes)
		if err != nil {
			return n, err
		}
		n += copy(b[n:], data[at%blockBytes:])
	}
	return n, nil
}

// block returns the block that begins at a place.
func (r *random) block(at int64) ([]byte, error) {
	if i := slices.IndexFunc(r.blocks, func(b block) bool { return b.at == at }); i >= 0 {
		b := r.blocks[i]
		r.blocks = append(slices.Delete(r.blocks, i, i+1), b)
		return b.data, nil
	}
	var data []byte
	if len(r.blocks) == maxBlocks {
		data = r.blocks[0].data[:0]
		r.blocks = slices.Delete(r.blocks, 0, 1)
	}
	data = slices.Grow(data, blockBytes)[:min(blockBytes, r.f.piece.Size-at)]
	if err := r.fetch(data, at); err != nil {
		return nil, err
	}
	r.blocks = append(r.blocks, block{at, data})
	return data, nil
}

// fetch fills b with the bytes from off on.
func (r *random) fetch(b []byte, off int64) error {
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
