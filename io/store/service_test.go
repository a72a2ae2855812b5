package store_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/store/storetest"
)

// A fake is a service in memory with one bucket, "bucket".
type fake struct {
	objects map[string]string // by key
	uploads int               // that are neither complete nor dropped
	// fault, if set, is asked before and after every request is done.
	fault func(request string, done bool) error
}

// Answers of a fake.
var (
	errMissing = errors.New("404")
	errTaken   = errors.New("412")
	errBucket  = errors.New("404 of the bucket")
)

const fakePart = 1000

// newFake returns the store of a new fake.
func newFake(t *testing.T) (*fake, store.Store) {
	t.Helper()
	f := &fake{objects: map[string]string{}}
	store.RegisterService(store.Scheme{Name: "fake", PartBytes: fakePart, Endpoints: []string{"FAKE_FIRST", "FAKE_SECOND"},
		Connect: func(context.Context, string) (store.Service, error) { return f, nil }})
	s, _, err := store.Of(t.Context(), "fake://bucket")
	must(t, err)
	return f, s
}

// do makes a request, which may fail before it is done or after it.
func (f *fake) do(request string, o store.Object, work func() error) error {
	ask := f.fault
	if ask == nil {
		ask = func(string, bool) error { return nil }
	}
	if err := ask(request, false); err != nil {
		return err
	}
	if o.Bucket != "bucket" {
		return errBucket
	}
	if err := work(); err != nil {
		return err
	}
	return ask(request, true)
}

func fakeVersion(data string) string { return fmt.Sprintf("f%x", sha256.Sum256([]byte(data))) }

func (f *fake) info(key string) store.Info {
	return store.Info{Name: key, Size: int64(len(f.objects[key])), Version: fakeVersion(f.objects[key])}
}

func (f *fake) Page(ctx context.Context, bucket, prefix, token string) (page []store.Info, next string, err error) {
	err = f.do("page", store.Object{Bucket: bucket}, func() error {
		for _, key := range slices.Sorted(maps.Keys(f.objects)) {
			if !strings.HasPrefix(key, prefix) || key <= token {
				continue
			}
			if len(page) == 3 {
				next = page[2].Name
				break
			}
			page = append(page, f.info(key))
		}
		return ctx.Err()
	})
	return page, next, err
}

func (f *fake) Stat(_ context.Context, o store.Object) (info store.Info, sum string, err error) {
	err = f.do("stat", o, func() error {
		if _, ok := f.objects[o.Key]; !ok {
			return errMissing
		}
		info = f.info(o.Key)
		return nil
	})
	return info, info.Version, err
}

func (f *fake) Open(_ context.Context, o store.Object, version string, off, n int64) (r io.ReadCloser, err error) {
	err = f.do("open", o, func() error {
		data, ok := f.objects[o.Key]
		if !ok {
			return errMissing
		}
		if version != "" && version != fakeVersion(data) {
			return errTaken
		}
		r = io.NopCloser(strings.NewReader(data[off : off+n]))
		return nil
	})
	return r, err
}

func (f *fake) Put(_ context.Context, o store.Object, expect string, data []byte) error {
	return f.do("put", o, func() error { return f.put(o, expect, string(data)) })
}

func (f *fake) put(o store.Object, expect, data string) error {
	now, ok := f.objects[o.Key]
	switch {
	case expect == store.Absent && ok, !ok && expect != store.Absent && expect != store.Anything:
		return errTaken
	case ok && expect != store.Anything && expect != fakeVersion(now):
		return errTaken
	}
	f.objects[o.Key] = data
	return nil
}

type fakeUpload struct {
	*fake
	ctx    context.Context
	object store.Object
	expect string
	parts  bytes.Buffer
	ended  bool
}

func (f *fake) Upload(ctx context.Context, o store.Object, expect string) (store.Upload, error) {
	f.uploads++
	return &fakeUpload{fake: f, ctx: ctx, object: o, expect: expect}, nil
}

func (u *fakeUpload) Part(data []byte) error {
	if len(data) > fakePart {
		return errors.New("a part is too large")
	}
	return store.DefaultRetry.Request(u.ctx, u, u.object.URI, func(context.Context) error {
		return u.do("part", u.object, func() error { u.parts.Write(data); return nil })
	})
}

func (u *fakeUpload) Complete(last []byte) error {
	if err := u.Part(last); err != nil {
		return err
	}
	return store.DefaultRetry.Request(u.ctx, u, u.object.URI, func(context.Context) error {
		return u.do("complete", u.object, func() error {
			if u.ended {
				return errMissing // the upload
			}
			err := u.put(u.object, u.expect, u.parts.String())
			if err == nil {
				u.Drop(u.ctx)
			}
			return err
		})
	})
}

func (u *fakeUpload) Drop(context.Context) {
	if !u.ended {
		u.ended = true
		u.uploads--
	}
}

