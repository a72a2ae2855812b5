package tag

import (
	"errors"
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Jackknife returns copies of the sentences with tags and lemmas as a model
// gives them that did not see their fold of the treebank (hash.Folds): UPOS,
// XPOS, FEATS and LEMMA are replaced, all else is shared with train. A fold
// beside which there is nothing to learn from, as in a treebank of one
// sentence, is tagged by a model of all of it. Up to o.Workers models are
// trained at a time, which the result does not depend on.
func Jackknife(train []syntax.Sentence, folds int, o Options) ([]syntax.Sentence, error) {
	o.defaults(train)
	if folds < 2 {
		return nil, errors.New("tagger: jackknifing needs at least 2 folds")
	}
	bounds := hash.Folds(train, folds)
	out := copies(train)
	errs := make([]error, len(bounds)-1)
	workers, log := o.Workers, o.Log
	o.Workers, o.Log = 1, nil
	linear.Parallel(len(errs), workers, func(_, f int) {
		lo, hi := bounds[f], bounds[f+1]
		rest := slices.Concat(train[:lo], train[hi:])
		if check(rest) != nil { // the fold holds all that can be learned from
			rest = train
		}
		m, err := Train(rest, nil, o)
		if errs[f] = err; err != nil {
			return
		}
		for i := lo; i < hi; i++ {
			m.Tag(&out[i], true)
		}
		log("tagger: sentences %d to %d jackknifed: %v", lo+1, hi, Compare(train[lo:hi], out[lo:hi]))
	})
	return out, errors.Join(errs...)
}

// copies returns sentences with words of their own.
func copies(list []syntax.Sentence) []syntax.Sentence {
	out := slices.Clone(list)
	for i := range out {
		out[i].Words = slices.Clone(out[i].Words)
	}
	return out
}

// An Accuracy is the share of words with the right tags, in percent.
type Accuracy struct {
	UPOS, XPOS, Feats, Lemma float64
	All                      float64 // UPOS, XPOS and FEATS right
}

// String formats a for a log.
func (a Accuracy) String() string {
	return fmt.Sprintf("UPOS %.2f, XPOS %.2f, FEATS %.2f, lemmas %.2f, all tags %.2f", a.UPOS, a.XPOS, a.Feats, a.Lemma, a.All)
}

// Measure tags copies of sents, which hold gold tags, and compares.
func (m *Model) Measure(sents []syntax.Sentence) Accuracy {
	tagged := copies(sents)
	for i := range tagged {
		m.Tag(&tagged[i], true)
	}
	return Compare(sents, tagged)
}

// Compare returns the accuracy of tagged against the same sentences with gold
// tags.
func Compare(gold, tagged []syntax.Sentence) Accuracy {
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
	return Accuracy{share(0), share(1), share(2), share(3), share(4)}
}
