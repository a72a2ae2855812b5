package serve

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode/utf8"
)

// maxParams is the most parameters of a request. UDPipe knows seven.
const maxParams = 64

// params are the parameters of a request; the last of a name counts.
type params map[string]string

// on reports whether a parameter asks for a step: it is there, and is not "none".
func (p params) on(name string) bool {
	v, there := p[name]
	return there && v != "none"
}

// params reads the parameters of a request, from its URL and its body. The time
// for that is limits.Read. After an error the connection ends with the answer.
func (s *Server) params(w *answer, r *http.Request) (p params, err error) {
	limit := http.NewResponseController(w)
	limit.SetReadDeadline(time.Now().Add(s.limits.Read))
	if p, err = s.readParams(w, r); err != nil {
		w.Header().Set("Connection", "close")
		return nil, err
	}
	limit.SetReadDeadline(time.Time{})
	return p, nil
}

func (s *Server) readParams(w *answer, r *http.Request) (params, error) {
	p := params{}
	if err := p.add(r.URL.RawQuery); err != nil {
		return nil, badRequest("Cannot parse request URL.")
	}
	if r.Method != http.MethodPost {
		return p, nil
	}
	if r.ContentLength > s.limits.Body {
		s.drain(r)
		return nil, s.tooLarge()
	}
	r.Body = http.MaxBytesReader(w, r.Body, s.limits.Body)
	kind, details, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case err == nil && kind == "multipart/form-data":
		err = p.parts(multipart.NewReader(r.Body, details["boundary"]))
	case err == nil && kind == "application/x-www-form-urlencoded":
		var body []byte
		if body, err = io.ReadAll(r.Body); err == nil {
			err = p.add(string(body))
		}
	default:
		s.drain(r)
		return nil, badRequest("Unsupported payload Content-Type '%.200s'.", r.Header.Get("Content-Type"))
	}
	var large *http.MaxBytesError
	switch {
	case err == nil:
		return p, nil
	case errors.As(err, &large):
		return nil, s.tooLarge()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &fault{http.StatusRequestTimeout, fmt.Sprintf("The payload did not arrive within %v.", s.limits.Read)}
	case r.Context().Err() != nil:
		return nil, r.Context().Err()
	}
	return nil, badRequest("Cannot parse the %s payload: %v.", kind, err)
}

func (s *Server) tooLarge() error {
	return &fault{http.StatusRequestEntityTooLarge, fmt.Sprintf("The payload size is too large: the limit is %d bytes.", s.limits.Body)}
}

// drain reads a body that is not wanted, up to a limit: many clients read no
// answer before they have sent all.
func (s *Server) drain(r *http.Request) {
	if r.Header.Get("Expect") == "" { // or it has not been sent yet
		io.CopyN(io.Discard, r.Body, 8*s.limits.Body)
	}
}

// add adds the parameters of a query. Unlike net/url's it takes semicolons as they
// stand: they separate the options of a tokenizer.
func (p params) add(query string) error {
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		name, value, _ := strings.Cut(pair, "=")
		if pair == "" {
			continue
		}
		name, err := url.QueryUnescape(name)
		if err != nil {
			return err
		}
		if value, err = url.QueryUnescape(value); err != nil {
			return err
		}
		if err := p.set(name, value); err != nil {
			return err
		}
	}
	return nil
}

func (p params) set(name, value string) error {
	if !utf8.ValidString(value) {
		return errors.New("it is not in UTF-8 encoding")
	}
	if p[name] = value; len(p) > maxParams {
		return fmt.Errorf("it has over %d parameters", maxParams)
	}
	return nil
}

// parts adds the parts of multipart/form-data.
func (p params) parts(r *multipart.Reader) error {
	for n := 0; ; n++ {
		part, err := r.NextPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if n == maxParams {
			return fmt.Errorf("it has over %d parts", maxParams)
		}
		var body io.Reader = part
		if strings.EqualFold(part.Header.Get("Content-Transfer-Encoding"), "base64") {
			body = base64.NewDecoder(base64.StdEncoding, part)
		}
		value, err := io.ReadAll(body)
		if err != nil {
			return err
		}
		if name := part.FormName(); name != "" {
			if err := p.set(name, string(value)); err != nil {
				return err
			}
		}
	}
}
