package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/language"
	"github.com/treebeam/treebeam/parser/segment"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Guess is the likely language of a text and its probability.
type Guess = language.Guess

const (
	// sureDocument is the confidence from which on the language of a document is found
	// in its own text, if that has leastDocument bytes. "Ja." may be Finnish to 0.97.
	sureDocument  = 0.9
	leastDocument = 20
	// A document in Latin script that no text is sure of is not English if it has
	// leastForeign bytes and another language is foreignOdds times as likely.
	leastForeign = 8
	foreignOdds  = 1000
	// A paragraph of a document may be in another language if it has leastParagraph
	// bytes and its first mostParagraph bytes show that with sureParagraph.
	sureParagraph  = 0.99
	leastParagraph = 100
	mostParagraph  = 400
)

// A Chooser decides on the languages of texts. Its decisions depend only on the texts.
// It is safe for concurrent use if Identify is.
type Chooser struct {
	Identify func(text string) Guess // nil: all texts are in Among[0]
	Among    []string                // the languages to choose from, by code; none means all
}

// First returns the code of the language for texts that do not show their language: the
// first of Among, or English.
func (c *Chooser) First() string {
	if len(c.Among) > 0 {
		return c.Among[0]
	}
	return syntax.English
}

// Document returns the language of a document. texts are its own text and the text of
// its file; the first with a sure language decides. If none is sure, the likeliest
// language of the first text counts if that text is not in Latin script, or if First is
// English and English is far less likely. Otherwise the result is First, with a
// confidence of 0.
func (c *Chooser) Document(texts ...func() string) Guess {
	likeliest := Guess{Code: c.First()}
	for i, text := range texts {
		if c.Identify == nil {
			break
		}
		s := text()
		g := c.Identify(s)
		if len(s) >= leastDocument && c.takes(g, sureDocument) {
			return g
		}
		if i == 0 && c.takes(g, 0) && (!inLatin(s) || c.foreign(g, s)) {
			likeliest = g
		}
	}
	return likeliest
}

// foreign reports whether a text is probably not in English, which First is.
func (c *Chooser) foreign(g Guess, text string) bool {
	return c.First() == syntax.English && g.Code != Undetermined && len(text) >= leastForeign && g.Odds >= foreignOdds
}

// manyLetters are enough to see a script.
const manyLetters = 100

// inLatin reports whether at least half of the first letters of a text are Latin, or it has
// none.
func inLatin(text string) bool {
	latin, letters := 0, 0
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		if letters++; unicode.Is(unicode.Latin, r) {
			latin++
		}
		if letters == manyLetters {
			break
		}
	}
	return 2*latin >= letters
}

// Paragraph returns the language of a paragraph of a document. It is the language of
// the document, unless the paragraph is long and surely in another one.
func (c *Chooser) Paragraph(document Guess, text string) Guess {
	if c.Identify == nil || len(text) < leastParagraph {
		return document
	}
	if len(text) > mostParagraph {
		n := mostParagraph
		for !utf8.RuneStart(text[n]) {
			n--
		}
		text = text[:n]
	}
	if g := c.Identify(text); g.Code != document.Code && g.Code != Undetermined && c.takes(g, sureParagraph) {
		return g
	}
	return document
}

func (c *Chooser) takes(g Guess, least float32) bool {
	return g.Conf >= least && (len(c.Among) == 0 || slices.Contains(c.Among, g.Code))
}

// Note returns the comment line for a sentence in a language, or "" for First.
func (c *Chooser) Note(code string) string {
	if code == c.First() {
		return ""
	}
	return LanguageComment + code
}

// LanguageComment is the beginning of the comment that names the language of a
// sentence.
const LanguageComment = "# language = "

// AutoLanguage is the option that identifies the language of each text.
const AutoLanguage = "auto"

// Choose returns the codes of the languages that an option names, and the option
// written with the codes in known. The option is a list of codes (language.Code), names, or
// first words of only one name, in upper or lower case, separated by commas; or it is
// AutoLanguage, for which among is nil and means all.
func Choose(option string, known []Language) (among []string, canonical string, err error) {
	if option == AutoLanguage {
		return nil, option, nil
	}
	among, err = parseLanguages(option, known)
	return among, strings.Join(among, ","), err
}

// Choices returns the languages that an option may name: English, Undetermined, and
// those of a world.
func Choices(world []Language) []Language {
	return append([]Language{{Code: syntax.English, Name: "English"}, {Code: Undetermined}}, world...)
}

func parseLanguages(list string, known []Language) (codes []string, err error) {
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		i := indexOf(known, name)
		switch {
		case name == "":
			return nil, errors.New("a language is empty; write codes with a comma between two")
		case i < 0:
			return nil, fmt.Errorf("the language %.40q is not known; treebeam languages lists those that are", name)
		case slices.Contains(codes, known[i].Code):
			return nil, fmt.Errorf("the language %s is given twice", known[i].Code)
		}
		codes = append(codes, known[i].Code)
	}
	return codes, nil
}

