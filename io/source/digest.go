package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"sync"

	"github.com/treebeam/treebeam/io/store"
)

// cut caches what all pieces of a file need, for the files that were last cut into
// pieces: a process reads each file only once for this, however many ranges it has.
var cut = struct {
	sync.Mutex
	order []string
	files map[string]*cutFile
}{files: map[string]*cutFile{}}

// maxCut is how many files are kept, with their heads: more than a process has
// open.
const maxCut = 64

// A cutFile is one state of a file. Its fields have locks of their own: reading
// all of a file for its digest takes long.
type cutFile struct {
	digest, head once
}

// once is something that is read once; "" until then.
type once struct {
	sync.Mutex
	is string
}

// get returns what read returns, or has returned without an error.
func (o *once) get(read func() (string, error)) (string, error) {
	o.Lock()
	defer o.Unlock()
	if o.is != "" {
		return o.is, nil
	}
	is, err := read()
	if err == nil {
		o.is = is
	}
	return is, err
}

// shared returns what the pieces of the file share.
func (f *File) shared() *cutFile {
	cut.Lock()
	defer cut.Unlock()
	key := f.State()
	c, ok := cut.files[key]
	if !ok {
		c = &cutFile{}
		cut.files[key] = c
		if cut.order = append(cut.order, key); len(cut.order) > maxCut {
			delete(cut.files, cut.order[0])
			cut.order = cut.order[1:]
		}
	}
	return c
}

// Digest returns the SHA-256 of the stored bytes as 64 hexadecimal digits. It reads the
// file once, and not at all if Head has read all of it. For files cut into several
// pieces the process keeps the last few answers, and processes share the digests of
// large files: see Range.Digests. The digest of a live input is "", because the input
// has not ended yet. A reader that At has returned must not be used any more.
func (f *File) Digest(ctx context.Context) (string, error) {
	if f.live != nil {
		return "", nil
	}
	if f.piece.Whole() {
		return f.digest(ctx)
	}
	return f.shared().digest.get(func() (string, error) { return f.sharedDigest(ctx) })
}

// The digest of a file with at least sharedPieces pieces is shared: a lookup costs a
// request or two.
const sharedPieces = 8

// sharedDigest is digest if no process has left its answer.
func (f *File) sharedDigest(ctx context.Context) (string, error) {
	if f.digests == "" || (f.piece.End-f.piece.Start)*sharedPieces > f.piece.Size {
		return f.digest(ctx)
	}
	id := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", f.name, f.piece.Version, f.piece.Size))
	name := store.Join(f.digests, hex.EncodeToString(id[:16])+".sha256")
	if left, err := store.ReadFile(ctx, name); err == nil && len(left) == 2*sha256.Size+1 {
		return string(left[:2*sha256.Size]), nil
	}
	sum, err := f.digest(ctx)
	if err == nil { // others may have to read the file for themselves: no reason to fail
		_ = store.WriteFile(ctx, name, []byte(sum+"\n"), store.Options{Expect: store.Anything})
	}
	return sum, err
}

func (f *File) digest(ctx context.Context) (string, error) {
	if f.comp == plain && f.head != nil && int64(len(f.head)) == f.piece.Size {
		sum := sha256.Sum256(f.head)
		return hex.EncodeToString(sum[:]), nil
	}
	// Neither a connection nor a wide window waits while all of the file is read.
	f.closeStream()
	f.ready = false
	r, err := f.open(ctx, 0)
	if err != nil {
		return "", classify(&f.piece, 0, err)
	}
	defer r.Close()
	h := sha256.New()
	if _, err := io.Copy(h, &contextReader{ctx, r}); err != nil {
		return "", classify(&f.piece, 0, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
