package sequence

import (
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/score"
)

// A Problem is the training data of one layer: sequences of words with their
// features and gold labels.
type Problem struct {
	labels  *Labels
	start   []int32    // words of sequence s are start[s]:start[s+1]
	step    []float32  // of each sequence: what its steps are multiplied by
	ids     []int32    // numbers of the features of all words
	idStart []int32    // those of word w are ids[idStart[w]:idStart[w+1]]
	gold    []uint16   // label of each word
	allowed [][]uint16 // labels that it may get; shared between words

	keys  [][]hash.Key // features of all words until they are numbered; those of a word lie in one list
	index linear.Index
}

// New returns an empty Problem.
func New(ls *Labels) *Problem {
	return &Problem{labels: ls, start: []int32{0}, idStart: []int32{0}}
}

// Add appends a word to the current sequence.
func (p *Problem) Add(keys []hash.Key, allowed []uint16, gold uint16) {
	last := len(p.keys) - 1
	if last < 0 || len(p.keys[last])+len(keys) > cap(p.keys[last]) {
		p.keys = append(p.keys, make([]hash.Key, 0, max(keyList, len(keys))))
		last++
	}
	p.keys[last] = append(p.keys[last], keys...)
	p.idStart = append(p.idStart, p.idStart[len(p.gold)]+int32(len(keys)))
	p.gold = append(p.gold, gold)
	p.allowed = append(p.allowed, allowed)
}

// EndSequence ends a sequence. Its steps are multiplied by step.
func (p *Problem) EndSequence(step float32) {
	p.start, p.step = append(p.start, int32(len(p.gold))), append(p.step, step)
}

// number replaces the keys of features by their numbers, and leaves out those
// that are too rare.
func (p *Problem) number() {
	p.index.CountRepeated(p.keys...)
	p.index.Cut(featureCut)
	begin := int32(0)
	for w := range p.gold {
		end := p.idStart[w+1]
		n := int(end - begin)
		if n > len(p.keys[0]) {
			p.keys = p.keys[1:]
		}
		for _, key := range p.keys[0][:n] {
			if id := p.index.ID(key); id >= 0 {
				p.ids = append(p.ids, id)
			}
		}
		p.keys[0] = p.keys[0][n:]
		begin, p.idStart[w+1] = end, int32(len(p.ids))
	}
	p.keys = nil
}

// Options are the options of Learn.
type Options struct {
	Seed    uint64
	Workers int                              // goroutines; 0 is one. No result depends on it.
	Log     func(format string, args ...any) // progress

	// Cells is the number of weights that the layer keeps, in a narrow table
	// (linear.Packing); 0 means many, in a wide one.
	Cells int
}

const (
	keyList    = 1 << 20      // keys of a list
	featureCut = 2            // occurrences that a feature needs
	dropout    = 1 << 32 / 10 // of 1<<32 features, those left out at a visit
	stepLimit  = 0.02         // PA-I's C
	batchSize  = 4            // sequences that see the same weights
	maxWeights = 700_000      // of a layer
	leastShare = 0.04         // of a common weight, see linear.Packing
)

// A learner learns the weights of one layer by structured PA-I with averaging
// (Crammer et al. 2006, section 8; Collins 2002): where a sequence's best
// labels under a cost of 1 a wrong label are wrong, weights move from the
// features of these labels to the features of the gold labels.
type learner struct {
	p       *Problem
	beam    int // labels of a word among which mistakes are looked for
	seed    uint64
	rows    *linear.Rows
	pairs   *linear.Dense // units x units
	workers []worker
}

// A worker is the scratch of one goroutine.
type worker struct {
	lat       Lattice[float32]
	acc, emit []float32
}

// An update is the step for one sequence.
type update struct {
	tau     float32  // of the step; 0: none
	path    []uint16 // labels that weights move away from
	ids     []int32  // features that were seen
	start   []int32  // those of the i-th word are ids[start[i]:start[i+1]]
	changes []change
	wrong   int // words
}

// A change moves the weights of a word's features for one part.
type change struct {
	word int
	part uint16
	sign float32
}

