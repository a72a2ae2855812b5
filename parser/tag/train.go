package tag

import (
	"errors"
	"fmt"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Options of training. The zero value trains as the published models were.
type Options struct {
	Seed    uint64
	Workers int                              // goroutines; 0 is one. No result depends on it.
	Log     func(format string, args ...any) // progress; nil is silent. Jackknife calls it from several goroutines.

	Epochs  int     // passes over the treebank for UPOS and XPOS; 0 is 8 to 16, more for small treebanks
	Dropout float64 // share of features left out at a visit; negative is none, 0 is the default
	Weights int     // most weights that each layer keeps; 0 is the default
}

func (o *Options) defaults(train []syntax.Sentence) {
	if o.Epochs <= 0 {
		words := 0
		for i := range train {
			words += len(train[i].Words)
		}
		o.Epochs = max(8, min(16, 1_000_000/(words+1)))
	}
	if o.Dropout == 0 {
		o.Dropout = 0.1
	}
	o.Dropout = max(0, o.Dropout)
	if o.Weights <= 0 {
		o.Weights = 400_000
	}
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
}

// Train learns a model from the tags of train. dev, which may be empty, is
// only reported on. The same sentences and options give the same model.
func Train(train, dev []syntax.Sentence, o Options) (*Model, error) {
	o.defaults(train)
	if err := check(train); err != nil {
		return nil, err
	}
	m := newModel()
	v := m.takeInventory(train)
	if len(m.upos) > maxLabels || len(m.feats) > maxLabels || m.tags.labels.n > maxLabels || m.morph.labels.n > maxLabels {
		return nil, fmt.Errorf("tagger: the treebank has %d different combinations of UPOS, FEATS and (if it has many values) XPOS, of %d attributes: more than the %d that a model can hold together", len(m.feats), m.morph.labels.n-len(m.feats), maxLabels)
	}
	lex := m.learnLexicons(train, v)
	m.finish()
	m.tags = m.tagProblem(train, v, lex).learn("upos", o.Epochs, learnTagBeam, o).layer(o)
	m.morph = m.morphProblem(train, v, lex).learn("feats", max(1, o.Epochs*7/10), learnMorphBeam, o).layer(o)
	m.lemma = learnLemmas(train, m.lex.casing, o)
	if len(dev) > 0 {
		o.Log("tagger: dev %v", m.Measure(dev))
	}
	return m, nil
}

// Labels of a word among which training looks for its mistakes.
const (
	learnTagBeam   = 8
	learnMorphBeam = 6
)

func check(train []syntax.Sentence) error {
	words := 0
	upos := counted(train, func(w *syntax.Word) string {
		words++
		return w.UPOS
	})
	delete(upos, "")
	switch {
	case words == 0:
		return errors.New("tagger: the training data has no words")
	case len(upos) == 0:
		return errors.New("tagger: no word of the training data has a UPOS; a tagger needs the UPOS column")
	case len(upos) > MaxUPOS:
		return fmt.Errorf("tagger: the training data has %d different UPOS, a model holds %d; put tags finer than those of UD into the XPOS column", len(upos), MaxUPOS)
	}
	return nil
}

// tagProblem extracts the first layer's features.
func (m *Model) tagProblem(sents []syntax.Sentence, v *inventory, lex lexicons) *problem {
	p := &problem{labels: &m.tags.labels}
	var keys []hash.Key
	lex.each(sents, func(t *text, s *syntax.Sentence) {
		for i := range s.Words {
			f, allowed := t.at(i).form, m.all
			keys = keys[:0]
			if f.sure != 0 {
				allowed = m.all[f.sure-1 : f.sure]
			} else {
				keys = tagKeys(ownTagKeys(keys, f), t, i)
			}
			p.add(keys, allowed, v.tagOf(&s.Words[i]))
		}
		p.endSequence()
	})
	return p
}

// morphProblem extracts the second layer's features, with gold labels of the
// first.
func (m *Model) morphProblem(sents []syntax.Sentence, v *inventory, lex lexicons) *problem {
	p := &problem{labels: &m.morph.labels}
	var keys []hash.Key
	var tags []uint16
	lex.each(sents, func(t *text, s *syntax.Sentence) {
		tags = tags[:0]
		for i := range s.Words {
			tags = append(tags, v.tagOf(&s.Words[i]))
		}
		for i := range s.Words {
			f := t.at(i).form
			allowed := m.possible(f, tags[i])
			keys = keys[:0]
			if len(allowed) > 1 {
				keys = morphKeys(keys, t, i, tags)
			}
			p.add(keys, allowed, v.morphOf(&s.Words[i]))
		}
		p.endSequence()
	})
	return p
}
