package transforms

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A World has the models of many languages and identifies the language of a text. An
// Opener may return Stages that are also a World; the built-in English models come with
// one. Several goroutines may call its methods at once. Implementations must be comparable.
type World interface {
	Identify(text string) model.Guess
	// Known returns the languages, sorted by code.
	Known() []model.Language
	// Stages returns the stages of a known language, or of model.Undetermined. They use
	// their encoder for every sentence.
	Stages(code string) (Stages, error)
	Digest() string
}

// languages are the stages of a run whose texts may be in several languages. Its method of
// returns the stages of one language; its other methods are those of English.
type languages struct {
	Stages // of English
	model.Chooser
	world World
	lists *model.Lists // nil: nothing is said
	ready sync.Map     // Stages by code
}

// of returns the stages of a language. A model that cannot be opened is a defect of its
// file, found late because the file is not read before.
func (l *languages) of(code string) Stages {
	if code == "" || code == l.Stages.Language() {
		return l.Stages
	}
	if ready, ok := l.ready.Load(code); ok {
		return ready.(Stages)
	}
	m, err := l.world.Stages(code)
	if err == nil && l.lists != nil {
		m, err = m.With(l.lists)
	}
	if err != nil {
		panic(fmt.Errorf("the model of language %s: %w", code, err))
	}
	ready, _ := l.ready.LoadOrStore(code, ofWorld{m})
	return ready.(Stages)
}

// With implements Stages.
func (l *languages) With(lists *model.Lists) (Stages, error) {
	english, err := l.Stages.With(lists)
	return &languages{Stages: english, Chooser: l.Chooser, world: l.world, lists: lists}, err
}

// knows reports whether there are stages for a language.
func (l *languages) knows(code string) bool {
	return code == l.Stages.Language() || slices.ContainsFunc(l.world.Known(), func(k model.Language) bool { return k.Code == code })
}

// ofWorld are the stages of a language of a World.
type ofWorld struct{ Stages }

// Tag implements Stages. It counts no unknown words: whether the shared parts of a World
// have met a word says nothing about the text.
func (m ofWorld) Tag(s *syntax.Sentence, retag bool) {
	m.Stages.Tag(s, retag)
	s.Lexical, s.Unknown = 0, 0
}

// worlds are the languages that Open has made: each DoFn has the same.
var worlds sync.Map // *languages by worldKey

type worldKey struct {
	english Stages
	world   World
	option  string
}

// Open opens the model at uri and, unless o.Language is the model's own, the models of the
// other languages. It completes o.Language and sets o.World.
func Open(uri string, o *output.RowOptions) (m Stages, digest string, err error) {
	var w World
	if m, digest, err = OpenModel(uri); err == nil {
		w, err = worldOf(uri, m)
	} else if file, ok := openWorld(uri); ok == nil { // the model is of many languages
		m, digest, err = OpenModel("")
		w = file
	}
	if err == nil {
		m, err = choose(uri, m, w, o)
	}
	return m, digest, err
}

// choose returns the stages for the languages that o asks for: m if that is m's alone.
func choose(uri string, m Stages, w World, o *output.RowOptions) (Stages, error) {
	known := []model.Language{{Code: m.Language()}}
	if w != nil {
		known = model.Choices(w.Known())
	}
	ruled, err := ruled(o, known)
	if err != nil || o.Language == "" && w == nil && !ruled {
		return m, err
	}
	among, option, err := model.Choose(cmp.Or(o.Language, model.AutoLanguage), known)
	switch {
	case option == m.Language() && err == nil && !ruled:
		o.Language = option
		return m, nil
	case w == nil && model.IsEmbedded(uri):
		return nil, wrong("language", o.Language, model.ErrNoWorld)
	case w == nil:
		return nil, wrong("language", o.Language, fmt.Errorf("the model knows one language (%s): leave out the language or the model",
			cmp.Or(m.Language(), "its file does not say which")))
	case err != nil:
		return nil, wrong("language", o.Language, err)
	}
	o.Language = option
	if made := w.Digest(); o.World == "" {
		o.World = made
	} else if o.World != made {
		return nil, fmt.Errorf("the models of other languages have changed since the run was started: they had digest %s and have %s; start the run again",
			short(o.World), short(made))
	}
	c := model.Chooser{Among: among}
	if len(among) != 1 {
		c.Identify = w.Identify
	}
	made, _ := worlds.LoadOrStore(worldKey{m, w, o.Language}, &languages{Stages: m, Chooser: c, world: w})
	return made.(Stages), nil
}

// ruled reports whether rules give files another language than the options.
func ruled(o *output.RowOptions, known []model.Language) (any bool, err error) {
	rules, err := output.ParseRules(o.Rules)
	for i, one := range rules.Each(o) {
		if one.Language == o.Language {
			continue
		}
		codes, _, err := model.Choose(one.Language, known)
		if err == nil && (len(codes) != 1 || codes[0] != one.Language) {
			err = errors.New("name one language by its code")
		}
		if err != nil {
			return false, fmt.Errorf("--rule %q: language: %w", rules[i], err)
		}
		any = true
	}
	return any, err
}

// worldOf is the World beside the model of a URI, nil if there is none.
func worldOf(uri string, m Stages) (World, error) {
	if w, ok := m.(World); ok {
		return w, nil
	}
	if t, ok := m.(trained); !ok || t.Language() != syntax.English || !model.IsEmbedded(uri) {
		return nil, nil
	}
	w, err := openWorld(model.EmbeddedWorld)
	if errors.Is(err, model.ErrNoWorld) {
		return nil, nil
	}
	return w, err
}

