package label

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// Options are the options of Train. Zero values mean the defaults.
type Options struct {
	Seed    uint64
	Workers int                              // goroutines; 0 is 1. Never changes the result
	Log     func(format string, args ...any) // progress lines; nil is silent
	Epochs  int                              // epochs, default 8
	Cells   int                              // feature weights kept in the model, default 700,000
	Small   bool                             // the weights are kept in a narrow table (linear.Packing)

	// From, if set, is a model to adapt: a Share of what is learned, with smaller
	// steps, is added to its weights. Its relations stay. A relation that From does not
	// allow counts as missing.
	From  *Model
	Share float64
}

const (
	batchSize = 16   // trees between two updates of the weights
	cut       = 2    // features seen fewer times are not learned
	firstRate = 0.03 // AdaGrad's step size, falling linearly to zero
	adaptRate = 0.01 // the same with Options.From
	// least is the smallest gradient that moves a weight. Nearly certain cases
	// move none, which keeps models small and general.
	least = 0.06
)

// An example is a training tree in numbers, with what gradients need and
// nothing else.
type example struct {
	layout
	step float32 // what its gradients are multiplied by
	gold []uint8 // by word; index into the set, or open
	open bool    // a relation is
	from []int32 // features of word m are ids[from[m]:from[m+1]]; none if its set has one relation
	ids  []int32
	base []float32 // over (word, relation): the scores of Options.From; nil without it
}

// A trainer holds the weights while they are learned: rows for features,
// weights for pairs of relations. A factor is the sum of two weights: one of
// the pair alone, at [head's relation*L + relation], and one of the pair in its
// context, behind these, as in Model.pair.
type trainer struct {
	Options
	vocabulary *word.Vocabulary
	rel        *relations
	examples   []example
	index      linear.Index
	rows       *linear.Rows
	weights    *linear.Dense
	loss       float64 // of the epoch so far
}

// Train learns a model from sentences whose Head and Deprel are gold and whose other
// columns are as they will be at run time. Silver sentences must have only relations of
// gold ones. The relation of a word without a Deprel is latent: the likelihood is
// summed over its values (partial.go). Train keeps the epoch that is best on dev, or
// the last without dev. The result is the same for any number of workers. An error
// names the sentence that is not a gold tree.
//
// The objective is the conditional log-likelihood of the relations given the
// tree; steps are AdaGrad's (Duchi, Hazan and Singer 2011).
func Train(v *word.Vocabulary, train, dev []syntax.Sentence, o Options) (*Model, error) {
	t := &trainer{Options: o, vocabulary: v}
	t.Epochs, t.Cells = cmp.Or(o.Epochs, 8), cmp.Or(o.Cells, 700_000)
	first := firstRate
	if t.From != nil {
		first = adaptRate
	}
	if t.Log == nil {
		t.Log = func(string, ...any) {}
	}
	if len(train) == 0 {
		return nil, errors.New("label: no training trees")
	}
	if err := t.makeExamples(train); err != nil {
		return nil, err
	}
	t.Log("label: %d trees, %d relations, %d features", len(train), len(t.rel.names), t.index.Len())
	steps := t.Epochs * ((len(train) + batchSize - 1) / batchSize)
	var now, best *Model
	task := linear.Task[gradient]{
		Learn: func(_ int, at linear.At, g *gradient) { g.compute(t, &t.examples[at.Example]) },
		Apply: func(at linear.At, g *gradient) {
			t.loss += g.loss
			rate := first * (1 - float64(at.Step-1)/float64(steps))
			t.apply(g, linear.AdaGrad{Rate: float32(rate), Floor: 1e-3})
		},
		Keep: func(int, int) { best = now },
	}
	task.Measure = func(epoch, _ int) float64 {
		loss := t.loss / float64(len(train))
		t.loss = 0
		if len(dev) == 0 && epoch < t.Epochs {
			return -1
		}
		now = t.model()
		right, full, words := now.Accuracy(dev)
		t.Log("label: epoch %d: loss %.4f, dev %.2f (with subtypes %.2f)", epoch, loss, percent(right, words),
			percent(full, words))
		return percent(right, words)
	}
	loop := linear.Loop{Examples: len(train), Epochs: t.Epochs, Batch: batchSize, Workers: t.Workers, Seed: t.Seed}
	err := linear.Run(loop, task) // sets best
	return best, err
}

func percent(a, b int) float64 { return 100 * float64(a) / float64(max(b, 1)) }

