package serve

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
)

type wordsReply struct {
	Model            string
	Acknowledgements []string
	Sentences        []wordsSentence
}

func wordsIn(t testing.TB, w *httptest.ResponseRecorder) wordsReply {
	t.Helper()
	var r wordsReply
	d := json.NewDecoder(w.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&r); w.Code != 200 || err != nil || r.Model == "" || len(r.Acknowledgements) == 0 {
		t.Fatalf("status %d, %v, %+v", w.Code, err, r)
	}
	return r
}

func postJSON(s *Server, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// columns are the words as CoNLL-U has them, with TokenRange in MISC of tokens.
func columns(list []wordsSentence) string {
	or := func(s string) string {
		if s == "" {
			return "_"
		}
		return s
	}
	var b strings.Builder
	for _, s := range list {
		multi := s.Multiwords
		for _, w := range s.Words {
			place := "_"
			if w.Start != nil {
				place = fmt.Sprintf("TokenRange=%d:%d", *w.Start, *w.End)
			}
			if len(multi) > 0 && int(multi[0].First) == w.ID {
				fmt.Fprintf(&b, "%d-%d\t%s\t_\t_\t_\t_\t_\t_\t_\t%s\n", multi[0].First, multi[0].Last, multi[0].Form, place)
			}
			if len(multi) > 0 && int(multi[0].First) <= w.ID {
				if place = "_"; int(multi[0].Last) == w.ID {
					multi = multi[1:]
				}
			}
			head := "_"
			if w.Head != nil {
				head = fmt.Sprint(*w.Head)
			}
			var feats []string
			for name, value := range w.Feats {
				feats = append(feats, name+"="+value)
			}
			slices.SortFunc(feats, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
			fmt.Fprintf(&b, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t_\t%s\n", w.ID, w.Form, or(w.Lemma), or(w.UPOS), or(w.XPOS), or(strings.Join(feats, "|")), head, or(w.Deprel), place)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Of several members that are refused, the first in the order of their names is told.
func TestRefusedMembers(t *testing.T) {
	for range 20 {
		err := (params{}).object(`{"d":4,"b":2,"c":3,"a":1}`)
		if err == nil || !strings.Contains(err.Error(), `"a"`) {
			t.Fatal(err)
		}
	}
}

// ranges keeps of MISC where a token is.
func ranges(conllu string) string {
	var b strings.Builder
	for line := range strings.Lines(words(conllu)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) == 10 {
			place, ok := syntax.Value(cells[9], "TokenRange")
			if cells[9] = "_"; ok {
				cells[9] = "TokenRange=" + place
			}
		}
		b.WriteString(strings.Join(cells, "\t") + "\n")
	}
	return b.String()
}

const someText = "“I can't,” she said 👍🏽.\n\nDon't the boats' sails <&> look naïve? Yes."

// The words of JSON are those of CoNLL-U, with the same probabilities as on the page, in
// every form of a request.
func TestWordsAreThoseOfCoNLLU(t *testing.T) {
	s := newServer(t, Limits{})
	form := []string{"data", someText, "tokenizer", "ranges", "tagger", "", "parser", ""}
	want := ranges(process(t, s, form...))
	got := wordsIn(t, ask(t, s, "/process", append(form, "output", "json")...))
	if have := columns(got.Sentences); have != want {
		t.Fatalf("%s\nwant\n%s", have, want)
	}
	body, err := json.Marshal(map[string]any{"data": someText})
	if err != nil {
		t.Fatal(err)
	}
	if have := columns(wordsIn(t, postJSON(s, "/process", string(body))).Sentences); have != want {
		t.Errorf("of JSON: %s", have)
	}
	var page drawing
	if err := json.NewDecoder(ask(t, s, "/tree", "data", someText).Body).Decode(&page); err != nil || len(page.Sentences) != len(got.Sentences) {
		t.Fatalf("%v, %d sentences", err, len(page.Sentences))
	}
	points := []rune(someText)
	for i, sentence := range got.Sentences {
		drawn := page.Sentences[i]
		if *sentence.TreeConf != drawn.Conf || sentence.Text != drawn.Text || sentence.ID != fmt.Sprint(i+1) {
			t.Errorf("%+v, want %+v", sentence, drawn)
		}
		for k, w := range sentence.Words {
			if d := drawn.Words[k]; *w.UPOSConf != d.UPOSConf || *w.HeadConf != d.HeadConf || *w.DeprelConf != d.DeprelConf {
				t.Errorf("%s: %v %v %v, want %+v", w.Form, *w.UPOSConf, *w.HeadConf, *w.DeprelConf, d)
			}
			if token := string(points[*w.Start:*w.End]); !strings.Contains(token, w.Form) && len(sentence.Multiwords) == 0 {
				t.Errorf("%s is in %q", w.Form, token)
			}
		}
	}
}

// What has no tags, no tree and no place says so by leaving it out; steps are switched
// by true and false.
func TestWordsWithoutTrees(t *testing.T) {
	s := newServer(t, Limits{})
	text := postJSON(s, "/process", `{"data": "A b\nc", "input": "horizontal", "tagger": false, "parser": false}`).Body.String()
	const want = `"sentences": [{"id":"1","text":"A b","language":"en","words":[{"id":1,"form":"A"},{"id":2,"form":"b"}]},
{"id":"2","text":"c","language":"en","words":[{"id":1,"form":"c"}]}]
}
`
	if _, got, _ := strings.Cut(text, "],\n "); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := wordsIn(t, postJSON(s, "/process", `{"data": ""}`)); got.Sentences == nil || len(got.Sentences) > 0 {
		t.Errorf("of no text: %+v", got)
	}
	if got := wordsIn(t, postJSON(s, "/process", `{"data": "A dog.", "parser": false}`)); got.Sentences[0].Words[0].Head != nil || got.Sentences[0].Words[0].UPOS == "" {
		t.Errorf("%+v", got)
	}
	if got := wordsIn(t, ask(t, s, "/process", "data", sentencesOf, "output", "json")); columns(got.Sentences) != ranges(sentencesOf) {
		t.Errorf("%s\nwant\n%s", columns(got.Sentences), ranges(sentencesOf))
	}
	if got := result(t, postJSON(s, "/process", `{"data": "A dog.", "output": "horizontal"}`).Body); got != "A dog .\n" {
		t.Errorf("%q", got)
	}
}

func TestWrongJSON(t *testing.T) {
	s := newServer(t, Limits{})
	for body, want := range map[string]string{
		`{"data": 3}`:              `Cannot parse the application/json payload: "data" is neither a string nor true or false.`,
		`{"data": ["A", "dog"]}`:   `"data" is neither a string`,
		`["A dog."]`:               "Cannot parse the application/json payload: ",
		`null`:                     "it is not an object",
		`{"data": "A dog."`:        "Cannot parse the application/json payload: ",
		"{\"data\": \"\xff\"}":     "it is not in UTF-8 encoding",
		`{"text": "A dog."}`:       "The parameter 'data' is required.",
		`{"data": "A dog."} {}`:    "Cannot parse the application/json payload: ",
		strings.Repeat("[", 50000): "Cannot parse the application/json payload: ",
	} {
		if w := postJSON(s, "/process", body); w.Code != 400 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%.50s: status %d, %s", body, w.Code, w.Body)
		}
	}
}

func TestAcknowledgementOfEncoder(t *testing.T) {
	info := &model.Info{Encoder: &model.Encoded{}}
	for source, want := range map[string]string{"the package p": "Encoder e from the package p, MIT", "": "Encoder e, MIT"} {
		info.Encoder.Name, info.Encoder.Source, info.Encoder.Licence = "e", source, "MIT"
		if list := acknowledgements(info); list[len(list)-1] != want {
			t.Errorf("%q", list)
		}
	}
}
