package tag

import (
	"errors"
	"slices"
	"sync"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Jackknife returns copies of the sentences with tags and lemmas as a model
// gives them that did not see their part of the treebank: UPOS, XPOS, FEATS
// and LEMMA are replaced, all else is shared with train. The parts are
// contiguous and end between documents ("# newdoc") if there are enough of
// them, so that a document's own words do not leak. A part beside which there
// is nothing to learn from, as in a treebank of one sentence, is tagged by a
// model of all of it. Up to o.Workers models
// are trained at a time, which the result does not depend on.
func Jackknife(train []syntax.Sentence, folds int, o Options) ([]syntax.Sentence, error) {
	o.defaults(train)
	if folds < 2 {
		return nil, errors.New("tagger: jackknifing needs at least 2 folds")
	}
	bounds := hash.Folds(train, folds)
	out := make([]syntax.Sentence, len(train))
	for i := range train {
		out[i] = train[i]
		out[i].Words = slices.Clone(train[i].Words)
	}
	errs := make([]error, len(bounds)-1)
	next := make(chan int)
	var group sync.WaitGroup
	for range max(1, o.Workers) {
		group.Go(func() {
			for f := range next {
				errs[f] = tagFold(train, out, bounds[f], bounds[f+1], o)
			}
		})
	}
	for f := range errs {
		next <- f
	}
	close(next)
	group.Wait()
	return out, errors.Join(errs...)
}

// tagFold tags out[lo:hi] by a model of the rest of train.
func tagFold(train, out []syntax.Sentence, lo, hi int, o Options) error {
	if lo == hi {
		return nil
	}
	rest := slices.Concat(train[:lo], train[hi:])
	if check(rest) != nil { // the fold holds all that can be learned from
		rest = train
	}
	log := o.Log
	o.Log = nil
	m, err := Train(rest, nil, o)
	if err != nil {
		return err
	}
	for i := lo; i < hi; i++ {
		m.Tag(&out[i], true)
	}
	log("tagger: sentences %d to %d jackknifed: %v", lo+1, hi, Compare(train[lo:hi], out[lo:hi]))
	return nil
}
