package tag

import (
	"fmt"
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/score"
)

// A CRF learns the same weights as the default by another objective: the conditional
// log-likelihood of the labels (Lafferty, McCallum and Pereira 2001), over the lattice of
// the best labels of each word, by AdaGrad (Duchi, Hazan and Singer 2011).
//
// With a Delta, a regulariser is added: the expected effect of leaving out features with
// that probability, to the second order (Wang, Wang, Wager, Liang and Manning 2013, section
// 3.2). We depart from the paper: noise is drawn for the features of each word and label,
// not of each pair of labels, and the derivative of the marginals is taken along one
// direction, by two more passes with the scores moved.
type CRF struct {
	Rate    float64 // AdaGrad's, falling to 0; 0 is 0.05
	Dropout float64 // share of features that are left out at each visit, in [0,1)
	Delta   float64 // of the regulariser, in [0,1); 0 is none
}

// leastAsk keeps models small: what is all but certain is left as it is.
const leastAsk = 0.01

// chain is inference in one lattice: candidates of word i are start[i]:start[i+1].
type chain struct {
	start []int32
	unary []float64 // e^score of each candidate, next to the best of its word
	pair  []float64 // e^score of each pair of neighbours, at pairAt(i) + a*candidates of word i + b
	from  []int32   // where the pairs of word i and the one before it begin
	ahead []float64 // forward messages, each word's sum to 1
	back  []float64
	node  []float64 // marginals of candidates
	edge  []float64 // marginals of pairs
}

// infer fills node and edge.
func (c *chain) infer() {
	n := len(c.start) - 1
	c.ahead, c.back = append(c.ahead[:0], c.unary...), resize(c.back, len(c.unary))
	c.node, c.edge = resize(c.node, len(c.unary)), resize(c.edge, len(c.pair))
	for i := range n {
		lo, hi := c.start[i], c.start[i+1]
		if i > 0 {
			before := c.ahead[c.start[i-1]:lo]
			for b := lo; b < hi; b++ {
				sum := 0.0
				for a, x := range before {
					sum += float64(x * c.pair[int(c.from[i])+a*int(hi-lo)+int(b-lo)])
				}
				c.ahead[b] *= sum
			}
		}
		normalise(c.ahead[lo:hi])
	}
	for i := n - 1; i >= 0; i-- {
		lo, hi := c.start[i], c.start[i+1]
		for a := lo; a < hi; a++ {
			c.back[a] = 1
			if i < n-1 {
				c.back[a] = 0
				next := int(c.start[i+2] - hi)
				for b := range next {
					c.back[a] += float64(c.pair[int(c.from[i+1])+int(a-lo)*next+b] * c.unary[int(hi)+b] * c.back[int(hi)+b])
				}
			}
		}
		normalise(c.back[lo:hi])
		for a := lo; a < hi; a++ {
			c.node[a] = c.ahead[a] * c.back[a]
		}
		normalise(c.node[lo:hi])
	}
	for i := 1; i < n; i++ {
		lo, hi := c.start[i], c.start[i+1]
		edge := c.edge[c.from[i]:][:int(lo-c.start[i-1])*int(hi-lo)]
		for k := range edge {
			a, b := int(c.start[i-1])+k/int(hi-lo), int(lo)+k%int(hi-lo)
			edge[k] = c.ahead[a] * c.pair[int(c.from[i])+k] * c.unary[b] * c.back[b]
		}
		normalise(edge)
	}
}

func normalise(list []float64) {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	for i := range list {
		list[i] /= sum
	}
}

func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// An ask is what a sequence wants of the weights of a word's features for a part, or, if
// word is negative, of a pair of parts.
type ask struct {
	word   int32
	part   int32
	by     float64 // gradient to climb
	shrink float64 // by which each weight lowers it
}

// A crfLearner learns one layer.
type crfLearner struct {
	*CRF
	p       *problem
	beam    int
	seed    uint64
	least   float64 // smallest gradient that moves a weight
	rows    *linear.Rows
	pairs   *linear.Dense
	workers []crfWorker
}

// A crfWorker is the scratch of one goroutine.
type crfWorker struct {
	lat         lattice[float32]
	acc, square []float32
	squares     []float32 // of all parts, word by word
	emit        []float32
	chain
	base, along, move []float64 // by candidate
	across            []float64 // by pair
	byPart, shrink    []float64
}

// A crfUpdate is what one sequence teaches.
type crfUpdate struct {
	ids   []int32 // features that were seen
	start []int32 // those of the i-th word are ids[start[i]:start[i+1]]
	asks  []ask
	loss  float64
}

