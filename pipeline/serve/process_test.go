package serve

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/treebeam/treebeam"
	"github.com/treebeam/treebeam/parser/syntax"
)

const story = "The old boat wasn't theirs to sell.  Nobody said so.\n\nIt sank in 1912, off Cádiz!\n"

// The trees are those of a call from Go.
func TestTreesAreTheParsers(t *testing.T) {
	m := must(treebeam.Open(fast.Path))
	want := must(m.Parse(story))
	var sentences []treebeam.Sentence
	for _, s := range want {
		for i := range s.Words {
			s.Words[i].Misc = ""
		}
		for i := range s.Multiword {
			s.Multiword[i].Misc = ""
		}
		sentences = append(sentences, s)
	}
	s := newServer(t, Limits{})
	got := process(t, s, "data", story, "tokenizer", "", "tagger", "", "parser", "")
	var b strings.Builder
	for line := range strings.Lines(words(got)) {
		if i := strings.LastIndexByte(line, '\t'); i >= 0 {
			line = line[:i] + "\t_\n"
		}
		b.WriteString(line)
	}
	if want := words(string(treebeam.AppendCoNLLU(nil, "x", sentences))); b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	head := "# generator = treebeam 1.2.3\n# model = english-fast\n# newdoc\n# newpar\n# sent_id = 1\n# text = The old boat wasn't theirs to sell.\n"
	if !strings.HasPrefix(got, head) || strings.Count(got, "# newdoc") != 1 || strings.Count(got, "# newpar") != 2 || strings.Count(got, "# generator") != 1 {
		t.Errorf("comments of\n%s", got)
	}
}

// column returns a column of all words, in order.
func column(conllu string, n int) []string {
	var list []string
	for line := range strings.Lines(words(conllu)) {
		if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) == 10 && !strings.Contains(f[0], "-") {
			list = append(list, f[n])
		}
	}
	return list
}

// Only what is asked for is done, and what is there is done again where it is.
func TestSteps(t *testing.T) {
	s := newServer(t, Limits{})
	all := process(t, s, "data", story, "tokenizer", "", "tagger", "", "parser", "")
	empty := func(list []string) bool { return strings.Trim(strings.Join(list, ""), "_") == "" }
	for _, c := range []struct {
		name        string
		pairs       []string
		tags, trees bool
	}{
		{"tokens", []string{"tokenizer", ""}, false, false},
		{"none", []string{"tokenizer", "", "tagger", "none", "parser", "none"}, false, false},
		{"tags", []string{"tokenizer", "", "tagger", ""}, true, false},
		{"trees", []string{"tokenizer", "", "parser", ""}, false, true},
		{"generic", []string{"input", "generic_tokenizer", "tagger", "", "parser", ""}, true, true},
		{"again", []string{"data", all, "tagger", "", "parser", ""}, true, true},
		{"as it is", []string{"data", all}, true, true},
	} {
		got := process(t, s, append([]string{"data", story}, c.pairs...)...)
		for n, want := range map[int]bool{2: c.tags, 3: c.tags, 5: c.tags, 6: c.trees, 7: c.trees} {
			switch {
			case !want && !empty(column(got, n)):
				t.Errorf("%s: column %d is %q", c.name, n+1, column(got, n))
			case want && !slices.Equal(column(got, n), column(all, n)):
				t.Errorf("%s: column %d is %q, want %q", c.name, n+1, column(got, n), column(all, n))
			}
		}
	}
	// Wrong tags and heads do not survive the tagger and the parser; tags that are given do without a tagger.
	given := "# generator = someone\n# sent_id = a\n1\tNobody\tx\tX\tX\tA=b\t2\tdep\t_\tK=v\n2\tsaid\ty\tVERB\tX\t_\t0\troot\t_\t_\n3\tso\tz\tX\tX\t_\t1\tdep\t_\t_\n\n"
	got := process(t, s, "data", given, "tagger", "", "parser", "")
	want := "# generator = treebeam 1.2.3\n# model = english-fast\n# sent_id = a\n" +
		"1\tNobody\tnobody\tPRON\tNN\tNumber=Sing|PronType=Neg\t2\tnsubj\t_\tK=v\n2\tsaid\tsay\tVERB\tVBD\tMood=Ind|Number=Sing|Person=3|Tense=Past|VerbForm=Fin\t0\troot\t_\t_\n3\tso\tso\tADV\tRB\t_\t2\tadvmod\t_\t_\n\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := process(t, s, "data", given, "parser", ""); !slices.Equal(column(got, 3), []string{"X", "VERB", "X"}) || !slices.Equal(column(got, 6), []string{"2", "0", "2"}) {
		t.Errorf("parser alone:\n%s", got)
	}
}

