package serve

import (
	"bytes"
	_ "embed" // the page
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/treebeam/treebeam/parser/pattern"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Corrections say which file NewEditor corrects, and how.
type Corrections struct {
	File       string                 // CoNLL-U; nothing else is written
	Who        string                 // for the comments that say who corrected a sentence; may be ""
	Now        func() time.Time       // the time for these comments
	Confidence func(*syntax.Sentence) // reads the probabilities that a sentence has in its comments and MISC
	Teacher    Teacher                // the model, if there is one
}

// NewEditor returns a server of a page on which the trees of a file are corrected, for
// users of this machine:
//
//	GET  /           the page; /page.css and /edit.js are its parts
//	GET  /sentence   a sentence, by its place "at" in the order of the page
//	POST /try        what the rules say against a change
//	POST /change     makes it, and saves the file
//	POST /undo       takes back the last change
//	GET  /offers     heads, relations and tags that its words may have, if there is a model
//	POST /adapt      teaches it the corrected sentences; GET says how far that is
//
// Bodies of POST are JSON. The server refuses requests for another host, from a page of
// another server, or over the limits. The error says why the file cannot be corrected.
func NewEditor(c Corrections, version string, l Limits, log io.Writer) (*Server, error) {
	m, err := openManuscript(c)
	if err != nil {
		return nil, err
	}
	s := newBareServer(version, l, log)
	s.edited, s.teacher = m, c.Teacher
	s.handle("/healthz", s.health)
	s.handle("/page.css", static("text/css; charset=utf-8", pageCSS))
	s.handle("/edit.js", static("text/javascript; charset=utf-8", editJS))
	s.handle("/{$}", s.editPage)
	s.handle("/sentence", s.sentence)
	s.handle("/try", s.consider)
	s.handle("/change", s.change)
	s.handle("/undo", s.undo)
	if c.Teacher.Offers != nil {
		s.handle("/offers", s.offers)
	}
	if c.Teacher.Adapt != nil {
		s.handle("/adapt", s.adapt)
	}
	s.handle("/", notFound)
	return s, nil
}

// Left returns how many sentences an editor's server can correct, and how many it
// cannot.
func (s *Server) Left() (sentences, left int) { return len(s.edited.blocks), s.edited.left }

// refuseStrangers refuses requests that neither a page of this server sends nor a user who
// types its address: another host's name may have been made to mean this machine, and a
// page of another server may send requests that its reader does not see.
func refuseStrangers(r *http.Request) error {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return &fault{http.StatusForbidden, fmt.Sprintf("This page is at localhost, not at %.100q.", r.Host)}
	}
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	own := origin == "http://"+r.Host
	read := r.Method == http.MethodGet || r.Method == http.MethodHead
	if !own && (origin != "" || !read) || site != "" && site != "same-origin" && site != "none" {
		return &fault{http.StatusForbidden, "Pages of other servers cannot read or change this file."}
	}
	return nil
}

// A sheet is a sentence as the page shows it.
type sheet struct {
	drawn
	At        int      `json:"at"` // its place in the order of the page, from 0
	Of        int      `json:"of"` // sentences
	ID        string   `json:"id"`
	Version   string   `json:"version"`
	Corrected string   `json:"corrected"` // when, and by whom; "" if nobody has
	Remarks   []remark `json:"remarks"`
	Changes   int      `json:"changes"` // the number of the change that can be undone, or 0
}

// place returns the block at a place in the order of the page.
func (m *manuscript) place(at int) (int, error) {
	if at < 0 || at >= len(m.order) {
		return 0, badRequest("There is no sentence at this place: the last one is %d.", len(m.order)-1)
	}
	return m.order[at], nil
}

// sheet makes the sheet of the sentence at a place.
func (m *manuscript) sheet(at int) (*sheet, error) {
	i, err := m.place(at)
	if err != nil {
		return nil, err
	}
	raw := m.raw(i)
	s, err := m.parse(raw)
	if err != nil {
		return nil, badRequest("%v", err)
	}
	m.trust(i, s)
	d := &sheet{drawn: draw(s, maxCorrected), At: at, Of: len(m.order), ID: s.ID, Version: version(raw), Corrected: corrected(s), Remarks: remarks(s.Words)}
	d.CoNLLU, d.Changes = string(raw), m.last()
	return d, nil
}

// trust makes sure what has been changed since the file was read: the probabilities in
// MISC are those of the parser's tree.
func (m *manuscript) trust(i int, s *syntax.Sentence) {
	k := slices.IndexFunc(m.undos, func(u undone) bool { return u.block == i })
	if k < 0 {
		return
	}
	before, err := m.parse(m.undos[k].before)
	if err != nil {
		return
	}
	c := &s.Confidence
	sure := func(list []float32, w int) {
		if w < len(list) {
			list[w] = 1
		}
	}
	for w := range s.Words {
		now, old := &s.Words[w], &before.Words[w]
		if now.UPOS != old.UPOS {
			sure(c.UPOSConf, w)
		}
		if now.Head != old.Head || now.Deprel != old.Deprel {
			sure(c.HeadConf, w)
			sure(c.DeprelConf, w)
		}
	}
}

