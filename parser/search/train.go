package search

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// DefaultDelta is the local loss, in units of 1/score.Unit, below which moves are scored
// in full: the loss of one wrong head.
const DefaultDelta = score.Unit

// TrainOptions are the options of Train. Zero values mean the defaults.
type TrainOptions struct {
	Seed    uint64
	Workers int     // results do not depend on it; 1 if 0
	Epochs  int     // at most; 10 if 0
	Batch   int     // sentences that share the weights they are decoded with (Zhao and Huang 2013); 16 if 0
	C       float64 // cap of a step (PA-I); 0.01 if 0
	Limit   int     // weights kept in the model; 1,200,000 if 0

	// Families of parts; part.Standard if 0, so a parser of arcs alone is not possible.
	Families part.Families

	Tensor int // rank of a tensor for arcs; 0: no tensor

	// From, if set, is a model to adapt: a Share of what is learned is added to its
	// sparse weights. Families and Tensor are those of From, and Limit is
	// ignored.
	From  *Model
	Share float64

	Log func(format string, a ...any)

	Checkpoint func(epoch int, layout func(*pack.Layout)) error // as of linear.Loop
	Resume     func(layout func(*pack.Layout)) (bool, error)
}

func (o *TrainOptions) setDefaults() {
	o.Batch = cmp.Or(o.Batch, defaultBatch)
	o.Epochs, o.C, o.Limit = cmp.Or(o.Epochs, 10), cmp.Or(o.C, 0.01), cmp.Or(o.Limit, 1_200_000)
	if o.From != nil {
		o.Families, o.Tensor = o.From.source.Families, 0
	}
	o.Families = cmp.Or(o.Families, part.Standard)
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
}

const (
	defaultBatch = 16 // sentences
	stop         = 3  // training ends after so many epochs without a better dev UAS
)

// A trainer is the state of a training.
type trainer struct {
	o        TrainOptions
	model    *Model               // its source changes in training
	best     *Model               // the model that was kept
	weights  score.Learned        // times gamma
	tensor   *score.TensorLearner // nil without a tensor
	scratch  []*Search            // by worker
	outcomes outcomes
}

// outcomes count training sentences of an epoch, or of one step, by result.
type outcomes struct {
	violated, correct, below int // sentences updated on, right, wrong but scored below gold
	wrong                    int
	counters                 Counters
}

// An update is one sentence's step, found with the weights of its batch.
type update struct {
	features []feature       // sorted by key, each once
	gradient *score.Gradient // nil without a tensor
	alpha    float64
	outcomes outcomes
}

// A feature is a key, and how often it is in the gold tree less how often it is
// in the other tree.
type feature struct {
	key   hash.Key
	count float32
}

// Train learns the weights of parts from sentences with gold heads, which must be among
// their Candidates (prune.Jackknife), and keeps the epoch that is best on dev. Decoding
// is cost-augmented: every wrong head adds a loss of one. If the result scores above
// the gold tree, a passive-aggressive step of size at most C moves their difference
// (PA-I, Crammer et al. 2006; Lei et al. 2014). Weights are averaged over batches. The
// result is the same for any number of workers.
func Train(v *word.Vocabulary, train, dev []syntax.Sentence, o TrainOptions) (*Model, error) {
	o.setDefaults()
	if !o.Families.Valid() {
		return nil, fmt.Errorf("families %s: want those of part.All", o.Families)
	}
	t := newTrainer(v, train, o)
	o.Log("parser: parts %s", o.Families)
	task := linear.Task[update]{
		Learn: func(worker int, at linear.At, u *update) {
			*u = update{features: u.features[:0]}
			s := &train[at.Example]
			if n := len(s.Words); n > 0 && n <= syntax.MaxWholeWords {
				t.learn(t.scratch[worker], s, at.Seed(o.Seed), u)
			}
		},
		Apply:   func(at linear.At, u *update) { t.apply(u, at.Step) },
		Measure: func(epoch, steps int) float64 { return t.measure(dev, epoch, steps) },
		Keep:    func(_, steps int) { t.keep(steps) },
		State:   t.layout,
	}
	loop := linear.Loop{Examples: len(train), Epochs: o.Epochs, Stop: stop, Batch: o.Batch, Workers: o.Workers,
		Seed:       o.Seed,
		Checkpoint: o.Checkpoint, Resume: o.Resume}
	if err := linear.Run(loop, task); err != nil {
		return nil, err
	}
	return t.best, nil
}