// indexOf returns the index of the language that a code or a name means, or -1.
func indexOf(known []Language, name string) int {
	i := slices.IndexFunc(known, func(l Language) bool { return strings.EqualFold(l.Code, name) || strings.EqualFold(l.Name, name) })
	if code := language.Code(name); i < 0 && code != "" {
		i = slices.IndexFunc(known, func(l Language) bool { return l.Code == code })
	}
	if i >= 0 {
		return i
	}
	begins := func(l Language) bool {
		first, _, more := strings.Cut(l.Name, " ")
		return more && strings.EqualFold(first, name)
	}
	if i = slices.IndexFunc(known, begins); i >= 0 && slices.ContainsFunc(known[i+1:], begins) {
		return -1
	}
	return i
}

// Languages holds the models for texts in several languages: a single model, which is
// the English one if there is a World, and the models of the World. It is safe for
// concurrent use.
type Languages struct {
	Chooser
	own    *Model
	world  *World // nil: there is one model
	custom Custom
}

// NewLanguages returns the models for the languages that an option names (Choose).
// Without a World, w is nil, all text is in the language of the model own, and the
// option may name only that.
func NewLanguages(own *Model, w *World, option string) (*Languages, error) {
	known := []Language{{Code: own.Info.Language}}
	if w != nil {
		known = Choices(w.Languages())
	}
	among, _, err := Choose(option, known)
	l := &Languages{Chooser: Chooser{Among: among}, own: own, world: w}
	if err == nil && w != nil && len(among) != 1 {
		l.Identify = w.Identify
		_, err = w.Identifier()
	} else if len(among) == 0 {
		l.Among = []string{own.Info.Language}
	}
	return l, err
}

// OpenLanguages is NewLanguages for the model of a URI. If that is an embedded English
// model, it adds the embedded World, if the program has it.
func OpenLanguages(uri, option string) (*Languages, error) {
	own, err := Open(uri)
	if err != nil {
		return nil, err
	}
	w, err := OpenWorld(EmbeddedWorld)
	if !isEnglish(uri) || errors.Is(err, ErrNoWorld) {
		w, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	return NewLanguages(own, w, option)
}

// Again returns the same models for another option.
func (l *Languages) Again(option string) (*Languages, error) {
	made, err := NewLanguages(l.own, l.world, option)
	if err == nil {
		made.custom = l.custom
	}
	return made, err
}

// Alone returns the single model without the World, for texts in its language.
func (l *Languages) Alone() *Languages {
	own := l.own.Info.Language
	return &Languages{Chooser: Chooser{Among: []string{own}}, own: l.own, custom: l.custom}
}

// Others returns the languages of the World, sorted by code.
func (l *Languages) Others() []Language {
	if l.world == nil {
		return nil
	}
	return l.world.Languages()
}

// With returns the models with c in place of their Custom.
func (l *Languages) With(c Custom) *Languages {
	made := *l
	made.own, made.custom = l.own.With(c), c
	return &made
}

// Of returns the model for the language with that code.
func (l *Languages) Of(code string) (*Model, error) {
	if l.world == nil || code == l.own.Info.Language {
		return l.own, nil
	}
	m, err := l.world.Language(code)
	if err != nil {
		return nil, err
	}
	return m.With(l.custom), nil
}

// Segment is Model.Segment or, if line is true, Model.SegmentLine, for a paragraph of a
// document whose language is document. It sets Language and LanguageConf. With an effort
// below 1 it is Model.SegmentFast, but not in languages of the World.
func (l *Languages) Segment(document Guess, block string, line bool, maxWords int, effort float64) ([]syntax.Sentence, error) {
	g := l.Paragraph(document, block)
	m, err := l.Of(g.Code)
	if err != nil {
		return nil, err
	}
	found := m.segment(block, segment.Request{MaxWords: maxWords, Line: line}, effort < 1 && m == l.own)
	for i := range found {
		found[i].Language, found[i].LanguageConf = g.Code, g.Conf
	}
	return found, nil
}

// Run is Model.Run for sentences in several languages. Sentences of the World are
// always parsed with the encoder, whatever the value of r.Effort.
func (l *Languages) Run(ctx context.Context, sents []*syntax.Sentence, r Request) error {
	sents = slices.Clone(sents)
	slices.SortStableFunc(sents, func(a, b *syntax.Sentence) int { return strings.Compare(a.Language, b.Language) })
	for len(sents) > 0 {
		code, n := sents[0].Language, 1
		for n < len(sents) && sents[n].Language == code {
			n++
		}
		m, err := l.Of(code)
		if err != nil {
			return err
		}
		of := r
		if m != l.own {
			of.Effort = 1
		}
		if err := m.Run(ctx, sents[:n], of); err != nil {
			return err
		}
		sents = sents[n:]
	}
	return nil
}

// Identify returns the likely language of a text. Its confidence is a multiple of
// 1/4096, and 0 if the world cannot tell.
func (w *World) Identify(text string) Guess {
	m, err := w.Identifier()
	if m == nil || err != nil { // NewLanguages and their like have told
		return Guess{Code: Undetermined}
	}
	g := m.Identify(text)
	g.Conf = float32(int(g.Conf*4096)) / 4096
	return g
}