// makeExamples counts the relations and features of the sentences and turns
// them into examples.
func (t *trainer) makeExamples(train []syntax.Sentence) error {
	names, err := inventory(syntax.Gold(train))
	if t.From != nil {
		names, err = t.From.rel.names, nil
	}
	if err != nil {
		return err
	}
	number := map[string]uint8{}
	for i, name := range names {
		number[name] = uint8(i)
	}
	n := len(names)
	count := make([]int32, word.CoarseTags*contexts*n)
	c := chart{encoder: word.NewEncoder(t.vocabulary)}
	for _, s := range train { // copies: encodings are not kept
		c.read(&s)
		for m := 1; m <= len(s.Words); m++ {
			w, x := &s.Words[m-1], &c.tree.nodes[m]
			if x.detached {
				return fmt.Errorf("label: sentence %q: the heads of word %d form no tree: training needs gold trees", s.ID, m)
			}
			if x.head == 0 || w.Deprel == "" {
				continue
			}
			name, known := number[w.GoldRelation()]
			if !known && t.From == nil {
				return fmt.Errorf("label: sentence %q: word %d is %q, which no gold word is", s.ID, m, w.Deprel)
			}
			count[tagPair(c.tree.nodes[x.head].Coarse, context(x.Coarse, x.side))*n+int(name)]++
			c.keys = c.tree.keys(m, c.keys[:0])
			for _, k := range c.keys {
				t.index.Count(k)
			}
		}
	}
	t.index.Cut(cut)
	if t.From != nil {
		t.rel = &t.From.rel
	} else {
		t.rel = newRelations(names, count)
	}
	t.examples = make([]example, len(train))
	for i, s := range train {
		t.examples[i].read(t, &c, &s, number)
	}
	t.rows, t.weights = linear.NewRows(t.index.Len()), linear.NewDense((1+contexts)*n*n)
	return nil
}

func (e *example) read(t *trainer, c *chart, s *syntax.Sentence, number map[string]uint8) {
	c.read(s)
	e.fill(t.rel, &c.tree)
	e.step = s.Step()
	e.gold, e.from = make([]uint8, e.n+1), make([]int32, e.n+2)
	if t.From != nil {
		e.base = t.From.scores(c, s)
	}
	for m := 1; m <= e.n; m++ {
		set := t.rel.set(e.set[m])
		w := &s.Words[m-1]
		if gold, known := number[w.GoldRelation()]; !w.OpenRelation() && known && bytes.IndexByte(set, gold) >= 0 {
			e.gold[m] = uint8(bytes.IndexByte(set, gold))
		} else {
			e.gold[m], e.open = open, true
		}
		if len(set) > 1 {
			c.keys = c.tree.keys(m, c.keys[:0])
			for _, k := range c.keys {
				if id := t.index.ID(k); id >= 0 {
					e.ids = append(e.ids, id)
				}
			}
		}
		e.from[m+1] = int32(len(e.ids))
	}
}

// scores returns what m scores the relations of the words of a sentence that c has read.
func (m *Model) scores(c *chart, s *syntax.Sentence) []float32 {
	like := chart{layout: layout{}, encoder: c.encoder, tree: c.tree, rel: &m.rel}
	like.layout.fill(&m.rel, &like.tree)
	m.score(&like, &s.Dense)
	out := make([]float32, len(like.score))
	for i, x := range like.score {
		out[i] = float32(x) / unit
	}
	return out
}

// A gradient is the gradient of one tree's conditional log-likelihood.
type gradient struct {
	chart
	e    *example
	asks []float32 // gold minus expected, over (word, relation)
	loss float64   // negative log-likelihood
	sum  []float32 // by relation

	clamped clamped // where relations are open
}

// compute fills g for the example under the current weights.
func (g *gradient) compute(t *trainer, e *example) {
	g.e, g.layout, g.rel, g.loss = e, e.layout, t.rel, 0
	g.prepare()
	g.local(t)
	if e.open {
		g.clamp()
	}
	g.pairs(t)
	if e.open {
		g.sumClamped()
	}
	g.sums()
	g.asks = resize(g.asks, len(g.prob))
	for m := 1; m <= e.n; m++ {
		for j := e.off[m]; j < e.off[m+1]; j++ {
			g.asks[j] = float32(-g.prob[j])
		}
		if e.open {
			for j := e.off[m]; j < e.off[m+1]; j++ {
				g.asks[j] += float32(g.clamped.prob[j])
			}
		} else {
			g.asks[e.off[m]+int32(e.gold[m])]++
		}
		for j := e.off[m]; j < e.off[m+1]; j++ {
			g.asks[j] *= e.step
		}
		g.loss += graph.Log(g.scale[m])
	}
}