func newTrainer(v *word.Vocabulary, train []syntax.Sentence, o TrainOptions) *trainer {
	t := &trainer{o: o, weights: score.Learned{Weights: linear.NewWeights()}}
	source := part.Source{Vocabulary: v, Families: o.Families}
	if o.From != nil {
		source, t.weights.Base = o.From.source, o.From.weights // with its prior and its tensor
		t.weights.Share = o.Share
	}
	source.Parts = t.weights
	t.model = &Model{source: source, delta: DefaultDelta}
	t.best = &Model{source: source, delta: t.model.delta, weights: score.Compact(func(func(hash.Key, float32)) {}, 0)}
	if o.From != nil {
		t.model.delta, t.best.delta, t.best.tensor = o.From.delta, o.From.delta, o.From.tensor
	}
	for range max(o.Workers, 1) {
		t.scratch = append(t.scratch, &Search{})
	}
	if o.Tensor > 0 {
		t.tensor = score.NewTensorLearner(train, v, o.Tensor, o.Seed, o.Log)
		t.model.source.Tensor = t.tensor
	}
	return t
}

// layout names what a checkpoint holds.
func (t *trainer) layout(l *pack.Layout) {
	tensor := t.tensor != nil
	l.Bool("tensor", &tensor)
	l.Check("tensor", tensor == (t.tensor != nil), "is of other options")
	t.weights.Layout(l, "weights")
	if t.tensor != nil {
		l.Nested("learner", t.tensor.Layout)
	}
	l.Nested("best", t.best.layout)
}

// gamma is the weight of the sparse score in a tree's score: 1 without a
// tensor.
func (t *trainer) gamma() float64 {
	if t.tensor == nil {
		return 1
	}
	return score.Gamma
}

// apply takes one sentence's step, scaled by the weights of the two scores
// (score.Gamma).
func (t *trainer) apply(u *update, step int) {
	scale := u.alpha * t.gamma() * t.gamma()
	for _, f := range u.features {
		t.weights.Add(f.key, scale*float64(f.count), step)
	}
	if u.gradient != nil {
		t.tensor.Add(u.gradient, u.alpha, step)
	}
	a, b := &t.outcomes, &u.outcomes
	a.violated += b.violated
	a.correct += b.correct
	a.below += b.below
	a.wrong += b.wrong
	a.counters.Add(b.counters)
}

// measure returns the UAS on dev under averaged weights. Without dev it returns
// the number of the epoch, so that the last one is kept.
func (t *trainer) measure(dev []syntax.Sentence, epoch, steps int) float64 {
	uas, figure := 0., float64(epoch)
	if len(dev) > 0 {
		m := &Model{source: t.model.source, delta: t.model.delta}
		now := t.weights
		now.Weights = now.Average(steps)
		m.source.Prior, m.source.Parts = prior, now
		if t.tensor != nil {
			m.source.Tensor = t.tensor.Averaged(steps)
		}
		uas = m.uas(dev, t.o.Workers)
		figure = uas
	}
	y, c, words := &t.outcomes, &t.outcomes.counters, float64(max(t.outcomes.counters.Words, 1))
	t.o.Log("parser: epoch %d: dev UAS %.2f %%, training errors %.2f %%, sentences %d violated, %d wrong below gold, %d right, %d features, %.0f look-ups, %.0f gains and %.1f global scores a word",
		epoch, 100*uas, 100*float64(y.wrong)/words, y.violated, y.below, y.correct, t.weights.Len(),
		float64(c.Lookups)/words, float64(c.Gains)/words, float64(c.Globals)/words)
	t.outcomes = outcomes{}
	return figure
}

// keep makes the average over the steps so far the result.
func (t *trainer) keep(steps int) {
	t.best.weights = t.weights.Fixed(steps, t.o.Limit)
	if t.tensor != nil {
		t.best.tensor = *t.tensor.Averaged(steps)
	}
	t.best.fix()
}

