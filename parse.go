package treebeam

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/io/tokens"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
)

// The command's defaults.
const (
	headBytes = 64 << 10 // they decide the meaning of line breaks
	maxWords  = 1000     // of a sentence of raw text
)

// A Model is a trained parser. It is read-only: any number of goroutines may use one at
// once. The methods of a nil or zero Model return an error.
type Model struct {
	model     *model.Model
	languages *model.Languages // including model
	effort    float64
}

// Open returns the model in a file. If path is "", it returns the accurate English model
// in the program; if it is "embedded", the fast one, 3 to 4 times as fast. "" is the fast
// one, too, in a program built with the tag noaccurate. A process loads each model once
// and keeps it. A file is mapped into memory: replace it by renaming another file over
// it. The error names the file and the remedy; if the file does not exist, the error
// wraps fs.ErrNotExist.
func Open(path string) (*Model, error) {
	m, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	languages, err := model.OpenLanguages(path, model.AutoLanguage)
	if err != nil {
		return nil, err
	}
	return &Model{m, languages, 1}, nil
}

// WithLanguage returns a model like m for texts in other languages. "auto", the setting
// of Open, finds the language of each text among all; codes such as "de,fr" restrict the
// choice, and one code such as "de" fixes the language. A text in Latin letters whose
// language is unclear is parsed as the first of the codes, or as English. Only the
// built-in models have other languages: "treebeam languages" lists them. The error names
// an unknown code.
func (m *Model) WithLanguage(option string) (*Model, error) {
	if m.isZero() {
		return nil, errNoModel
	}
	languages, err := m.languages.Again(option)
	if err != nil {
		return nil, err
	}
	return &Model{m.model, languages, m.effort}, nil
}

// errNoModel is the error of a Model that Open has not returned.
var errNoModel = errors.New("the Model is nil or zero: use one that Open returns")

func (m *Model) isZero() bool { return m == nil || m.model == nil }

// WithEffort returns a model like m that uses its encoder only where it is needed. A
// sentence keeps its parse without the encoder if the expected LAS of that parse, the
// mean of its DeprelConf, is at least p, from 0 to 1. 0 never uses the encoder; 1, the
// setting of Open, always does. WithEffort fails if m has no encoder, or if p is between
// 0 and 1 and parses without the encoder are not calibrated.
func (m *Model) WithEffort(p float64) (*Model, error) {
	switch {
	case m.isZero():
		return nil, errNoModel
	case !(p >= 0 && p <= 1):
		return nil, fmt.Errorf("effort %v: must be a number from 0 to 1", p)
	case !m.model.Encodes():
		return nil, errors.New("the model has no encoder")
	case p > 0 && p < 1 && !m.model.CanChoose():
		return nil, errors.New("the model's parses without the encoder are not calibrated: effort must be 0 or 1")
	}
	return &Model{m.model, m.languages, p}, nil
}

// A Custom adds the caller's knowledge of the texts to a model (docs/custom.md). The
// zero Custom adds nothing.
type Custom struct {
	// Abbreviations end no sentence: "approx." or "approx".
	Abbreviations []string
	// Every occurrence of a string of KeepTogether is one token: "C++", "New York".
	KeepTogether []string
	// Exceptions fix the tags and lemmas of forms. If a form has several UPOS, the
	// model chooses among them.
	Exceptions []Exception
	// Unconstrained accepts the highest-scoring trees even if they break rules of
	// Universal Dependencies.
	Unconstrained bool
}

// An Exception sets the UPOS or the lemma of a form, or both; "" leaves it to the model.
type Exception struct{ Form, UPOS, Lemma string }

// WithCustom returns a model like m, with c in place of any earlier Custom. The model
// does not retain c's slices. WithCustom fails if a string cannot be used; the error
// names the string.
func (m *Model) WithCustom(c Custom) (*Model, error) {
	if m.isZero() {
		return nil, errNoModel
	}
	lists := model.Lists{Abbreviations: c.Abbreviations, KeepTogether: c.KeepTogether, Unconstrained: c.Unconstrained}
	for _, x := range c.Exceptions {
		lists.Exceptions = append(lists.Exceptions, tag.Exception(x))
	}
	made, err := lists.Custom()
	if err != nil {
		return nil, err
	}
	return &Model{m.model, m.languages.With(made), m.effort}, nil
}

