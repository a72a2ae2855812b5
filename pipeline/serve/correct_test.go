package serve

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/parser/syntax"
)

// toCorrect is a file with what a change must leave alone: a byte order mark, line ends
// of two kinds, comments, white space, a multiword token, an empty node, a block that is
// no sentence, and no line feed at its end.
const toCorrect = "\ufeff# generator = somebody\n# sent_id = a\n# text = She saw boats.\n" +
	"1\tShe\tshe\tPRON\tPRP\t_\t2\tnsubj\t_\tHeadConf=0.9900|DeprelConf=0.9800\n" +
	"2\tsaw\tsee\tVERB\tVBD\t_\t0\troot\t2:root\tHeadConf=0.9900|DeprelConf=0.9900\n" +
	"3\tboats\tboat\tNOUN\tNNS\t_\t2\tobj\t_\tHeadConf=0.9900|DeprelConf=0.9900\n" +
	"4\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\tHeadConf=0.9900|DeprelConf=0.9900\n" +
	"\n \n# no sentence\n1\tx\n\n" +
	"# sent_id = b\r\n# note = é\r\n" +
	"1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\tX=1\r\n" +
	"1\tdo\tdo\tAUX\tVB\t_\t3\taux\t_\tHeadConf=0.6000|DeprelConf=0.5000\r\n" +
	"2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\tHeadConf=0.6000|DeprelConf=0.5000\r\n" +
	"3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\tHeadConf=0.6000|DeprelConf=0.5000\r\n" +
	"3.1\tgo\tgo\tVERB\tVB\t_\t_\t_\t0:root\t_\r\n" +
	"4\thome\thome\tADV\tRB\t_\t3\tobj\t_\tHeadConf=0.6000|DeprelConf=0.5000\r\n" +
	"\r\n# sent_id = c\n1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\tDeprelConf=0.9000"

// readConf reads the probabilities of these sentences.
func readConf(s *syntax.Sentence) {
	for i := range s.Words {
		p, _ := syntax.Value(s.Words[i].Misc, syntax.DeprelConfKey)
		v, _ := strconv.ParseFloat(p, 32)
		s.Confidence.HeadConf, s.Confidence.DeprelConf = append(s.Confidence.HeadConf, float32(v)), append(s.Confidence.DeprelConf, float32(v))
	}
}

// A bench is an editor of a file, and a clock that stands still.
type bench struct {
	*Server
	t    *testing.T
	file string
}

func newBench(t *testing.T, text string) *bench {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trees.conllu")
	if err := os.WriteFile(file, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	return openBench(t, file)
}

func openBench(t *testing.T, file string) *bench {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 11, 26, 18, 0, 0, 0, time.FixedZone("", 3600)) }
	s := must(NewEditor(Corrections{File: file, Who: "Ann\nB", Now: now, Confidence: readConf}, "1.2.3", DefaultLimits(), t.Output()))
	return &bench{s, t, file}
}

func (b *bench) text() string { return string(must(os.ReadFile(b.file))) }

