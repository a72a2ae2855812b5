package serve

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
)

// fast is the embedded model as it is served unless another is named.
var fast = Source{"english-fast", model.Embedded}

// filled puts the defaults where a test says nothing.
func filled(l Limits) Limits {
	to, from := reflect.ValueOf(&l).Elem(), reflect.ValueOf(DefaultLimits())
	for i := range to.NumField() {
		if to.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
	return l
}

// newServer returns a server of the fast model.
func newServer(t testing.TB, l Limits) *Server {
	t.Helper()
	s := must(New(Config{Models: []Source{fast, {"other-one", model.Embedded}}, Version: "1.2.3", Limits: filled(l), Log: t.Output()}))
	return s
}

// A reply is the answer of /process.
type reply struct {
	Model            string
	Acknowledgements []string
	Result           string
}

// ask posts parameters, in pairs, and returns the answer.
func ask(t testing.TB, h http.Handler, path string, pairs ...string) *httptest.ResponseRecorder {
	t.Helper()
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	r := httptest.NewRequest("POST", path, strings.NewReader(v.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// process posts parameters to /process and returns the result.
func process(t testing.TB, h http.Handler, pairs ...string) string {
	t.Helper()
	w := ask(t, h, "/process", pairs...)
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return result(t, w.Body)
}

func result(t testing.TB, body io.Reader) string {
	t.Helper()
	var r reply
	if err := json.NewDecoder(body).Decode(&r); err != nil {
		t.Fatal(err)
	}
	if r.Model == "" || len(r.Acknowledgements) == 0 {
		t.Fatalf("answer %+v", r)
	}
	return r.Result
}

// words removes comments.
func words(conllu string) string {
	var b strings.Builder
	for line := range strings.Lines(conllu) {
		if !strings.HasPrefix(line, "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// must returns what a call returns without an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
