package storetest

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/treebeam/treebeam/io/store"
)

// A Fault is what goes wrong with one request to a Server.
type Fault int

const (
	None        Fault = iota
	Unavailable       // 503, and nothing is done
	TooMany           // 429, and nothing is done
	Reset             // the connection is reset before anything is done
	LostAnswer        // all is done, then the connection is reset
	Truncated         // half of the body of the answer comes, then the connection is reset
	Short             // half of the body comes as if it were all
	HalfUpload        // the connection is reset when half of the request has come
	SlowDown          // 503 with Retry-After: 7, as S3 says it, and nothing is done
	Faults            // how many there are
)

// SlowDownSeconds is how long SlowDown asks to be left alone.
const SlowDownSeconds = 7

// Sleepless makes the pauses of all stores take no time, for the test's time,
// and returns a function that returns those since its last call.
func Sleepless(tb testing.TB) func() []time.Duration {
	before := store.DefaultRetry
	tb.Cleanup(func() { store.DefaultRetry = before })
	var mu sync.Mutex
	var pauses []time.Duration
	store.DefaultRetry.Notify = nil
	store.DefaultRetry.Sleep = func(ctx context.Context, d time.Duration) error {
		mu.Lock()
		defer mu.Unlock()
		pauses = append(pauses, d)
		return ctx.Err()
	}
	return func() []time.Duration {
		mu.Lock()
		defer mu.Unlock()
		list := pauses
		pauses = nil
		return list
	}
}

// checkSlowDown checks that s waits for as long as the server asks it to when
// it reads, writes, lists and deletes in the bucket of name, and that it gives
// up after the patience of one store.DefaultRetry.
func checkSlowDown(t *testing.T, s store.Store, server *Server, name string) {
	pauses := Sleepless(t)
	Put(t, s, name, "0123456789", store.Anything)
	for what, do := range map[string]func() error{
		"stat": func() error { _, err := s.Stat(t.Context(), name); return err },
		"read": func() error { _, err := store.ReadFile(t.Context(), name); return err },
		"list": func() error { return listed(s.List(t.Context(), name)) },
		"write": func() error {
			return store.WriteFile(t.Context(), name, []byte("0123456789"), store.Options{Expect: store.Anything})
		},
		"delete": func() error { return s.Delete(t.Context(), name+".none") },
	} {
		pauses()
		server.Break(func(n int, r *http.Request) Fault {
			if n < 3 {
				return SlowDown
			}
			return None
		})
		if err := do(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		got := pauses()
		for _, d := range got {
			if d < SlowDownSeconds*time.Second || d > (SlowDownSeconds+2)*time.Second {
				t.Errorf("%s: a pause of %v", what, d)
			}
		}
		if len(got) != 3 || server.Met(SlowDown) != 3 {
			t.Errorf("%s: %d pauses for %d answers", what, len(got), server.Met(SlowDown))
		}
		// It never ends: some minutes are enough.
		for _, fault := range []Fault{SlowDown, Unavailable} {
			server.Break(func(int, *http.Request) Fault { return fault })
			err := do()
			total := time.Duration(0)
			for _, d := range pauses() {
				total += d
			}
			if err == nil || !store.IsTransient(err) || total < 4*time.Minute || total > 5*time.Minute {
				t.Errorf("%s: %v after %v", what, err, total)
			}
		}
		server.Break(nil)
	}
}

func listed(all iter.Seq2[store.Info, error]) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// A Server puts faults between a client and a handler: real ones, on a real
// connection.
type Server struct {
	*httptest.Server
	mu     sync.Mutex
	choose func(n int, r *http.Request) Fault
	n      int
	met    [Faults]int
}

// Serve starts a server in front of handler, for the test's time.
func Serve(tb testing.TB, handler http.Handler) *Server {
	s := new(Server)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		fault := None
		if s.choose != nil {
			fault = s.choose(s.n, r)
		}
		s.n++
		s.met[fault]++
		s.mu.Unlock()
		serve(w, r, handler, fault)
	}))
	tb.Cleanup(s.Close)
	return s
}

// Break makes choose say what goes wrong with the n-th request from now on,
// counted from 0; nil is nothing. It forgets what was counted.
func (s *Server) Break(choose func(n int, r *http.Request) Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.choose, s.n, s.met = choose, 0, [Faults]int{}
}

// Met returns how many requests have met a fault since Break.
func (s *Server) Met(f Fault) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.met[f]
}

// Requests returns how many requests came since Break.
func (s *Server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

func serve(w http.ResponseWriter, r *http.Request, handler http.Handler, fault Fault) {
	if r.Method == http.MethodHead && (fault == Truncated || fault == Short) {
		fault = Reset // the answer has no body to cut
	}
	switch fault {
	case None:
		handler.ServeHTTP(w, r)
	case Unavailable:
		http.Error(w, "come back later", http.StatusServiceUnavailable)
	case TooMany:
		http.Error(w, "slow down", http.StatusTooManyRequests)
	case SlowDown:
		w.Header().Set("Retry-After", fmt.Sprint(SlowDownSeconds))
		w.WriteHeader(http.StatusServiceUnavailable)
		io.WriteString(w, "<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>")
	case Reset:
		reset(w)
	case LostAnswer:
		handler.ServeHTTP(httptest.NewRecorder(), r)
		reset(w)
	case HalfUpload:
		io.CopyN(io.Discard, r.Body, max(r.ContentLength/2, 1))
		reset(w)
	case Truncated, Short:
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, r)
		body := answer.Body.Bytes()
		half := body[:len(body)/2]
		for key, values := range answer.Header() {
			w.Header()[key] = values
		}
		length := len(half)
		if fault == Truncated {
			length = len(body)
		}
		w.Header().Set("Content-Length", fmt.Sprint(length))
		w.WriteHeader(answer.Code)
		w.Write(half)
		if fault == Truncated {
			w.(http.Flusher).Flush()
			reset(w)
		}
	}
}

// reset breaks the connection off, not politely.
func reset(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	conn.Close()
}
