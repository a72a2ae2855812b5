package serve

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
)

// newClass is newBench with a model.
func newClass(t *testing.T, teacher Teacher) *bench {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trees.conllu")
	if err := os.WriteFile(file, []byte(toCorrect), 0o640); err != nil {
		t.Fatal(err)
	}
	c := Corrections{File: file, Who: "Ann", Now: time.Now, Confidence: readConf, Teacher: teacher}
	return &bench{must(NewEditor(c, "1.2.3", DefaultLimits(), t.Output())), t, file}
}

// The page gets the most probable heads, relations and tags of the words of a sentence, and
// none of a model that it does not have.
func TestOffers(t *testing.T) {
	b := newClass(t, Teacher{Offers: func(s *syntax.Sentence) ([]model.Offers, error) {
		if s.ID == "a" {
			return nil, errors.New("this one is too long")
		}
		all := make([]model.Offers, 2)
		for i := range 8 {
			all[0].Head = append(all[0].Head, model.Offer[int32]{Value: int32(i), Probability: float32(8-i) / 64})
		}
		all[1].Deprel = []model.Offer[string]{{Value: s.Words[1].Deprel, Probability: 0.75}, {Value: "obl", Probability: 0.125}}
		all[1].UPOS = []model.Offer[string]{{Value: s.Words[1].UPOS, Probability: 0.998}, {Value: "ADV", Probability: 0.002}}
		return all, nil
	}})
	before := b.at(0)
	w := b.send("GET", "/offers?at=0", "")
	want := `{"at":0,"version":"` + before.Version + `","words":[` +
		`{"head":[{"value":0,"p":0.125},{"value":1,"p":0.109375},{"value":2,"p":0.09375},{"value":3,"p":0.078125},{"value":4,"p":0.0625}],"deprel":[],"upos":[]},` +
		`{"head":[],"deprel":[{"value":"advmod","p":0.75},{"value":"obl","p":0.125}],"upos":[{"value":"PART","p":0.998}]}]}`
	if w.Code != http.StatusOK || w.Body.String() != want {
		t.Errorf("status %d: %s, want %s", w.Code, w.Body, want)
	}
	for path, want := range map[string]string{"/offers?at=2": "this one is too long", "/offers?at=3": "no sentence at this place", "/offers": "no sentence at this place"} {
		if w := b.send("GET", path, ""); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: status %d: %s", path, w.Code, w.Body)
		}
	}
	after := b.sheet(b.post("/change", 0, `"word":2,"deprel":"discourse"`)) // they are about the tree as it is now
	if w := b.send("GET", "/offers?at=0", "").Body.String(); w != strings.NewReplacer("advmod", "discourse", before.Version, after.Version).Replace(want) {
		t.Errorf("after a change: %s", w)
	}
	if w := b.send("GET", "/offers?at=0", "", "Host", "elsewhere.org"); w.Code != http.StatusForbidden {
		t.Errorf("a stranger: status %d", w.Code)
	}
	if page := b.send("GET", "/", "").Body.String(); !strings.Contains(page, `id="offers"`) || strings.Contains(page, `id="adapt"`) {
		t.Error(page)
	}
	plain := newBench(t, toCorrect)
	for _, path := range []string{"/offers?at=0", "/adapt"} {
		if w := plain.send("GET", path, ""); w.Code != http.StatusNotFound {
			t.Errorf("%s without a model: status %d", path, w.Code)
		}
	}
	if page := plain.send("GET", "/", "").Body.String(); strings.Contains(page, `id="offers"`) || strings.Contains(page, `id="adapt"`) {
		t.Error(page)
	}
}

// Offers are within the limits of the server, and nothing is parsed for those who have gone.
func TestOffersWithinLimits(t *testing.T) {
	begun, release := make(chan bool, 9), make(chan bool)
	b := newClass(t, Teacher{Offers: func(*syntax.Sentence) ([]model.Offers, error) {
		begun <- true
		<-release
		return nil, nil
	}})
	b.gate.limits.Open = 2
	first, second := make(chan int), make(chan int)
	ask := func(ctx context.Context, to chan int) {
		defer func() { recover() }() // http.ErrAbortHandler: nobody gets the answer
		r := httptest.NewRequestWithContext(ctx, "GET", "http://localhost/offers?at=0", nil)
		w := httptest.NewRecorder()
		defer func() { to <- w.Code }()
		b.ServeHTTP(w, r)
	}
	go ask(t.Context(), first)
	<-begun
	gone, leave := context.WithCancel(t.Context())
	go ask(gone, second)
	for b.gate.open() < 2 {
		time.Sleep(time.Millisecond)
	}
	if w := b.send("GET", "/offers?at=1", ""); w.Code != http.StatusServiceUnavailable {
		t.Errorf("over the limit: status %d: %s", w.Code, w.Body)
	}
	leave()
	close(release)
	if code := <-first; code != http.StatusOK {
		t.Errorf("status %d", code)
	}
	if <-second; len(begun) > 0 {
		t.Error("a sentence was parsed for somebody who had gone")
	}
}

