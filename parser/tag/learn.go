package tag

import (
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/score"
)

// A problem is the training data of one layer: sequences of words with their
// features and gold labels.
type problem struct {
	labels  *labels
	start   []int32    // words of sequence s are start[s]:start[s+1]
	ids     []int32    // numbers of the features of all words
	idStart []int32    // those of word w are ids[idStart[w]:idStart[w+1]]
	gold    []uint16   // label of each word
	allowed [][]uint16 // labels that it may get; shared between words

	keys  []hash.Key // features of all words until they are numbered
	index linear.Index
}

// add appends a word.
func (p *problem) add(keys []hash.Key, allowed []uint16, gold uint16) {
	if p.idStart == nil {
		p.start, p.idStart = []int32{0}, []int32{0}
	}
	for _, key := range keys {
		p.index.Count(key)
	}
	p.keys = append(p.keys, keys...)
	p.idStart = append(p.idStart, int32(len(p.keys)))
	p.gold = append(p.gold, gold)
	p.allowed = append(p.allowed, allowed)
}

func (p *problem) endSequence() { p.start = append(p.start, int32(len(p.gold))) }

// number replaces the keys of features by their numbers, those that are too
// rare being left out.
func (p *problem) number() {
	p.index.Cut(featureCut)
	begin := int32(0)
	for w := range p.gold {
		end := p.idStart[w+1]
		for _, key := range p.keys[begin:end] {
			if id := p.index.ID(key); id >= 0 {
				p.ids = append(p.ids, id)
			}
		}
		begin, p.idStart[w+1] = end, int32(len(p.ids))
	}
	p.keys = nil
}

const (
	featureCut = 2    // occurrences that a feature needs
	stepLimit  = 0.02 // PA-I's C
	batchSize  = 4    // sequences that see the same weights
	leastShare = 0.04 // of a common weight, see linear.Packing
)

// A learner learns the weights of one layer by structured PA-I with averaging
// (Crammer et al. 2006, section 8; Collins 2002): where a sequence's best
// labels under a cost of 1 a wrong label are wrong, weights move from their
// features to those of the gold labels.
type learner struct {
	p       *problem
	rows    *linear.Rows
	pairs   *linear.Dense // units x units
	steps   int
	workers []worker
}

// A worker is what one goroutine needs.
type worker struct {
	lat       lattice[float32]
	acc, emit []float32
	gold      []uint16
}

// An update is what one sequence teaches.
type update struct {
	tau   float32  // of the step; 0: none
	path  []uint16 // labels that weights move away from
	ids   []int32  // features that were seen
	start []int32  // those of the i-th word are ids[start[i]:start[i+1]]
	wrong int      // words
}

// learn runs the epochs. beam is the number of labels of a word among which
// mistakes are looked for.
func (p *problem) learn(name string, epochs, beam int, o Options) *learner {
	p.number()
	l := &learner{p: p, rows: linear.NewRows(p.index.Len()), pairs: linear.NewDense(p.labels.units * p.labels.units)}
	l.workers = make([]worker, max(1, o.Workers))
	wrong := 0
	loop := linear.Loop{Examples: max(0, len(p.start)-1), Epochs: epochs, Batch: batchSize, Workers: o.Workers, Seed: o.Seed}
	err := linear.Run(loop, linear.Task[update]{
		Learn: func(worker int, at linear.At, u *update) { l.visit(&l.workers[worker], at, beam, o, u) },
		Apply: func(at linear.At, u *update) {
			wrong += u.wrong
			l.apply(at, u)
		},
		Measure: func(epoch, _ int) float64 {
			o.Log("tagger: %s epoch %d/%d, %.2f %% wrong in training", name, epoch, epochs, 100*float64(wrong)/float64(len(p.gold)))
			wrong = 0
			return float64(epoch) // the last is kept
		},
		Keep: func(_, steps int) { l.steps = steps },
	})
	if err != nil {
		panic(err) // only checkpoints fail
	}
	return l
}

