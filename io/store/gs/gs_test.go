package gs_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"

	"github.com/treebeam/treebeam/io/store"
	_ "github.com/treebeam/treebeam/io/store/gs"
	"github.com/treebeam/treebeam/io/store/storetest"
)

// emulate starts an emulator with one bucket, "bucket".
func emulate(t *testing.T, objects ...fakestorage.Object) (store.Store, *storetest.Server) {
	t.Helper()
	fake, err := fakestorage.NewServerWithOptions(fakestorage.Options{NoListener: true, PublicHost: "127.0.0.1", InitialObjects: objects})
	if err != nil {
		t.Fatal(err)
	}
	fake.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: "bucket"})
	return serve(t, fake.HTTPHandler())
}

// serve starts a server in front of handler, which speaks Google's language.
func serve(t *testing.T, handler http.Handler) (store.Store, *storetest.Server) {
	t.Helper()
	server := storetest.Serve(t, handler)
	t.Setenv("STORAGE_EMULATOR_HOST", strings.TrimPrefix(server.URL, "http://"))
	s, _, err := store.Of(t.Context(), "gs://bucket")
	if err != nil {
		t.Fatal(err)
	}
	return s, server
}

func TestStore(t *testing.T) {
	s, _ := emulate(t)
	storetest.Conform(t, s, "gs://bucket/folder")
}

func TestNoBucket(t *testing.T) {
	s, _ := emulate(t)
	for _, err := range s.List(t.Context(), "gs://none/x/") {
		if !errors.Is(err, os.ErrNotExist) || store.IsTransient(err) || !strings.Contains(err.Error(), "bucket") {
			t.Errorf("got %v", err)
		}
	}
	if _, err := s.Stat(t.Context(), "gs://none/x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Stat(t.Context(), "gs://"); err == nil {
		t.Error("a name without a bucket was taken")
	}
}

// Objects that are stored compressed are listed, cut and read as stored.
func TestContentEncoding(t *testing.T) {
	stored := gzipped(t, strings.Repeat("compressed ", 1000))
	s, _ := emulate(t, fakestorage.Object{
		ObjectAttrs: fakestorage.ObjectAttrs{BucketName: "bucket", Name: "x.txt", ContentEncoding: "gzip", ContentType: "text/plain"},
		Content:     stored,
	})
	info, err := s.Stat(t.Context(), "gs://bucket/x.txt")
	if err != nil || !info.Gzip || info.Size != int64(len(stored)) {
		t.Fatalf("got %+v, %v", info, err)
	}
	for off := range info.Size {
		if got, err := storetest.Get(t, s, info.Name, info.Version, off, info.Size-off); err != nil || got != string(stored[off:]) {
			t.Fatalf("from byte %d: %d bytes, %v", off, len(got), err)
		}
	}
	if data, err := store.ReadFile(t.Context(), info.Name); err != nil || !bytes.Equal(data, stored) {
		t.Errorf("got %d bytes of %d, %v", len(data), len(stored), err)
	}
}

// Whatever goes wrong on the way, what is read is what was written, or there
// is an error.
func TestReadFaults(t *testing.T) {
	storetest.Sleepless(t)
	s, server := emulate(t)
	data := bytes.Repeat([]byte("0123456789abcdef"), 20000)
	storetest.Put(t, s, "gs://bucket/x", string(data), store.Absent)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, f := range []storetest.Fault{storetest.Unavailable, storetest.TooMany, storetest.Reset, storetest.Truncated, storetest.Short} {
		server.Break(func(n int, r *http.Request) storetest.Fault {
			if !strings.Contains(r.URL.Path, "/storage/v1/") && rng.IntN(2) == 0 {
				return f
			}
			return storetest.None
		})
		for range 2 {
			if got, err := store.ReadFile(t.Context(), "gs://bucket/x"); err != nil || !bytes.Equal(got, data) {
				t.Fatalf("fault %d: got %d bytes, %v", f, len(got), err)
			}
		}
		if server.Met(f) == 0 {
			t.Errorf("fault %d was never met", f)
		}
	}
}

