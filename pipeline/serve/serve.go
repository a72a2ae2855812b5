// Package serve answers HTTP requests with trees. New serves the REST interface of
// UDPipe (Straka and Straková 2017), so that its clients work, and a page that draws
// the tree of a sentence. It parses in memory, without Beam and without files.
//
//	GET, POST /process   parse a text: docs/serve.md lists the parameters
//	GET, POST /models    the models and the default one
//	GET       /          the page; /page.css, /page.js and /tree are its parts
//	GET       /healthz   "ok", or status 503 after the signal to stop
//	GET       /metrics   counters in the format of Prometheus
//
// NewEditor serves a page on which the trees of a file are corrected instead.
//
// Everything has a bound: see Limits. A request that waits too long is answered with
// status 503 and a Retry-After header.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/treebeam/treebeam/model"
)

// Limits bound the resources of requests. DefaultLimits has those to change.
type Limits struct {
	// Body is the most bytes of a request's body. Status 413 answers a larger one.
	Body int64
	// Words is the most words of a sentence that the caller has cut; the parser
	// itself cuts sentences of raw text there.
	Words int
	// Shown is the most sentences that the page draws.
	Shown int
	// Parallel is how many requests are parsed at once. A request is parsed by one
	// goroutine, and lets others have their turns between batches of sentences.
	Parallel int
	// Open is the most requests that are read, wait, are parsed or answered at once.
	// There may be twice as many connections; others wait until one is closed.
	Open int
	// Bodies bounds the bytes of bodies that are sent or wait for memory, not counting
	// the first 16 KiB of each. It is at least Body.
	Bodies int64
	// Memory is the most bytes that requests may hold together while they are
	// answered, as estimated from the sizes of their bodies. It is at least what one
	// request may hold.
	Memory int64
	// Wait is how long a request waits for its turn, and how long a long request then
	// waits for one of the seats, of which there are Parallel.
	Wait time.Duration
	// Parse bounds the time in which one request is parsed and its answer, except for
	// the last piece, is read by the client. Waiting does not count.
	Parse time.Duration
	// Read and Write are how long a client may take to send the first 16 KiB of its
	// request, and then the rest, and to take the next 64 KiB of the answer.
	Read, Write time.Duration
}

// DefaultLimits returns the default limits.
func DefaultLimits() Limits {
	const body = 4 << 20
	cores := runtime.GOMAXPROCS(0)
	return Limits{
		Body: body, Words: 1000, Shown: 20,
		Parallel: cores, Open: 1024, Bodies: 32 << 20, Memory: max(128<<20, int64(cores)*weight(body+headerBytes)),
		Wait: time.Minute, Parse: 5 * time.Minute, Read: time.Minute, Write: 30 * time.Second,
	}
}

// fit makes room for at least one request. Multiples of the largest body and of the most
// requests are numbers, too.
func (l *Limits) fit() {
	l.Body = min(l.Body, math.MaxInt64/16)
	l.Open = min(l.Open, math.MaxInt/2)
	l.Bodies = max(l.Bodies, l.Body)
	l.Memory = max(l.Memory, weight(l.Body+headerBytes))
}

// A Config says what to serve.
type Config struct {
	Models  []Source     // at least one; the first is the default
	Custom  model.Custom // the user's lists, for all texts: docs/custom.md
	Version string       // of the program, for CoNLL-U and /metrics
	Limits  Limits
	Log     io.Writer // defects of the program are reported here; nil: nowhere
}

// A Server is an http.Handler. It is safe for concurrent use.
type Server struct {
	models   *models
	edited   *manuscript // by a server of NewEditor
	teacher  Teacher     // likewise
	lessons  lessons     // of teacher.Adapt
	parsing  sync.Mutex  // of teacher.Heads
	version  string
	limits   Limits
	gate     *gate
	metrics  *metrics
	log      *log.Logger
	mux      *http.ServeMux
	stopping atomic.Bool
}

