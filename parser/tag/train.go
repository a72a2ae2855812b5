package tag

import (
	"errors"
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/lemma"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/sequence"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Options are the options of Train. The zero value means the defaults.
type Options struct {
	Seed    uint64
	Workers int                              // goroutines; 0 is one. No result depends on it.
	Log     func(format string, args ...any) // progress; nil is silent. Jackknife calls it from several goroutines.
	// epochs for UPOS and XPOS; 0 is 8 to 16, more for small treebanks
	Epochs  int
	Lexicon []lemma.Entry // words that the treebank may not have

	// Small makes a model of about a twentieth of the size, for use with an encoder
	// that knows UPOS and FEATS. It keeps few weights, and only words that occur at
	// least twice.
	Small bool
}

func (o *Options) defaults(train []syntax.Sentence) {
	if o.Epochs <= 0 {
		o.Epochs = max(8, min(16, 1_000_000/(syntax.CountWords(train)+1)))
		if o.Small {
			o.Epochs = smallEpochs
		}
	}
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
}

// Of a small model: passes over the treebank, and weights that a layer keeps. In German,
// UPOS on dev is 93.5 with all weights and 93.3 with 5,000, FEATS 76.4 and 68.8.
const (
	smallEpochs = 8
	smallCells  = 5000
)

// learning returns the options of a layer.
func (o *Options) learning() sequence.Options {
	l := sequence.Options{Seed: o.Seed, Workers: o.Workers, Log: o.Log}
	if o.Small {
		l.Cells = smallCells
	}
	return l
}

// Train learns a model from the tags of train. The inventory of tags and the lemmas
// come from its gold sentences; silver sentences with other tags are skipped. dev is
// only used for the log, and may be empty. The same sentences and options give the same
// model.
func Train(train, dev []syntax.Sentence, o Options) (*Model, error) {
	o.defaults(train)
	gold := syntax.Gold(train)
	if err := check(gold); err != nil {
		return nil, err
	}
	m := newModel()
	v := m.takeInventory(gold)
	if len(gold) < len(train) {
		train = slices.DeleteFunc(slices.Clone(train), func(s syntax.Sentence) bool { return !v.has(&s) })
	}
	if max(m.tags.Labels.N, m.morph.Labels.N) > sequence.MaxLabels {
		return nil, fmt.Errorf("tagger: the treebank has %d different combinations of UPOS, FEATS and (if it has many values) XPOS, "+
			"of %d attributes: more than the %d that a model can hold together",
			len(m.feats), m.morph.Labels.N-len(m.feats), sequence.MaxLabels)
	}
	lex := m.learnLexicons(train, v, o)
	m.finish()
	allTagKeys := func(dst []hash.Key, t *text, i int, _ []uint16) []hash.Key {
		return tagKeys(ownTagKeys(dst, t.at(i).form), t, i)
	}
	p := lex.problem(train, v, &m.tags.Labels, v.tagOf, m.possibleTags, allTagKeys)
	m.tags = p.Learn("upos", o.Epochs, learnTagBeam, o.learning())
	allMorphKeys := func(dst []hash.Key, t *text, i int, tags []uint16) []hash.Key {
		return morphKeys(ownMorphKeys(dst, t.at(i).form, tags[i]), t, i, tags)
	}
	p = lex.problem(train, v, &m.morph.Labels, v.morphOf, m.possibleMorphs, allMorphKeys)
	m.morph = p.Learn("feats", max(1, o.Epochs*7/10), learnMorphBeam, o.learning())
	m.lemma = lemma.Train(gold, o.Lexicon, m.lex.casing, o.learning())
	if len(dev) > 0 {
		o.Log("tagger: dev %v", m.measure(dev))
	}
	return m, nil
}

func check(train []syntax.Sentence) error {
	upos := counted(train, func(w *syntax.Word) string { return w.UPOS })
	untagged := upos[""]
	delete(upos, "")
	switch {
	case len(upos) == 0 && untagged == 0:
		return errors.New("tagger: the training data has no words")
	case len(upos) == 0:
		return errors.New("tagger: no word of the training data has a UPOS; a tagger needs the UPOS column")
	case len(upos) > MaxUPOS:
		return fmt.Errorf("tagger: the training data has %d different UPOS, a model holds %d; "+
			"put tags finer than those of UD into the XPOS column", len(upos), MaxUPOS)
	}
	return nil
}

// problem extracts the features of a layer from sentences with gold tags.
// allowed returns the labels of a form with a tag of the first layer; keys
// appends the features of a word that has several.
func (x lexicons) problem(sents []syntax.Sentence, v *inventory, ls *sequence.Labels, gold func(*syntax.Word) uint16,
	allowed func(f *form, tag uint16) []uint16, keys func(dst []hash.Key, t *text, i int, tags []uint16) []hash.Key) *sequence.Problem {
	p := sequence.New(ls)
	var dst []hash.Key
	var tags []uint16
	x.each(sents, func(t *text, s *syntax.Sentence) {
		tags = tags[:0]
		for i := range s.Words {
			tags = append(tags, v.tagOf(&s.Words[i]))
		}
		for i := range s.Words {
			dst = dst[:0]
			list := allowed(t.at(i).form, tags[i])
			if len(list) > 1 {
				dst = keys(dst, t, i, tags)
			}
			p.Add(dst, list, gold(&s.Words[i]))
		}
		p.EndSequence(s.Step())
	})
	return p
}

// Jackknife returns copies of the sentences that which accepts (nil accepts all). Their
// UPOS, XPOS, FEATS and LEMMA are from a model that has not learned from their fold
// (linear.Folds); everything else is shared with train. The models learn from all other
// folds, whatever which accepts. If nothing to learn from is left without a fold, as in
// a treebank of one sentence, its model learns from all folds. Up to o.Workers models
// are trained at a time; the result does not depend on it.
func Jackknife(train []syntax.Sentence, which func(*syntax.Sentence) bool, folds int, o Options) ([]syntax.Sentence, error) {
	o.defaults(train)
	bounds := linear.Folds(train, folds)
	var gold []syntax.Sentence // what which accepts
	first := make([]int, len(bounds))
	for f, lo := range bounds[:len(bounds)-1] {
		for i := lo; i < bounds[f+1]; i++ {
			if which == nil || which(&train[i]) {
				gold = append(gold, train[i])
			}
		}
		first[f+1] = len(gold)
	}
	out := syntax.Clone(gold)
	errs := make([]error, len(bounds)-1)
	workers, log := o.Workers, o.Log
	o.Workers, o.Log = 1, nil
	linear.Parallel(len(errs), workers, func(_, f int) {
		lo, hi := bounds[f], bounds[f+1]
		rest := slices.Concat(train[:lo], train[hi:])
		if check(syntax.Gold(rest)) != nil { // the fold holds all that can be learned from
			rest = train
		}
		m, err := Train(rest, nil, o)
		if errs[f] = err; err != nil {
			return
		}
		for i := first[f]; i < first[f+1]; i++ {
			m.Tag(&out[i], Request{Retag: true})
		}
		log("tagger: sentences %d to %d jackknifed: %v", lo+1, hi, compare(gold[first[f]:first[f+1]], out[first[f]:first[f+1]]))
	})
	return out, errors.Join(errs...)
}

// An accuracy is the share of words with the right tags, in percent.
type accuracy struct {
	UPOS, XPOS, Feats, Lemma float64
	All                      float64 // UPOS, XPOS and FEATS right
}

// String formats a for a log.
func (a accuracy) String() string {
	return fmt.Sprintf("UPOS %.2f, XPOS %.2f, FEATS %.2f, lemmas %.2f, all tags %.2f", a.UPOS, a.XPOS, a.Feats, a.Lemma, a.All)
}

// measure tags copies of sents, which must have gold tags, and compares the two.
func (m *Model) measure(sents []syntax.Sentence) accuracy {
	tagged := syntax.Clone(sents)
	for i := range tagged {
		m.Tag(&tagged[i], Request{Retag: true})
	}
	return compare(sents, tagged)
}

// compare returns the accuracy of tagged against the same sentences with gold
// tags.
func compare(gold, tagged []syntax.Sentence) accuracy {
	var right [5]int
	words := 0
	for i := range gold {
		for j := range gold[i].Words {
			g, w := &gold[i].Words[j], &tagged[i].Words[j]
			u, x, f := g.UPOS == w.UPOS, g.XPOS == w.XPOS, g.Feats == w.Feats
			for k, ok := range [...]bool{u, x, f, g.Lemma == w.Lemma, u && x && f} {
				if ok {
					right[k]++
				}
			}
			words++
		}
	}
	share := func(k int) float64 { return 100 * float64(right[k]) / float64(max(1, words)) }
	return accuracy{share(0), share(1), share(2), share(3), share(4)}
}

// TrainLemmas learns lemmas from train for the model packed as component. It does not
// read the lemmas of that model. The treebank must have lemmas, and most of its tags
// must be known to the model: otherwise it is in another language or has another tag
// set. From the treebank and the seed of the model, TrainLemmas learns the same lemmas
// as Train.
func TrainLemmas(v *pack.View, component string, train []syntax.Sentence, o Options) (*lemma.Model, error) {
	o.defaults(train)
	m := newModel()
	if err := pack.Read(v, component, m.layoutTags); err != nil {
		return nil, err
	}
	if err := m.finish().fits(train); err != nil {
		return nil, err
	}
	return lemma.Train(train, o.Lexicon, m.lex.casing, o.learning()), nil
}

// minKnown is the share of words whose UPOS and XPOS a model must know for
// lemmas of the treebank to be of use.
const minKnown = 0.9

// fits returns an error if lemmas of the treebank are of no use to the model.
func (m *Model) fits(train []syntax.Sentence) error {
	known := map[[2]string]bool{}
	for t, list := range m.morphOf {
		for _, x := range list {
			known[[2]string{m.upos[t], m.xpos[t] + m.fineXPOS[x]}] = true // one is empty
		}
	}
	words, fit := 0, 0
	for pair, n := range counted(train, func(w *syntax.Word) [2]string { return [2]string{w.UPOS, w.XPOS} }) {
		words += n
		if known[pair] {
			fit += n
		}
	}
	lemmas := counted(train, func(w *syntax.Word) bool { return w.Lemma != "" })
	switch {
	case lemmas[true] == 0:
		return errors.New("no word of the treebank has a lemma: there is nothing to learn from")
	case float64(fit) < minKnown*float64(words):
		return fmt.Errorf("the model knows the UPOS and XPOS of only %d of the treebank's %d words: "+
			"take a treebank with the tags that it was trained with, or train the whole model", fit, words)
	}
	return nil
}
