package s3_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/treebeam/treebeam/io/store"
	_ "github.com/treebeam/treebeam/io/store/s3"
	"github.com/treebeam/treebeam/io/store/storetest"
)

// emulate starts an emulator with one bucket, "bucket".
func emulate(t *testing.T) (store.Store, *storetest.Server) {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("bucket"); err != nil {
		t.Fatal(err)
	}
	server := storetest.Serve(t, gofakes3.New(backend).Server())
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "SECRET")
	s, _, err := store.Of(t.Context(), "s3://bucket")
	if err != nil {
		t.Fatal(err)
	}
	return s, server
}

func TestStore(t *testing.T) {
	s, _ := emulate(t)
	storetest.Conform(t, s, "s3://bucket/folder")
}

func TestNoBucket(t *testing.T) {
	s, _ := emulate(t)
	for _, err := range s.List(t.Context(), "s3://none/x/") {
		if !errors.Is(err, os.ErrNotExist) || store.IsTransient(err) || !strings.Contains(err.Error(), "bucket") {
			t.Errorf("got %v", err)
		}
	}
	if _, err := s.Stat(t.Context(), "s3://bucket"); err == nil {
		t.Error("a bucket was taken for an object")
	}
}

// Whatever goes wrong on the way, what is read is what was written.
func TestReadFaults(t *testing.T) {
	storetest.Sleepless(t)
	s, server := emulate(t)
	data := bytes.Repeat([]byte("0123456789abcdef"), 20000)
	storetest.Put(t, s, "s3://bucket/x", string(data), store.Absent)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, f := range []storetest.Fault{storetest.Unavailable, storetest.TooMany, storetest.Reset, storetest.Truncated, storetest.Short} {
		server.Break(func(n int, r *http.Request) storetest.Fault {
			if rng.IntN(2) == 0 && (r.Method == http.MethodGet || f != storetest.Short) {
				return f
			}
			return storetest.None
		})
		for range 2 {
			if got, err := store.ReadFile(t.Context(), "s3://bucket/x"); err != nil || !bytes.Equal(got, data) {
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
		at := rng.IntN(4)
		server.Break(func(n int, r *http.Request) storetest.Fault {
			if n == at && (r.Method == http.MethodPut || r.Method == http.MethodPost) {
				return fault
			}
			return storetest.None
		})
		size := []int{0, 1000, 8 << 20, 17 << 20}[rng.IntN(4)]
		name := fmt.Sprintf("s3://bucket/faults/%d", round)
		w, err := s.Create(t.Context(), name, store.Options{})
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
		info, statErr := s.Stat(t.Context(), name)
		switch {
		case abort && statErr == nil:
			t.Errorf("fault %d: given up, and then there is %+v", fault, info)
		case err == nil:
			written++
			if statErr != nil || info.Size != int64(size) {
				t.Errorf("fault %d: %d bytes were committed, then there is %+v, %v", fault, size, info, statErr)
			}
		case !abort:
			t.Errorf("fault %d of request %d, %d bytes: %v", fault, at, size, err)
		}
		if server.Met(storetest.LostAnswer) > 0 {
			lost++
		}
		server.Break(nil)
	}
	if written < 20 || lost == 0 || aborted < 5 {
		t.Errorf("%d written, %d answers lost, %d aborted: the test needs all", written, lost, aborted)
	}
}

// A listing that is cut off, by a service that does not say how it goes on, is
// an error: neither an end nor a beginning again.
func TestEndlessListing(t *testing.T) {
	for _, token := range []string{"", "<NextContinuationToken>same</NextContinuationToken>"} {
		s, server := emulate(t)
		server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `<ListBucketResult><IsTruncated>true</IsTruncated>%s<Contents><Key>a</Key><Size>1</Size><ETag>"e"</ETag></Contents></ListBucketResult>`, token)
		})
		names, err := 0, error(nil)
		for _, listed := range s.List(t.Context(), "s3://bucket/") {
			if err = listed; err == nil {
				names++
			}
			if names > 5 {
				break
			}
		}
		if err == nil || names > 2 || store.IsTransient(err) {
			t.Errorf("%d names, %v", names, err)
		}
	}
}

// A server that wants to be left alone is, for as long as it says.
func TestSlowDown(t *testing.T) {
	s, server := emulate(t)
	storetest.CheckSlowDown(t, s, server, "s3://bucket/x")
}

// Errors of the server show no credentials.
func TestNoCredentials(t *testing.T) {
	s, server := emulate(t)
	var status int
	var code string
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `<Error><Code>%s</Code><Message>Credential=SECRET</Message></Error>`, code)
	})
	for _, c := range []struct {
		status     int
		code       string
		stat, want error // an answer to HEAD has no code
	}{
		{http.StatusForbidden, "AccessDenied", os.ErrPermission, os.ErrPermission},
		{http.StatusForbidden, "SignatureDoesNotMatch", os.ErrPermission, store.ErrCredentials},
		{http.StatusForbidden, "InvalidAccessKeyId", os.ErrPermission, store.ErrCredentials},
		{http.StatusBadRequest, "ExpiredToken", nil, store.ErrCredentials},
	} {
		status, code = c.status, c.code
		_, statErr := s.Stat(t.Context(), "s3://bucket/x")
		_, openErr := s.Open(t.Context(), "s3://bucket/x", "", 0, 1)
		writeErr := store.WriteFile(t.Context(), "s3://bucket/x", []byte("x"), store.Options{})
		for _, err := range []error{statErr, openErr, writeErr} {
			if store.IsTransient(err) || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("%s: got %v", c.code, err)
			}
		}
		if c.stat != nil && !errors.Is(statErr, c.stat) || !errors.Is(openErr, c.want) || !errors.Is(writeErr, c.want) {
			t.Errorf("%s: got %v, %v, %v", c.code, statErr, openErr, writeErr)
		}
	}
}

// Without credentials the message says what to do, at once.
func TestWithoutCredentials(t *testing.T) {
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": "http://127.0.0.1:1", "AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_PROFILE": "",
		"AWS_CONFIG_FILE": "none", "AWS_SHARED_CREDENTIALS_FILE": "none", "AWS_EC2_METADATA_DISABLED": "true",
	} {
		t.Setenv(name, value)
	}
	if _, _, err := store.Of(context.Background(), "s3://bucket/x"); err == nil || store.IsTransient(err) || !strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") {
		t.Errorf("got %v", err)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }
