package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/semaphore"
)

// start serves s on a port of this machine until the test ends.
func start(t *testing.T, s *Server) (address string, stop func() error) {
	t.Helper()
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, time.Minute) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { stop() })
	return "http://" + l.Addr().String(), stop
}

// idle fails the test if anything is still held. What an answer held is given back
// just after its client has it.
func idle(t *testing.T, s *Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, of := range []struct {
		name string
		sem  *semaphore.Weighted
		all  int64
	}{
		{"places to parse", s.gate.slots, int64(s.limits.Parallel)}, {"seats", s.gate.seats, int64(s.limits.Parallel)},
		{"memory", s.gate.memory, s.limits.Memory}, {"the room of bodies", s.gate.bodies, s.limits.Bodies},
	} {
		if err := of.sem.Acquire(ctx, of.all); err != nil {
			t.Fatalf("not given back: %s", of.name)
		}
		of.sem.Release(of.all)
	}
	for s.gate.open() > 0 && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	if n := s.gate.open(); n != 0 {
		t.Fatalf("%d requests are still open", n)
	}
}

// take takes a turn from the requests of a test.
func take(t *testing.T, s *Server) *turn {
	t.Helper()
	other := s.gate.turn()
	if err := other.take(t.Context()); err != nil {
		t.Fatal(err)
	}
	return other
}

// 200 clients at once: each gets the answer to its own question, and no more is
// done or held at once than the limits say.
func TestLoad(t *testing.T) {
	const clients, rounds = 200, 3
	l := Limits{Parallel: 2, Memory: 10 * weight(2000)} // ten requests are read at once, the others wait
	l.Body = 2000
	s := newServer(t, l)
	s.limits.Memory = l.Memory
	s.gate = newGate(s.limits)
	address, stop := start(t, s)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	var all sync.WaitGroup
	failed := make(chan error, clients*rounds)
	words := 0
	for i := range clients {
		text := fmt.Sprintf("Boat %d sank off port %d. Nobody said so %d times.", i, i+1000, i+2000)
		words += 12
		all.Go(func() {
			for range rounds {
				failed <- one(client, address, text, i)
			}
		})
	}
	all.Wait()
	for range clients * rounds {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	if most := s.gate.most.Load(); most < 1 || most > 2 {
		t.Errorf("%d requests were parsed at once, the limit is 2", most)
	}
	if got := s.metrics.sentences; got != 2*clients*rounds {
		t.Errorf("%d sentences were parsed, want %d", got, 2*clients*rounds)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	idle(t, s)
}

// one asks for the tree of a text and checks that the answer is that of this text.
func one(client *http.Client, address, text string, i int) error {
	r, err := client.PostForm(address+"/process", url.Values{"data": {text}, "tokenizer": {""}, "tagger": {""}, "parser": {""}})
	if err != nil {
		return err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d, %v: %s", r.StatusCode, err, body)
	}
	var numbers []string
	for _, m := range regexp.MustCompile(`\\t(\d+)\\t\d+\\tNUM\\t`).FindAllStringSubmatch(string(body), -1) {
		numbers = append(numbers, m[1])
	}
	want := []string{strconv.Itoa(i), strconv.Itoa(i + 1000), strconv.Itoa(i + 2000)}
	if strings.Join(numbers, " ") != strings.Join(want, " ") || !strings.Contains(string(body), strings.ReplaceAll(text, ". ", ".")[:10]) {
		return fmt.Errorf("the answer to %q has the numbers %v: %s", text, numbers, body)
	}
	return nil
}

// A server that has no room says so, and when to come back.
func TestBusy(t *testing.T) {
	for name, l := range map[string]Limits{
		"open":   {Open: 1, Wait: time.Minute},
		"slots":  {Parallel: 1, Wait: time.Millisecond},
		"memory": {Body: 1000, Memory: 1, Wait: time.Millisecond}, // of one request
	} {
		s := newServer(t, l)
		in := must(s.gate.enter())
		if err := in.answer(t.Context(), s.limits.Body+headerBytes); err != nil {
			t.Fatal(err)
		}
		other := take(t, s)
		w := ask(t, s, "/process", "data", "x", "tokenizer", "")
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "Try again later.") {
			t.Errorf("%s: status %d, %v: %s", name, w.Code, w.Header(), w.Body)
		}
		if w := ask(t, s, "/healthz"); w.Code != http.StatusOK {
			t.Errorf("%s: a busy server is not healthy: %d", name, w.Code)
		}
		other.give()
		other.give() // does nothing
		in.leave()
		if w := ask(t, s, "/process", "data", "x", "tokenizer", ""); w.Code != http.StatusOK {
			t.Errorf("%s, later: status %d: %s", name, w.Code, w.Body)
		}
		idle(t, s)
	}
}

// What takes too long ends with an answer that says so.
func TestTooLong(t *testing.T) {
	s := newServer(t, Limits{Parse: 1})
	for _, path := range []string{"/process", "/tree"} {
		w := ask(t, s, path, "data", "It rained.", "tokenizer", "", "parser", "")
		if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "send less text at once") || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
			t.Errorf("%s: status %d: %s", path, w.Code, w.Body)
		}
	}
	idle(t, s)
}