// send sends a request as the page does, unless headers say otherwise.
func (b *bench) send(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost:8080"+path, strings.NewReader(body))
	if method == "POST" {
		r.Header.Set("Origin", "http://localhost:8080")
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}

// at returns the sentence at a place.
func (b *bench) at(n int) sheet {
	b.t.Helper()
	return b.sheet(b.send("GET", "/sentence?at="+strconv.Itoa(n), ""))
}

func (b *bench) sheet(w *httptest.ResponseRecorder) (d sheet) {
	b.t.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil || w.Code != http.StatusOK {
		b.t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return d
}

// post changes the sentence at a place as it is now.
func (b *bench) post(path string, at int, change string) *httptest.ResponseRecorder {
	b.t.Helper()
	return b.send("POST", path, `{"at":`+strconv.Itoa(at)+`,"version":"`+b.at(at).Version+`",`+change+`}`)
}

// The least certain sentence comes first, and a corrected one last when the file is opened
// again. A change is in the file when it is answered, with who and when, and all other
// bytes stay. Undoing all gives back the file.
func TestCorrect(t *testing.T) {
	b := newBench(t, toCorrect)
	if ids := b.at(0).ID + b.at(1).ID + b.at(2).ID; ids != "bca" || b.edited.left != 1 {
		t.Errorf("the order is %s, %d blocks are left", ids, b.edited.left)
	}
	const mark = "# corrected = 2026-11-26T17:00:00Z Ann B"
	want := toCorrect
	swap := func(old, new string) {
		t.Helper()
		if strings.Count(want, old) != 1 {
			t.Fatalf("%q is %d times in %q", old, strings.Count(want, old), want)
		}
		want = strings.Replace(want, old, new, 1)
	}
	var states []string
	step := func(at int, change string) sheet {
		t.Helper()
		states = append(states, b.text())
		d := b.sheet(b.post("/change", at, change))
		if got := b.text(); got != want {
			t.Fatalf("%s: the file is\n%q\nwant\n%q", change, got, want)
		}
		return d
	}
	swap("# note = é\r\n", "# note = é\r\n"+mark+"\r\n")
	swap("ADV\tRB\t_\t3\tobj\t", "ADV\tRB\t_\t3\tadvmod\t")
	if d := step(0, `"word":4,"deprel":"advmod"`); d.Corrected != "2026-11-26T17:00:00Z Ann B" || d.Words[3].DeprelConf != 1 || d.Words[2].DeprelConf != 0.5 || d.Changes != 1 || len(d.Remarks) != 0 {
		t.Errorf("%+v", d)
	}
	// The old root depends on the new one, and the reader is told to say how.
	swap("VB\t_\t3\taux\t", "VB\t_\t0\troot\t")
	swap("VB\t_\t0\troot\t_\tHeadConf=0.6000|DeprelConf=0.5000\r\n3.1", "VB\t_\t1\tdep\t_\tHeadConf=0.6000|DeprelConf=0.5000\r\n3.1")
	if d := step(0, `"word":1,"head":0`); len(d.Remarks) != 1 || d.Remarks[0].Word != 3 || !strings.Contains(d.Remarks[0].Reason, "in place of dep") {
		t.Errorf("%+v", d.Remarks)
	}
	swap("1\tYes\tyes\tINTJ\t", mark+"\n1\tYes\tyes\tADV\t")
	step(1, `"word":1,"upos":"ADV"`)
	swap("# text = She saw boats.\n", "# text = She saw boats.\n"+mark+"\n")
	if d := step(2, `"word":0`); d.Corrected == "" {
		t.Error("the sentence is not marked as right")
	}
	if d := b.sheet(b.post("/change", 2, `"word":0`)); d.Changes != len(states) {
		t.Errorf("to say so again at the same time is change %d, want %d", d.Changes, len(states))
	}
	for _, u := range b.edited.undos {
		if cap(u.before) > 2*len(u.before) {
			t.Errorf("an undo of %d bytes holds %d", len(u.before), cap(u.before))
		}
	}
	if mode := must(os.Stat(b.file)).Mode().Perm(); mode != 0o640 {
		t.Errorf("the permissions are %o", mode)
	}
	if list := must(os.ReadDir(filepath.Dir(b.file))); len(list) != 1 {
		t.Errorf("other files were left: %v", list)
	}
	again := openBench(t, b.file)
	if ids := again.at(0).ID + again.at(1).ID + again.at(2).ID; ids != "bca" || again.at(0).Changes != 0 {
		t.Errorf("opened again: the order is %s", ids)
	}
	for n := len(states); n > 0; n-- {
		number := `{"changes":` + strconv.Itoa(n) + `}`
		d := b.sheet(b.send("POST", "/undo", number))
		if got := b.text(); got != states[n-1] || d.Changes != n-1 {
			t.Fatalf("undo %d: %d changes are left, and the file is\n%q\nwant\n%q", n, d.Changes, got, states[n-1])
		}
	}
	if w := b.send("POST", "/undo", `{"changes":0}`); w.Code != http.StatusBadRequest || b.text() != toCorrect {
		t.Errorf("nothing to undo: status %d", w.Code)
	}
	b.post("/change", 2, `"word":1,"upos":"NOUN"`)
	if again := openBench(t, b.file); again.at(2).ID != "a" || again.at(2).Corrected == "" {
		t.Errorf("the corrected sentence is not the last one: %+v", again.at(2))
	}
}

// Who has seen an older sentence, or an older file, changes nothing.
func TestCorrectStale(t *testing.T) {
	b := newBench(t, toCorrect)
	seen := b.at(0)
	b.sheet(b.post("/change", 0, `"word":4,"deprel":"advmod"`))
	b.sheet(b.post("/change", 1, `"word":1,"upos":"ADV"`)) // another sentence may change
	before := b.text()
	for what, w := range map[string]*httptest.ResponseRecorder{
		"an old sentence": b.send("POST", "/change", `{"at":0,"version":"`+seen.Version+`","word":4,"deprel":"obl"}`),
		"an old trial":    b.send("POST", "/try", `{"at":0,"version":"`+seen.Version+`","word":4,"deprel":"obl"}`),
		"no version":      b.send("POST", "/change", `{"at":0,"word":4,"deprel":"obl"}`),
		"an old change":   b.send("POST", "/undo", `{"changes":1}`),
	} {
		if w.Code != http.StatusConflict || b.text() != before {
			t.Errorf("%s: status %d: %s", what, w.Code, w.Body)
		}
	}
	other := strings.Replace(before, "boats.", "ships.", 1)
	must(0, os.WriteFile(b.file, []byte(other), 0o640))
	for what, w := range map[string]*httptest.ResponseRecorder{
		"a change": b.post("/change", 2, `"word":1,"upos":"NOUN"`),
		"an undo":  b.send("POST", "/undo", `{"changes":2}`),
	} {
		if w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "changed on disk") || b.text() != other {
			t.Errorf("%s of a file that has changed: status %d: %s", what, w.Code, w.Body)
		}
	}
	must(0, os.WriteFile(b.file, []byte(before), 0o640))
	b.sheet(b.send("POST", "/undo", `{"changes":2}`))
	d := b.sheet(b.post("/change", 2, `"word":1,"upos":"NOUN"`))
	if w := b.send("POST", "/undo", `{"changes":2}`); w.Code != http.StatusConflict || d.Changes == 2 {
		t.Errorf("a change that another page has undone, and followed by change %d: status %d", d.Changes, w.Code)
	}
	must(0, os.Remove(b.file))
	if w := b.post("/change", 2, `"word":1,"upos":"NOUN"`); w.Code != http.StatusConflict {
		t.Errorf("a file that is gone: status %d", w.Code)
	}
}

// Two servers correct one file: neither writes between the look of the other at the file and
// its change.
func TestCorrectLocked(t *testing.T) {
	b := newBench(t, toCorrect)
	folder := flock.New(filepath.Dir(b.file), flock.SetFlag(os.O_RDONLY))
	if held, err := folder.TryLock(); err != nil || !held {
		t.Skip("no locks here: ", err)
	}
	done := make(chan *httptest.ResponseRecorder)
	go func() { done <- b.post("/change", 0, `"word":4,"deprel":"advmod"`) }()
	select {
	case <-done:
		t.Fatal("a change did not wait for the lock")
	case <-time.After(100 * time.Millisecond):
	}
	other := strings.Replace(toCorrect, "boats.", "ships.", 1)
	must(0, os.WriteFile(b.file, []byte(other), 0o640))
	must(0, folder.Close())
	if w := <-done; w.Code != http.StatusConflict || b.text() != other {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}

// What would be no tree is refused with what to do instead, and saves nothing; what breaks
// a rule is told, as one tries it, too.
func TestCorrectRules(t *testing.T) {
	b := newBench(t, toCorrect)
	for change, want := range map[string]string{
		`"word":3,"head":4`:                "is the root",
		`"word":4,"head":4`:                "cannot depend on itself",
		`"word":4,"head":5`:                "no word 5",
		`"word":4,"head":-1`:               "no word -1",
		`"word":5,"upos":"ADV"`:            "no word 5",
		`"word":0,"upos":"ADV"`:            "no word 0",
		`"word":4,"upos":"ADVERB"`:         "not a part of speech",
		`"word":4,"upos":"A\tB"`:           "not a part of speech",
		`"word":4,"deprel":"x"`:            "not a relation",
		`"word":4,"deprel":"nsubj:\n1"`:    "not a relation",
		`"word":4,"deprel":"root"`:         "the relation root",
		`"word":3,"deprel":"obj"`:          "the relation root",
		`"word":4,"deprel":7`:              "not the JSON",
		`"word":4,"file":"x"`:              "not the JSON",
		`"word":4,"upos":"ADV"} {"word":4`: "not the JSON",
		`"word":4,"deprel":"` + strings.Repeat("a", maxChange) + `"`: "at most",
	} {
		for _, path := range []string{"/try", "/change"} {
			w := b.post(path, 0, change)
			if said := w.Body.String(); w.Code < 400 || w.Code >= 500 || !strings.Contains(said, want) || strings.Contains(said, "nil") || b.text() != toCorrect {
				t.Errorf("%s %.60s: status %d: %s, want %q", path, change, w.Code, w.Body, want)
			}
		}
	}
	w := b.post("/try", 0, `"word":2,"deprel":"obj"`)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "obj: go has one already") || b.text() != toCorrect {
		t.Errorf("a second object: %d: %s", w.Code, w.Body)
	}
	// A cycle needs two steps.
	b.sheet(b.post("/change", 0, `"word":4,"head":1`))
	before := b.text()
	if w := b.post("/change", 0, `"word":1,"head":4`); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "cycle") || b.text() != before {
		t.Errorf("a cycle: %d: %s", w.Code, w.Body)
	}
}