func (f *fake) Delete(_ context.Context, o store.Object) error {
	return f.do("delete", o, func() error {
		if _, ok := f.objects[o.Key]; !ok {
			return errMissing
		}
		delete(f.objects, o.Key)
		return nil
	})
}

// A fakeSum is all that was written: its sum is the version.
type fakeSum struct{ bytes.Buffer }

func (s *fakeSum) String() string { return fakeVersion(s.Buffer.String()) }

func (f *fake) NewSum() store.Sum { return new(fakeSum) }

func (f *fake) Explain(e *store.Error) {
	switch {
	case errors.Is(e.Err, errMissing):
		e.Kind = fs.ErrNotExist
	case errors.Is(e.Err, errTaken):
		e.Kind = store.ErrCondition
	case errors.Is(e.Err, errBucket):
		e.Kind = store.ErrNoBucket
	}
}

func TestService(t *testing.T) {
	f, s := newFake(t)
	storetest.Conform(t, s, "fake://bucket/folder")
	if f.uploads != 0 {
		t.Errorf("%d uploads are left", f.uploads)
	}
	for _, name := range []string{"fake://", "fake://bucket", "fake:///x", "fake://none/x"} {
		if _, err := s.Stat(t.Context(), name); err == nil || store.IsTransient(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever request of a write fails, and whether it was done or not: once, it does no
// harm; for good, the write fails as the service says, and no upload is left.
func TestServiceFaults(t *testing.T) {
	storetest.Sleepless(t)
	f, s := newFake(t)
	for i, size := range []int{0, fakePart - 1, fakePart, fakePart + 1, 3*fakePart + 5} {
		for _, request := range []string{"put", "part", "complete"} {
			for _, done := range []bool{false, true} {
				if request == "part" && done {
					continue // a part that comes twice is the service's to sort out
				}
				for _, lasting := range []bool{false, true} {
					met := 0
					f.fault = func(now string, isDone bool) error {
						if now != request || isDone != done || met > 0 && !lasting {
							return nil
						}
						met++
						return errReset
					}
					name := fmt.Sprintf("fake://bucket/%d-%s-%v-%v", i, request, done, lasting)
					data := bytes.Repeat([]byte("x"), size)
					err := store.WriteFile(t.Context(), name, data, store.Options{})
					if fails := met > 0 && lasting && !done; fails != (err != nil) || fails && !store.IsTransient(err) {
						t.Errorf("%s, met %d times: %v", name, met, err)
					}
					if isSmall := size <= fakePart; isSmall == (request == "put") != (met > 0) {
						t.Errorf("%s: met %d times", name, met)
					}
					f.fault = nil
					if got, readErr := store.ReadFile(t.Context(), name); (readErr == nil) != (err == nil) || err == nil && !bytes.Equal(got, data) {
						t.Errorf("%s: %v, and then %d bytes, %v", name, err, len(got), readErr)
					}
					if f.uploads != 0 {
						t.Fatalf("%s: an upload is left", name)
					}
				}
			}
		}
	}
	// Another process has written other bytes, or the same.
	for data, want := range map[string]error{"other": store.ErrCondition, "same!": nil} {
		must(t, store.WriteFile(t.Context(), "fake://bucket/taken", []byte("same!"), store.Options{Expect: store.Anything}))
		if err := store.WriteFile(t.Context(), "fake://bucket/taken", []byte(data), store.Options{}); !errors.Is(err, want) {
			t.Errorf("%s: %v", data, err)
		}
	}
	if _, err := s.Create(t.Context(), "fake://bucket", store.Options{}); err == nil {
		t.Error("a bucket was written")
	}
}

// A service has a client for each endpoint, and the first variable counts.
func TestServiceEndpoints(t *testing.T) {
	var connected []string
	store.RegisterService(store.Scheme{Name: "fake", Title: "Fake", Remedy: "do this", Endpoints: []string{"FAKE_FIRST", "FAKE_SECOND"},
		Connect: func(_ context.Context, endpoint string) (store.Service, error) {
			connected = append(connected, endpoint)
			if endpoint == "none" {
				return nil, errors.New("https://h/?token=SECRET")
			}
			return new(fake), nil
		}})
	for _, c := range []struct{ first, second string }{{"", ""}, {"", "b"}, {"a", "b"}, {"a", ""}, {"", "b"}} {
		t.Setenv("FAKE_FIRST", c.first)
		t.Setenv("FAKE_SECOND", c.second)
		if _, _, err := store.Of(t.Context(), "fake://bucket"); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"", "b", "a"}; !slices.Equal(connected, want) {
		t.Errorf("connected with %q, want %q", connected, want)
	}
	t.Setenv("FAKE_FIRST", "none")
	_, _, err := store.Of(t.Context(), "fake://bucket")
	if err == nil || store.IsTransient(err) || err.Error() != "no access to Fake: https://h/; do this" && strings.Contains(err.Error(), "SECRET") {
		t.Errorf("got %v", err)
	}
}
