package search

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// TrainOptions of Train. Zero values have the defaults.
type TrainOptions struct {
	Seed     uint64
	Workers  int     // results do not depend on it; 1 if 0
	Epochs   int     // at most; 10 if 0
	Stop     int     // end after so many epochs without a better dev UAS; 3 if 0
	C        float64 // cap of a step (PA-I); 0.01 if 0
	Batch    int     // sentences that share the weights they are decoded with; 16 if 0
	Restarts int     // climbs per sentence; 1 if 0
	Limit    int     // weights kept in the model; 1,200,000 if 0

	// Families of parts; feature.Standard if 0 (a parser of arcs alone is not
	// offered). Delta bounds the local loss of moves that are scored in full,
	// in units of 1/score.Unit: DefaultDelta if 0, no such moves if negative.
	Families feature.Families
	Delta    int
	Strategy Strategy // DefaultStrategy if ""

	Tensor *score.TensorOptions // of a tensor for arcs; nil has none

	Log func(format string, a ...any)

	// Checkpoint, if set, is called after every epoch with all that Resume,
	// if set, must return for the training to continue as if it had never
	// stopped.
	Checkpoint func(epoch int, state []byte) error
	Resume     func() ([]byte, bool)
}

func (o *TrainOptions) setDefaults() {
	set := func(p *int, v int) {
		if *p <= 0 {
			*p = v
		}
	}
	set(&o.Workers, 1)
	set(&o.Epochs, 10)
	set(&o.Stop, 3)
	set(&o.Batch, 16)
	set(&o.Restarts, 1)
	set(&o.Limit, 1_200_000)
	if o.C == 0 {
		o.C = 0.01
	}
	if o.Families == 0 {
		o.Families = feature.Standard
	}
	if o.Delta == 0 {
		o.Delta = DefaultDelta
	}
	if o.Strategy == "" {
		o.Strategy = DefaultStrategy
	}
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
}

// logPruned logs how many of dev's gold heads are no candidates.
func (o *TrainOptions) logPruned(dev []syntax.Sentence) {
	words, dropped := 0, 0
	for i := range dev {
		if check(&dev[i]) != nil {
			continue
		}
		for m := 1; m <= len(dev[i].Words); m++ {
			words++
			if !slices.Contains(dev[i].Candidates.Of(m), dev[i].Words[m-1].Head) {
				dropped++
			}
		}
	}
	o.Log("parser: parts %s, training %s; on dev the pruner has dropped %d of %d gold heads", o.Families, o.Strategy, dropped, words)
}

// A trainer is the state of a training.
type trainer struct {
	o       TrainOptions
	model   *Model
	table   *score.Table         // of weights times gamma
	learner *score.TensorLearner // nil without a tensor
	train   []syntax.Sentence
	dev     []syntax.Sentence

	step       int // batches so far
	epoch      int
	best       *score.Weights
	bestTensor *score.Tensor
	bestUAS    float64
	since      int // epochs since best
	tally      tally
}

// A tally counts what one epoch saw.
type tally struct {
	Violations, Correct, Unviolated int // sentences updated on, right, wrong but scored below gold
	Wrong, Words                    int
	Counters                        Counters
}

// An update is one sentence's step, found with the weights of its batch.
type update struct {
	keys     []feature.Key // sorted, each once
	count    []float32
	gradient *score.Gradient // nil without a tensor
	alpha    float64
	tally    tally
}

// Train learns the part weights from sentences with gold heads whose
// Candidates hold them (prune.Jackknife), and keeps the epoch that is best
// on dev. Every sentence is decoded with the loss of one added to wrong
// heads (cost-augmented); where the result beats the gold tree, a passive-
// aggressive step of size at most C moves their difference
// (Crammer et al. 2006, PA-I; Lei et al. 2014). All sentences of a batch are decoded
// with the same weights and their steps added in order, so that the result
// is the same for any number of workers; weights are averaged over batches.
func Train(train, dev []syntax.Sentence, o TrainOptions) (*Model, error) {
	o.setDefaults()
	if err := o.Strategy.Valid(); err != nil {
		return nil, err
	}
	if !o.Families.Valid() {
		return nil, fmt.Errorf("families %s: want those of feature.Full and feature.Lean", o.Families)
	}
	for i := range train {
		if err := check(&train[i]); err != nil {
			return nil, fmt.Errorf("training sentence %d: %w", i+1, err)
		}
	}
	o.logPruned(dev)
	t := &trainer{o: o, train: train, dev: dev, table: score.NewTable(20)}
	t.model = &Model{source: part.Source{Vocabulary: feature.Learn(train), Parts: t.table, Families: o.Families}, delta: int32(max(o.Delta, 0))}
	if o.Resume != nil {
		if state, ok := o.Resume(); ok {
			if err := t.restore(state); err != nil {
				return nil, err
			}
		}
	}
	if err := t.startTensor(); err != nil {
		return nil, err
	}
	for t.epoch < o.Epochs && (t.since < o.Stop || len(dev) == 0) {
		t.runEpoch()
		if o.Checkpoint != nil {
			if err := o.Checkpoint(t.epoch, t.state()); err != nil {
				return nil, err
			}
		}
	}
	m := &Model{source: t.model.source, weights: t.best, delta: t.model.delta}
	m.source.Parts = t.best
	m.setTensor(t.bestTensor)
	return m, nil
}

