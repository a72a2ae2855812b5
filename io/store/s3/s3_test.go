package s3_test

import (
	"context"
	"fmt"
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
	s, server := emulate(t)
	storetest.ConformRemote(t, s, server, "s3://bucket/folder")
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

// Errors of the server show no credentials.
func TestNoCredentials(t *testing.T) {
	s, server := emulate(t)
	answer := func(status int, code string, want, head error) storetest.Answer {
		return storetest.Answer{Status: status, Want: want, Head: head,
			Body: fmt.Sprintf(`<Error><Code>%s</Code><Message>Credential=SECRET</Message></Error>`, code)}
	}
	storetest.CheckAnswers(t, s, server, "s3://bucket/x",
		answer(http.StatusForbidden, "AccessDenied", os.ErrPermission, os.ErrPermission),
		answer(http.StatusForbidden, "SignatureDoesNotMatch", store.ErrCredentials, os.ErrPermission),
		answer(http.StatusForbidden, "InvalidAccessKeyId", store.ErrCredentials, os.ErrPermission),
		answer(http.StatusBadRequest, "ExpiredToken", store.ErrCredentials, nil))
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

// A service that answers with all of an object where a part was asked for gives no wrong
// bytes.
func TestWithoutRanges(t *testing.T) {
	s, server := emulate(t)
	storetest.Put(t, s, "s3://bucket/x", "0123456789", store.Absent)
	whole := server.Config.Handler
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Range")
		whole.ServeHTTP(w, r)
	})
	if got, err := storetest.Get(t, s, "s3://bucket/x", "", 4, 3); err == nil || store.IsTransient(err) {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := storetest.Get(t, s, "s3://bucket/x", "", 0, 10); err != nil || got != "0123456789" {
		t.Errorf("got %q, %v", got, err)
	}
}