// Heads that make no tree are refused where they would be kept, and replaced
// where the parser is asked for.
func TestBadHeads(t *testing.T) {
	s := newServer(t, Limits{})
	for _, heads := range [][3]string{{"2", "1", "1"}, {"0", "0", "1"}, {"9", "0", "2"}, {"x", "0", "2"}, {"1", "0", "2"}} {
		given := "1\tNobody\t_\t_\t_\t_\t" + heads[0] + "\tx\t_\t_\n2\tsaid\t_\t_\t_\t_\t" + heads[1] + "\tx\t_\t_\n3\tso\t_\t_\t_\t_\t" + heads[2] + "\tx\t_\t_\n\n"
		if w := ask(t, s, "/process", "data", given, "output", "horizontal"); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "column HEAD") {
			t.Errorf("%v: status %d: %s", heads, w.Code, w.Body)
		}
		if got := column(process(t, s, "data", given, "tagger", "", "parser", ""), 6); !slices.Equal(got, []string{"2", "0", "2"}) {
			t.Errorf("%v: heads %q", heads, got)
		}
	}
}

func TestTokenizerOptions(t *testing.T) {
	s := newServer(t, Limits{})
	lines := "So it\nis\nNobody said\n"
	if got := process(t, s, "data", lines, "tokenizer", "presegmented;ranges"); strings.Count(got, "# sent_id") != 3 || !strings.Contains(got, "SpacesAfter=\\n|TokenRange=3:5") {
		t.Errorf("presegmented:\n%s", got)
	}
	if got := process(t, s, "data", "A  b.", "tokenizer", "normalized_spaces"); strings.Contains(got, "SpacesAfter") || !strings.Contains(got, "SpaceAfter=No") {
		t.Errorf("normalized_spaces:\n%s", got)
	}
	if got, want := process(t, s, "data", "A  b.", "tokenizer", "nonsense=3"), process(t, s, "data", "A  b.", "tokenizer", ""); got != want {
		t.Errorf("an option that is not known:\n%s\nwant\n%s", got, want)
	}
}

