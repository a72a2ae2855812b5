package prune

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/prune/dense"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// Options are the options of Train. The zero value means the defaults.
type Options struct {
	Seed    uint64
	Workers int     // results do not depend on it
	Cut     float64 // largest cut in nats for parsing (Model.Cut); 4.25, as for learning, if 0
	Limit   int     // weights of the second stage to keep; 300,000 if 0
	Share   float64 // of what is learned, for Adapt
	Log     func(format string, a ...any)
}

const (
	sparseEpochs = 3     // of the second stage
	sparseRate   = 0.05  // its AdaGrad's step size
	adaptRate    = 0.02  // the same when a pruner is adapted
	leastRecall  = 0.993 // share of dev's gold heads to keep when the parser learns, if maxTrainCut allows
	maxTrainCut  = 4.25  // largest cut in nats when the parser learns, a probability of 1.4 %
)

func (o *Options) setDefaults() {
	o.Cut, o.Limit = cmp.Or(o.Cut, maxTrainCut), cmp.Or(o.Limit, 300_000)
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
}

// Train learns a pruner from sentences with gold heads, and sets its cuts and
// temperature on dev. Without dev the cuts are 6 nats, and the temperature is 1.
// Sentences must be tagged as they will be at run time.
func Train(v *word.Vocabulary, train, dev []syntax.Sentence, o Options) (*Model, error) {
	o.setDefaults()
	if len(train) == 0 {
		return nil, errors.New("no sentences to train the pruner on")
	}
	m := learn(v, train, o)
	m.calibrate(dev, o)
	return m, nil
}

// denseFolds is how many dense tables are learned in addition to the final
// ones, each without one fold of the sentences.
const denseFolds = 4

// learn trains both stages. The second stage adds to the scores of the first and reads its
// guesses. So it learns from the scores and guesses of tables that were learned without the
// sentence.
func learn(v *word.Vocabulary, train []syntax.Sentence, o Options) *Model {
	list := make([]syntax.Sentence, 0, len(train)) // for memos of our own
	for i := range train {
		if n := len(train[i].Words); n > 0 && n <= syntax.MaxWholeWords {
			list = append(list, train[i])
		}
	}
	m := newModel(v)
	e := word.NewEncoder(v)
	for i := range list {
		e.Encode(&list[i])
	}
	lexicon := dense.LearnLexicon(list, e)
	var tables [denseFolds + 1]dense.Tables // without each fold; with all
	bounds := linear.Folds(list, denseFolds)
	linear.Parallel(len(tables), o.Workers, func(_, fold int) {
		rest := list
		if fold < len(bounds)-1 && len(bounds) > 2 {
			rest = slices.Concat(list[:bounds[fold]], list[bounds[fold+1]:])
		}
		tables[fold] = dense.Learn(v, lexicon, rest, hash.Pair(o.Seed, uint64(fold)))
	})
	m.learnSparse(list, o, sparseRate, nil, func(i int) *dense.Tables { return &tables[linear.FoldOf(bounds, i)] })
	m.first = tables[denseFolds]
	return m
}

// Adapt returns a pruner that equals m except for its second stage, which goes on
// learning from train: o.Share of what it learns is added to its weights. Sentences are
// as for Train.
func (m *Model) Adapt(train []syntax.Sentence, o Options) *Model {
	o.setDefaults()
	c := *m
	c.learnSparse(train, o, adaptRate, m.sparse, func(int) *dense.Tables { return &m.first })
	return &c
}

// A sparseUpdate is the step for one sentence: the gradients of some arcs and
// the keys of each.
type sparseUpdate struct {
	gradients []float64
	ends      []int32
	keys      []hash.Key
}

// learnSparse learns the second stage on top of the first, as a distribution over single-root
// trees (Koo, Globerson, Carreras and Collins 2007, section 4.1). tables returns the tables of
// the first stage for a sentence. The gradient of a sentence is the gold arcs minus the
// marginals of all arcs. If heads are open, it is the marginals under the trees with the known
// heads minus the marginals under all trees. The weights are changes of base if that is not
// nil.
func (m *Model) learnSparse(train []syntax.Sentence, o Options, rate float32, base *score.Weights,
	tables func(i int) *dense.Tables) {
	rule := linear.AdaGrad{Rate: rate, Floor: 0.01}
	w := score.Learned{Weights: linear.NewWeights(), Base: base, Share: o.Share}
	workers := make([]scratch, max(o.Workers, 1))
	for i := range workers {
		workers[i].encoder = word.NewEncoder(m.vocabulary)
	}
	learn := func(worker int, at linear.At, u *sparseUpdate) {
		x, s, like := &workers[worker], &train[at.Example], *m
		like.first = *tables(at.Example)
		x.model = &like
		x.encode(s)
		x.shortlist(s)
		x.include(s, func(m int) int32 { return s.Words[m-1].Head })
		x.includeCompletion(s)
		x.learnSparse(s, w, u)
	}
	apply := func(at linear.At, u *sparseUpdate) {
		from := int32(0)
		for a, end := range u.ends {
			for _, key := range u.keys[from:end] {
				w.Climb(key, float32(u.gradients[a]), rule, at.Step)
			}
			from = end
		}
	}
	keep := func(_, steps int) {
		m.sparse = w.Fixed(steps, o.Limit)
	}
	loop := linear.Loop{Examples: len(train), Epochs: sparseEpochs, Workers: o.Workers, Seed: o.Seed}
	if err := linear.Run(loop, linear.Task[sparseUpdate]{Learn: learn, Apply: apply, Keep: keep}); err != nil {
		panic(err) // it fails only with checkpoints
	}
}