// A writer that was given up, or that met any fault on its way, publishes
// nothing or everything.
func TestWriteFaults(t *testing.T) {
	storetest.Sleepless(t)
	s, server := emulate(t)
	rng := rand.New(rand.NewPCG(2, 1))
	written, lost, aborted := 0, 0, 0
	for round := range 50 {
		fault := storetest.Fault(rng.IntN(int(storetest.Faults)))
		at := rng.IntN(3)
		server.Break(func(n int, r *http.Request) storetest.Fault {
			if r.Method != http.MethodGet && n == at {
				return fault
			}
			return storetest.None
		})
		size := []int{0, 1000, 4<<20 + 1, 5 << 20}[rng.IntN(4)]
		name := fmt.Sprintf("gs://bucket/faults/%d", round)
		ctx, cancel := context.WithCancel(t.Context())
		w, err := s.Create(ctx, name, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		abort := rng.IntN(3) == 0
		some := size
		if abort {
			some = size / 2
		}
		_, err = io.Copy(w, io.LimitReader(zeros{}, int64(some)))
		switch {
		case err != nil:
			w.Abort()
		case abort:
			aborted++
			w.Abort()
			err = errors.New("given up")
		default:
			err = w.Commit()
		}
		cancel()
		info, statErr := s.Stat(t.Context(), name)
		switch {
		case abort && statErr == nil:
			t.Errorf("fault %d: given up, and then there is %+v", fault, info)
		case err == nil:
			written++
			if statErr != nil || info.Size != int64(size) {
				t.Errorf("fault %d: %d bytes were committed, then there is %+v, %v", fault, size, info, statErr)
			}
		case errors.Is(err, store.ErrCondition):
			t.Errorf("fault %d: refused by its own first attempt, whose answer was lost", fault)
		}
		if server.Met(storetest.LostAnswer) > 0 {
			lost++
		}
		server.Break(nil)
	}
	for info, err := range s.List(t.Context(), "gs://bucket/faults/") {
		if size := info.Size; err != nil || size != 0 && size != 1000 && size != 4<<20+1 && size != 5<<20 {
			t.Errorf("a truncated object was published: %+v, %v", info, err)
		}
	}
	if written < 20 || lost == 0 || aborted < 5 {
		t.Errorf("%d written, %d answers lost, %d aborted: the test needs all", written, lost, aborted)
	}
}

// A server that wants to be left alone is, for as long as it says.
func TestSlowDown(t *testing.T) {
	s, server := emulate(t)
	storetest.CheckSlowDown(t, s, server, "gs://bucket/x")
}

// A long listing goes on however often single requests fail: every page has the
// patience of its own.
func TestLongListing(t *testing.T) {
	storetest.Sleepless(t)
	const pages = 3000
	s, server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		page, _ := strconv.Atoi(cmp.Or(query.Get("pageToken"), query.Get("startOffset")))
		next := ""
		if page+1 < pages {
			next = fmt.Sprintf(`"nextPageToken": "%d",`, page+1)
		}
		fmt.Fprintf(w, `{%s "items": [{"bucket": "bucket", "name": "%06d", "size": "1", "generation": "1"}]}`, next, page)
	}))
	server.Break(func(n int, _ *http.Request) storetest.Fault {
		if n%50 == 0 {
			return storetest.SlowDown
		}
		return storetest.None
	})
	n := 0
	for info, err := range s.List(t.Context(), "gs://bucket/") {
		if want := fmt.Sprintf("gs://bucket/%06d", n); err != nil || info.Name != want {
			t.Fatalf("object %d: %q, %v", n, info.Name, err)
		}
		n++
	}
	if n != pages || server.Requests() != pages+server.Met(storetest.SlowDown) {
		t.Errorf("%d objects of %d, %d requests", n, pages, server.Requests())
	}
}

// Errors of the server show no credentials.
func TestNoCredentials(t *testing.T) {
	s, server := emulate(t)
	var code int
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "Authorization: Bearer SECRET for https://h/o?upload_id=SECRET", code)
	})
	for status, want := range map[int]error{http.StatusForbidden: os.ErrPermission, http.StatusUnauthorized: store.ErrCredentials} {
		code = status
		_, statErr := s.Stat(t.Context(), "gs://bucket/x")
		_, openErr := s.Open(t.Context(), "gs://bucket/x", "", 0, 1)
		writeErr := store.WriteFile(t.Context(), "gs://bucket/x", []byte("x"), store.Options{})
		for _, err := range []error{statErr, openErr, writeErr} {
			if !errors.Is(err, want) || store.IsTransient(err) || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("%d: got %v", status, err)
			}
		}
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func gzipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