// An answer that is too long for memory goes out in pieces that are put together
// right, and a client that reads none of it holds nobody up for long.
func TestLongAnswers(t *testing.T) {
	s := newServer(t, Limits{Parallel: 1, Write: 500 * time.Millisecond})
	address, _ := start(t, s)
	var text strings.Builder
	for i := range 150000 {
		fmt.Fprintf(&text, "w%d\n", i)
	}
	query := url.Values{"data": {text.String()}, "input": {"horizontal"}}
	conn := dial(t, address)
	body := query.Encode()
	io.WriteString(conn, post(len(body))+body)
	status, err := bufio.NewReaderSize(conn, 16).ReadString('\n') // and no more
	if err != nil || !strings.Contains(status, "200") {
		t.Fatalf("%q, %v", status, err)
	}
	again := process(t, s, "data", text.String(), "input", "horizontal", "output", "horizontal")
	if again != text.String() {
		t.Errorf("%d bytes came back, want %d", len(again), text.Len())
	}
	idle(t, s)
}

// begin sends copies of the story, and returns when they are being parsed. ended
// receives what the handler has panicked with.
func begin(t *testing.T, s *Server, copies int) (cancel func(), ended <-chan any) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, "GET", "/process?tokenizer&tagger&parser&data="+url.QueryEscape(strings.Repeat(story, copies)), nil)
	end := make(chan any)
	go func() {
		defer func() { end <- recover() }()
		s.ServeHTTP(httptest.NewRecorder(), r)
	}()
	for s.gate.parses.Load() == 0 {
		select {
		case p := <-end:
			t.Fatalf("the request ended with %v", p)
		case <-time.After(time.Millisecond):
		}
	}
	return cancel, end
}

// A short text does not wait for the end of a long one.
func TestTurns(t *testing.T) {
	s := newServer(t, Limits{Parallel: 1})
	cancel, ended := begin(t, s, 1000)
	process(t, s, "data", story, "tokenizer", "", "parser", "")
	select {
	case <-ended:
		t.Error("the long text came first")
	default:
		cancel()
		<-ended
	}
	idle(t, s)
}