// learnSparse finds the update of a sentence whose shortlist is in x.arcs.
func (x *scratch) learnSparse(s *syntax.Sentence, w score.Learned, u *sparseUpdate) {
	const least = 2e-3 // least gradient that moves a weight
	x.findKeys()
	from := int32(0)
	for a, end := range x.ends {
		x.arcs.Score[a] += w.Sum(x.keys[from:end])
		from = end
	}
	x.probabilities()
	wanted := x.wanted(s)
	u.gradients, u.ends, u.keys = u.gradients[:0], u.ends[:0], u.keys[:0]
	from = 0
	for m := 1; m <= len(s.Words); m++ {
		lo, hi := x.arcs.Span(m)
		for a := lo; a < hi; a++ {
			gradient, keys := -x.p[a], x.keys[from:x.ends[a]]
			from = x.ends[a]
			switch {
			case wanted != nil:
				gradient += wanted[a]
			case x.arcs.Heads[a] == s.Words[m-1].Head:
				gradient++
			}
			gradient *= float64(s.Step())
			if math.Abs(gradient) >= least {
				u.keys = append(u.keys, keys...)
				u.gradients, u.ends = append(u.gradients, gradient), append(u.ends, int32(len(u.keys)))
			}
		}
	}
}

// Jackknife sets the Candidates of every sentence by a pruner that has not learned from
// its fold, with the TrainCut of like, and adds gold heads that were cut (AddGold). It
// returns the Report from before AddGold. Its recall should agree with the recall on
// dev with the same cut; otherwise the parser would learn from better candidates than
// it will see.
func Jackknife(train []syntax.Sentence, folds int, like *Model, o Options) (Report, error) {
	o.setDefaults()
	one := o
	one.Workers = 1
	pruneFolds(train, linear.Folds(train, folds), o.Workers, func(rest []syntax.Sentence) *Model {
		m := learn(like.vocabulary, rest, one)
		m.cut, m.temperature = like.trainCut, like.temperature
		return m
	})
	var r Report
	for i := range train {
		r.add(&train[i])
		AddGold(&train[i])
	}
	o.Log("pruner: jackknifed training candidates: %.2f heads a word, recall %.2f %%", r.HeadsPerWord(), 100*r.Recall())
	return r, nil
}

// pruneFolds prunes every fold with the model of the other folds, on the given number of
// goroutines.
func pruneFolds(train []syntax.Sentence, bounds []int, workers int, model func(rest []syntax.Sentence) *Model) {
	whole := slices.Clone(train) // folds copy from it while others set Candidates
	linear.Parallel(len(bounds)-1, workers, func(_, f int) {
		lo, hi := bounds[f], bounds[f+1]
		rest := slices.Concat(whole[:lo], whole[hi:])
		if len(rest) == 0 {
			rest = whole
		}
		m := model(rest)
		for i := lo; i < hi; i++ {
			m.Prune(&train[i])
		}
	})
}

// includeCompletion makes sure that the shortlist has a tree with the known heads. They must
// be on it.
func (x *scratch) includeCompletion(s *syntax.Sentence) {
	like := *s
	like.Candidates = syntax.Candidates{Start: x.arcs.Start, Heads: x.arcs.Heads, LogOdds: x.arcs.Score}
	if list := missing(&like); list != nil {
		x.include(s, func(m int) int32 { return list[m-1] })
	}
}

// wanted returns the probabilities of the arcs of x.odds under the trees that
// have the known heads, or nil if all heads are known.
func (x *scratch) wanted(s *syntax.Sentence) []float64 {
	if !s.Partial() {
		return nil
	}
	given := s.Heads()
	all := syntax.Candidates{Start: x.odds.Start, Heads: x.odds.Heads, LogOdds: x.odds.Score}
	c := restrict(&all, given, int32(slices.Index(given, syntax.Root)+1))
	arcs := graph.Of(&c)
	p := make([]float64, len(arcs.Heads))
	if arcs.N() > marginalWords || !x.margins.Compute(&arcs, p) {
		arcs.Softmax(p)
	}
	x.q = resize(x.q, len(x.odds.Heads))
	clear(x.q)
	for m := 1; m <= arcs.N(); m++ {
		lo, hi := x.odds.Span(m)
		from, to := arcs.Span(m)
		for a := lo; a < hi && from < to; a++ {
			if x.odds.Heads[a] == arcs.Heads[from] { // both increase
				x.q[a] = p[from]
				from++
			}
		}
	}
	return x.q
}
