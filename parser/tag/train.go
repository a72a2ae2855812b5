package tag

import (
	"errors"
	"fmt"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Options of training. The zero value trains as the published models were.
type Options struct {
	Seed    uint64
	Workers int                              // goroutines of Jackknife; 0 is one. No result depends on it.
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

const (
	featureCut = 2    // occurrences that a feature needs
	stepLimit  = 0.02 // PA-I's C
	// Labels of a word among which training looks for its mistakes.
	learnTagBeam   = 8
	learnMorphBeam = 6
)

// Train learns a model from the tags of train. dev, which may be empty, is
// only reported on. The same sentences and options give the same model.
func Train(train, dev []syntax.Sentence, o Options) (*Model, error) {
	o.defaults(train)
	if err := check(train); err != nil {
		return nil, err
	}
	m := &Model{}
	v := m.takeInventory(train)
	if len(m.morphFeats) > maxLabels || m.tags.labels.n > maxLabels || m.morph.labels.n > maxLabels {
		return nil, fmt.Errorf("tagger: the treebank has %d different combinations of UPOS, FEATS and (if it has many values) XPOS, of %d attributes: more than the %d that a model can hold together", len(m.morphFeats), m.morph.labels.n-len(m.morphFeats), maxLabels)
	}
	lex := m.learnLexicons(train, v)
	st := settings{epochs: o.Epochs, beam: learnTagBeam, limit: stepLimit, dropout: o.Dropout, seed: o.Seed}
	m.tags = learnLayer("upos", m.tagProblem(train, v, lex), st, o)
	st.beam = learnMorphBeam
	st.epochs = max(1, o.Epochs*7/10)
	m.morph = learnLayer("feats", m.morphProblem(train, v, lex), st, o)
	m.lemma = learnLemmas(train, m.lex, o)
	if len(dev) > 0 {
		o.Log("tagger: dev %v", m.Measure(dev))
	}
	return m, nil
}

func check(train []syntax.Sentence) error {
	words, tagged := 0, 0
	values := map[string]bool{}
	eachWord(train, func(w *syntax.Word) {
		words++
		if w.UPOS != "" {
			tagged++
			values[w.UPOS] = true
		}
	})
	if words == 0 {
		return errors.New("tagger: the training data has no words")
	}
	if tagged == 0 {
		return errors.New("tagger: no word of the training data has a UPOS; a tagger needs the UPOS column")
	}
	if len(values) > MaxUPOS {
		return fmt.Errorf("tagger: the training data has %d different UPOS, a model holds %d; put tags finer than those of UD into the XPOS column", len(values), MaxUPOS)
	}
	return nil
}

func learnLayer(name string, p *problem, st settings, o Options) *layer {
	l := newLearner(p)
	l.learn(st, func(epoch int, wrong float64) {
		o.Log("tagger: %s epoch %d/%d, %.2f %% wrong in training", name, epoch, st.epochs, 100*wrong)
	})
	m := l.layer(o.Weights)
	o.Log("tagger: %s has %d features, %d bytes", name, p.index.n, m.table.bytes())
	return m
}

// tagProblem extracts the first layer's features.
func (m *Model) tagProblem(sents []syntax.Sentence, v *inventory, lex lexicons) *problem {
	p := &problem{labels: &m.tags.labels, index: newIndex(), second: true, start: []int32{0}, idStart: []int32{0}}
	eachText(sents, lex, func(t *text, s *syntax.Sentence) {
		for i := range s.Words {
			p.gold = append(p.gold, v.tagOf(&s.Words[i]))
			p.allowed = append(p.allowed, m.possible(t.at(i)))
			p.edge = tagEdgeKeys(p.edge, t, i)
		}
		p.start = append(p.start, int32(len(p.gold)))
	})
	p.nEdge = len(p.edge) / len(p.gold)
	p.number(func(f func(w int, keys []uint64)) {
		var keys []uint64
		w := 0
		eachText(sents, lex, func(t *text, s *syntax.Sentence) {
			for i := range s.Words {
				keys = keys[:0]
				if len(p.allowed[w]) > 1 {
					keys = tagKeys(keys, t, i)
				}
				f(w, keys)
				w++
			}
		})
	})
	return p
}

// morphProblem extracts the second layer's features, with gold labels of
// the first.
func (m *Model) morphProblem(sents []syntax.Sentence, v *inventory, lex lexicons) *problem {
	p := &problem{labels: &m.morph.labels, index: newIndex(), start: []int32{0}, idStart: []int32{0}}
	eachText(sents, lex, func(t *text, s *syntax.Sentence) {
		for i := range s.Words {
			w := &s.Words[i]
			p.gold = append(p.gold, v.morphOf(w))
			p.allowed = append(p.allowed, m.possibleMorphs(t.at(i), v.tagOf(w)))
		}
	})
	for i := range sents {
		p.start = append(p.start, p.start[i]+int32(len(sents[i].Words)))
	}
	p.number(func(f func(w int, keys []uint64)) {
		var keys []uint64
		var tags []uint16
		w := 0
		eachText(sents, lex, func(t *text, s *syntax.Sentence) {
			tags = tags[:0]
			for i := range s.Words {
				tags = append(tags, v.tagOf(&s.Words[i]))
			}
			for i := range s.Words {
				keys = keys[:0]
				if len(p.allowed[w]) > 1 {
					keys = morphKeys(keys, t, i, tags)
				}
				f(w, keys)
				w++
			}
		})
	})
	return p
}

// number counts the features that each generates, word by word, numbers
// those that are frequent, and keeps them.
func (p *problem) number(each func(func(w int, keys []uint64))) {
	sequenceStart := make([]bool, len(p.gold)+1)
	for _, w := range p.start {
		sequenceStart[w] = true
	}
	each(func(w int, keys []uint64) {
		for _, k := range keys {
			p.index.count(k)
		}
		if !sequenceStart[w] {
			prim := p.labels.of(p.gold[w-1])[0]
			for _, k := range p.edge[w*p.nEdge : (w+1)*p.nEdge] {
				p.index.count(edgeKey(k, prim))
			}
		}
	})
	p.index.cut(featureCut)
	each(func(w int, keys []uint64) {
		for _, k := range keys {
			if id := p.index.number(k); id >= 0 {
				p.ids = append(p.ids, id)
			}
		}
		p.idStart = append(p.idStart, int32(len(p.ids)))
	})
	for w := range p.gold {
		if !sequenceStart[w] {
			prim := p.labels.of(p.gold[w-1])[0]
			for _, k := range p.edge[w*p.nEdge : (w+1)*p.nEdge] {
				p.index.number(edgeKey(k, prim))
			}
		}
	}
	for _, k := range p.edge {
		for prim := range p.labels.prims {
			p.edgeIDs = append(p.edgeIDs, p.index.number(edgeKey(k, uint16(prim))))
		}
	}
}