// load prepares a training sentence, with the loss of one added to the scores of
// wrong heads, unless the right one is open.
func (t *trainer) load(x *Search, s *syntax.Sentence, seed uint64) {
	x.Scores.Count = Counters{}
	x.prepare(t.model, s)
	x.Seed = seed
	x.gold = resize(x.gold, x.Scores.N+1)
	for m := 1; m <= x.Scores.N; m++ {
		x.gold[m] = s.Words[m-1].Head
		lo, hi := x.Scores.Arcs.Span(m)
		for a := lo; a < hi; a++ {
			if x.gold[m] != syntax.NoHead && x.Scores.Arcs.Heads[a] != x.gold[m] {
				x.Scores.Arcs.Score[a] += score.Unit
			}
		}
	}
}

// learn decodes a training sentence under cost, leaves the tree in x.best, and fills
// u with the step towards the gold tree from it. If the gold tree scores higher, the
// search has erred and there is no step.
func (t *trainer) learn(x *Search, s *syntax.Sentence, seed uint64, u *update) {
	t.load(x, s, seed)
	partial := s.Partial()
	if (!partial || t.force(x, s, seed)) && (Greedy{Restarts: 1}).Decode(x) {
		if partial {
			x.Tree.Set(&x.Scores.Arcs, x.gold)
			x.ascend()
		}
		for i := range s.Words {
			if head := s.Words[i].Head; head != syntax.NoHead && head != x.best[i+1] {
				u.outcomes.wrong++
			}
		}
		if u.outcomes.wrong == 0 {
			u.outcomes.correct = 1
		} else {
			t.stepFrom(x, s.Step(), u)
		}
	}
	u.outcomes.counters = x.Scores.Count
}

// stepFrom fills u with the step from x.best towards x.gold, times weight, if
// x.best scores higher with its cost.
func (t *trainer) stepFrom(x *Search, weight float32, u *update) {
	y, arcs := &x.Tree, &x.Scores.Arcs
	y.Set(arcs, x.best)
	x.parts[1] = x.Scores.Parts(y, x.parts[1][:0])
	y.Set(arcs, x.gold)
	loss := float64(x.bestAt-x.total()) / score.Unit
	if loss <= 0 {
		u.outcomes.below = 1
		return
	}
	x.parts[0] = x.Scores.Parts(y, x.parts[0][:0])
	plus, minus := part.Difference(x.parts[0], x.parts[1])
	u.add(x, plus, 1)
	u.add(x, minus, -1)
	u.merge()
	norm := 0.0
	for _, f := range u.features {
		norm += float64(f.count * f.count)
	}
	norm = float64(norm * float64(t.gamma()*t.gamma())) // not fused with what follows
	if t.tensor != nil {
		u.gradient = t.tensor.Gradient(&x.Scores.Projection, x.gold, x.best)
		norm += float64(t.tensor.StepNorm(u.gradient)) // likewise
	}
	if u.alpha = float64(weight) * linear.PassiveAggressive(loss, norm, t.o.C); u.alpha > 0 {
		u.outcomes.violated = 1
	}
}

// add counts the keys of parts.
func (u *update) add(x *Search, list []part.Part, count float32) {
	var keys []hash.Key
	for _, p := range list {
		keys = x.Scores.Keys(p, keys)
	}
	for _, key := range keys {
		u.features = append(u.features, feature{key, count})
	}
}

// merge joins features with the same key, and drops those whose counts cancel.
func (u *update) merge() {
	slices.SortFunc(u.features, func(a, b feature) int { return cmp.Compare(a.key, b.key) })
	merged := u.features[:0]
	for _, f := range u.features {
		if last := len(merged) - 1; last >= 0 && merged[last].key == f.key {
			merged[last].count += f.count
		} else {
			merged = append(merged, f)
		}
	}
	u.features = slices.DeleteFunc(merged, func(f feature) bool { return f.count == 0 })
}

// uas parses copies of the sentences and returns the share of right heads.
func (m *Model) uas(list []syntax.Sentence, workers int) float64 {
	var right, words atomic.Int64
	linear.Parallel(len(list), max(workers, 1), func(_, i int) {
		s := list[i]
		s.Words = slices.Clone(s.Words)
		words.Add(int64(len(s.Words)))
		if m.Parse(&s, Options{Exact: -1}) != nil {
			return
		}
		for k := range s.Words {
			if s.Words[k].Head == list[i].Words[k].Head {
				right.Add(1)
			}
		}
	})
	return float64(right.Load()) / float64(max(words.Load(), 1))
}