func (t *trainer) runEpoch() {
	begin := time.Now()
	t.epoch++
	t.tally = tally{}
	order := prune.Shuffled(len(t.train), t.o.Seed+uint64(t.epoch))
	for lo := 0; lo < len(order); lo += t.o.Batch {
		batch := order[lo:min(lo+t.o.Batch, len(order))]
		updates := make([]update, len(batch))
		parallel(len(batch), t.o.Workers, func(k int) {
			updates[k] = t.learn(batch[k])
		})
		t.step++
		for k := range updates {
			t.apply(&updates[k])
			t.tally.add(&updates[k].tally)
		}
	}
	trained := time.Since(begin)
	average := t.table.Averaged(t.step)
	uas, fixed := t.measure(average)
	t.since++
	if t.best == nil || uas > t.bestUAS || len(t.dev) == 0 {
		t.best, t.bestTensor, t.bestUAS, t.since = average.Compact(t.o.Limit), fixed, uas, 0
	}
	c, words := t.tally.Counters, float64(max(t.tally.Words, 1))
	t.o.Log("parser: epoch %d: dev UAS %.2f %%, training errors %.2f %%, sentences %d violated, %d wrong below gold, %d right, %d features, %.0f look-ups, %.0f gains and %.1f global scores a word, %.0f s + %.0f s dev",
		t.epoch, 100*uas, 100*float64(t.tally.Wrong)/words, t.tally.Violations, t.tally.Unviolated, t.tally.Correct, t.table.Len(),
		float64(c.Lookups)/words, float64(c.Gains)/words, float64(c.Globals)/words, trained.Seconds(), (time.Since(begin) - trained).Seconds())
}

// apply takes one sentence's step, scaled by the weights of the two scores
// (TensorOptions.Gamma).
func (t *trainer) apply(u *update) {
	scale := u.alpha * t.gamma() * t.gamma()
	for i, key := range u.keys {
		t.table.Add(key, scale*float64(u.count[i]), t.step)
	}
	if u.gradient != nil {
		t.learner.Add(u.gradient, u.alpha, t.step)
	}
}

func (a *tally) add(b *tally) {
	a.Violations += b.Violations
	a.Correct += b.Correct
	a.Unviolated += b.Unviolated
	a.Wrong += b.Wrong
	a.Words += b.Words
	a.Counters.Add(b.Counters)
}

// learn decodes training sentence i under cost and returns its step.
func (t *trainer) learn(i int) update {
	s := &t.train[i]
	if n := len(s.Words); n == 0 || n > syntax.MaxWholeWords {
		return update{}
	}
	x := t.model.get()
	defer t.model.pool.Put(x)
	return t.learnWith(x, s, uint64(t.epoch)<<32+uint64(i)+t.o.Seed)
}

// learnWith leaves the decoded tree in x.best.
func (t *trainer) learnWith(x *search, s *syntax.Sentence, seed uint64) update {
	n := len(s.Words)
	x.t.Count = Counters{}
	x.prepare(t.model, s)
	for m := 1; m <= n; m++ {
		lo, hi := x.t.Arcs.Span(m)
		for a := lo; a < hi; a++ {
			if x.t.Arcs.Heads[a] != s.Words[m-1].Head {
				x.t.Arcs.Score[a] += score.Unit
			}
		}
	}
	u := update{tally: tally{Words: n}}
	if !x.run(seed, t.o.Restarts, 2) {
		return u
	}
	x.gold = resize(x.gold, n+1)
	for m := 1; m <= n; m++ {
		x.gold[m] = s.Words[m-1].Head
		if x.gold[m] != x.best[m] {
			u.tally.Wrong++
		}
	}
	if u.tally.Wrong == 0 {
		u.tally.Correct = 1
	} else {
		if t.o.Strategy == MaxViolation {
			x.ascend(x.gold)
		}
		t.violation(x, &u)
		u.alpha = min(u.alpha, t.o.C)
	}
	u.tally.Counters = x.t.Count
	return u
}

