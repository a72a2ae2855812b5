package storetest

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
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
	Faults            // how many there are
)

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
