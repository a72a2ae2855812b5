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
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// The server says where it is, answers with the trees of treebeam parse, and ends
// with status 0 when it is told to stop.
func TestServe(t *testing.T) {
	cmd := exec.Command(os.Args[0], "serve", "--listen", "localhost:0", "--model", "own=embedded")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	stderr, err := cmd.StderrPipe()
	must(t, err, cmd.Start())
	defer cmd.Process.Kill() // if the test ends before
	line, err := bufio.NewReader(stderr).ReadString('\n')
	address := regexp.MustCompile(`http://localhost:[0-9]+/`).FindString(line)
	if err != nil || !strings.HasPrefix(line, "serving own, english-fast") || address == "" {
		t.Fatalf("%q, %v", line, err)
	}
	r, err := http.PostForm(address+"process", url.Values{"data": {fine}, "tokenizer": {""}, "tagger": {""}, "parser": {""}})
	must(t, err)
	var answer struct{ Model, Result string }
	must(t, json.NewDecoder(r.Body).Decode(&answer), r.Body.Close())
	if _, want, _ := treebeam(t, fine, "parse", "-", "--to", "conllu"); answer.Model != "own" || columns(answer.Result) != columns(want) {
		t.Errorf("%s says\n%s\nwant\n%s", answer.Model, answer.Result, want)
	}
	must(t, cmd.Process.Signal(syscall.SIGTERM))
	rest, _ := io.ReadAll(stderr)
	if err := cmd.Wait(); err != nil || len(rest) > 0 {
		t.Errorf("the end: %v, %s", err, rest)
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
	status, _, stderr := treebeam(t, "", "serve", "--listen", l.Addr().String())
	if status != exitRefused || !strings.Contains(stderr, "another program has this port") {
		t.Errorf("status %d: %s", status, stderr)
	}
}
