package source

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/treebeam/treebeam/io/store"
)

// tree makes files below a new folder. A name that ends in "/" is a folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(p, 0o777))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(p), 0o777))
		must(t, os.WriteFile(p, []byte(text), 0o666))
	}
	return dir
}

// names joins "uri=doc_id" of all inputs.
func names(inputs []Input) string {
	var s []string
	for _, in := range inputs {
		s = append(s, in.URI+"="+in.DocID)
	}
	return strings.Join(s, " ")
}

// planOf lists and plans what the patterns name.
func planOf(t *testing.T, dir string, rangeBytes int64, patterns ...string) *Plan {
	t.Helper()
	inputs, err := List(t.Context(), patterns, ListOptions{Dir: dir})
	must(t, err)
	plan, err := NewPlan(t.Context(), ListingOf(inputs), PlanOptions{Dir: dir, RangeBytes: rangeBytes})
	must(t, err)
	return plan
}

// openFirst opens the first piece of a plan.
func openFirst(t *testing.T, plan *Plan) (*File, error) {
	t.Helper()
	f, err := Open(t.Context(), &rangesOf(plan)[0], &rangesOf(plan)[0].Pieces[0])
	if err == nil {
		t.Cleanup(func() { f.Close() })
	}
	return f, err
}

// isFault reports whether err is an *Error of a kind.
func isFault(err error, kind Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}

// readAll reads a whole piece's file, twice.
func readAll(t *testing.T, r *Range, p *Piece) string {
	t.Helper()
	f, err := Open(t.Context(), r, p)
	must(t, err)
	defer f.Close()
	head, err := f.Head()
	must(t, err)
	var got [2]string
	for i := range got {
		in, err := f.At(0)
		must(t, err)
		b, err := io.ReadAll(in)
		must(t, err)
		got[i] = string(b)
	}
	if got[0] != got[1] || !strings.HasPrefix(got[0], string(head)) {
		t.Fatal("two readings of a file differ")
	}
	must(t, f.Verify())
	return got[0]
}