// visit finds the update of one sequence.
func (l *learner) visit(w *worker, at linear.At, beam int, o Options, u *update) {
	p := l.p
	lo, hi := int(p.start[at.Example]), int(p.start[at.Example+1])
	rng := hash.Rand(at.Seed(o.Seed))
	drop := uint64(o.Dropout * (1 << 32))
	u.tau, u.wrong, u.ids, u.start = 0, 0, u.ids[:0], append(u.start[:0], 0)
	w.acc = resize(w.acc, p.labels.n)
	w.lat.reset()
	for i := lo; i < hi; i++ {
		clear(w.acc)
		for _, id := range p.ids[p.idStart[i]:p.idStart[i+1]] {
			if rng.Next()>>32 >= drop {
				u.ids = append(u.ids, id)
				l.rows.Sum(id, w.acc)
			}
		}
		u.start = append(u.start, int32(len(u.ids)))
		w.emit = w.emit[:0]
		for _, x := range p.allowed[i] {
			s := sumOf(p.labels, w.acc, x)
			if x != p.gold[i] {
				s++
			}
			w.emit = append(w.emit, s)
		}
		w.lat.push(p.allowed[i], w.emit, beam, 0)
		if last := w.lat.last(); !slices.Contains(last, p.gold[i]) {
			last[len(last)-1], w.lat.emit[len(w.lat.emit)-1] = p.gold[i], sumOf(p.labels, w.acc, p.gold[i])
		}
	}
	u.path = append(u.path[:0], w.lat.search(p.labels, l.pairs.W)...)
	gold := p.gold[lo:hi]
	parts := 0
	for i, x := range u.path {
		if x != gold[i] {
			u.wrong++
			k := len(p.labels.of(x)) + len(p.labels.of(gold[i])) - 2*common(p.labels.of(x), p.labels.of(gold[i]))
			parts += k * int(u.start[i+1]-u.start[i]+4)
		}
	}
	if u.wrong > 0 {
		loss := w.lat.score(p.labels, l.pairs.W, u.path) - w.lat.score(p.labels, l.pairs.W, gold)
		u.tau = float32(linear.PassiveAggressive(float64(loss), float64(parts), stepLimit))
	}
}

// common counts the parts that a and b share.
func common(a, b []uint16) int {
	n := 0
	for _, x := range a {
		if slices.Contains(b, x) {
			n++
		}
	}
	return n
}

// apply moves the weights from the path of u to the gold labels.
func (l *learner) apply(at linear.At, u *update) {
	if u.tau == 0 {
		return
	}
	ls := l.p.labels
	gold := l.p.gold[l.p.start[at.Example]:]
	for i, x := range u.path {
		g := gold[i]
		if x != g {
			for _, id := range u.ids[u.start[i]:u.start[i+1]] {
				l.move(id, ls.of(g), ls.of(x), u.tau, at.Step)
				l.move(id, ls.of(x), ls.of(g), -u.tau, at.Step)
			}
		}
		if i > 0 && (x != g || u.path[i-1] != gold[i-1]) {
			l.movePairs(gold[i-1], g, u.tau, at.Step)
			l.movePairs(u.path[i-1], x, -u.tau, at.Step)
		}
	}
}

// move adds delta to the weights of a feature for the parts that are not among
// others.
func (l *learner) move(id int32, parts, others []uint16, delta float32, step int) {
	for _, p := range parts {
		if !slices.Contains(others, p) {
			l.rows.Add(id, p, delta, step)
		}
	}
}

func (l *learner) movePairs(a, b uint16, delta float32, step int) {
	ls := l.p.labels
	for _, x := range ls.of(a) {
		for _, y := range ls.of(b) {
			if int(x) < ls.units && int(y) < ls.units {
				l.pairs.Add(int(x)*ls.units+int(y), delta, step)
			}
		}
	}
}

// table returns the averaged weights of features.
func (l *learner) table(o Options) *linear.Table {
	return linear.Pack(l.rows.Averaged(l.steps).Each(l.p.index.Keys()), linear.Packing{Unit: score.Unit, Limit: o.Weights, Least: leastShare})
}

// layer returns the layer that was learned.
func (l *learner) layer(o Options) layer {
	m := layer{labels: *l.p.labels, table: *l.table(o)}
	for _, w := range l.pairs.Averaged(l.steps) {
		m.pairs = append(m.pairs, int32(math.Round(float64(w)*score.Unit)))
	}
	return m
}
