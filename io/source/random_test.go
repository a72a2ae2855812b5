package source

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// Any place of a file, on a disk or in a bucket, has the bytes that are there, with
// a bounded number of blocks in memory.
func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	data := make([]byte, 20*blockBytes+123)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	memory(t, map[string]string{"b/x.bin": string(data), "b/x.txt.gz": "\x1f\x8b"})
	dir := tree(t, map[string]string{"x.bin": string(data)})
	for _, name := range []string{filepath.Join(dir, "x.bin"), "mem://b/x.bin"} {
		f := openOne(t, name)
		r, err := f.Random()
		if err != nil {
			t.Fatal(err)
		}
		for i := range 300 {
			at, n := rng.IntN(len(data)+10), rng.IntN(5000)
			if i%50 == 0 {
				n = 3 * blockBytes
			}
			b := make([]byte, n)
			got, err := r.ReadAt(b, int64(at))
			want := data[min(at, len(data)):min(at+n, len(data))]
			if !bytes.Equal(b[:got], want) || (err == io.EOF) != (got < n || at >= len(data)) || err != nil && err != io.EOF {
				t.Fatalf("%s: %d bytes at %d: %d, %v", name, n, at, got, err)
			}
		}
		if n := len(r.(*random).blocks); n > maxBlocks {
			t.Errorf("%s: %d blocks", name, n)
		}
		if f.State() == "" || f.Size() != int64(len(data)) {
			t.Errorf("%s: %q, %d bytes", name, f.State(), f.Size())
		}
	}
	if _, err := openOne(t, "mem://b/x.txt.gz").Random(); !errors.Is(err, ErrOnce) {
		t.Errorf("a compressed file: %v", err)
	}
}

// openOne lists and opens a file.
func openOne(t *testing.T, name string) *File {
	t.Helper()
	f, err := openFirst(t, planOf(t, "", 1<<40, name))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