// maxSheet is about the most bytes of a sheet as JSON.
const maxSheet = 1 << 20

// edit answers with what f returns, which has the file for itself. What is posted goes into
// asked first, unless that is nil.
func (s *Server) edit(w *answer, r *http.Request, asked any, f func(m *manuscript) (any, error)) error {
	return s.within(w, r, asked, func() (any, error) {
		s.edited.Lock()
		defer s.edited.Unlock()
		return f(s.edited)
	})
}

// within is edit for an f that does not have the file for itself. f runs within the limits.
func (s *Server) within(w *answer, r *http.Request, asked any, f func() (any, error)) error {
	if s.stopping.Load() {
		return errStopping
	}
	in, err := s.gate.enter()
	if err != nil {
		return err
	}
	defer in.leave()
	if asked != nil {
		if err := s.decode(w, r, asked); err != nil {
			return err
		}
	}
	if err := in.answer(r.Context(), maxSheet); err != nil {
		return err
	}
	v, err := f()
	if err != nil {
		return err
	}
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.send("application/json", body)
}

// maxChange is the most bytes of what is posted.
const maxChange = 16 << 10

// decode reads the JSON of a request.
func (s *Server) decode(w *answer, r *http.Request, to any) error {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		return &fault{http.StatusMethodNotAllowed, "Use POST."}
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &fault{http.StatusUnsupportedMediaType, "Send application/json."}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w.ResponseWriter, r.Body, maxChange))
	if large := new(http.MaxBytesError); errors.As(err, &large) {
		return &fault{http.StatusRequestEntityTooLarge, fmt.Sprintf("A change has at most %d bytes.", maxChange)}
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return s.tooSlow()
	case err != nil:
		return badRequest("The request did not arrive: %v.", err)
	}
	w.unread = false
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err = d.Decode(to); err == nil {
		if _, end := d.Token(); end != io.EOF {
			err = errors.New("something follows it")
		}
	}
	if err != nil {
		return badRequest("The request is not the JSON of a change: %v.", err)
	}
	return nil
}

// sentence answers /sentence.
func (s *Server) sentence(w *answer, r *http.Request) error {
	return s.edit(w, r, nil, func(m *manuscript) (any, error) {
		at, err := strconv.Atoi(r.URL.Query().Get("at"))
		if err != nil {
			at = -1
		}
		return m.sheet(at)
	})
}

// consider answers /try: what the rules would say after a change.
func (s *Server) consider(w *answer, r *http.Request) error {
	var c change
	return s.edit(w, r, &c, func(m *manuscript) (any, error) {
		i, err := m.place(c.At)
		if err != nil {
			return nil, err
		}
		if c.Version != version(m.raw(i)) {
			return nil, errOld
		}
		sentence, err := m.parse(m.raw(i))
		if err != nil {
			return nil, badRequest("%v", err)
		}
		if err := c.apply(sentence.Words); err != nil {
			return nil, err
		}
		return remarks(sentence.Words), nil
	})
}

// change answers /change.
func (s *Server) change(w *answer, r *http.Request) error {
	var c change
	return s.edit(w, r, &c, func(m *manuscript) (any, error) {
		i, err := m.place(c.At)
		if err == nil {
			err = m.change(i, &c)
		}
		if err != nil {
			return nil, err
		}
		return m.sheet(c.At)
	})
}

// undo answers /undo with the sentence that is as it was.
func (s *Server) undo(w *answer, r *http.Request) error {
	var asked struct {
		Changes int `json:"changes"`
	}
	return s.edit(w, r, &asked, func(m *manuscript) (any, error) {
		i, err := m.undo(asked.Changes)
		if err != nil {
			return nil, err
		}
		return m.sheet(slices.Index(m.order, i))
	})
}

//go:embed page/edit.html
var editHTML string

//go:embed page/edit.js
var editJS []byte

var editTemplate = template.Must(template.New("edit").Parse(editHTML))

// editPage answers with the page.
func (s *Server) editPage(w *answer, r *http.Request) error {
	var b bytes.Buffer
	err := editTemplate.Execute(&b, struct {
		File, Who, Version string
		Left               int
		Relations, Tags    []string
		Offers             bool   // whether there are any
		Model              string // that corrections teach; "": none
	}{filepath.Base(s.edited.path), s.edited.who, s.version, s.edited.left, pattern.Relations, pattern.Tags, s.teacher.Offers != nil, s.teacher.Model})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", policy)
	return w.send("text/html; charset=utf-8", b.Bytes())
}