// publicPath is where UDPipe's public service has /process and /models: its clients may
// keep that path.
const publicPath = "/services/udpipe/api"

// New returns a server for the models of c, which it opens. The error names the
// model that cannot be opened, or the name that two models share.
func New(c Config) (*Server, error) {
	m, err := openModels(c.Models, c.Custom)
	if err != nil {
		return nil, err
	}
	s := newBareServer(c.Version, c.Limits, c.Log)
	s.models = m
	for _, prefix := range []string{"", publicPath} {
		s.handle(prefix+"/process", s.process)
		s.handle(prefix+"/models", s.listModels)
	}
	s.handle("/tree", s.tree)
	s.handle("/healthz", s.health)
	s.handle("/metrics", s.writeMetrics)
	s.handle("/page.css", static("text/css; charset=utf-8", pageCSS))
	s.handle("/page.js", static("text/javascript; charset=utf-8", pageJS))
	s.handle("/{$}", s.page)
	s.handle("/", notFound)
	return s, nil
}

// newBareServer returns a server that answers nothing yet.
func newBareServer(version string, l Limits, to io.Writer) *Server {
	l.fit()
	if to == nil {
		to = io.Discard
	}
	return &Server{
		version: version, limits: l,
		gate: newGate(l), metrics: newMetrics(), log: log.New(to, "treebeam serve: ", 0), mux: http.NewServeMux(),
	}
}

func notFound(w *answer, r *http.Request) error {
	return &fault{http.StatusNotFound, fmt.Sprintf("No handler for the given URL '%s'", r.URL.Path)}
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// A fault is an error that the client sees: UDPipe's are plain text, too.
type fault struct {
	status int
	text   string
}

func (f *fault) Error() string { return f.text }

func badRequest(format string, a ...any) error {
	return &fault{http.StatusBadRequest, fmt.Sprintf(format, a...)}
}

// An answer is a response that knows whether it has begun, and how long a client may
// take for the next piece of it.
type answer struct {
	http.ResponseWriter
	status int // 0: not begun
	limit  time.Duration
	unread bool // the request has a body that was not read completely
}

func (a *answer) WriteHeader(status int) {
	a.begin(status)
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(b []byte) (int, error) {
	a.begin(http.StatusOK)
	return a.ResponseWriter.Write(b)
}

// begin notes the status of an answer that begins, and sets the client's deadline:
// net/http resets it after every answer.
func (a *answer) begin(status int) {
	if a.status == 0 {
		a.status = status
	}
	http.NewResponseController(a.ResponseWriter).SetWriteDeadline(time.Now().Add(a.limit))
}

// send answers with a body of a type.
func (a *answer) send(kind string, body []byte) error {
	a.Header().Set("Content-Type", kind)
	_, err := a.Write(body)
	return err
}

func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// handle registers f for a pattern. Its error is the answer, unless one has begun:
// then the connection is closed, so that the client does not take a part for all.
func (s *Server) handle(pattern string, f func(w *answer, r *http.Request) error) {
	name := strings.TrimPrefix(strings.TrimSuffix(pattern, "{$}"), publicPath)
	if pattern == "/" {
		name = "other"
	}
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		a := &answer{ResponseWriter: w, limit: s.limits.Write}
		head := a.Header()
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cache-Control", "no-store")
		if s.stopping.Load() {
			head.Set("Connection", "close")
		}
		if a.unread = r.ContentLength != 0; a.unread { // for what is left of a body at the end, too: net/http reads it
			http.NewResponseController(w).SetReadDeadline(began.Add(s.limits.Read))
		}
		err := s.try(f, a, r)
		status := a.status
		var told *fault
		switch {
		case err == nil:
			if status == 0 {
				status = http.StatusOK
			}
		case status == 0 && errors.As(err, &told):
			status = told.status
			s.tell(a, told)
			s.drain(a, r)
		case status != 0 || r.Context().Err() != nil:
			status = statusCut
		default:
			status = http.StatusInternalServerError
			s.tell(a, &fault{status, "An internal error occurred during processing."})
		}
		s.metrics.request(name, status, time.Since(began))
		if status == statusCut {
			panic(http.ErrAbortHandler)
		}
	})
}

