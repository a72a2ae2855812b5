package serve

import (
	"bytes"
	"cmp"
	_ "embed" // the page
	"encoding/json"
	"html/template"
	"net/http"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
)

// drawnWords is the most words of a sentence in a picture of the page.
const drawnWords = 100

// A drawing is what the page shows: the answer of /tree.
type drawing struct {
	Model     string  `json:"model"`
	Sentences []drawn `json:"sentences"`
	More      bool    `json:"more"` // the text has sentences after these
}

// drawn is a sentence as the page shows it. Probabilities are -1 if the model has
// none.
type drawn struct {
	Text   string      `json:"text"`
	CoNLLU string      `json:"conllu"`
	SVG    string      `json:"svg"`
	Conf   float32     `json:"conf"` // that the whole tree is right
	Words  []drawnWord `json:"words"`
}

type drawnWord struct {
	Form, Lemma, UPOS, XPOS, Feats string
	Head                           int32 // 0 is the root
	Deprel                         string
	UPOSConf, HeadConf, DeprelConf float32
}

// tree answers /tree, which takes the parameters data and model: the first
// sentences of a text as the page shows them.
func (s *Server) tree(w *answer, r *http.Request) error {
	p, in, err := s.admit(w, r)
	if err != nil {
		return err
	}
	defer in.leave()
	p["tokenizer"], p["tagger"], p["parser"] = "", "", ""
	p["language"] = cmp.Or(p["language"], model.AutoLanguage)
	q, err := s.request(p)
	if err != nil {
		return err
	}
	turn := s.gate.turn()
	defer turn.end()
	d := drawing{Model: q.model.name, Sentences: []drawn{}}
	first := func(yield func(*syntax.Sentence, error) bool) {
		n := 0
		for sentence, err := range q.from {
			if d.More = n == s.limits.Shown; d.More || !yield(sentence, err) {
				return
			}
			n++
		}
	}
	err = s.each(r.Context(), turn, q.job, first, func(list []*syntax.Sentence) error {
		for _, sentence := range list {
			if len(d.Sentences) == 0 {
				sentence.Comments = append([]string{"# generator = treebeam " + s.version, "# model = " + d.Model}, sentence.Comments...)
			}
			d.Sentences = append(d.Sentences, draw(sentence, drawnWords))
		}
		return nil
	})
	if err != nil {
		return err
	}
	body, err := json.Marshal(d)
	if err != nil {
		return err
	}
	turn.end()
	return w.send("application/json", body)
}

// draw makes what the page shows of a sentence, with a picture of so many words at most.
func draw(s *syntax.Sentence, words int) drawn {
	c := &s.Confidence
	d := drawn{
		Text: s.Text, CoNLLU: string(conllu.Append(nil, s)), Conf: -1,
		SVG:   string(view.SVG(nil, s, view.SVGOptions{Conf: view.AllConf, MaxWords: words, Background: "none"})),
		Words: make([]drawnWord, len(s.Words)),
	}
	if c.HasTreeConf {
		d.Conf = c.TreeConf
	}
	of := func(list []float32, i int) float32 {
		if i < len(list) {
			return list[i]
		}
		return -1
	}
	for i := range s.Words {
		w := &s.Words[i]
		d.Words[i] = drawnWord{
			Form: w.Form, Lemma: w.Lemma, UPOS: w.UPOS, XPOS: w.XPOS, Feats: w.Feats, Head: w.Head, Deprel: w.Deprel,
			UPOSConf: of(c.UPOSConf, i), HeadConf: of(c.HeadConf, i), DeprelConf: of(c.DeprelConf, i),
		}
	}
	return d
}

//go:embed page/page.html
var pageHTML string

//go:embed page/page.css
var pageCSS []byte

//go:embed page/page.js
var pageJS []byte

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// policy lets the page load nothing but its own parts and run nothing but its own
// script: no text that is shown can become one.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// page answers with the page.
func (s *Server) page(w *answer, r *http.Request) error {
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, struct {
		Models  []*served
		Version string
		Shown   int
	}{s.models.list, s.version, s.limits.Shown})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", policy)
	return w.send("text/html; charset=utf-8", b.Bytes())
}

// Name is the name of a model, for the page.
func (s *served) Name() string { return s.name }

// About says in a few words what a model is, for the page.
func (s *served) About() string {
	about := s.model.Info.Treebank
	if s.model.Encodes() {
		about += ", slower, fewer mistakes"
	}
	return about
}

// static answers with a part of the page.
func static(kind string, body []byte) func(w *answer, r *http.Request) error {
	return func(w *answer, r *http.Request) error { return w.send(kind, body) }
}