// All ways to send parameters are the same.
func TestWaysToAsk(t *testing.T) {
	s := newServer(t, Limits{})
	data := "A & b; c=d + 100 % é.\r\nNext\n"
	want := process(t, s, "data", data, "tokenizer", "ranges;presegmented", "model", "english")
	escaped := url.QueryEscape(data)
	form := func(encode func(string) (string, string)) (string, string) {
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		for _, p := range [][2]string{{"model", "english"}, {"tokenizer", "ranges;presegmented"}, {"data", data}} {
			encoding, value := encode(p[1])
			part, err := w.CreatePart(textproto.MIMEHeader{
				"Content-Disposition":       {`form-data; name="` + p[0] + `"; filename="x.txt"`},
				"Content-Type":              {"text/plain; charset=utf-8"},
				"Content-Transfer-Encoding": {encoding},
			})
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(part, value)
		}
		w.Close()
		return w.FormDataContentType(), b.String()
	}
	eight, eightBody := form(func(s string) (string, string) { return "8bit", s })
	coded, codedBody := form(func(s string) (string, string) {
		return "base64", base64.StdEncoding.EncodeToString([]byte(s)) + "\r\n"
	})
	for _, c := range []struct{ name, method, path, kind, body string }{
		{"get", "GET", "/process?tokenizer=ranges;presegmented&model=english&data=" + escaped, "", ""},
		{"the last counts", "GET", "/process?data=x&model=nosuch&tokenizer=ranges;presegmented&model=english&data=" + escaped, "", ""},
		{"body and URL", "POST", "/process?tokenizer=ranges%3Bpresegmented&model=en", "application/x-www-form-urlencoded; charset=utf-8", "data=" + escaped},
		{"8bit", "POST", "/process", eight, eightBody},
		{"base64", "POST", "/process", coded, codedBody},
		{"UDPipe's path", "POST", "/services/udpipe/api/process", eight, eightBody},
	} {
		r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
		if c.kind != "" {
			r.Header.Set("Content-Type", c.kind)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != 200 || w.Header().Get("Content-Type") != "application/json" || w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: status %d, %v: %s", c.name, w.Code, w.Header(), w.Body)
			continue
		}
		if got := result(t, w.Body); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	s := newServer(t, Limits{Body: 2 << 20, Words: 10})
	const form = "application/x-www-form-urlencoded"
	for _, c := range []struct {
		method, path, kind, body string
		status                   int
		text                     string
	}{
		{"GET", "/process", "", "", 400, "The parameter 'data' is required.\n"},
		{"POST", "/process", form, "model=x&data=y", 400, "The requested model 'x' does not exist.\n"},
		{"GET", "/process?data=%zz", "", "", 400, "Cannot parse request URL.\n"},
		{"GET", "/process?data=x&tokenizer&output=pdf", "", "", 400, "Unknown output format 'pdf'.\n"},
		{"GET", "/process?data=x&input=pdf", "", "", 400, "Unknown input format 'pdf'.\n"},
		{"GET", "/process?data=x", "", "", 400, "Cannot parse the input in 'conllu' format: line 1"},
		{"GET", "/process?data=a+b+c+d+e+f+g+h+i+j+k&input=horizontal", "", "", 400, "Sentence longer than 10 words was found on input (11 words), aborting.\n"},
		{"POST", "/process", form, "input=vertical&data=" + strings.Repeat("x", syntax.MaxColumn+1), 400, "Token longer than 1048576 bytes was found on input, aborting.\n"},
		{"POST", "/process", form, "data=%ff", 400, "Cannot parse the application/x-www-form-urlencoded payload: it is not in UTF-8 encoding.\n"},
		{"POST", "/process", form, "data=%f", 400, "Cannot parse the application/x-www-form-urlencoded payload: "},
		{"POST", "/process", form, strings.Repeat("a=1&", 100) + strings.Repeat("ab=1&", 20), 400, "The parameter 'data' is required.\n"},
		{"POST", "/process", "multipart/form-data; boundary=x", "--x\r\nContent-Disp", 400, "Cannot parse the multipart/form-data payload: "},
		{"POST", "/process", "text/plain", "data=x", 400, "Unsupported payload Content-Type 'text/plain'.\n"},
		{"POST", "/process", "", "data=x", 400, "Unsupported payload Content-Type ''.\n"},
		{"POST", "/process", form, "data=" + strings.Repeat("x", 2<<20), 413, "The payload size is too large: the limit is 2097152 bytes.\n"},
		{"POST", "/process", "application/json", "[1]", 400, "Cannot parse the application/json payload: it is not an object.\n"},
		{"PUT", "/process", "", "", 405, "The method PUT is not known; use GET or POST.\n"},
		{"GET", "/nothing", "", "", 404, "No handler for the given URL '/nothing'\n"},
		{"GET", "/tree", "", "", 400, "The parameter 'data' is required.\n"},
		{"GET", "/tree?data=x&model=x", "", "", 400, "The requested model 'x' does not exist.\n"},
	} {
		r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
		if c.kind != "" {
			r.Header.Set("Content-Type", c.kind)
		}
		for _, chunked := range []bool{false, true} {
			r := r.Clone(t.Context())
			r.Body = io.NopCloser(strings.NewReader(c.body))
			if chunked {
				r.ContentLength = -1
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code != c.status || !strings.HasPrefix(w.Body.String(), c.text) || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
				t.Errorf("%s %.60s: status %d: %s", c.method, c.path, w.Code, w.Body)
			}
		}
	}
	if n := s.gate.open(); n != 0 {
		t.Errorf("%d requests are still open", n)
	}
}

// A limit without measure is one: sizes that are made of it are above 0, and a body that is
// announced takes no memory before it comes.
func TestHugeLimit(t *testing.T) {
	s := newServer(t, Limits{Body: math.MaxInt64, Open: math.MaxInt})
	newListener(nil, s.limits)
	if l := s.limits; unwanted*l.Body <= l.Body || l.Memory <= l.Body || l.Bodies < l.Body {
		t.Errorf("the limits are %+v", l)
	}
	r := httptest.NewRequest("POST", "/process", strings.NewReader("data="+strings.Repeat("x", 2*smallBody)))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.ContentLength = 1 << 55
	r.Body = io.NopCloser(io.MultiReader(r.Body, iotest.ErrReader(io.ErrUnexpectedEOF)))
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != 400 || !strings.Contains(w.Body.String(), "unexpected EOF") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}

// A compressed body is refused, and not read as parameters that are missing.
func TestCompressedBody(t *testing.T) {
	s := &Server{limits: Limits{Body: 1000}}
	for coding, refused := range map[string]bool{"gzip": true, "identity": false} {
		r := httptest.NewRequest("POST", "/process", strings.NewReader("data=x"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Content-Encoding", coding)
		_, _, err := s.kind(r)
		if got := err != nil && strings.Contains(err.Error(), "'gzip': send it uncompressed"); got != refused {
			t.Errorf("%s: %v", coding, err)
		}
	}
}

// Too many parameters are refused, whatever they are called.
func TestManyParameters(t *testing.T) {
	p := params{}
	var q strings.Builder
	for i := range maxParams + 1 {
		q.WriteString("p" + strings.Repeat("x", i) + "=1&")
	}
	if err := p.add(q.String()); err == nil || len(p) > maxParams+1 {
		t.Errorf("%d parameters: %v", len(p), err)
	}
}

func TestModels(t *testing.T) {
	s := newServer(t, Limits{})
	w := ask(t, s, "/services/udpipe/api/models")
	var got struct {
		Models  map[string][]string
		Default string `json:"default_model"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Default != "english-fast" || len(got.Models) != 2+len(s.models.others) || !slices.Equal(got.Models["other-one"], []string{"tokenizer", "tagger", "parser"}) {
		t.Errorf("%v: %s", err, w.Body)
	}
	for _, other := range s.models.others { // of the languages in the program, which may have none
		if got.Models[other.name] == nil || strings.ContainsAny(other.name, " ()") {
			t.Errorf("the model %s is not listed", other.name)
		}
	}
	for name, want := range map[string]string{"": "english-fast", "english": "english-fast", "en": "english-fast", "en-ewt": "english-fast", "other": "other-one", "other-one": "other-one"} {
		if m, err := s.models.named(name); err != nil || m.name != want {
			t.Errorf("model %q: %v, %v, want %s", name, m, err, want)
		}
	}
	for _, c := range []struct {
		sources []Source
		want    string
	}{
		{nil, "no model"},
		{[]Source{fast, fast}, "two models have the name english-fast"},
		{[]Source{{"a b", ""}}, "cannot have the name"},
		{[]Source{{"a", "/no/such/file.tbm"}}, "/no/such/file.tbm"},
	} {
		if _, err := New(Config{Models: c.sources}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.sources, err, c.want)
		}
	}
}

// The page asks for nothing but its own parts, runs no script of others, and shows
// what /tree says.
func TestPage(t *testing.T) {
	s := newServer(t, Limits{Shown: 2})
	w := ask(t, s, "/")
	if policy := w.Header().Get("Content-Security-Policy"); w.Code != 200 || !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("status %d, policy %q", w.Code, policy)
	}
	page := w.Body.String()
	for _, name := range []string{"page.css", "page.js"} {
		if !strings.Contains(page, `"`+name+`"`) || ask(t, s, "/"+name).Code != http.StatusOK {
			t.Errorf("the page has no %s", name)
		}
	}
	for _, part := range []string{page, ask(t, s, "/page.css").Body.String(), ask(t, s, "/page.js").Body.String()} {
		if strings.Contains(part, "http:") || strings.Contains(part, "https:") || strings.Contains(part, " style=") || strings.Contains(part, "onclick") || strings.Contains(part, "innerHTML") {
			t.Errorf("this part of the page has an address, a style or a script in a tag:\n%s", part)
		}
	}
	if !strings.Contains(page, `<option value="other-one">`) {
		t.Error("the page has not all models")
	}
	var d drawing
	body := ask(t, s, "/tree", "data", "<b>A</b> & so on. "+story).Body
	if err := json.Unmarshal(body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if d.Model != "english-fast" || len(d.Sentences) != 2 || !d.More {
		t.Errorf("%d sentences of %s, more: %v", len(d.Sentences), d.Model, d.More)
	}
	for i, one := range d.Sentences {
		if !strings.HasPrefix(one.SVG, "<svg ") || strings.Contains(one.SVG, "<b>") || one.Conf < 0 || one.Conf > 1 || len(one.Words) != len(column(one.CoNLLU, 0)) || strings.HasPrefix(one.CoNLLU, "# generator") != (i == 0) {
			t.Errorf("sentence %d: %+v", i, one)
		}
		for _, word := range one.Words {
			if word.DeprelConf < 0 || word.DeprelConf > word.HeadConf+0.01 || word.UPOSConf <= 0 {
				t.Errorf("probabilities of %+v", word)
			}
		}
	}
	if err := json.Unmarshal(ask(t, s, "/tree", "data", " \n").Body.Bytes(), &d); err != nil || len(d.Sentences) != 0 || d.More {
		t.Errorf("no text: %v, %+v", err, d)
	}
}

// A text in another language is acknowledged to the treebank of that language, has its model, and
// says its language where a run does.
func TestLanguageOfText(t *testing.T) {
	s := newServer(t, Limits{})
	if len(s.models.others) == 0 {
		t.Skip("the program has no languages of the world")
	}
	const german = "Der alte Mann wohnt in einem kleinen Haus am Rand der Stadt und liest jeden Abend die Zeitung."
	for name, c := range map[string]struct {
		pairs []string
		want  string
	}{
		"raw":        {[]string{"data", german, "tokenizer", ""}, "# newdoc\n# newpar\n# language = de\n# sent_id = 1\n# text = Der"},
		"horizontal": {[]string{"data", german, "input", "horizontal"}, "# newdoc\n# newpar\n# language = de\n# sent_id = 1\n1\tDer"},
		"conllu":     {[]string{"data", "# sent_id = x\n" + rows(german)}, "# sent_id = x\n# language = de\n1\tDer"},
		"english":    {[]string{"data", story, "tokenizer", ""}, "# newdoc\n# newpar\n# sent_id = 1\n"},
	} {
		w := ask(t, s, "/process", append(c.pairs, "model", "")...)
		var r reply
		if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil || !strings.Contains(r.Result, "\n"+c.want) {
			t.Errorf("%s: %v\n%s\nwant %q", name, err, r.Result, c.want)
		}
		if english := strings.Contains(strings.Join(r.Acknowledgements, " "), "en_ewt"); english != (name == "english") || len(r.Acknowledgements) < 2 {
			t.Errorf("%s is acknowledged to %q", name, r.Acknowledgements)
		}
		model := "german"
		if name == "english" {
			model = s.models.list[0].name
		}
		if r.Model != model || !strings.Contains(r.Result, "# model = "+model+"\n") {
			t.Errorf("%s: the model is %s", name, r.Model)
		}
	}
}

// rows are the words of a text as lines of CoNLL-U without tags.
func rows(text string) string {
	var b strings.Builder
	for i, word := range strings.Fields(text) {
		fmt.Fprintf(&b, "%d\t%s\t_\t_\t_\t_\t_\t_\t_\t_\n", i+1, word)
	}
	return b.String()
}

// A language that contradicts the model is refused, not ignored.
func TestLanguageOfModel(t *testing.T) {
	s := newServer(t, Limits{})
	if len(s.models.others) == 0 {
		t.Skip("the program has no languages of the world")
	}
	for language, want := range map[string]int{"fr": 400, "de,fr": 400, "xx": 400, "de": 200, "German": 200, "auto": 200} {
		if w := ask(t, s, "/process", "data", "Ja.", "tokenizer", "", "model", "german", "language", language); w.Code != want {
			t.Errorf("language=%s: status %d, %s", language, w.Code, w.Body)
		}
	}
}