// A client that does not send what it has announced is told so, and holds nothing.
func TestSlowClient(t *testing.T) {
	s := newServer(t, Limits{Read: 20 * time.Millisecond})
	address, _ := start(t, s)
	for _, kind := range []string{"application/x-www-form-urlencoded", "multipart/form-data; boundary=x"} {
		conn := dial(t, address)
		fmt.Fprintf(conn, "POST /process HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: 1000\r\n\r\ndata=", kind)
		r := must(http.ReadResponse(bufio.NewReader(conn), nil))
		if body, _ := io.ReadAll(r.Body); r.StatusCode != http.StatusRequestTimeout || !strings.Contains(string(body), "did not arrive within 20ms") {
			t.Errorf("%s: status %d: %s", kind, r.StatusCode, body)
		}
	}
	// Nor does net/http wait for a body that nobody wants.
	conn := dial(t, address)
	fmt.Fprintf(conn, "POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
	if all, err := io.ReadAll(conn); err != nil || !strings.Contains(string(all), "ok\n") {
		t.Errorf("%q, %v", all, err)
	}
	idle(t, s)
}

// So is the page of an editor, whose file nobody waits for meanwhile.
func TestSlowPage(t *testing.T) {
	b := newBench(t, toCorrect)
	b.limits.Read = 20 * time.Millisecond
	address, _ := start(t, b.Server)
	conn := dial(t, address)
	fmt.Fprintf(conn, "POST /change HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
	r := must(http.ReadResponse(bufio.NewReader(conn), nil))
	if body, _ := io.ReadAll(r.Body); r.StatusCode != http.StatusRequestTimeout || !strings.Contains(string(body), "did not arrive within 20ms") {
		t.Errorf("status %d: %s", r.StatusCode, body)
	}
}

// A client that has sent all in time may wait longer than that for its answer.
func TestPatientClient(t *testing.T) {
	s := newServer(t, Limits{Read: 500 * time.Millisecond, Parallel: 1})
	address, _ := start(t, s)
	other := take(t, s)
	time.AfterFunc(s.limits.Read+100*time.Millisecond, other.give)
	r := must(http.PostForm(address+"/process", url.Values{"data": {story}, "tokenizer": {""}}))
	defer r.Body.Close()
	if n := strings.Count(result(t, r.Body), "# sent_id"); n != 3 {
		t.Errorf("%d sentences came back, want 3", n)
	}
	idle(t, s)
}

// A client that asks and asks, and reads no answer, is cut off whatever it asks for.
func TestDeafClient(t *testing.T) {
	s := newServer(t, Limits{Write: 50 * time.Millisecond})
	address, _ := start(t, s)
	conn := dial(t, address)
	asks := []byte(strings.Repeat("GET /page.js HTTP/1.1\r\nHost: x\r\n\r\n", 1000))
	var err error
	for err == nil {
		_, err = conn.Write(asks)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the server still waits for the client")
	}
}

// Long texts at once, which wait for seats, and a short one that finds all seats
// taken: all get the whole of their own answers.
func TestLongTexts(t *testing.T) {
	s := newServer(t, Limits{Parallel: 1})
	want := make([]string, 4)
	for i := range want {
		want[i] = process(t, s, "data", strings.Repeat(fmt.Sprintf("Boat %d sank.\n\n", i), 3*batchSentences), "tokenizer", "", "tagger", "")
	}
	var all sync.WaitGroup
	for i := range want {
		all.Go(func() {
			if got := process(t, s, "data", strings.Repeat(fmt.Sprintf("Boat %d sank.\n\n", i), 3*batchSentences), "tokenizer", "", "tagger", ""); got != want[i] {
				t.Errorf("text %d: %d bytes, want %d", i, len(got), len(want[i]))
			}
		})
	}
	process(t, s, "data", story, "tokenizer", "")
	all.Wait()
	if n := strings.Count(want[0], "# sent_id"); n != 3*batchSentences {
		t.Errorf("%d sentences", n)
	}
	idle(t, s)
}

// A client that goes away takes its work along.
func TestClientGone(t *testing.T) {
	s := newServer(t, Limits{Parallel: 1})
	cancel, ended := begin(t, s, 3000)
	cancel()
	if p := <-ended; p != http.ErrAbortHandler {
		t.Errorf("the handler ended with %v", p)
	}
	if s.metrics.sentences >= 9000 {
		t.Error("all was parsed")
	}
	idle(t, s)
}

// A signal to stop lets open requests end, and takes no others.
func TestStop(t *testing.T) {
	s := newServer(t, Limits{Parallel: 1})
	address, stop := start(t, s)
	other := take(t, s) // the request below waits for its turn
	answered := make(chan error, 1)
	go func() {
		answered <- one(http.DefaultClient, address, "Boat 1 sank off port 1001. Nobody said so 2001 times.", 1)
	}()
	for s.gate.open() == 0 {
		time.Sleep(time.Millisecond)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	for !s.stopping.Load() {
		time.Sleep(time.Millisecond)
	}
	for _, path := range []string{"/healthz", "/process?tokenizer&data=x", "/tree?data=x"} {
		r, err := http.Get(address + path) // over a connection of its own
		if err != nil {
			t.Fatalf("%s while a request is open: %v", path, err)
		}
		r.Body.Close()
		if r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" || !r.Close {
			t.Errorf("%s while a request is open: status %d, %v", path, r.StatusCode, r.Header)
		}
	}
	other.give()
	if err := <-answered; err != nil {
		t.Errorf("the open request: %v", err)
	}
	if err := <-stopped; err != nil {
		t.Errorf("the end: %v", err)
	}
	if _, err := http.Get(address + "/healthz"); err == nil {
		t.Error("the server still answers")
	}
}

// Who is still there after the time for that is cut off, and counted.
func TestStopCuts(t *testing.T) {
	s := newServer(t, Limits{Parallel: 1})
	defer take(t, s).give()
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, time.Millisecond) }()
	asked := make(chan error, 1)
	go func() {
		_, err := http.Get("http://" + l.Addr().String() + "/process?data=x&tokenizer")
		asked <- err
	}()
	for s.gate.open() == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "the signal to stop: 1") {
		t.Errorf("the end: %v", err)
	}
	if err := <-asked; err == nil {
		t.Error("the request was answered")
	}
}

