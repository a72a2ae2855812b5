package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/store/storetest"
)

func TestLocal(t *testing.T) { storetest.Conform(t, store.Local{}, t.TempDir()) }

func TestMemory(t *testing.T) {
	m := new(storetest.Memory)
	store.Register("mem", func(context.Context) (store.Store, error) { return m, nil })
	storetest.Conform(t, m, "mem://bucket/folder")
}

// A disk that fails leaves what was there and nothing else.
func TestLocalFaults(t *testing.T) {
	for _, cause := range []error{syscall.ENOSPC, syscall.EIO} {
		for _, operation := range []string{store.FaultCreate, store.FaultWrite, store.FaultSync, store.FaultRename} {
			dir := t.TempDir()
			name, tmp := filepath.Join(dir, "sub", "x"), filepath.Join(dir, "tmp")
			storetest.Put(t, store.Local{}, name, "before", store.Absent)
			disk := store.Local{Fault: func(op, path string) error {
				if op == operation && path == name {
					return cause
				}
				return nil
			}}
			w, err := disk.Create(t.Context(), name, store.Options{Expect: store.Anything, Temp: tmp})
			if err == nil {
				if _, err = w.Write([]byte("after")); err == nil {
					err = w.Commit()
				}
				w.Abort()
			}
			if !errors.Is(err, cause) || !strings.Contains(err.Error(), name) {
				t.Errorf("%v in %s: got %v", cause, operation, err)
			}
			if data, _ := os.ReadFile(name); string(data) != "before" {
				t.Errorf("%v in %s: the file has become %q", cause, operation, data)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*", "*")); len(left) != 1 {
				t.Errorf("%v in %s: left %v", cause, operation, left)
			}
		}
	}
}

func TestOf(t *testing.T) {
	for uri, want := range map[string]string{"a/b": "a/b", "file:///a/b": "/a/b", "file://a": "a"} {
		if _, name, err := store.Of(t.Context(), uri); err != nil || name != want {
			t.Errorf("%s: got %q, %v", uri, name, err)
		}
	}
	for uri, want := range map[string]string{"ftp://a/b": "ftp:// is not supported; name gs://", "gs://a/b": "must import github.com/treebeam/treebeam/io/store/gs"} {
		if _, _, err := store.Of(t.Context(), uri); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", uri, err)
		}
	}
	for _, c := range [][3]string{{"a/", "b", "a/b"}, {"gs://x/y/", "b/c", "gs://x/y/b/c"}, {"gs://x", "b", "gs://x/b"}} {
		if got := store.Join(c[0], c[1]); got != c[2] {
			t.Errorf("got %s, want %s", got, c[2])
		}
	}
	for _, uri := range []string{"gs://", "gs:///x"} {
		if _, _, err := store.Split(uri); err == nil {
			t.Errorf("%s has a bucket", uri)
		}
	}
}