// Learn trains for the given number of epochs and returns the layer with the averaged
// weights. name is for the log.
func (p *Problem) Learn(name string, epochs, beam int, o Options) Layer {
	p.number()
	ls, steps, wrong := p.labels, 0, 0
	l := &learner{p, beam, o.Seed, linear.NewRows(p.index.Len()), linear.NewDense(ls.Units * ls.Units),
		make([]worker, max(1, o.Workers))}
	loop := linear.Loop{Examples: len(p.start) - 1, Epochs: epochs, Batch: batchSize, Workers: o.Workers, Seed: o.Seed}
	err := linear.Run(loop, linear.Task[update]{
		Learn: l.visit,
		Apply: func(at linear.At, u *update) {
			wrong += u.wrong
			l.apply(at, u)
		},
		Measure: func(epoch, _ int) float64 {
			o.Log("tagger: %s epoch %d/%d, %.2f %% wrong in training", name, epoch, epochs,
				100*float64(wrong)/float64(len(p.gold)))
			wrong = 0
			return float64(epoch) // the last is kept
		},
		Keep: func(_, at int) { steps = at },
	})
	if err != nil {
		panic(err) // only checkpoints fail
	}
	packing := linear.Packing{Unit: score.Unit, Limit: maxWeights, Least: leastShare}
	if o.Cells > 0 {
		packing.Limit, packing.Narrow = o.Cells, true
	}
	m := Layer{Labels: *ls, Table: *linear.Pack(l.rows.Averaged(steps).Each(p.index.Keys()), packing)}
	for _, w := range l.pairs.Averaged(steps) {
		m.Pairs = append(m.Pairs, int32(math.Round(float64(w)*score.Unit)))
	}
	return m
}

// visit finds the update of one sequence.
func (l *learner) visit(worker int, at linear.At, u *update) {
	p, w := l.p, &l.workers[worker]
	lo, hi := int(p.start[at.Example]), int(p.start[at.Example+1])
	rng := hash.Rand(at.Seed(l.seed))
	u.tau, u.wrong, u.ids, u.start, u.changes = 0, 0, u.ids[:0], append(u.start[:0], 0), u.changes[:0]
	w.acc = slices.Grow(w.acc[:0], p.labels.N)[:p.labels.N]
	w.lat.Reset()
	for i := lo; i < hi; i++ {
		clear(w.acc)
		for _, id := range p.ids[p.idStart[i]:p.idStart[i+1]] {
			if rng.Next()>>32 >= dropout {
				u.ids = append(u.ids, id)
				l.rows.Sum(id, w.acc)
			}
		}
		u.start = append(u.start, int32(len(u.ids)))
		w.emit = w.emit[:0]
		for _, x := range p.allowed[i] {
			s := SumOf(p.labels, w.acc, x)
			if x != p.gold[i] {
				s++
			}
			w.emit = append(w.emit, s)
		}
		w.lat.Push(p.allowed[i], w.emit, l.beam, 0)
		if last := w.lat.Last(); !slices.Contains(last, p.gold[i]) {
			last[len(last)-1], w.lat.Emit[len(w.lat.Emit)-1] = p.gold[i], SumOf(p.labels, w.acc, p.gold[i])
		}
	}
	u.path = append(u.path[:0], w.lat.Search(p.labels, l.pairs.W)...)
	gold, norm := p.gold[lo:hi], 0
	for i, x := range u.path {
		if x != gold[i] {
			u.wrong++
			before := len(u.changes)
			u.change(i, p.labels.Of(gold[i]), p.labels.Of(x), 1)
			u.change(i, p.labels.Of(x), p.labels.Of(gold[i]), -1)
			norm += (len(u.changes) - before) * int(u.start[i+1]-u.start[i]+4)
		}
	}
	if u.wrong > 0 {
		loss := w.lat.score(p.labels, l.pairs.W, u.path) - w.lat.score(p.labels, l.pairs.W, gold)
		u.tau = p.step[at.Example] * float32(linear.PassiveAggressive(float64(loss), float64(norm), stepLimit))
	}
}

// change records a change of a word for each part that is not among others.
func (u *update) change(word int, parts, others []uint16, sign float32) {
	for _, p := range parts {
		if !slices.Contains(others, p) {
			u.changes = append(u.changes, change{word, p, sign})
		}
	}
}

// apply moves the weights from the path of u to the gold labels.
func (l *learner) apply(at linear.At, u *update) {
	if u.tau == 0 {
		return
	}
	for _, c := range u.changes {
		for _, id := range u.ids[u.start[c.word]:u.start[c.word+1]] {
			l.rows.Add(id, c.part, c.sign*u.tau, at.Step)
		}
	}
	gold := l.p.gold[l.p.start[at.Example]:]
	for i := 1; i < len(u.path); i++ {
		if u.path[i] != gold[i] || u.path[i-1] != gold[i-1] {
			l.movePairs(gold[i-1], gold[i], u.tau, at.Step)
			l.movePairs(u.path[i-1], u.path[i], -u.tau, at.Step)
		}
	}
}

func (l *learner) movePairs(a, b uint16, delta float32, step int) {
	ls := l.p.labels
	for _, x := range ls.Of(a) {
		for _, y := range ls.Of(b) {
			if int(x) < ls.Units && int(y) < ls.Units {
				l.pairs.Add(int(x)*ls.Units+int(y), delta, step)
			}
		}
	}
}