// learnCRF is problem.learn for a CRF.
func (p *problem) learnCRF(name string, epochs, beam int, c *CRF, o Options) layer {
	p.number()
	ls := p.labels
	l := &crfLearner{c, p, beam, o.Seed, leastAsk, linear.NewRows(p.index.Len()), linear.NewDense(ls.units * ls.units), make([]crfWorker, max(1, o.Workers))}
	rate, loss := c.Rate, 0.0
	if rate == 0 {
		rate = 0.05
	}
	loop := linear.Loop{Examples: len(p.start) - 1, Epochs: epochs, Batch: batchSize, Workers: o.Workers, Seed: o.Seed}
	steps := epochs * ((loop.Examples + batchSize - 1) / batchSize)
	err := linear.Run(loop, linear.Task[crfUpdate]{
		Learn: l.visit,
		Apply: func(at linear.At, u *crfUpdate) {
			loss += u.loss
			now := rate * (1 - float64(at.Step-1)/float64(steps))
			l.apply(u, linear.AdaGrad{Rate: float32(now), Floor: 1e-3})
		},
		Measure: func(epoch, _ int) float64 {
			o.Log("tagger: %s epoch %d/%d, loss %.4f a word", name, epoch, epochs, loss/float64(len(p.gold)))
			loss = 0
			return float64(epoch) // the last is kept
		},
		Keep: func(int, int) {},
	})
	if err != nil {
		panic(fmt.Sprint("only checkpoints fail: ", err))
	}
	m := layer{labels: *ls, table: *linear.Pack(l.rows.Each(p.index.Keys()), linear.Packing{Unit: score.Unit, Limit: maxWeights, Least: leastShare})}
	for _, w := range l.pairs.W {
		m.pairs = append(m.pairs, int32(math.Round(float64(w)*score.Unit)))
	}
	return m
}

// visit finds the update of one sequence.
func (l *crfLearner) visit(worker int, at linear.At, u *crfUpdate) {
	p, w := l.p, &l.workers[worker]
	lo, hi := int(p.start[at.Example]), int(p.start[at.Example+1])
	rng := hash.Rand(at.Seed(l.seed))
	u.ids, u.start, u.asks, u.loss = u.ids[:0], append(u.start[:0], 0), u.asks[:0], 0
	if p.step[at.Example] == 0 || lo == hi {
		return
	}
	left := uint64(l.Dropout * (1 << 32))
	w.acc, w.square = resize(w.acc, p.labels.n), resize(w.square, p.labels.n)
	w.squares = w.squares[:0]
	w.lat.reset()
	for i := lo; i < hi; i++ {
		clear(w.acc)
		clear(w.square)
		for _, id := range p.ids[p.idStart[i]:p.idStart[i+1]] {
			if rng.Next()>>32 >= left {
				u.ids = append(u.ids, id)
				l.rows.Sum(id, w.acc)
				if l.Delta > 0 {
					l.rows.SumSquares(id, w.square)
				}
			}
		}
		w.squares = append(w.squares, w.square...)
		u.start = append(u.start, int32(len(u.ids)))
		w.emit = w.emit[:0]
		for _, x := range p.allowed[i] {
			w.emit = append(w.emit, sumOf(p.labels, w.acc, x))
		}
		w.lat.push(p.allowed[i], w.emit, l.beam, 0)
		if last := w.lat.last(); !slices.Contains(last, p.gold[i]) {
			last[len(last)-1], w.lat.emit[len(w.lat.emit)-1] = p.gold[i], sumOf(p.labels, w.acc, p.gold[i])
		}
	}
	w.fill(p.labels, l.pairs.W)
	w.regularise(p.labels, l.Delta)
	w.infer()
	w.ask(p, lo, l.Delta, l.least, u)
	for k := range u.asks {
		u.asks[k].by *= float64(p.step[at.Example])
		u.asks[k].shrink *= float64(p.step[at.Example])
	}
}

// fill fills the chain from the lattice.
func (w *crfWorker) fill(ls *labels, pairs []float32) {
	lat := &w.lat
	w.chain.start = append(w.chain.start[:0], lat.start...)
	w.unary, w.from, w.pair = resize(w.unary, len(lat.emit)), w.from[:0], w.pair[:0]
	for i := range len(lat.start) - 1 {
		lo, hi := lat.start[i], lat.start[i+1]
		best := slices.Max(lat.emit[lo:hi])
		for k := lo; k < hi; k++ {
			w.unary[k] = graph.Exp(max(float64(lat.emit[k]-best), -600))
		}
		w.from = append(w.from, int32(len(w.pair)))
		if i == 0 {
			continue
		}
		for a := lat.start[i-1]; a < lo; a++ {
			for b := lo; b < hi; b++ {
				w.pair = append(w.pair, graph.Exp(float64(pairScore(ls, pairs, lat.label[a], lat.label[b]))))
			}
		}
	}
}