// No credentials get into messages.
func TestRedact(t *testing.T) {
	for text, want := range map[string]string{
		`Get "https://h/b/o?X-Goog-Signature=abc&x=1": EOF`:                 `Get "https://h/b/o": EOF`,
		`https://user:hunter2@host/path failed`:                             `https://host/path failed`,
		`PUT https://h/upload?upload_id=SECRET 503`:                         `PUT https://h/upload 503`,
		`Authorization: Bearer ya29.SECRET`:                                 `Authorization: *** ***`,
		`{"access_token":"SECRET", "error": "x"}`:                           `{"access_token":"***", "error": "x"}`,
		`AWS_SECRET_ACCESS_KEY=SECRET is wrong`:                             `AWS_SECRET_ACCESS_KEY=*** is wrong`,
		`Signature=SECRET, Credential=AKIA/2026`:                            `Signature=***, Credential=***`,
		`gs://bucket/a b.txt: 503 Service Unavailable`:                      `gs://bucket/a b.txt: 503 Service Unavailable`,
		`the access key id you gave does not exist, check your credentials`: `the access key id you gave does not exist, check your credentials`,
	} {
		if got := store.Redact(text); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	err := &store.Error{Name: "gs://b/x", Err: errors.New("https://h/x?token=SECRET")}
	if strings.Contains(err.Error(), "SECRET") || !store.IsTransient(err) || !errors.Is(&store.Error{Kind: fs.ErrNotExist, Err: err}, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A Tail gives the bytes of the file whatever is asked first.
func TestTail(t *testing.T) {
	m := new(storetest.Memory)
	store.Register("mem", func(context.Context) (store.Store, error) { return m, nil })
	for _, size := range []int64{0, 1, 100 << 10, 1 << 20, 33 << 20} {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(i * i >> 9)
		}
		m.Put("mem://b/x", data)
		offsets := []int64{size - 8, size - 70<<10, size - 8, 4, size / 2, 0, size, -1}
		for first := range offsets {
			info, err := store.Stat(t.Context(), "mem://b/x")
			must(t, err)
			tail, err := store.OpenTail(t.Context(), info)
			must(t, err)
			before := m.Opened()
			for i := range offsets {
				off := offsets[(first+i)%len(offsets)]
				b := make([]byte, 8)
				n, err := tail.ReadAt(b, off)
				want := ""
				if off >= 0 {
					want = string(data[min(off, size):min(off+8, size)])
				}
				if string(b[:n]) != want || (err == nil) != (n == 8) {
					t.Fatalf("size %d: read %q at %d, want %q, %v", size, b[:n], off, want, err)
				}
			}
			if n := m.Opened() - before; n > 4 {
				t.Errorf("size %d: %d requests", size, n)
			}
			if err := tail.Close(); err != nil {
				t.Error(err)
			}
			if _, err := tail.ReadAt(make([]byte, 1), 0); err == nil {
				t.Error("read after Close")
			}
		}
	}
}

// A restless store replaces a file whenever it was asked about it.
type restless struct {
	*storetest.Memory
	left int
}

func (r *restless) Stat(ctx context.Context, name string) (store.Info, error) {
	info, err := r.Memory.Stat(ctx, name)
	if r.left > 0 {
		r.left--
		r.Memory.Put(name, []byte(fmt.Sprint("the text ", r.left)))
	}
	return info, err
}

// What is replaced between the look at it and its reading is read as it is now.
func TestReplacedMeanwhile(t *testing.T) {
	r := &restless{Memory: new(storetest.Memory)}
	store.Register("restless", func(context.Context) (store.Store, error) { return r, nil })
	for left, want := range map[int]string{0: "old", 2: "the text 0", 100: ""} {
		r.Put("restless://b/x", []byte("old"))
		r.left = left
		got, err := store.ReadFile(t.Context(), "restless://b/x")
		if string(got) != want || (err == nil) != (want != "") || err != nil && !errors.Is(err, store.ErrVersion) {
			t.Errorf("%d times: %q, %v", left, got, err)
		}
	}
}

// What has no size is not taken for an empty file.
func TestCheckRegular(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	must(t, os.WriteFile(empty, nil, 0o666))
	if err := store.CheckRegular(t.Context(), empty); err != nil {
		t.Errorf("an empty file: %v", err)
	}
	r, w, err := os.Pipe()
	must(t, err)
	defer r.Close()
	defer w.Close()
	for _, name := range []string{os.DevNull, fmt.Sprintf("/dev/fd/%d", r.Fd())} {
		if _, err := os.Stat(name); err != nil {
			continue // no such name on this system
		}
		if err := store.CheckRegular(t.Context(), name); !errors.Is(err, store.ErrNotRegular) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A link to a file counts as the file, as caches of downloads have them.
func TestListLinks(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "blob"), []byte("some data"), 0o666))
	must(t, os.MkdirAll(filepath.Join(dir, "out", "folder"), 0o777))
	for name, to := range map[string]string{"part": "../blob", "gone": "../none", "link": "folder"} {
		must(t, os.Symlink(to, filepath.Join(dir, "out", name)))
	}
	want, err := store.Stat(t.Context(), filepath.Join(dir, "out", "part"))
	must(t, err)
	var got []store.Info
	for info, err := range store.List(t.Context(), filepath.Join(dir, "out")) {
		must(t, err)
		got = append(got, info)
	}
	if !slices.Equal(got, []store.Info{want}) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestJoin(t *testing.T) {
	for _, c := range [][3]string{
		{"a/b/", "c", "a/b/c"}, {"file:///a/b", "c", "/a/b/c"}, {"file://a", "c", "a/c"}, {"gs://b/a/", "c", "gs://b/a/c"},
	} {
		if got := store.Join(c[0], c[1]); got != filepath.FromSlash(c[2]) && got != c[2] {
			t.Errorf("%s and %s: %s", c[0], c[1], got)
		}
	}
}
