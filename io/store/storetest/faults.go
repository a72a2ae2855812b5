package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/store"
)

// ConformRemote checks s, an object store that a server serves, as Conform does, and
// what it makes of the faults of the server. root is that of Conform, in a bucket.
func ConformRemote(t *testing.T, s store.Store, server *Server, root string) {
	Conform(t, s, root)
	t.Run("no bucket", func(t *testing.T) { checkNoBucket(t, s, root) })
	t.Run("slow down", func(t *testing.T) { checkSlowDown(t, s, server, root+"/slow") })
	t.Run("read faults", func(t *testing.T) { checkReadFaults(t, s, server, root+"/read") })
	t.Run("write faults", func(t *testing.T) { checkWriteFaults(t, s, server, root+"/written") })
}

func checkNoBucket(t *testing.T, s store.Store, root string) {
	scheme, _, _ := strings.Cut(root, "://")
	err := listed(s.List(t.Context(), scheme+"://none/x/"))
	if !errors.Is(err, store.ErrNoBucket) || !errors.Is(err, fs.ErrNotExist) || store.IsTransient(err) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Stat(t.Context(), scheme+"://none/x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{scheme + "://", scheme + "://bucket"} {
		if _, err := s.Stat(t.Context(), name); err == nil || store.IsTransient(err) {
			t.Errorf("%s was taken for an object: %v", name, err)
		}
	}
}

// checkReadFaults: whatever goes wrong on the way, what is read is what was written.
func checkReadFaults(t *testing.T, s store.Store, server *Server, name string) {
	Sleepless(t)
	data := strings.Repeat("0123456789abcdef", 20000)
	Put(t, s, name, data, store.Absent)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, f := range []Fault{Unavailable, TooMany, Reset, Truncated, Short} {
		server.Break(func(_ int, r *http.Request) Fault {
			if r.Header.Get("Range") != "" && rng.IntN(2) == 0 {
				return f
			}
			return None
		})
		for range 2 {
			if got, err := store.ReadFile(t.Context(), name); err != nil || string(got) != data {
				t.Fatalf("fault %d: got %d bytes, %v", f, len(got), err)
			}
		}
		if server.Met(f) == 0 {
			t.Errorf("fault %d was never met", f)
		}
	}
	server.Break(nil)
}

// checkWriteFaults: a writer publishes all if it says so, and nothing if it was given
// up, whatever fault it met. One that has met a single fault says so.
func checkWriteFaults(t *testing.T, s store.Store, server *Server, root string) {
	Sleepless(t)
	rng := rand.New(rand.NewPCG(2, 1))
	written, lost, aborted := 0, 0, 0
	for round := range 50 {
		fault, at := Fault(rng.IntN(int(Faults))), rng.IntN(4)
		server.Break(func(n int, r *http.Request) Fault {
			if n == at && (r.Method == http.MethodPut || r.Method == http.MethodPost) {
				return fault
			}
			return None
		})
		size := []int{0, 1000, 8 << 20, 17 << 20}[rng.IntN(4)]
		what := fmt.Sprintf("fault %d of request %d, %d bytes", fault, at, size)
		name := fmt.Sprintf("%s/%d", root, round)
		w, err := s.Create(t.Context(), name, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		abort := rng.IntN(3) == 0
		some := size
		if abort {
			some = size / 2
		}
		_, err = io.Copy(w, bytes.NewReader(make([]byte, some)))
		if err == nil && !abort {
			err = w.Commit()
		}
		w.Abort()
		info, statErr := s.Stat(t.Context(), name)
		switch {
		case abort:
			aborted++
			if statErr == nil {
				t.Errorf("%s: given up, and then there is %+v", what, info)
			}
		case err != nil:
			t.Errorf("%s: %v", what, err)
		default:
			written++
			if statErr != nil || info.Size != int64(size) {
				t.Errorf("%s: committed, and then there is %+v, %v", what, info, statErr)
			}
		}
		if server.Met(LostAnswer) > 0 {
			lost++
		}
		server.Break(nil)
	}
	if written < 20 || lost == 0 || aborted < 5 {
		t.Errorf("%d written, %d answers lost, %d aborted: the test needs all", written, lost, aborted)
	}
}

// An Answer is what a server says to all requests, and the error that a store makes
// of it: it is not transient, and does not show the word SECRET.
type Answer struct {
	Status int
	Body   string
	Want   error
	Head   error // that of a HEAD request, whose answer has no body; nil is any
}

// CheckAnswers checks what s makes of some answers.
func CheckAnswers(t *testing.T, s store.Store, server *Server, name string, answers ...Answer) {
	for _, a := range answers {
		server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, a.Body, a.Status) })
		_, statErr := s.Stat(t.Context(), name)
		_, openErr := s.Open(t.Context(), name, "", 0, 1)
		writeErr := store.WriteFile(t.Context(), name, []byte("x"), store.Options{})
		for i, err := range []error{statErr, openErr, writeErr} {
			want := a.Want
			if i == 0 {
				want = a.Head
			}
			if err == nil || want != nil && !errors.Is(err, want) || store.IsTransient(err) || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("%d %s: got %v, want %v", a.Status, a.Body, err, want)
			}
		}
	}
}
