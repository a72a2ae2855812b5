package serve

import (
	"bytes"
	_ "embed" // the page
	"html/template"
	"net/http"
)

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