// A panic is a defect: the client is told so, and the others are served.
func TestDefect(t *testing.T) {
	s := newServer(t, Limits{})
	s.log.SetOutput(io.Discard)
	s.handle("/defect", func(w *answer, r *http.Request) error { panic("a defect") })
	s.handle("/error", func(w *answer, r *http.Request) error { return errors.New("a secret") })
	for _, path := range []string{"/defect", "/error"} {
		if w := ask(t, s, path); w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: status %d: %s", path, w.Code, w.Body)
		}
	}
	if w := ask(t, s, "/healthz"); w.Code != http.StatusOK {
		t.Errorf("healthz: %d", w.Code)
	}
}

// /metrics is in the text format of Prometheus, and counts.
func TestMetrics(t *testing.T) {
	s := newServer(t, Limits{})
	process(t, s, "data", "It rained. It sank.", "tokenizer", "", "parser", "")
	ask(t, s, "/process")
	ask(t, s, "/no/such/path")
	text := ask(t, s, "/metrics").Body.String()
	line := regexp.MustCompile(`^(# (HELP|TYPE) treebeam_[a-z_]+ .+|treebeam_[a-z_]+(\{[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*\})? [0-9.e+-]+)$`)
	for l := range strings.Lines(text) {
		if !line.MatchString(strings.TrimSuffix(l, "\n")) {
			t.Errorf("line %q", l)
		}
	}
	for _, want := range []string{
		`treebeam_requests_total{path="/process",status="200"} 1`, `treebeam_requests_total{path="/process",status="400"} 1`,
		`treebeam_requests_total{path="other",status="404"} 1`, "treebeam_sentences_total 2\n", "treebeam_words_total 6\n", "treebeam_open_requests 0\n",
		`treebeam_request_seconds_count{path="/process"} 2`, `treebeam_request_seconds_bucket{path="/process",le="+Inf"} 2`, `version="1.2.3"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}