// Trees that are none can be made trees, step by step.
func TestCorrectNoTree(t *testing.T) {
	b := newBench(t, "1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n2\tb\t_\tX\t_\t_\t3\tdep\t_\t_\n3\tc\t_\tX\t_\t_\t2\tdep\t_\t_\n")
	if d := b.at(0); len(d.Remarks) == 0 {
		t.Errorf("no remarks: %+v", d)
	}
	b.post("/change", 0, `"word":2,"head":0`)
	b.post("/change", 0, `"word":3,"deprel":"flat"`)
	if d := b.sheet(b.post("/change", 0, `"word":1,"head":2,"deprel":"discourse"`)); len(d.Remarks) != 0 {
		t.Errorf("%+v", d.Remarks)
	}
	if got := words(b.text()); got != "1\ta\t_\tX\t_\t_\t2\tdiscourse\t_\t_\n2\tb\t_\tX\t_\t_\t0\troot\t_\t_\n3\tc\t_\tX\t_\t_\t2\tflat\t_\t_\n" {
		t.Error(got)
	}
}

// Only pages of this server, asked for at this machine, read and change the file.
func TestCorrectStrangers(t *testing.T) {
	b := newBench(t, toCorrect)
	change := `{"at":0,"version":"` + b.at(0).Version + `","word":4,"deprel":"advmod"}`
	for _, c := range []struct {
		method  string
		headers []string
		status  int
	}{
		{"GET", nil, 200},
		{"GET", []string{"Host", "127.0.0.1:9"}, 200},
		{"GET", []string{"Host", "[::1]:9"}, 200},
		{"GET", []string{"Host", "[::1]"}, 200},
		{"GET", []string{"Host", "evil.example:8080"}, 403},
		{"GET", []string{"Host", "localhost.evil.example"}, 403},
		{"GET", []string{"Host", "10.0.0.1:8080"}, 403},
		{"GET", []string{"Host", ""}, 403},
		{"GET", []string{"Origin", "http://evil.example"}, 403},
		{"GET", []string{"Origin", "null"}, 403},
		{"GET", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"GET", []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"GET", []string{"Sec-Fetch-Site", "none"}, 200},
		{"OPTIONS", []string{"Origin", "http://evil.example"}, 403},
		{"POST", []string{"Origin", "http://evil.example"}, 403},
		{"POST", []string{"Origin", "http://localhost:9090"}, 403},
		{"POST", []string{"Origin", "https://localhost:8080"}, 403},
		{"POST", []string{"Origin", ""}, 403},
		{"POST", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"POST", []string{"Host", "evil.example:8080", "Origin", "http://evil.example:8080"}, 403},
		{"POST", []string{"Content-Type", "text/plain"}, 415},
		{"POST", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415},
	} {
		path, body := "/sentence?at=0", ""
		if c.method == "POST" {
			path, body = "/change", change
		}
		w := b.send(c.method, path, body, c.headers...)
		if w.Code != c.status || b.text() != toCorrect || w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s %q: status %d, want %d: %v", c.method, c.headers, w.Code, c.status, w.Header())
		}
	}
	if w := b.send("GET", "/change", ""); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("GET /change: %d", w.Code)
	}
	for _, at := range []string{"3", "-1", "x", ""} {
		if w := b.send("GET", "/sentence?at="+at, ""); w.Code != http.StatusBadRequest {
			t.Errorf("sentence %q: %d", at, w.Code)
		}
	}
	for _, more := range []string{"}", "]", "{}", "x"} {
		if w := b.send("POST", "/change", change+more); w.Code != http.StatusBadRequest || b.text() != toCorrect {
			t.Errorf("%s after a change: %d", more, w.Code)
		}
	}
	b.sheet(b.send("POST", "/change", change)) // the same is right otherwise
	if n := b.gate.open(); n != 0 {
		t.Errorf("%d requests are still open", n)
	}
}