// trainedWorld is a model file of many languages.
type trainedWorld struct{ *model.World }

func openWorld(uri string) (World, error) {
	var w *model.World
	var err error
	if store.IsRemote(uri) {
		w, err = fetch(uri, model.OpenWorldBytes)
	} else {
		w, err = model.OpenWorld(uri)
	}
	if err == nil {
		_, err = w.Identifier()
	}
	return trainedWorld{w}, err
}

func (w trainedWorld) Known() []model.Language { return w.Languages() }
func (w trainedWorld) Digest() string          { return w.World.Digest }

func (w trainedWorld) Stages(code string) (Stages, error) {
	m, err := w.Language(code)
	return trained{m}, err
}

// stagesOf returns the stages of m for a language.
func stagesOf(m Stages, language string) Stages {
	if l, ok := m.(*languages); ok {
		return l.of(language)
	}
	return m
}

// documentLanguage returns the language of a document by the first of texts that tells.
func documentLanguage(m Stages, texts ...func() string) model.Guess {
	if l, ok := m.(*languages); ok {
		return l.Document(texts...)
	}
	return model.Guess{Code: m.Language()}
}

// found sets the language of a document that begins: by its own text or, if that does not
// tell, by the text of the file. A live file has no other text yet.
func (p *part) found(document *output.File, own func() string) {
	if p.rd.stages == nil {
		return
	}
	texts := []func() string{own}
	if document != p.file && !p.in.Live() {
		texts = append(texts, p.sample)
	}
	g := model.Guess{Code: p.options.Language}
	if document.Ruled = g.Code != p.rd.options.Language; !document.Ruled {
		g = documentLanguage(p.rd.stages, texts...)
	}
	document.Language, document.LanguageConf = g.Code, g.Conf
	if document != p.file {
		p.file.AddLanguage(output.Language{Code: g.Code, Documents: 1})
	}
}

// foundLater sets the language of a live file that is one document by the first block that
// tells: its head is short.
func (p *part) foundLater(document *output.File, b *block) {
	if !p.in.Live() || p.rd.stages == nil || p.rd.hasParts(p.file) || p.file.LanguageConf > 0 || p.file.Ruled {
		return
	}
	g := documentLanguage(p.rd.stages, func() string {
		if b.text != nil {
			return b.text.Text
		}
		return b.sentence.surface()
	})
	for _, f := range []*output.File{document, p.file} {
		f.Language, f.LanguageConf = g.Code, g.Conf
	}
}

// sampleBytes is how much text of a document or a file tells its language.
const sampleBytes = source.HeadBytes

// sample returns text of the head of the file. It is the same for all parts of the file.
func (p *part) sample() string {
	if p.sampled == nil {
		var b strings.Builder
		if p.format == source.Text {
			b.WriteString(text.Sample(string(p.head), p.textOptions()))
		} else {
			p.appendHead(&b)
		}
		sample := b.String()
		p.sampled = &sample
	}
	return *p.sampled
}

// appendHead reads the head of the file as a live input, but a Parquet file, whose head
// holds no rows, as a file. What is wrong with it is found when it is read.
func (p *part) appendHead(to *strings.Builder) {
	var in *source.File
	var err error
	head := *p
	piece := p.rd.r.Pieces[p.file.Piece]
	if p.format == source.Parquet {
		piece.Start, piece.End = 0, piece.Size
		in, err = source.Open(p.rd.ctx, p.rd.r, &piece)
	} else {
		in, err = source.OpenLive(p.rd.ctx, &piece.Input, bytes.NewReader(p.head), func() error { return nil })
	}
	if err != nil {
		return
	}
	defer in.Close()
	file := *p.file
	head.rd, head.in, head.file, head.start, head.end = newRangeReader(p.rd.ctx, p.rd.r, nil, *p.options, nil), in, &file, 0, piece.Size
	blocks, err := p.open(&head)
	if err != nil {
		return
	}
	for b, err := range blocks {
		switch {
		case err != nil || to.Len() >= sampleBytes:
			return
		case b.text != nil:
			to.WriteString(b.text.Text)
		case b.sentence != nil:
			to.WriteString(b.sentence.surface())
		}
		to.WriteByte('\n')
	}
}

// languageOf finds the language of a text in the document f, and the stages for it.
func languageOf(m Stages, f *output.File, text string) (model.Guess, Stages) {
	l, ok := m.(*languages)
	if !ok {
		return model.Guess{Code: m.Language()}, m
	}
	document := model.Guess{Code: f.Language, Conf: f.LanguageConf}
	if f.Ruled {
		return document, l.of(document.Code)
	}
	if document.Code == "" { // its reader did not know of languages
		document = l.Document(func() string { return text })
	}
	g := l.Paragraph(document, text)
	return g, l.of(g.Code)
}

// noteLanguage adds the language of a sentence to it, with a comment where one is needed.
// The comment of an earlier run holds.
func noteLanguage(m Stages, s *syntax.Sentence, g model.Guess) {
	l, ok := m.(*languages)
	if ok {
		for _, c := range s.Comments {
			if code, noted := strings.CutPrefix(c, model.LanguageComment); noted && l.knows(code) {
				g = model.Guess{Code: code}
			}
		}
	}
	s.Language, s.LanguageConf = g.Code, g.Conf
	if ok {
		if note := l.Note(g.Code); note != "" && !slices.Contains(s.Comments, note) {
			s.Comments = append(slices.Clip(s.Comments), note)
		}
	}
}
