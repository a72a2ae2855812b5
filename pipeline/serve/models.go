package serve

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/model"
)

// A Source is a model to serve: a name for clients, and its place.
type Source struct {
	Name string
	Path string // as model.Open takes it
}

// A served model.
type served struct {
	name      string
	model     *model.Model
	languages *model.Languages // for texts in other languages, too
	code      string           // of the language in languages that is meant; "": model's own
}

type models struct {
	list    []*served // that were named, opened
	others  []*served // one for each other language, opened when it is asked for
	byName  map[string]*served
	listing []byte // the answer of /models
}

// openModels opens all models, to be used with what the caller knows of texts.
func openModels(sources []Source, custom model.Custom) (*models, error) {
	if len(sources) == 0 {
		return nil, fmt.Errorf("no model to serve")
	}
	m := &models{byName: map[string]*served{}}
	for _, from := range sources {
		if from.Name == "" || strings.ContainsFunc(from.Name, func(r rune) bool { return r <= ' ' || r == '=' }) {
			return nil, fmt.Errorf("a model cannot have the name %q: want one without spaces", from.Name)
		}
		if m.byName[from.Name] != nil {
			return nil, fmt.Errorf("two models have the name %s: give each its own, as NAME=FILE", from.Name)
		}
		opened, err := model.Open(from.Path)
		if err != nil {
			return nil, err
		}
		languages, err := model.OpenLanguages(from.Path, model.AutoLanguage)
		if err != nil {
			return nil, err
		}
		one := &served{name: from.Name, model: opened.With(custom), languages: languages.With(custom)}
		m.list, m.byName[from.Name] = append(m.list, one), one
	}
	for _, one := range m.list {
		for _, l := range one.languages.Others() {
			name, _, _ := strings.Cut(l.Name, " (") // "Chinese (simplified)" is chinese
			name = strings.ToLower(strings.ReplaceAll(name, " ", "-"))
			if m.byName[name] != nil {
				continue
			}
			other := &served{name: name, languages: one.languages, code: l.Code}
			m.others, m.byName[name], m.byName[l.Code] = append(m.others, other), other, cmp.Or(m.byName[l.Code], other)
		}
	}
	// UDPipe's clients may leave off the end of a name, from a hyphen on, or name the
	// language or the treebank. The first model that fits is meant.
	for _, one := range m.list {
		treebank := strings.ToLower(strings.ReplaceAll(one.model.Info.Treebank, "_", "-"))
		for _, name := range []string{one.name, treebank, one.model.Info.Language} {
			for name != "" {
				if m.byName[name] == nil {
					m.byName[name] = one
				}
				name = name[:max(strings.LastIndexByte(name, '-'), 0)]
			}
		}
	}
	var err error
	m.listing, err = m.describe()
	return m, err
}

// describe is the answer of /models: the names in order, each with what the model
// can do.
func (m *models) describe() ([]byte, error) {
	out := []byte("{\n \"models\": {")
	for i, one := range slices.Concat(m.list, m.others) {
		name, err := json.Marshal(one.name)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, "\n  %s: [\n   \"tokenizer\",\n   \"tagger\",\n   \"parser\"\n  ]", name)
	}
	standard, err := json.Marshal(m.list[0].name)
	return fmt.Appendf(out, "\n },\n \"default_model\": %s\n}\n", standard), err
}

// named returns the model that a request asks for; "" is the default.
func (m *models) named(name string) (*served, error) {
	if name == "" {
		return m.list[0], nil
	}
	if one := m.byName[name]; one != nil {
		return one, nil
	}
	return nil, badRequest("The requested model '%.200s' does not exist.", name)
}

// meant returns what parses texts of a language where one is asked for: one itself, or a
// model of its other languages.
func (m *models) meant(one *served, code string) *served {
	if one.code != "" {
		return one
	}
	for _, other := range m.others {
		if other.languages == one.languages && other.code == code {
			return other
		}
	}
	return one
}

// of returns the models for a request, and what it says of them: those for the languages
// of a list, or for one language.
func (s *served) of(list string) (*model.Languages, error) {
	if s.code == "" && list == "" {
		return s.languages.Alone(), nil
	}
	l, err := s.languages.Again(cmp.Or(list, s.code))
	if err == nil && s.code != "" && l.Among != nil && !slices.Equal(l.Among, []string{s.code}) {
		err = fmt.Errorf("the model %s is for %s only: leave one of them out", s.name, s.code)
	}
	if err == nil && s.code != "" {
		l, err = s.languages.Again(s.code)
	}
	if err != nil {
		return nil, badRequest("The parameter 'language': %v.", err)
	}
	return l, nil
}

// acknowledgements say where the model is from, and under which licence.
func acknowledgements(info *model.Info) []string {
	bank := strings.TrimSpace(info.Treebank + " " + info.Release)
	list := []string{"https://universaldependencies.org", "Trained on " + bank}
	if info.Licence != "" {
		list[1] += ", " + info.Licence
	}
	if e := cmp.Or(info.Encoder, info.Network); e != nil {
		list = append(list, strings.TrimSuffix("Encoder "+e.Name+" from "+e.Source, " from ")+", "+e.Licence)
	}
	return list
}

func (s *Server) listModels(w *answer, r *http.Request) error {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	return w.send("application/json", s.models.listing)
}