// violation fills u with the step from x.best towards x.gold, if x.best scores
// higher with its cost.
func (r *trainer) violation(x *search, u *update) {
	t := &x.t
	x.y.Set(&t.Arcs, x.best)
	x.parts[1] = t.Parts(&x.y, x.parts[1][:0])
	x.y.Set(&t.Arcs, x.gold)
	loss := float64(x.bestAt-x.total()) / score.Unit
	if loss <= 0 {
		u.tally.Unviolated = 1
		return
	}
	x.parts[0] = t.Parts(&x.y, x.parts[0][:0])
	plus, minus := part.Difference(x.parts[0], x.parts[1])
	up, down := gather(t, plus), gather(t, minus)
	norm := 0.0
	for i, j := 0, 0; i < len(up) || j < len(down); {
		k := feature.Key(0)
		switch {
		case j == len(down) || i < len(up) && up[i] < down[j]:
			k = up[i]
		default:
			k = down[j]
		}
		c := float32(0)
		for ; i < len(up) && up[i] == k; i++ {
			c++
		}
		for ; j < len(down) && down[j] == k; j++ {
			c--
		}
		if c != 0 {
			u.keys, u.count = append(u.keys, k), append(u.count, c)
			norm += float64(c) * float64(c)
		}
	}
	norm *= r.gamma() * r.gamma()
	if r.learner != nil {
		u.gradient = r.learner.Gradient(&x.t.Projection, x.gold, x.best)
		norm += r.learner.StepNorm(u.gradient)
	}
	if norm > 0 {
		u.tally.Violations = 1
		u.alpha = loss / norm
	}
}

// gather returns the sorted keys of all parts.
func gather(t *part.Scores, list []part.Part) []feature.Key {
	var keys []feature.Key
	for _, p := range list {
		keys = t.Keys(p, keys)
	}
	slices.Sort(keys)
	return keys
}

// uas parses copies of the sentences and returns the share of right heads.
func (m *Model) uas(list []syntax.Sentence, workers int) float64 {
	right, words := make([]int, len(list)), 0
	for i := range list {
		words += len(list[i].Words)
	}
	parallel(len(list), workers, func(i int) {
		s := list[i]
		s.Words = slices.Clone(s.Words)
		if err := m.Parse(&s, Options{Restarts: 6, Patience: 3, Exact: -1}); err != nil {
			return
		}
		for k := range s.Words {
			if s.Words[k].Head == list[i].Words[k].Head {
				right[i]++
			}
		}
	})
	sum := 0
	for _, r := range right {
		sum += r
	}
	return float64(sum) / float64(max(words, 1))
}

// parallel calls f(0..n-1) on so many goroutines.
func parallel(n, workers int, f func(i int)) {
	var wg sync.WaitGroup
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	for range min(workers, n) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range next {
				f(i)
			}
		}()
	}
	wg.Wait()
}

// saved is what a checkpoint holds.
type saved struct {
	Step, Epoch, Since int
	BestUAS            float64
	Table              score.State
	Best               []byte
	Tensor             *score.TensorState // nil without a tensor, like BestTensor
	BestTensor         []pack.Section
}

func (t *trainer) state() []byte {
	var b bytes.Buffer
	best, _ := t.best.MarshalBinary()
	s := saved{t.step, t.epoch, t.since, t.bestUAS, t.table.State(), best, nil, nil}
	if t.learner != nil {
		var b pack.Builder
		pack.Write(b.Sub("t"), t.bestTensor.Layout)
		s.Tensor, s.BestTensor = t.learner.State(), b.Sections
	}
	err := gob.NewEncoder(&b).Encode(s)
	if err != nil {
		panic(err) // a bytes.Buffer takes anything, and the types are ours
	}
	return b.Bytes()
}

func (t *trainer) restore(state []byte) error {
	var s saved
	if err := gob.NewDecoder(bytes.NewReader(state)).Decode(&s); err != nil {
		return fmt.Errorf("the parser's checkpoint is damaged: %w; delete it to start its training again", err)
	}
	t.step, t.epoch, t.since, t.bestUAS = s.Step, s.Epoch, s.Since, s.BestUAS
	t.table = score.FromState(s.Table)
	t.model.source.Parts = t.table
	if err := t.restoreTensor(&s); err != nil {
		return err
	}
	t.best = new(score.Weights)
	return t.best.UnmarshalBinary(s.Best)
}
