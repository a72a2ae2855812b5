package store

import (
	"context"
	"errors"
	"io"
	"sync"
)

// Sizes of what a Tail fetches at once and holds in memory.
const (
	tailBytes    = 64 << 10
	maxTailBytes = 32 << 20
)

// A Tail reads a file of an object store at random places. One request fetches the end,
// where a Parquet file has its footer. The first read before that fetches all that
// follows it, if that is much into a temporary file without a name. A Tail is safe for
// concurrent use.
type Tail struct {
	ctx   context.Context
	store Store
	info  Info

	mu   sync.Mutex
	tail []byte     // the last bytes
	file *Temporary // all bytes, or nil
	err  error      // of the store: it stays
}

// OpenTail returns a Tail of a file that was listed, or of which Stat was called. The
// context must live until Close.
func OpenTail(ctx context.Context, info Info) (*Tail, error) {
	s, _, err := Of(ctx, info.Name)
	if err != nil {
		return nil, err
	}
	return &Tail{ctx: ctx, store: s, info: info}, nil
}

// ReadAt implements io.ReaderAt.
func (t *Tail) ReadAt(b []byte, off int64) (int, error) {
	if off < 0 || off >= t.info.Size {
		return 0, io.EOF
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = t.fetch(off)
	}
	if t.err != nil {
		return 0, t.err
	}
	if t.file != nil {
		return t.file.ReadAt(b, off)
	}
	n := copy(b, t.tail[off-t.start():])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// start is where the tail begins.
func (t *Tail) start() int64 { return t.info.Size - int64(len(t.tail)) }

// fetch sees to it that the bytes from off on are here.
func (t *Tail) fetch(off int64) error {
	if t.file != nil || off >= t.start() {
		return nil
	}
	from := min(off, max(0, t.info.Size-tailBytes))
	if t.info.Size-from > maxTailBytes {
		return t.spool()
	}
	r, err := NewReader(t.ctx, t.store, t.info, from, t.start()-from)
	if err != nil {
		return err
	}
	defer r.Close()
	tail := make([]byte, t.info.Size-from)
	n := copy(tail[t.start()-from:], t.tail)
	if _, err := io.ReadFull(r, tail[:len(tail)-n]); err != nil {
		return err
	}
	t.tail = tail
	return nil
}

// spool copies the whole file to a temporary one.
func (t *Tail) spool() error {
	f, err := NewTemporary()
	if err != nil {
		return err
	}
	r, err := NewReader(t.ctx, t.store, t.info, 0, t.info.Size)
	if err == nil {
		_, err = io.Copy(f, r)
		r.Close()
	}
	if err != nil {
		f.Close()
		return err
	}
	t.file, t.tail = &f, nil
	return nil
}

// Close releases the file.
func (t *Tail) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tail = nil
	if t.err == nil {
		t.err = errors.New("read after Close")
	}
	if t.file == nil {
		return nil
	}
	err := t.file.Close()
	t.file = nil
	return err
}
