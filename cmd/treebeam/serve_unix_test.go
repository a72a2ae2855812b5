//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/treebeam/treebeam/model"
)

// startServe starts a server, and returns its address and what it says then.
func startServe(t *testing.T, args ...string) (cmd *exec.Cmd, address string, stderr io.Reader) {
	t.Helper()
	cmd, line, address, stderr := startServer(t, args...)
	if !strings.HasPrefix(line, "serving ") || !strings.Contains(line, "english-fast") {
		t.Fatalf("%q", line)
	}
	return cmd, address, stderr
}

// startServer is startServe for any server, with its first line.
func startServer(t *testing.T, args ...string) (cmd *exec.Cmd, line, address string, stderr io.Reader) {
	t.Helper()
	cmd = exec.Command(os.Args[0], append([]string{"serve", "--listen", "localhost:0"}, args...)...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	pipe, err := cmd.StderrPipe()
	must(t, err, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() }) // if the test ends before
	lines := bufio.NewReader(pipe)
	line, err = lines.ReadString('\n')
	if address = regexp.MustCompile(`http://localhost:[0-9]+/`).FindString(line); err != nil || address == "" {
		t.Fatalf("%q, %v", line, err)
	}
	return cmd, line, address, lines
}

// The page offers heads, relations and tags by their probability, and the corrected sentences make a model.
func TestServeTeaches(t *testing.T) {
	toy, dir := trainedToy(t), t.TempDir()
	gold, err := os.ReadFile(manyToys(t, 20))
	must(t, err)
	other := strings.ReplaceAll(string(gold), "\tobj\t", "\tobl\t")
	other = strings.ReplaceAll(other, "# text", "# corrected = 2026-11-26T17:00:00Z ann\n# text")
	file, out := filepath.Join(dir, "mine.conllu"), filepath.Join(dir, "mine.tbm")
	must(t, os.WriteFile(file, []byte(other), 0o644))
	cmd, _, address, _ := startServer(t, "--edit", file, "--model", "toy="+toy, "--adapt", out)
	ask := func(method, path string, to any) {
		t.Helper()
		r, err := http.NewRequest(method, address+path, strings.NewReader("{}"))
		must(t, err)
		if method == "POST" {
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Origin", strings.TrimSuffix(address, "/"))
		}
		got, err := http.DefaultClient.Do(r)
		must(t, err)
		defer got.Body.Close()
		if err := json.NewDecoder(got.Body).Decode(to); err != nil || got.StatusCode != http.StatusOK {
			t.Fatalf("%s: status %d, %v", path, got.StatusCode, err)
		}
	}
	var offered struct {
		Words []map[string][]struct{ P float64 }
	}
	ask("GET", "offers?at=0", &offered)
	for i, columns := range offered.Words {
		for _, column := range []string{"head", "deprel", "upos"} {
			sum, last := 0.0, 1.001
			for _, o := range columns[column] {
				if sum += o.P; o.P > last || o.P <= 0 {
					t.Errorf("word %d: %v", i+1, columns)
				}
				last = o.P
			}
			if sum < 0.5 || sum > 1.001 {
				t.Errorf("word %d, %s: %v", i+1, column, columns)
			}
		}
	}
	if len(offered.Words) == 0 {
		t.Error("nothing is offered")
	}
	var lesson struct {
		Running, Failed bool
		Sentences       int
		Verdict         string
	}
	for ask("POST", "adapt", &lesson); lesson.Running; ask("GET", "adapt", &lesson) {
		time.Sleep(20 * time.Millisecond)
	}
	m, err := model.Open(out)
	if err != nil || lesson.Failed || lesson.Sentences != strings.Count(other, "# text") || !strings.Contains(lesson.Verdict, "Written to mine.tbm") {
		t.Fatalf("%+v, %v", lesson, err)
	}
	if a := m.Info.Adapted; len(a) != 1 || a[0].After.LAS <= a[0].Before.LAS || a[0].Trees[0].File != "mine.conllu" {
		t.Errorf("%+v", a)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != other {
		t.Errorf("the trees have changed: %v", err)
	}
	must(t, cmd.Process.Signal(syscall.SIGTERM), cmd.Wait())
	ends(t, exitRefused, "it would be lost", "serve", "--edit", file, "--adapt", file)
	ends(t, exitRefused, "a folder that is there", "serve", "--edit", file, "--adapt", filepath.Join(dir, "none", "m.tbm"))
	ends(t, exitRefused, "are for --edit", "serve", "--adapt", out)
	ends(t, exitRefused, "with 2 models", "serve", "--edit", file, "--model", toy, "--model", toy)
	ends(t, exitRefused, "must be NAME=FILE or FILE", "serve", "--edit", file, "--model", "toy=")
}

// The trees of an output go to a new file, with their confidence, and a correction is in it
// with a name and a time.
func TestServeEdit(t *testing.T) {
	dir := t.TempDir()
	folder, file := filepath.Join(dir, "parsed"), filepath.Join(dir, "trees.conllu")
	input := filepath.Join(dir, "letter.txt")
	must(t, os.WriteFile(input, []byte(fine), 0o644))
	if status, _, said := treebeam(t, "", "parse", "--fast", input, "-o", folder); status != exitOK {
		t.Fatal(said)
	}
	_, want, _ := treebeam(t, "", "convert", folder, "--conf")
	ends(t, exitRefused, "no such file", "serve", "--edit", folder, "--edit-to", file, "--model", file+".tbm") // and writes nothing
	cmd, line, address, _ := startServer(t, "--edit", folder, "--edit-to", file, "--by", "Ann")
	if text, err := os.ReadFile(file); err != nil || string(text) != want || !strings.Contains(want, "HeadConf=") || !strings.HasPrefix(line, "correct ") {
		t.Fatalf("%q, %v, %q, want %q", line, err, text, want)
	}
	var sheet struct{ Version string }
	r, err := http.Get(address + "sentence?at=0")
	must(t, err)
	must(t, json.NewDecoder(r.Body).Decode(&sheet), r.Body.Close())
	post, err := http.NewRequest("POST", address+"change", strings.NewReader(`{"at":0,"word":0,"version":"`+sheet.Version+`"}`))
	must(t, err)
	post.Header.Set("Content-Type", "application/json")
	post.Header.Set("Origin", strings.TrimSuffix(address, "/"))
	r, err = http.DefaultClient.Do(post)
	must(t, err, r.Body.Close())
	text, err := os.ReadFile(file)
	must(t, err)
	note := regexp.MustCompile(`# corrected = 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ Ann\n`)
	if r.StatusCode != http.StatusOK || note.ReplaceAllString(string(text), "") != want || !note.Match(text) {
		t.Errorf("status %d: %s", r.StatusCode, text)
	}
	must(t, cmd.Process.Signal(syscall.SIGTERM), cmd.Wait())
	ends(t, exitRefused, "name it with --edit", "serve", "--edit", folder, "--edit-to", file)
	ends(t, exitRefused, "--edit-to FILE", "serve", "--edit", folder)
	ends(t, exitRefused, "corrected in place", "serve", "--edit", file, "--edit-to", file)
	ends(t, exitRefused, "other machines could change", "serve", "--edit", file, "--listen", ":0")
	ends(t, exitRefused, "parses nothing", "serve", "--edit", file, "--parallel", "2")
	ends(t, exitRefused, "--abbreviations, --unconstrained: the page", "serve", "--edit", file, "--abbreviations", input, "--unconstrained")
	ends(t, exitRefused, "file of this machine", "serve", "--edit", folder, "--edit-to", "gs://bucket/trees.conllu")
	ends(t, exitRefused, "file of this machine", "serve", "--edit", folder, "--edit-to", "-")
	ends(t, exitRefused, "name a CoNLL-U file", "serve", "--edit", file+"x")
	ends(t, exitRefused, "decompress", "serve", "--edit", file+".gz")
	ends(t, exitRefused, "are for --edit", "serve", "--by", "Ann")
	ends(t, exitRefused, "no sentence in CoNLL-U", "serve", "--edit", input)
}

// The server says where it is, answers with the trees of treebeam parse, and ends
// with status 0 when it is told to stop.
func TestServe(t *testing.T) {
	together := filepath.Join(t.TempDir(), "together")
	must(t, os.WriteFile(together, []byte("more of\n"), 0o644))
	cmd, address, stderr := startServe(t, "--model", "own=embedded", "--keep-together", together)
	r, err := http.PostForm(address+"process", url.Values{"data": {fine}, "tokenizer": {""}, "tagger": {""}, "parser": {""}})
	must(t, err)
	var answer struct{ Model, Result string }
	must(t, json.NewDecoder(r.Body).Decode(&answer), r.Body.Close())
	if _, want, _ := treebeam(t, fine, "parse", "-", "--fast", "--to", "conllu", "--keep-together", together); answer.Model != "own" || columns(answer.Result) != columns(want) || !strings.Contains(want, "\tmore of\t") {
		t.Errorf("%s says\n%s\nwant\n%s", answer.Model, answer.Result, want)
	}
	must(t, cmd.Process.Signal(syscall.SIGTERM))
	rest, _ := io.ReadAll(stderr)
	if err := cmd.Wait(); err != nil || len(rest) > 0 {
		t.Errorf("the end: %v, %s", err, rest)
	}
}

// A request that is still open after the time for that is cut off, and named.
func TestServeCuts(t *testing.T) {
	cmd, address, stderr := startServe(t, "--grace", "1ms")
	conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(address, "http://"), "/"))
	must(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "POST /process HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n")
	must(t, err)
	for { // until the request is open
		r, err := http.Get(address + "metrics")
		must(t, err)
		text, err := io.ReadAll(r.Body)
		must(t, err, r.Body.Close())
		if strings.Contains(string(text), "treebeam_open_requests 1\n") {
			break
		}
	}
	must(t, cmd.Process.Signal(syscall.SIGTERM))
	rest, _ := io.ReadAll(stderr)
	if cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted || !strings.Contains(string(rest), "requests that were cut off") {
		t.Errorf("%v: %s", cmd.ProcessState, rest)
	}
}