// The page is complete and harmless, and the linked file is corrected, not the link.
func TestCorrectPage(t *testing.T) {
	b := newBench(t, toCorrect)
	link := filepath.Join(t.TempDir(), "link.conllu")
	if err := os.Symlink(b.file, link); err == nil {
		l := openBench(t, link)
		l.sheet(l.post("/change", 0, `"word":0`))
		if info := must(os.Lstat(link)); info.Mode().IsRegular() || b.text() == toCorrect {
			t.Error("the link was replaced")
		}
	}
	w := b.send("GET", "/", "")
	page := w.Body.String()
	if policy := w.Header().Get("Content-Security-Policy"); w.Code != 200 || !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("status %d, policy %q", w.Code, policy)
	}
	for _, want := range []string{"trees.conllu", "Ann B", `<option value="nsubj">`, `<option value="PROPN">`, "cannot be corrected here: 1."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	script := b.send("GET", "/edit.js", "").Body.String()
	for _, part := range []string{page, script, b.send("GET", "/page.css", "").Body.String()} {
		if len(part) < 500 || strings.Contains(part, "http:") || strings.Contains(part, "https:") || strings.Contains(part, " style=") || strings.Contains(part, "onclick") || strings.Contains(part, "innerHTML") {
			t.Errorf("this part of the page has an address, a style or a script in a tag:\n%.200s", part)
		}
	}
	for file, want := range map[string]string{"": "has no sentence", "a\tb\n": "has no sentence", "\xff\xfe1\x00\t\x00a\x00\n\x00": "in UTF-16; make it UTF-8 first"} {
		name := filepath.Join(t.TempDir(), "x.conllu")
		must(0, os.WriteFile(name, []byte(file), 0o600))
		if _, err := NewEditor(Corrections{File: name, Now: time.Now, Confidence: readConf}, "", DefaultLimits(), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", file, err)
		}
	}
	for _, name := range []string{t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		if _, err := NewEditor(Corrections{File: name, Now: time.Now, Confidence: readConf}, "", DefaultLimits(), nil); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// A rewritten sentence has the bytes that it had, and a comment; and its words are read
// again as they were.
func FuzzRewrite(f *testing.F) {
	f.Add(toCorrect)
	f.Add("1\ta\t\t_\t_\t_\t0\troot\t_\t_\n# late\n2\tb\xff\t_\t_\t_\t_\t7\tx\t_\t_\r\r\n")
	f.Add("0.1\te\t_\t_\t_\t_\t_\t_\t_\t_\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\t_\t_\t_\t_\t0\troot\t_\t-.\n2\tb\t_\t_\t_\t_\t1\tdep\t_\t_")
	f.Fuzz(func(t *testing.T, text string) {
		const note = correctedComment + "2026-11-26T17:00:00Z"
		for b, err := range conllu.Read(strings.NewReader(text), conllu.Options{}) {
			if err != nil || b.Err != nil || len(b.Sentence.Words) == 0 || len(b.Sentence.Comments) == syntax.MaxComments || strings.Contains(b.Raw, correctedComment) {
				continue
			}
			words := b.Sentence.Words
			got := string(rewrite([]byte(b.Raw), words, words, note, "Ann"))
			if one := strings.Replace(strings.Replace(got, note+" Ann\r\n", "", 1), note+" Ann\n", "", 1); one != b.Raw || one == got {
				t.Fatalf("%q became %q", b.Raw, got)
			}
			again, err := conllu.NewReader(strings.NewReader(got), conllu.Options{}).Next()
			if err != nil || again.Err != nil || !slices.Equal(again.Sentence.Words, words) {
				t.Fatalf("%q is read as %+v, %v", got, again.Sentence.Words, again.Err)
			}
		}
	})
}
