package serve

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// maxParams is the most parameters of a request. UDPipe knows seven.
const maxParams = 64

// maxGrown bounds the memory that is taken for a body before it comes.
const maxGrown = 32 << 20

var errTooMany = fmt.Errorf("it has over %d parameters", maxParams)

// params are the parameters of a request; the last of a name counts.
type params map[string]string

// on reports whether a parameter asks for a step: it is there, and is not "none".
func (p params) on(name string) bool {
	v, there := p[name]
	return there && v != "none"
}

// admit reads the parameters of a request and reserves what it takes to answer it. The
// caller must leave the place.
func (s *Server) admit(w *answer, r *http.Request) (params, *place, error) {
	if s.stopping.Load() {
		return nil, nil, errStopping
	}
	in, err := s.gate.enter()
	if err != nil {
		return nil, nil, err
	}
	p, err := s.params(w, r, in)
	if err != nil {
		in.leave()
		return nil, nil, err
	}
	return p, in, nil
}

// params reads the parameters of a request, from its URL and its body.
func (s *Server) params(w *answer, r *http.Request, in *place) (params, error) {
	kind, details, err := s.kind(r)
	if err != nil {
		return nil, err
	}
	body := ""
	if kind != "" {
		if body, err = s.body(w, r, kind, in); err != nil {
			return nil, err
		}
		w.unread = false
	}
	if err := in.answer(r.Context(), int64(len(body)+len(r.URL.RawQuery))); err != nil {
		return nil, err
	}
	p := params{}
	if err := p.add(r.URL.RawQuery); err != nil {
		return nil, badRequest("Cannot parse request URL.")
	}
	switch kind {
	case "multipart/form-data":
		err = p.parts(multipart.NewReader(strings.NewReader(body), details["boundary"]))
	case "application/json":
		err = p.object(body)
	default:
		err = p.add(body)
	}
	if err != nil {
		return nil, unreadable(kind, err)
	}
	return p, nil
}

// kind returns the type of a body that holds parameters, "" if there is none. It
// refuses a body by what is announced of it.
func (s *Server) kind(r *http.Request) (kind string, details map[string]string, err error) {
	if r.Method != http.MethodPost {
		return "", nil, nil
	}
	if r.ContentLength > s.limits.Body {
		return "", nil, s.tooLarge()
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return "", nil, badRequest("Unsupported payload Content-Encoding '%.200s': send it uncompressed.", coding)
	}
	kind, details, err = mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" && kind != "application/x-www-form-urlencoded" && kind != "application/json" {
		return "", nil, badRequest("Unsupported payload Content-Type '%.200s'.", r.Header.Get("Content-Type"))
	}
	return kind, details, nil
}

// body reads the body of a request. For its beginning and for the rest, the client has
// limits.Read each.
func (s *Server) body(w *answer, r *http.Request, kind string, in *place) (string, error) {
	var b strings.Builder
	limit := http.NewResponseController(w)
	read := func(n int64) error {
		limit.SetReadDeadline(time.Now().Add(s.limits.Read))
		_, err := io.CopyN(&b, r.Body, n)
		return err
	}
	err := read(smallBody)
	if err == nil && r.ContentLength != smallBody {
		size := r.ContentLength
		if size < 0 {
			size = s.limits.Body
		}
		if err := in.receive(r.Context(), size); err != nil {
			return "", err
		}
		if r.ContentLength > 0 {
			b.Grow(int(min(size, maxGrown)) - b.Len())
		}
		err = read(s.limits.Body + 1 - int64(b.Len()))
	}
	switch {
	case int64(b.Len()) > s.limits.Body:
		return "", s.tooLarge()
	case err == nil || err == io.EOF:
		limit.SetReadDeadline(time.Time{})
		return b.String(), nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "", s.tooSlow()
	case r.Context().Err() != nil:
		return "", r.Context().Err()
	}
	return "", unreadable(kind, err)
}

func unreadable(kind string, err error) error {
	return badRequest("Cannot parse the %s payload: %v.", kind, err)
}

func (s *Server) tooSlow() error {
	return &fault{http.StatusRequestTimeout, fmt.Sprintf("The payload did not arrive within %v.", s.limits.Read)}
}

func (s *Server) tooLarge() error {
	return &fault{http.StatusRequestEntityTooLarge, fmt.Sprintf("The payload size is too large: the limit is %d bytes.", s.limits.Body)}
}

// add adds the parameters of a query. Unlike net/url it takes semicolons literally:
// they separate the options of a tokenizer.
func (p params) add(query string) error {
	for pair := range strings.SplitSeq(query, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		if err == nil {
			value, err = url.QueryUnescape(value)
		}
		if err == nil {
			err = p.set(name, value)
		}
		if err != nil {
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
		return errTooMany
	}
	return nil
}

// object adds the values of an object of JSON: strings, and true or false for steps. Who
// sends JSON wants, if nothing else is said, the trees of a text, as JSON.
func (p params) object(body string) error {
	if !utf8.ValidString(body) {
		return errors.New("it is not in UTF-8 encoding")
	}
	if members(body) > maxParams {
		return errTooMany
	}
	var values map[string]json.RawMessage // a list that were read could take many times its bytes
	err := json.Unmarshal([]byte(body), &values)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind), err == nil && values == nil:
		return errors.New("it is not an object")
	case err != nil:
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		var text string
		switch value := values[name]; value[0] {
		case '"':
			err = json.Unmarshal(value, &text)
		case 'f':
			text = "none"
		case 't':
		default:
			err = fmt.Errorf("%.50q is neither a string nor true or false", name)
		}
		if err == nil {
			err = p.set(name, text)
		}
		if err != nil {
			return err
		}
	}
	standard := params{"tagger": "", "parser": "", "output": wordsFormat}
	if _, given := p["input"]; !given {
		standard["tokenizer"] = ""
	}
	for name, value := range standard {
		if _, given := p[name]; !given {
			p[name] = value
		}
	}
	return nil
}

// members counts the members of an object of JSON.
func members(object string) (n int) {
	depth, quoted := 0, false
	for i := 0; i < len(object); i++ {
		switch c := object[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == ':' && depth == 1:
			n++
		}
	}
	return n
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
		var value strings.Builder
		if _, err := io.Copy(&value, body); err != nil {
			return err
		}
		if name := part.FormName(); name != "" {
			if err := p.set(name, value.String()); err != nil {
				return err
			}
		}
	}
}