// Parse returns the sentences of raw text, in order. They are the same as those of
//
//	treebeam parse FILE --from text --to conllu
//
// for a file that holds the text: the first 64 KiB decide what line breaks mean
// (docs/input.md, Layouts), a byte order mark of UTF-16 is obeyed, invalid UTF-8 becomes
// U+FFFD, and sentences of more than 1,000 words are cut. Equal texts give equal results. A text without words has no
// sentences.
//
// Parse works in its caller's goroutine; to use more cores, call it from several
// goroutines. It fails only if m is nil or zero or the program has a bug; then it
// returns no sentences.
func (m *Model) Parse(s string) (sentences []Sentence, err error) {
	if m.isZero() {
		return nil, errNoModel
	}
	defer recovered(&err)
	lines, blocks, err := text.Whole(s, headBytes, text.Options{})
	if err != nil {
		return nil, err
	}
	document := m.languages.Document(func() string { return text.Sample(s[:min(len(s), headBytes)], text.Options{}) })
	var all []Sentence
	for b, err := range blocks {
		if err != nil {
			return nil, err
		}
		found, err := m.languages.Segment(document, b.Text, lines == text.Sentence, maxWords, m.effort)
		if err != nil {
			return nil, err
		}
		bounds := make([][]int, len(found))
		for i := range found {
			bounds[i] = boundsOf(&b, &found[i])
		}
		if err := b.Place(found, lines); err != nil {
			return nil, err
		}
		if err := m.parse(found); err != nil {
			return nil, err
		}
		for i := range found {
			all = append(all, m.newSentence(&found[i], bounds[i], i == 0 && (b.Opens || len(all) == 0)))
		}
	}
	return all, nil
}

// ParseWords returns the tree of a sentence that is already split into words, as
// treebeam parse --from vertical does. Every form is one word. A form may contain
// spaces, but must not begin or end with white space, nor contain control characters or
// line breaks. The error names the first form that cannot be used, one of over 1 MiB
// included, or says that there are no words, more than 65,535, or more than 4 MiB of them;
// any other error means a nil or zero Model or a bug in the program. Several goroutines may
// call ParseWords at once.
func (m *Model) ParseWords(forms []string) (s Sentence, err error) {
	if m.isZero() {
		return Sentence{}, errNoModel
	}
	defer recovered(&err)
	if len(forms) == 0 {
		return Sentence{}, errors.New("no words to parse")
	}
	if len(forms) > syntax.MaxWords {
		return Sentence{}, fmt.Errorf("sentence too long: %d words, the limit is %d", len(forms), syntax.MaxWords)
	}
	for i, form := range forms {
		if fault := checkForm(form); fault != "" {
			return Sentence{}, fmt.Errorf("word %d, %.40q, %s", i+1, form, fault)
		}
	}
	joined := tokens.Join(forms)
	if len(joined.Text) > syntax.MaxBytes {
		return Sentence{}, fmt.Errorf("sentence too long: its text is over %d bytes", syntax.MaxBytes)
	}
	joined.EndByte = int64(len(joined.Text))
	b := text.Block{Text: joined.Text, End: joined.EndByte}
	document := m.languages.Document(func() string { return joined.Text })
	joined.Language, joined.LanguageConf = document.Code, document.Conf
	found := []syntax.Sentence{joined}
	if err := m.parse(found); err != nil {
		return Sentence{}, err
	}
	return m.newSentence(&found[0], boundsOf(&b, &found[0]), true), nil
}

// checkForm says why a word cannot have a form, or "".
func checkForm(form string) string {
	switch {
	case form == "":
		return "is empty"
	case len(form) > syntax.MaxColumn:
		return fmt.Sprintf("is over %d bytes long", syntax.MaxColumn)
	case !utf8.ValidString(form):
		return "is not UTF-8"
	case strings.TrimSpace(form) != form:
		return "begins or ends with white space"
	case strings.ContainsFunc(form, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }):
		return "holds a control character or a line break"
	}
	return ""
}

// parse tags sentences and gives them trees.
func (m *Model) parse(found []syntax.Sentence) error {
	list := make([]*syntax.Sentence, len(found))
	for i := range found {
		list[i] = &found[i]
	}
	return m.languages.Run(context.Background(), list, model.Request{Effort: m.effort})
}

// recovered makes an error of a panic.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("internal: %v\n%s", r, debug.Stack())
	}
}
