package gs_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
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
	s, server := emulate(t)
	storetest.ConformRemote(t, s, server, "gs://bucket/folder")
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
	body := "Authorization: Bearer SECRET for https://h/o?upload_id=SECRET"
	storetest.CheckAnswers(t, s, server, "gs://bucket/x",
		storetest.Answer{Status: http.StatusForbidden, Body: body, Want: os.ErrPermission, Head: os.ErrPermission},
		storetest.Answer{Status: http.StatusUnauthorized, Body: body, Want: store.ErrCredentials, Head: store.ErrCredentials})
}

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
