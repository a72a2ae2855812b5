package source

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// tree makes files below a new folder. A name that ends in "/" is a folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(p, 0o777); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
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

func TestList(t *testing.T) {
	dir := tree(t, map[string]string{
		"c/b.txt": "b", "c/a.txt": "a", "c/B.txt": "B", "c/s/d.txt": "d", "c/s/t/e.txt.gz": "e", "c/s/t/f.md": "f",
		"c/.hidden": "", "c/_skip/x.txt": "x", "c/s/.git/x.txt": "x", "c/out/trees/p": "p", "empty/": "", "c/s[1].txt": "odd",
	})
	if err := os.Symlink(filepath.Join(dir, "c", "s"), filepath.Join(dir, "c", "link")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		patterns string
		want     string
	}{
		{"c", "c/B.txt=B.txt c/a.txt=a.txt c/b.txt=b.txt c/s/d.txt=s/d.txt c/s/t/e.txt.gz=s/t/e.txt.gz c/s/t/f.md=s/t/f.md c/s[1].txt=s[1].txt"},
		{"c/ ./c", "c/B.txt=B.txt c/a.txt=a.txt c/b.txt=b.txt c/s/d.txt=s/d.txt c/s/t/e.txt.gz=s/t/e.txt.gz c/s/t/f.md=s/t/f.md c/s[1].txt=s[1].txt"},
		{"c/**/*.txt", "c/B.txt=B.txt c/a.txt=a.txt c/b.txt=b.txt c/s/d.txt=s/d.txt c/s[1].txt=s[1].txt"},
		{"c/s/**", "c/s/d.txt=d.txt c/s/t/e.txt.gz=t/e.txt.gz c/s/t/f.md=t/f.md"},
		{"c/*/*.txt", "c/s/d.txt=s/d.txt"},
		{"**/t/*", "c/s/t/e.txt.gz=c/s/t/e.txt.gz c/s/t/f.md=c/s/t/f.md"},
		{"c/**/**/f.*", "c/s/t/f.md=s/t/f.md"},
		{"c/_*/*.txt", "c/_skip/x.txt=_skip/x.txt"},
		{"c/.hidden", "c/.hidden=.hidden"},
		{"c/s[1].txt", "c/s[1].txt=s[1].txt"},
		{"c/s/d.txt c/s", "c/s/d.txt=d.txt c/s/t/e.txt.gz=t/e.txt.gz c/s/t/f.md=t/f.md"},
		{"c/s c/s/t/f.md", "c/s/d.txt=d.txt c/s/t/e.txt.gz=t/e.txt.gz c/s/t/f.md=t/f.md"},
		{"c/s/t/f.md c/s", "c/s/d.txt=d.txt c/s/t/e.txt.gz=t/e.txt.gz c/s/t/f.md=t/f.md"},
		{"c/t*/x empty", "error: c/t*/x: matches no file"},
		{"empty", "error: empty: matches no file"},
		{"nowhere/x.txt", "error: nowhere/x.txt: does not exist"},
		{"nowhere/*.txt", "error: nowhere/*.txt: the folder nowhere does not exist"},
		{"c/[", "error: c/[: is not a valid pattern"},
		{"gs://b/x", "error: gs://b/x: gs:// is not supported"},
		{"-", "error: -: standard input can be read only once"},
		{"", "error: no input"},
	} {
		got, err := List(t.Context(), strings.Fields(c.patterns), ListOptions{Dir: dir, Skip: []string{filepath.Join(dir, "c", "out")}})
		s := names(got)
		if err != nil {
			s = "error: " + err.Error()
		}
		if want, isErr := strings.CutPrefix(c.want, "error: "); isErr {
			var ie *InputError
			if !errors.As(err, &ie) || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: got %s, want an error that begins with %s", c.patterns, s, want)
			}
		} else if s != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.patterns, s, c.want)
		}
	}
}

func TestListSameID(t *testing.T) {
	dir := tree(t, map[string]string{"a/x.txt": "1", "b/x.txt": "2"})
	_, err := List(t.Context(), []string{"a", "b"}, ListOptions{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), `same document id "x.txt" as a/x.txt; name one folder that holds both`) {
		t.Fatalf("got %v", err)
	}
	if _, err := List(t.Context(), []string{"."}, ListOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
}

func TestListOddNames(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "caf\xe9.txt")
	if err := os.WriteFile(bad, []byte("text"), 0o666); err != nil {
		t.Skip("the file system refuses names that are not UTF-8")
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "broken.txt")); err != nil {
		t.Fatal(err)
	}
	inputs, err := List(t.Context(), []string{dir}, ListOptions{})
	if err != nil || len(inputs) != 2 || inputs[1].DocID != "caf%E9.txt" {
		t.Fatalf("got %+v, %v", inputs, err)
	}
	plan, err := NewPlan(inputs, PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, PlanName("x"))
	if err := plan.Write(t.Context(), name, ""); err != nil {
		t.Fatal(err)
	}
	plan, err = ReadPlan(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	r := &plan.Ranges[0]
	if _, err := Open(t.Context(), r, &r.Pieces[0]); !isFault(err, Permanent) {
		t.Errorf("a broken link: got %v", err)
	}
	if got := readAll(t, r, &r.Pieces[1]); got != "text" {
		t.Errorf("got %q", got)
	}
}