// local sets the beliefs from the weights of each arc alone.
func (g *gradient) local(t *trainer) {
	e := g.e
	g.sum = resize(g.sum, len(t.rel.names))
	for m := 1; m <= e.n; m++ {
		clear(g.sum)
		for _, id := range e.ids[e.from[m]:e.from[m+1]] {
			t.rows.Sum(id, g.sum)
		}
		set, top := t.rel.set(e.set[m]), float32(math.Inf(-1))
		if e.base != nil {
			for j, l := range set {
				g.sum[l] += e.base[int(e.off[m])+j]
			}
		}
		for _, l := range set {
			top = max(top, g.sum[l])
		}
		belief := g.belief[e.off[m]:e.off[m+1]]
		for j, l := range set {
			belief[j] = graph.Exp(float64(g.sum[l] - top))
		}
		if !e.open {
			g.loss += float64(top - g.sum[set[e.gold[m]]])
		}
	}
}

// pairs fills the factors.
func (g *gradient) pairs(t *trainer) {
	e, n := g.e, len(t.rel.names)
	for m := int32(1); m <= int32(e.n); m++ {
		h := e.head[m]
		if h == 0 {
			continue
		}
		set := t.rel.set(e.set[m])
		for a, above := range t.rel.set(e.set[h]) {
			row := g.row(m, a)
			alone, inContext := t.pairsOf(above, e.ctx[m])
			for b, l := range set {
				x := float64(t.weights.W[alone+int(l)]) + float64(t.weights.W[inContext+int(l)])
				if t.From != nil {
					x += float64(t.From.pair[inContext+int(l)-n*n]) / unit
				}
				row[b] = float32(graph.Exp(x))
				if !e.open && a == int(e.gold[h]) && b == int(e.gold[m]) {
					g.loss -= x
				}
			}
		}
	}
}

// pairsOf returns the indexes in weights at which the factors of a head's
// relation begin, alone and in a context.
func (t *trainer) pairsOf(above, ctx uint8) (alone, inContext int) {
	n := len(t.rel.names)
	return int(above) * n, ((1+int(ctx))*n + int(above)) * n
}

// apply moves the weights.
func (t *trainer) apply(g *gradient, rule linear.AdaGrad) {
	e := g.e
	for m := int32(1); m <= int32(e.n); m++ {
		set, asks := t.rel.set(e.set[m]), g.asks[e.off[m]:e.off[m+1]]
		for _, id := range e.ids[e.from[m]:e.from[m+1]] {
			for j, x := range asks {
				if x >= least || x <= -least {
					t.rows.Climb(id, uint16(set[j]), x, rule)
				}
			}
		}
		h := e.head[m]
		if h == 0 {
			continue
		}
		belief := g.belief[e.off[m]:e.off[m+1]]
		for a, above := range t.rel.set(e.set[h]) {
			row, share := g.row(m, a), g.prob[int(e.off[h])+a]/g.mass[int(e.above[m])+a]
			alone, inContext := t.pairsOf(above, e.ctx[m])
			for b, l := range set {
				x := -float32(float64(share*float64(row[b])) * belief[b])
				if e.open {
					x += g.clamped.pair(g, m, a, b)
				} else if a == int(e.gold[h]) && b == int(e.gold[m]) {
					x++
				}
				x *= e.step
				if x >= least || x <= -least {
					t.weights.Climb(alone+int(l), x, rule)
					t.weights.Climb(inContext+int(l), x, rule)
				}
			}
		}
	}
}

// model rounds the weights to the integers of inference.
func (t *trainer) model() *Model {
	n := len(t.rel.names)
	m := newModel(t.vocabulary)
	m.rel = *t.rel
	if t.From != nil {
		m.table = *t.From.table.With(t.rows.Each(t.index.Keys()), t.Share, unit)
	} else {
		m.table = *linear.Pack(t.rows.Each(t.index.Keys()), linear.Packing{Unit: unit, Limit: t.Cells, Narrow: t.Small})
	}
	m.pair = make([]int16, contexts*n*n)
	for i := range m.pair {
		x := float64(t.weights.W[i%(n*n)]) + float64(t.weights.W[n*n+i])
		if t.From != nil {
			x = float64(x*t.Share) + float64(t.From.pair[i])/unit
		}
		m.pair[i] = int16(min(max(math.Round(x*unit), -maxPair), maxPair))
	}
	m.derive()
	return m
}

// Accuracy labels copies of the sentences with their own heads, without rules. It
// counts the words whose deprel is right without and with its subtype.
func (m *Model) Accuracy(sents []syntax.Sentence) (right, full, words int) {
	for _, s := range sents {
		gold := s.Words
		s.Words = slices.Clone(gold)
		m.LabelFreely(&s)
		for j := range gold {
			a, b := s.Words[j].Deprel, gold[j].Deprel
			if a == b {
				full++
			}
			if syntax.Universal(a) == syntax.Universal(b) {
				right++
			}
		}
		words += len(gold)
	}
	return right, full, words
}