func compress(t *testing.T, ext, text string) string {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch ext {
	case ".gz":
		w = gzip.NewWriter(&b)
	case ".zst":
		w, _ = zstd.NewWriter(&b)
	default:
		return text
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	must(t, w.Close())
	return b.String()
}

// bz2 is "hello\n" 3 times, compressed by bzip2.
const bz2 = "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x27\xbc\x66\x71\x00\x00\x04\x41\x00\x00\x10\x02\x44\xa0\x00\x22\x3f\x54\x64\x19\xa0\xa8\xe4\x5c\x78\xbb\x92\x29\xc2\x84\x81\x3d\xe3\x33\x88"

// open lists and opens the only file of a folder.
func open(t *testing.T, name, data string) (*File, error) {
	t.Helper()
	return openFirst(t, planOf(t, tree(t, map[string]string{name: data}), 0, name))
}

func TestTruncated(t *testing.T) {
	long := strings.Repeat("all the text that there is ", 20000)
	for name, data := range map[string]string{
		"a.gz": compress(t, ".gz", long), "a.zst": compress(t, ".zst", long), "short.gz": compress(t, ".gz", "x"), "b.bz2": bz2,
	} {
		for _, cut := range []int{0, 1, 5, len(data) / 2, len(data) - 1} {
			f, err := open(t, name, data[:cut])
			must(t, err)
			got, err := drain(f)
			var e *Error
			if !errors.As(err, &e) || e.Kind != Permanent || e.Offset != int64(len(got)) || !strings.Contains(err.Error(), "again") {
				t.Errorf("%s cut at %d of %d: got %d bytes and %v", name, cut, len(data), len(got), err)
			}
			f.Close()
		}
		flipped := []byte(data)
		flipped[len(data)/2] ^= 0xff
		f, err := open(t, name, string(flipped))
		must(t, err)
		if _, err := drain(f); !isFault(err, Permanent) {
			t.Errorf("%s with a flipped byte: got %v", name, err)
		}
		f.Close()
	}
}

// drain reads a file as the pipeline does: its head, then all of it.
func drain(f *File) (string, error) {
	if _, err := f.Head(); err != nil {
		return "", err
	}
	r, err := f.At(0)
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(r)
	return string(b), err
}

func TestCompressed(t *testing.T) {
	for name, c := range map[string]struct{ data, want string }{
		"x.bz2": {bz2, "hello\nhello\nhello\n"},
		"x.gz":  {compress(t, ".gz", "one ") + compress(t, ".gz", "two"), "one two"},
	} {
		f, err := open(t, name, c.data)
		must(t, err)
		if got, err := drain(f); err != nil || got != c.want || !f.Compressed() {
			t.Fatalf("%s: got %q, %v", name, got, err)
		}
		if _, err := f.At(1); err == nil {
			t.Errorf("%s was opened in its middle", name)
		}
	}
}

func TestChanged(t *testing.T) {
	dir := tree(t, map[string]string{"x.txt": "0123456789"})
	name := filepath.Join(dir, "x.txt")
	plan := planOf(t, dir, 0, "x.txt")
	r := &rangesOf(plan)[0]
	f, err := Open(t.Context(), r, &r.Pieces[0])
	must(t, err)
	defer f.Close()
	isChanged := func(err error) bool {
		return isFault(err, Changed) && strings.Contains(err.Error(), "run the same command again")
	}
	must(t, os.Truncate(name, 4))
	if _, err := drain(f); !isChanged(err) {
		t.Errorf("a shorter file: got %v", err)
	}
	if err := f.Verify(); !isChanged(err) {
		t.Errorf("Verify: got %v", err)
	}
	if _, err := Open(t.Context(), r, &r.Pieces[0]); !isChanged(err) {
		t.Errorf("another size: got %v", err)
	}
	must(t, os.WriteFile(name, []byte("9876543210"), 0o666))
	must(t, os.Chtimes(name, time.Unix(1, 0), time.Unix(1, 0)))
	if _, err := Open(t.Context(), r, &r.Pieces[0]); !isChanged(err) {
		t.Errorf("another time: got %v", err)
	}
}

func TestPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	dir := tree(t, map[string]string{"x.txt": "x"})
	must(t, os.Chmod(filepath.Join(dir, "x.txt"), 0))
	plan := planOf(t, dir, 0, ".")
	if _, err := openFirst(t, plan); !isFault(err, Permanent) {
		t.Errorf("got %v", err)
	}
}