// The model learns the corrected sentences alone, once at a time, and the page sees how far
// it is and what has come of it.
func TestAdaptFromPage(t *testing.T) {
	begun, outcome := make(chan string), make(chan error)
	b := newClass(t, Teacher{Model: "mine.tbm", Adapt: func(trees []byte, say func(string)) (string, error) {
		for i := range 20 {
			say("line " + string(rune('a'+i)))
		}
		begun <- string(trees)
		err := <-outcome
		if err != nil && err.Error() == "panic" {
			panic("a defect")
		}
		return "better", err
	}})
	state := func(method, body string) (l lesson) {
		t.Helper()
		w := b.send(method, "/adapt", body)
		if err := json.Unmarshal(w.Body.Bytes(), &l); err != nil || w.Code != http.StatusOK {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		return l
	}
	ended := func() lesson {
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			if l := state("GET", ""); !l.Running {
				return l
			}
		}
		t.Fatal("it does not end")
		return lesson{}
	}
	if l := state("GET", ""); l.Running || l.Verdict != "" || l.Lines == nil {
		t.Errorf("before: %+v", l)
	}
	b.sheet(b.post("/change", 0, `"word":0`))
	if w := b.send("POST", "/adapt", "{}"); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "at least 2") {
		t.Errorf("one sentence: status %d: %s", w.Code, w.Body)
	}
	b.sheet(b.post("/change", 2, `"word":0`))
	for i, c := range []struct {
		err  error
		want lesson
	}{{nil, lesson{Sentences: 2, Verdict: "better"}}, {errors.New("worse"), lesson{Sentences: 2, Verdict: "worse", Failed: true}},
		{errors.New("panic"), lesson{Sentences: 2, Verdict: "nothing was written: the program has a defect: a defect", Failed: true}}} {
		if l := state("POST", "{}"); !l.Running || l.Sentences != 2 {
			t.Errorf("%d: %+v", i, l)
		}
		trees := <-begun
		if strings.Count(trees, "# corrected = ") != 2 || !strings.Contains(trees, "# sent_id = a\n") || !strings.Contains(trees, "# sent_id = b\r\n") || strings.Contains(trees, "# sent_id = c") || !strings.HasSuffix(trees, "\n\n") {
			t.Errorf("it learns %q", trees)
		}
		if w := b.send("POST", "/adapt", "{}"); w.Code != http.StatusConflict {
			t.Errorf("twice at once: status %d: %s", w.Code, w.Body)
		}
		if l := state("GET", ""); !l.Running || len(l.Lines) != shownLines || l.Lines[shownLines-1] != "line t" {
			t.Errorf("%d: while it runs: %+v", i, l)
		}
		outcome <- c.err
		l := ended()
		l.Lines = nil
		if l.Verdict != c.want.Verdict || l.Failed != c.want.Failed || l.Sentences != 2 {
			t.Errorf("%d: %+v, want %+v", i, l, c.want)
		}
	}
	if w := b.send("POST", "/adapt", "{}", "Origin", "http://elsewhere.org"); w.Code != http.StatusForbidden {
		t.Errorf("a page of another server: status %d", w.Code)
	}
	if page := b.send("GET", "/", "").Body.String(); !strings.Contains(page, `id="adapt"`) || !strings.Contains(page, "mine.tbm") || strings.Contains(page, `id="offers"`) {
		t.Error(page)
	}
}

// A sentence that is no tree is named as the page does: the lines of the sentences that are
// learned are not those of the file. There the least certain one comes first.
func TestAdaptNoTree(t *testing.T) {
	const left, done = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n", "# corrected = 2026-11-26T17:00:00Z Ann\n"
	for _, c := range []struct{ head, want string }{{"2", "sentence 2: the heads of word 2 lead back to it"}, {"0", "sentence 2: words 1 and 2 are both roots"}, {"x", `sentence 2: "x" is not a number`}} {
		file := filepath.Join(t.TempDir(), "trees.conllu")
		text := left + done + left + done + strings.TrimSuffix(left, "\n") + "2\tb\t_\tX\t_\t_\t" + c.head + "\tdep\t_\t_\n"
		must(0, os.WriteFile(file, []byte(text), 0o640))
		adapt := func([]byte, func(string)) (string, error) { return "", errors.New("it learns") }
		b := &bench{must(NewEditor(Corrections{File: file, Now: time.Now, Confidence: readConf, Teacher: Teacher{Adapt: adapt}}, "", DefaultLimits(), t.Output())), t, file}
		if w := b.send("POST", "/adapt", "{}"); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("head %s: status %d: %s", c.head, w.Code, w.Body)
		}
	}
}