// statusCut counts answers that were not sent to their ends: the client went
// away or was too slow, or the text took too long.
const statusCut = 499

// try calls f for a method that it knows, and makes an error of a panic.
func (s *Server) try(f func(w *answer, r *http.Request) error, a *answer, r *http.Request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			stack := make([]byte, 16<<10)
			err = fmt.Errorf("internal: %v", p)
			s.log.Printf("%s %s: %v\n%s", r.Method, r.URL.Path, err, stack[:runtime.Stack(stack, false)])
		}
	}()
	if s.edited != nil {
		if err := refuseStrangers(r); err != nil {
			return err
		}
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost:
		return f(a, r)
	case http.MethodOptions: // a browser asks for a page of another origin
		a.Header().Set("Access-Control-Allow-Origin", "*")
		a.Header().Set("Access-Control-Allow-Methods", "GET, POST")
		a.Header().Set("Access-Control-Allow-Headers", "Content-Type")
		a.WriteHeader(http.StatusNoContent)
		return nil
	}
	a.Header().Set("Allow", "GET, HEAD, POST, OPTIONS")
	return &fault{http.StatusMethodNotAllowed, fmt.Sprintf("The method %s is not known; use GET or POST.", r.Method)}
}

// tell answers with an error, as UDPipe does. A body that was not read ends the
// connection.
func (s *Server) tell(a *answer, f *fault) {
	if a.unread {
		a.Header().Set("Connection", "close")
	}
	if f.status == http.StatusServiceUnavailable {
		a.Header().Set("Retry-After", "5")
	}
	if s.edited == nil {
		a.Header().Set("Access-Control-Allow-Origin", "*")
	}
	a.Header().Set("Content-Type", "text/plain; charset=utf-8")
	a.Header().Set("Content-Length", strconv.Itoa(len(f.text)+1))
	a.WriteHeader(f.status)
	io.WriteString(a, f.text+"\n")
}

// drain reads, up to a limit, the rest of a request that was refused. Many clients read no
// answer before they have sent everything, and lose it if the connection is closed before.
func (s *Server) drain(a *answer, r *http.Request) {
	if !a.unread || a.status == http.StatusRequestTimeout || r.Header.Get("Expect") != "" {
		return
	}
	c := http.NewResponseController(a.ResponseWriter)
	c.Flush()
	c.SetReadDeadline(time.Now().Add(s.limits.Read))
	io.CopyN(io.Discard, r.Body, unwanted*s.limits.Body)
}

// errStopping answers requests after the signal to stop.
var errStopping = &fault{http.StatusServiceUnavailable, "The server is stopping, and takes no more requests."}

// health reports whether the server takes requests.
func (s *Server) health(w *answer, r *http.Request) error {
	if s.stopping.Load() {
		return errStopping
	}
	return w.send("text/plain; charset=utf-8", []byte("ok\n"))
}

// headerBytes bounds the head of a request, with the text of a GET.
const headerBytes = 256 << 10

// Serve answers the connections of l until ctx is done, or l fails. Then it refuses new
// requests with status 503 and waits up to grace for open ones. It returns nil if all
// of them were answered, otherwise an error that says how many were cut off.
func (s *Server) Serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	h := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    headerBytes - 4096, // net/http adds that
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(newListener(l, s.limits)) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	for s.gate.open() > 0 && last.Err() == nil {
		time.Sleep(10 * time.Millisecond)
	}
	err := h.Shutdown(last)
	cut := s.gate.open()
	h.Close()
	<-failed
	if err != nil && cut > 0 {
		return fmt.Errorf("requests that were cut off, as they took over %v after the signal to stop: %d", grace, cut)
	}
	return nil
}
