package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"github.com/treebeam/treebeam/io/store"
)

// digests keeps the digests of the files that were last cut into pieces, so
// that a process reads each only once for that, however many ranges it has.
var digests = struct {
	sync.Mutex
	order []string
	sums  map[string]*digest
}{sums: map[string]*digest{}}

// maxDigests is how many digests are kept: more than a process has open.
const maxDigests = 64

type digest struct {
	sync.Mutex
	sum string
}

// Digest returns the SHA-256 of the stored bytes as 64 hexadecimal digits.
// It reads the file once; for files cut into several pieces the process keeps
// the last few answers, and processes share those of large files: see
// Range.Digests.
func (f *File) Digest(ctx context.Context) (string, error) {
	if sum, ok := strings.CutPrefix(f.piece.Version, spooled); ok {
		return sum, nil
	}
	if f.piece.Whole() {
		return f.digest(ctx)
	}
	key := f.obj.key() + "\x00" + f.piece.Version
	digests.Lock()
	d, ok := digests.sums[key]
	if !ok {
		d = &digest{}
		digests.sums[key] = d
		if digests.order = append(digests.order, key); len(digests.order) > maxDigests {
			delete(digests.sums, digests.order[0])
			digests.order = digests.order[1:]
		}
	}
	digests.Unlock()
	d.Lock()
	defer d.Unlock()
	if d.sum == "" {
		sum, err := f.sharedDigest(ctx)
		if err != nil {
			return "", err
		}
		d.sum = sum
	}
	return d.sum, nil
}

// sharedPieces is the number of pieces from which on the digest of a file is
// shared: to look for it costs a request or two.
const sharedPieces = 8

// sharedDigest is digest if no process has left its answer.
func (f *File) sharedDigest(ctx context.Context) (string, error) {
	if f.digests == "" || (f.piece.End-f.piece.Start)*sharedPieces > f.piece.Size {
		return f.digest(ctx)
	}
	id := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", f.obj.key(), f.piece.Version, f.piece.Size))
	name := store.Join(f.digests, hex.EncodeToString(id[:16])+".sha256")
	if left, err := store.ReadFile(ctx, name); err == nil && len(left) == 2*sha256.Size+1 {
		return string(left[:2*sha256.Size]), nil
	}
	sum, err := f.digest(ctx)
	if err == nil { // others may have to read the file for themselves: no reason to fail
		_ = store.WriteFile(ctx, name, []byte(sum+"\n"), store.Options{Expect: store.Anything, Temp: f.digestsTemp()})
	}
	return sum, err
}

// digestsTemp is where a local file is until it is renamed.
func (f *File) digestsTemp() string {
	if store.IsRemote(f.digests) {
		return ""
	}
	return filepath.Join(filepath.Dir(f.digests), "tmp")
}

func (f *File) digest(ctx context.Context) (string, error) {
	r, err := f.stored(ctx, 0)
	if err != nil {
		return "", classify(&f.piece, 0, err)
	}
	defer r.Close()
	h := sha256.New()
	s := &stored{r: &contextReader{ctx, r}}
	if _, err := io.Copy(h, s); err != nil {
		return "", (&stream{piece: &f.piece, stored: s}).fail(err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