func TestCancelled(t *testing.T) {
	dir := tree(t, map[string]string{"x/y.txt": "x"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := List(ctx, []string{"x"}, ListOptions{Dir: dir}); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}

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
		must(t, err)
		owned := Sum{From: blockBytes / 3, To: int64(len(data)) - 5000}
		for i := range 300 {
			if i == 100 {
				r.Own(owned.From, owned.To)
			}
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
		want := Sum{From: owned.From, To: owned.From}
		want.add(data, 0, owned.To)
		if got, err := f.Sum(t.Context()); err != nil || got != want {
			t.Errorf("%s: the sum of its own bytes is %+v, %v, want %+v", name, got, err, want)
		}
		if n := len(r.blocks); n > maxBlocks {
			t.Errorf("%s: %d blocks", name, n)
		}
		if f.state() == "" || f.Size() != int64(len(data)) {
			t.Errorf("%s: %q, %d bytes", name, f.state(), f.Size())
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
	must(t, err)
	return f
}

// What becomes of a file after it was listed: one that is deleted is a row, one
// that is cut into pieces or is no file any more has changed, and where its
// folder is gone too, nothing is said of the file at all.
func TestGone(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(dir string) error
		input   string
		pieces  int64 // bytes of each, 0 for whole files
		kind    Kind
		message string
	}{
		"deleted":         {func(dir string) error { return os.Remove(filepath.Join(dir, "in/a/x.txt")) }, "in", 0, Permanent, "the file is gone"},
		"one piece of it": {func(dir string) error { return os.Remove(filepath.Join(dir, "in/a/x.txt")) }, "in", 3, Changed, "the file is gone since"},
		"with its folder": {func(dir string) error { return os.RemoveAll(filepath.Join(dir, "in/a")) }, "in", 0, Permanent, "the file is gone"},
		"the last of one": {func(dir string) error { return os.Remove(filepath.Join(dir, "in/b/z.txt")) }, "in/b", 0, Transient, "in/b: if that was unmounted"},
		"empty mount": {func(dir string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, "in")), os.Mkdir(filepath.Join(dir, "in"), 0o777))
		}, "in", 0, Transient, "unmounted"},
		"mount below": {func(dir string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, "in/b")), os.Mkdir(filepath.Join(dir, "in/b"), 0o777))
		}, "in", 0, Transient, "in/b: if"},
		"no mount point": {func(dir string) error { return os.RemoveAll(filepath.Join(dir, "in")) }, "in", 0, Transient, "unmounted"},
		"of pieces":      {func(dir string) error { return os.RemoveAll(filepath.Join(dir, "in")) }, "in", 3, Transient, "unmounted"},
		"glob":           {func(dir string) error { return os.RemoveAll(filepath.Join(dir, "in")) }, "in/**/*.txt", 0, Transient, "unmounted"},
		"becomes a folder": {func(dir string) error {
			x := filepath.Join(dir, "in/a/x.txt")
			return errors.Join(os.Remove(x), os.Mkdir(x, 0o777))
		}, "in", 0, Changed, "not a regular file"},
		"becomes a link": {func(dir string) error {
			x := filepath.Join(dir, "in/a/x.txt")
			return errors.Join(os.Remove(x), os.Symlink("x.txt", x))
		}, "in", 3, Changed, "symbolic links"},
		"its folder a file": {func(dir string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, "in/a")), os.WriteFile(filepath.Join(dir, "in/a"), nil, 0o666))
		}, "in", 0, Changed, "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tree(t, map[string]string{"in/a/x.txt": "0123456789", "in/a/y.txt": "y", "in/b/z.txt": "0123456789", "beside.txt": ""})
			plan := planOf(t, dir, c.pieces, c.input)
			must(t, c.change(dir))
			var fault error
			for i := range rangesOf(plan) {
				r := &rangesOf(plan)[i]
				for j := range r.Pieces {
					f, err := Open(t.Context(), r, &r.Pieces[j])
					if err == nil {
						f.Close()
					} else if p := &r.Pieces[j]; p.Size > 1 && (!p.Whole() || c.pieces == 0) {
						fault = err
					}
				}
			}
			var e *Error
			if !errors.As(fault, &e) || e.Kind != c.kind || !strings.Contains(e.Error(), c.message) {
				t.Errorf("got kind %v of %v, want %v with %q", e.Kind, fault, c.kind, c.message)
			}
		})
	}
}

// An object that is gone is a row if it was read by one range; a bucket that
// is gone says nothing of its objects.
func TestRemoteGone(t *testing.T) {
	m := memory(t, map[string]string{"b/in/x.txt": "0123456789", "b/in/y.txt": "y"})
	for _, c := range []struct {
		pieces int64
		fault  error
		kind   Kind
	}{{0, fs.ErrNotExist, Permanent}, {3, fs.ErrNotExist, Changed}, {0, store.ErrNoBucket, Transient}, {3, store.ErrNoBucket, Transient}, {3, fs.ErrPermission, Permanent}} {
		sleepless(t)
		plan := remotePlan(t, PlanOptions{RangeBytes: c.pieces})
		m.Break(func(name string, _, _ int64) (int64, error) {
			return 0, &store.Error{Name: name, Kind: c.fault, Err: errors.New("no")}
		})
		for i := range rangesOf(plan) {
			p := &rangesOf(plan)[i].Pieces[0]
			if p.Size == 1 {
				continue
			}
			f, err := Open(context.Background(), &rangesOf(plan)[i], p)
			must(t, err)
			_, err = f.Head()
			f.Close()
			if !isFault(err, c.kind) {
				t.Errorf("pieces of %d, %v: got %v", c.pieces, c.fault, err)
			}
		}
		m.Break(nil)
	}
}

// must ends the test if there is an error.
func must(tb testing.TB, errs ...error) {
	tb.Helper()
	for _, err := range errs {
		if err != nil {
			tb.Fatal(err)
		}
	}
}