// regularise fills move and across, the derivatives of the regulariser through the
// marginals, and leaves the chain as it was.
func (w *crfWorker) regularise(ls *labels, delta float64) {
	w.move, w.across = resize(w.move, len(w.unary)), resize(w.across, len(w.pair))
	clear(w.move)
	clear(w.across)
	if delta == 0 {
		return
	}
	const relative = 1e-3 // step of the central difference, next to the largest of along
	w.base, w.along = append(w.base[:0], w.unary...), resize(w.along, len(w.unary))
	w.infer()
	most := 0.0
	for i := range len(w.chain.start) - 1 {
		squares := w.squares[i*ls.n:][:ls.n]
		for k := w.chain.start[i]; k < w.chain.start[i+1]; k++ {
			w.along[k] = (1 - 2*w.node[k]) / 2 * delta / (1 - delta) * float64(sumOf(ls, squares, w.lat.label[k]))
			most = max(most, math.Abs(w.along[k]))
		}
	}
	if most == 0 {
		return
	}
	width := relative / most
	for _, sign := range [...]float64{1, -1} {
		for k := range w.unary {
			w.unary[k] = w.base[k] * graph.Exp(sign*width*w.along[k])
		}
		w.infer()
		for k, p := range w.node {
			w.move[k] += sign * p / (2 * width)
		}
		for k, p := range w.edge {
			w.across[k] += sign * p / (2 * width)
		}
	}
	copy(w.unary, w.base)
}

// ask adds to u what the sequence wants, given its marginals.
func (w *crfWorker) ask(p *problem, first int, delta, least float64, u *crfUpdate) {
	ls, lat := p.labels, &w.lat
	w.byPart, w.shrink = resize(w.byPart, ls.n), resize(w.shrink, ls.n)
	clear(w.byPart)
	clear(w.shrink)
	at := func(i int) int { // of the gold label among the candidates
		lo := lat.start[i]
		return int(lo) + slices.Index(lat.label[lo:lat.start[i+1]], p.gold[first+i])
	}
	for i := range len(lat.start) - 1 {
		lo, hi := lat.start[i], lat.start[i+1]
		gold := at(i)
		for k := int(lo); k < int(hi); k++ {
			by := -w.node[k] - w.move[k]
			if k == gold {
				by++
			}
			for _, x := range ls.of(lat.label[k]) {
				w.byPart[x] += by
				w.shrink[x] += w.node[k] * (1 - w.node[k]) * delta / (1 - delta)
			}
		}
		for k := lo; k < hi; k++ {
			for _, x := range ls.of(lat.label[k]) {
				if math.Abs(w.byPart[x]) >= least || w.shrink[x] >= least {
					u.asks = append(u.asks, ask{int32(i), int32(x), w.byPart[x], w.shrink[x]})
				}
				w.byPart[x], w.shrink[x] = 0, 0
			}
		}
		if i == 0 {
			u.loss -= math.Log(w.node[gold])
			continue
		}
		before, width := at(i-1), int(hi-lo)
		for a := int(lat.start[i-1]); a < int(lo); a++ {
			for b := int(lo); b < int(hi); b++ {
				e := int(w.from[i]) + (a-int(lat.start[i-1]))*width + b - int(lo)
				by := -w.edge[e] - w.across[e]
				if a == before && b == gold {
					by++
					u.loss -= math.Log(w.edge[e] / w.node[a])
				}
				if math.Abs(by) < least {
					continue
				}
				for _, x := range ls.of(lat.label[a]) {
					for _, y := range ls.of(lat.label[b]) {
						if int(x) < ls.units && int(y) < ls.units {
							u.asks = append(u.asks, ask{-1, int32(int(x)*ls.units + int(y)), by, 0})
						}
					}
				}
			}
		}
	}
}

// apply moves the weights.
func (l *crfLearner) apply(u *crfUpdate, rule linear.AdaGrad) {
	for _, a := range u.asks {
		if a.word < 0 {
			l.pairs.Climb(int(a.part), float32(a.by), rule)
			continue
		}
		for _, id := range u.ids[u.start[a.word]:u.start[a.word+1]] {
			l.rows.ClimbShrunk(id, uint16(a.part), float32(a.by), float32(a.shrink), rule)
		}
	}
}