// planOf lists and plans what the patterns name.
func planOf(t *testing.T, dir string, rangeBytes int64, patterns ...string) *Plan {
	t.Helper()
	inputs, err := List(t.Context(), patterns, ListOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := NewPlan(inputs, PlanOptions{Dir: dir, RangeBytes: rangeBytes})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// openFirst opens the first piece of a plan.
func openFirst(t *testing.T, plan *Plan) (*File, error) {
	t.Helper()
	f, err := Open(t.Context(), &plan.Ranges[0], &plan.Ranges[0].Pieces[0])
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
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	head, err := f.Head()
	if err != nil {
		t.Fatal(err)
	}
	var got [2]string
	for i := range got {
		in, err := f.At(0)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		got[i] = string(b)
	}
	if got[0] != got[1] || !strings.HasPrefix(got[0], string(head)) {
		t.Fatal("two readings of a file differ")
	}
	if err := f.Verify(); err != nil {
		t.Fatal(err)
	}
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
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
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
			if err != nil {
				t.Fatal(err)
			}
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
		if err != nil {
			t.Fatal(err)
		}
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

func TestBzip2(t *testing.T) {
	f, err := open(t, "x.bz2", bz2)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := drain(f); err != nil || got != "hello\nhello\nhello\n" {
		t.Fatalf("got %q, %v", got, err)
	}
	if !f.Compressed() {
		t.Error("not compressed")
	}
	if _, err := f.At(1); err == nil {
		t.Error("a compressed file was opened in its middle")
	}
}

func TestConcatenatedGzip(t *testing.T) {
	f, err := open(t, "x.gz", compress(t, ".gz", "one ")+compress(t, ".gz", "two"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := drain(f); err != nil || got != "one two" {
		t.Fatalf("got %q, %v", got, err)
	}
}

func TestChanged(t *testing.T) {
	dir := tree(t, map[string]string{"x.txt": "0123456789"})
	name := filepath.Join(dir, "x.txt")
	plan := planOf(t, dir, 0, "x.txt")
	r := &plan.Ranges[0]
	f, err := Open(t.Context(), r, &r.Pieces[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	isChanged := func(err error) bool {
		var e *Error
		return errors.As(err, &e) && e.Kind == Changed && strings.Contains(err.Error(), "run the same command again")
	}
	if err := os.Truncate(name, 4); err != nil {
		t.Fatal(err)
	}
	if _, err := drain(f); !isChanged(err) {
		t.Errorf("a shorter file: got %v", err)
	}
	if err := f.Verify(); !isChanged(err) {
		t.Errorf("Verify: got %v", err)
	}
	if _, err := Open(t.Context(), r, &r.Pieces[0]); !isChanged(err) {
		t.Errorf("another size: got %v", err)
	}
	if err := os.WriteFile(name, []byte("9876543210"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(name, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), r, &r.Pieces[0]); !isChanged(err) {
		t.Errorf("another time: got %v", err)
	}
}

func TestPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	dir := tree(t, map[string]string{"x.txt": "x"})
	if err := os.Chmod(filepath.Join(dir, "x.txt"), 0); err != nil {
		t.Fatal(err)
	}
	plan := planOf(t, dir, 0, ".")
	if _, err := openFirst(t, plan); !isFault(err, Permanent) {
		t.Errorf("got %v", err)
	}
}

func TestDigest(t *testing.T) {
	const want = "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882" // of 0123456789
	dir := tree(t, map[string]string{"x.txt": "0123456789"})
	inputs, err := List(t.Context(), []string{"x.txt"}, ListOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int64{0, 3} {
		plan, err := NewPlan(inputs, PlanOptions{Dir: dir, RangeBytes: size})
		if err != nil {
			t.Fatal(err)
		}
		for i := range plan.Ranges {
			f, err := Open(t.Context(), &plan.Ranges[i], &plan.Ranges[i].Pieces[0])
			if err != nil {
				t.Fatal(err)
			}
			if got, err := f.Digest(t.Context()); err != nil || got != want {
				t.Errorf("got %s, %v", got, err)
			}
			f.Close()
		}
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