// The longest time for open requests is not none.
func TestServeLongGrace(t *testing.T) {
	cmd, _, address, _ := startServer(t, "--edit", manyToys(t, 1), "--grace", "2562047h47m16s")
	conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(address, "http://"), "/"))
	must(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "POST /change HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\nContent-Type: application/json\r\n\r\n")
	must(t, err)
	answer := bufio.NewReader(conn)
	if line, err := answer.ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 100 ") {
		t.Fatalf("%q, %v", line, err)
	}
	must(t, cmd.Process.Signal(syscall.SIGTERM))
	for status := http.StatusOK; status == http.StatusOK; { // until it stops
		r, err := http.Get(address + "healthz")
		must(t, err)
		status = r.StatusCode
		must(t, r.Body.Close())
	}
	_, err = io.WriteString(conn, "{}")
	must(t, err)
	if said, err := io.ReadAll(answer); err != nil || !strings.Contains(string(said), "HTTP/1.1 409 ") || cmd.Wait() != nil {
		t.Errorf("%q, %v, %v", said, err, cmd.ProcessState)
	}
}

// columns are the lines of words, without MISC: there the server says more.
func columns(conllu string) string {
	var b strings.Builder
	for line := range strings.Lines(conllu) {
		if i := strings.LastIndexByte(line, '\t'); i > 0 {
			b.WriteString(line[:i] + "\n")
		}
	}
	return b.String()
}

// A port that another program has is named, with what to do.
func TestServePort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	ends(t, exitRefused, "another program has this port", "serve", "--listen", l.Addr().String())
}

// boundTo is a listener at an address.
type boundTo struct {
	net.Listener
	at net.TCPAddr
}

func (b *boundTo) Addr() net.Addr { return &b.at }

// The address that is named is one at which the server listens.
func TestServeAddress(t *testing.T) {
	for ip, want := range map[string]string{"127.0.0.1": "localhost", "0.0.0.0": "localhost", "::": "localhost", "127.0.0.2": "127.0.0.2", "::1": "[::1]", "10.1.2.3": "10.1.2.3"} {
		if got := addressOf(&boundTo{at: net.TCPAddr{IP: net.ParseIP(ip), Port: 8080}}); got != "http://"+want+":8080/" {
			t.Errorf("%s: %s", ip, got)
		}
	}
}
