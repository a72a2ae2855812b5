package tag

import (
	"errors"
	"fmt"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Lemmas is the part of a Model that finds lemmas, by itself.
type Lemmas struct{ *lemmatizer }

// LemmaSections begins the names of the sections that Lemmas packs, behind
// the name of the component.
const LemmaSections = lemmaSections + "."

const lemmaSections = "lemma"

// Pack puts the sections of the lemmas into s, as Model.Pack does.
func (z *Lemmas) Pack(s *pack.Sub) {
	pack.Write(s, func(l *pack.Layout) { l.Nested(lemmaSections, z.layout) })
}

// TrainLemmas learns lemmas from train for the model that is packed as
// component, whose own lemmas are not read. The treebank must have lemmas, and
// tags of which the model knows most: it would be another language, or another
// scheme of tags. From the model's own treebank, with its seed, come the lemmas
// that Train makes.
func TrainLemmas(v *pack.View, component string, train []syntax.Sentence, o Options) (*Lemmas, error) {
	o.defaults(train)
	m := newModel()
	if err := pack.Read(v, component, m.layoutTags); err != nil {
		return nil, err
	}
	if err := m.fits(train); err != nil {
		return nil, err
	}
	return &Lemmas{learnLemmas(train, m.lex.casing, o)}, nil
}

// minKnown is the share of words whose UPOS and XPOS a model must know, so
// that lemmas learned with them are any use to it.
const minKnown = 0.9

// fits returns an error if lemmas of the treebank are no use to the model.
func (m *Model) fits(train []syntax.Sentence) error {
	known := map[[2]string]bool{}
	for l, list := range m.morphOf {
		if !m.fine {
			known[[2]string{m.upos[l], m.xpos[l]}] = true
			continue
		}
		for _, x := range list {
			known[[2]string{m.upos[l], m.fineXPOS[x]}] = true
		}
	}
	words, lemmas, fit := 0, 0, 0
	for i := range train {
		for _, w := range train[i].Words {
			words++
			if w.Lemma != "" {
				lemmas++
			}
			if known[[2]string{w.UPOS, w.XPOS}] {
				fit++
			}
		}
	}
	switch {
	case lemmas == 0:
		return errors.New("no word of the treebank has a lemma: there is nothing to learn from")
	case float64(fit) < minKnown*float64(words):
		return fmt.Errorf("the model knows the UPOS and XPOS of only %d of the treebank's %d words: take a treebank with the tags that it was trained with, or train the whole model", fit, words)
	}
	return nil
}
