package serve

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// dial opens a connection to a server of a test. Its deadline is that of a test that
// fails.
func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	conn := must(net.Dial("tcp", strings.TrimPrefix(address, "http://")))
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(2 * time.Minute))
	return conn
}

// post is the head of a request with a form of n bytes.
func post(n int) string {
	return fmt.Sprintf("POST /process HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n", n)
}

// Clients that announce much and send little or nothing hold nobody up.
func TestSlowSenders(t *testing.T) {
	const slow = 40
	s := newServer(t, Limits{Read: 20 * time.Second})
	address, _ := start(t, s)
	for i := range slow {
		conn := dial(t, address)
		io.WriteString(conn, post(4<<20))
		if i%2 == 0 {
			io.WriteString(conn, "data="+strings.Repeat("x", 100<<10))
		}
	}
	for s.gate.open() < slow {
		time.Sleep(time.Millisecond)
	}
	for _, ask := range []func() (*http.Response, error){
		func() (*http.Response, error) { return http.Get(address + "/process?tokenizer&data=It+rained.") },
		func() (*http.Response, error) {
			return http.PostForm(address+"/process", url.Values{"data": {"It rained."}, "tokenizer": {""}})
		},
	} {
		r := must(ask())
		body, _ := io.ReadAll(r.Body)
		r.Body.Close()
		if n := s.gate.open(); r.StatusCode != http.StatusOK || n < slow {
			t.Errorf("status %d when %d of %d slow senders were left: %s", r.StatusCode, n, slow, body)
		}
	}
}

// Many large bodies at once have room one after another, and none waits for another
// for ever.
func TestLargeBodies(t *testing.T) {
	s := newServer(t, Limits{Body: 100 << 10, Bodies: 1, Memory: 1}) // of one request
	address, _ := start(t, s)
	var all sync.WaitGroup
	for i := range 30 {
		want := strings.Repeat(fmt.Sprintf("w%d\n", i), 20<<10/len(fmt.Sprintf("w%d\n", i)))
		all.Go(func() {
			r, err := http.PostForm(address+"/process", url.Values{"data": {want}, "input": {"horizontal"}, "output": {"horizontal"}})
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Body.Close()
			if r.StatusCode != http.StatusOK {
				t.Errorf("status %d", r.StatusCode)
			} else if got := result(t, r.Body); got != want {
				t.Errorf("%d bytes came back, want %d", len(got), len(want))
			}
		})
	}
	all.Wait()
	idle(t, s)
}

// A client that sends all before it reads is told what was wrong; one that has
// announced too much is told so before it has sent it.
func TestRefusedBodies(t *testing.T) {
	s := newServer(t, Limits{Read: time.Hour})
	address, _ := start(t, s)
	const form = "Content-Type: application/x-www-form-urlencoded\r\n"
	large := "data=" + strings.Repeat("x", 5_000_000)
	var fields bytes.Buffer
	for range 60_000 {
		fields.WriteString("--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n")
	}
	fields.WriteString("--x--\r\n")
	for _, c := range []struct {
		name, head, body string
		status           int
	}{
		{"announced", form + "Content-Length: 5000000\r\n", "data=x", 413},
		{"announced and expected", form + "Expect: 100-continue\r\nContent-Length: 5000000\r\n", "", 413},
		{"sent", form + fmt.Sprintf("Content-Length: %d\r\n", len(large)), large, 413},
		{"sent to the end", form + fmt.Sprintf("Connection: close\r\nContent-Length: %d\r\n", len(large)), large, 413},
		{"chunked", form + "Transfer-Encoding: chunked\r\n", strings.Repeat(fmt.Sprintf("%x\r\n%s\r\n", 1<<20, strings.Repeat("x", 1<<20)), 8) + "0\r\n\r\n", 413},
		{"fields", fmt.Sprintf("Content-Type: multipart/form-data; boundary=x\r\nContent-Length: %d\r\n", fields.Len()), fields.String(), 400},
		{"another type", fmt.Sprintf("Content-Type: text/plain\r\nContent-Length: %d\r\n", 4<<20), strings.Repeat("x", 4<<20), 400},
		{"header", "X: " + strings.Repeat("x", 2<<20) + "\r\n", "", 431},
	} {
		conn := dial(t, address)
		if _, err := io.WriteString(conn, "POST /process HTTP/1.1\r\nHost: x\r\n"+c.head+"\r\n"+c.body); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		r, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if _, err := io.ReadAll(r.Body); err != nil || r.StatusCode != c.status {
			t.Errorf("%s: status %d, %v; want status %d", c.name, r.StatusCode, err, c.status)
		}
		conn.Close()
	}
	idle(t, s)
}
