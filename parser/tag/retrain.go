package tag

import (
	"errors"
	"fmt"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Lemmas is the part of a Model that finds lemmas, by itself.
type Lemmas struct{ lemmatizer *lemmatizer }

// LemmaSections begins the names of the sections that Lemmas packs, behind
// the name of the component.
const LemmaSections = "lemma."

// Pack puts the sections of the lemmas into s, as Model.Pack does.
func (l *Lemmas) Pack(s *pack.Sub) { l.lemmatizer.pack(s) }

// TrainLemmas learns lemmas from train for the model that is packed as
// component, whose own lemmas may be of any version and are not read. The
// treebank must have lemmas, and tags of which the model knows most: it would
// be another language, or another scheme of tags. From the model's own
// treebank, with its seed, come the lemmas that Train makes.
func TrainLemmas(v *pack.View, component string, train []syntax.Sentence, o Options) (*Lemmas, error) {
	o.defaults(train)
	m, err := openWithoutLemmas(v, component)
	if err != nil {
		return nil, err
	}
	if err := m.fits(train); err != nil {
		return nil, err
	}
	return &Lemmas{learnLemmas(train, m.lex, o)}, nil
}

// minKnown is the share of words whose UPOS and XPOS a model must know, so
// that lemmas learned with them are any use to it.
const minKnown = 0.9

// fits returns an error if lemmas of the treebank are no use to the model.
func (m *Model) fits(train []syntax.Sentence) error {
	pairs, upos, xpos := map[[2]string]bool{}, map[string]bool{}, map[string]bool{}
	for l := range m.tagUPOS {
		pairs[[2]string{m.upos[m.tagUPOS[l]], m.xpos[m.tagXPOS[l]]}] = true
	}
	for _, x := range m.upos {
		upos[x] = true
	}
	for _, x := range m.xpos {
		xpos[x] = true
	}
	words, lemmas, known := 0, 0, 0
	eachWord(train, func(w *syntax.Word) {
		words++
		if w.Lemma != "" {
			lemmas++
		}
		if pairs[[2]string{w.UPOS, w.XPOS}] || m.fineXPOS && upos[w.UPOS] && xpos[w.XPOS] {
			known++
		}
	})
	switch {
	case lemmas == 0:
		return errors.New("no word of the treebank has a lemma: there is nothing to learn from")
	case float64(known) < minKnown*float64(words):
		return fmt.Errorf("the model knows the UPOS and XPOS of only %d of the treebank's %d words: take a treebank with the tags that it was trained with, or train the whole model", known, words)
	}
	return nil
}
