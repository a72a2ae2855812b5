package label

import (
	"errors"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"sync"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Options of Train. The zero value of a field means its default.
type Options struct {
	Seed    uint64
	Workers int                              // goroutines; 0 is 1. Never changes the result
	Log     func(format string, args ...any) // progress lines; nil is silent

	Epochs int     // passes over the data, default 12
	Rows   int     // features kept in the model, default what fits 5 MiB
	Rate   float64 // AdaGrad step size at the start, default 0.03
	Cut    int     // features seen fewer times are not learned, default 2
}

// maxBytes is the default size of the rows of a model.
const maxBytes = 5 << 20

// batchSize is the number of trees between two updates of the weights,
// whatever the number of workers.
const batchSize = 16

func (o Options) withDefaults() Options {
	if o.Workers < 1 {
		o.Workers = 1
	}
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	if o.Epochs < 1 {
		o.Epochs = 12
	}
	if o.Rate == 0 {
		o.Rate = 0.03
	}
	if o.Cut < 1 {
		o.Cut = 2
	}
	return o
}

// A trainer holds the weights while they are learned. Row r has the weights
// weight[r*stride:(r+1)*stride], one for every relation; after the rows of
// features come those of the pair factors, one a head's relation without
// context, then one a (tag*2+side, head's relation).
type trainer struct {
	Options
	rel      *relations
	keys     []uint64 // of the feature rows
	examples []*example
	weight   []float32
	square   []float32 // AdaGrad's sums of squared gradients
	stride   int
}

func (t *trainer) commonRow(lh uint8) int { return len(t.keys) + int(lh) }
func (t *trainer) ownRow(ctx, lh uint8) int {
	return len(t.keys) + t.stride + int(ctx)*t.stride + int(lh)
}

// pairRows is the number of rows of pair factors.
func (t *trainer) pairRows() int { return t.stride * (1 + 2*numPos) }

// Train learns a model from gold trees: Head and Deprel of the sentences are
// gold, their other columns as they will be at run time. dev chooses the
// epoch; without it the last one stays. The result is the same for any number
// of workers. Errors name the sentence that is no gold tree.
//
// The objective is the conditional log-likelihood of the relations given the
// tree; steps are AdaGrad's (Duchi, Hazan and Singer 2011) with the size
// falling linearly to zero. After the first half the least useful rows are
// dropped, so that the rest make up for them in the second.
func Train(train, dev []syntax.Sentence, o Options) (*Model, error) {
	o = o.withDefaults()
	if len(train) == 0 {
		return nil, errors.New("label: no training trees")
	}
	rel, examples, keys, err := makeExamples(train, int32(o.Cut))
	if err != nil {
		return nil, err
	}
	t := &trainer{Options: o, rel: rel, keys: keys, examples: examples, stride: len(rel.names)}
	if o.Rows == 0 {
		t.Rows = maxBytes / (t.stride + 5)
	}
	t.weight = make([]float32, (len(keys)+t.pairRows())*t.stride)
	t.square = make([]float32, len(t.weight))
	o.Log("label: %d trees, %d relations, %d features", len(train), len(rel.names), len(keys))
	var best *Model
	bestRight := -1
	steps, step := o.Epochs*((len(examples)+batchSize-1)/batchSize), 0
	for epoch := 0; epoch < o.Epochs; epoch++ {
		if epoch == o.Epochs/2 {
			t.prune()
		}
		loss := t.epoch(epoch, func() float64 {
			rate := t.Rate * (1 - float64(step)/float64(steps))
			step++
			return rate
		})
		if len(t.keys) > t.Rows || len(dev) == 0 && epoch+1 < o.Epochs {
			o.Log("label: epoch %d: loss %.4f", epoch+1, loss)
			continue
		}
		m := t.model()
		right, full, words := m.Accuracy(dev)
		o.Log("label: epoch %d: loss %.4f, dev %.2f (with subtypes %.2f)", epoch+1, loss,
			percent(right, words), percent(full, words))
		if right >= bestRight {
			best, bestRight = m, right
		}
	}
	return best, nil
}

func percent(a, b int) float64 { return 100 * float64(a) / float64(max(b, 1)) }

// epoch passes once over the shuffled examples and returns the mean loss a
// word.
func (t *trainer) epoch(epoch int, rate func() float64) float64 {
	rng := rand.New(rand.NewPCG(t.Seed, uint64(epoch)))
	perm := rng.Perm(len(t.examples))
	grads := make([]gradient, batchSize)
	loss, words := 0.0, 0
	for at := 0; at < len(perm); at += batchSize {
		batch := perm[at:min(at+batchSize, len(perm))]
		t.parallel(func(worker int) {
			for i := worker; i < len(batch); i += t.Workers {
				grads[i].compute(t, t.examples[batch[i]])
			}
		})
		step := float32(rate())
		t.parallel(func(worker int) {
			for i, k := range batch {
				t.apply(t.examples[k], &grads[i], step, worker)
			}
		})
		for i, k := range batch {
			loss += grads[i].loss
			words += t.examples[k].n
		}
	}
	return loss / float64(max(words, 1))
}

// parallel runs work once for each worker and waits for all.
func (t *trainer) parallel(work func(worker int)) {
	if t.Workers == 1 {
		work(0)
		return
	}
	var wg sync.WaitGroup
	for i := range t.Workers {
		wg.Go(func() { work(i) })
	}
	wg.Wait()
}

// apply moves the weights of the rows that belong to the worker. Each row has
// one worker, and meets the gradients in the order of the batch.
func (t *trainer) apply(e *example, g *gradient, rate float32, worker int) {
	for m := 1; m <= e.n; m++ {
		set := t.rel.set(e.sets[m])
		grad := g.word[e.off[m]:e.off[m+1]]
		for k := e.from[m]; k < e.from[m+1]; k++ {
			r := int(e.rows[k])
			if r%t.Workers == worker {
				t.move(r, set, grad, rate)
			}
		}
		h := e.head[m]
		if h == 0 {
			continue
		}
		at := int(g.pairAt[m])
		for _, lh := range t.rel.set(e.sets[h]) {
			grad := g.arc[at : at+len(set)]
			at += len(set)
			if int(lh)%t.Workers == worker {
				t.move(t.commonRow(lh), set, grad, rate)
				t.move(t.ownRow(e.ctx[m], lh), set, grad, rate)
			}
		}
	}
}

// least is the smallest gradient that moves a weight.
const least = 1e-4

// move makes one AdaGrad step on a row.
func (t *trainer) move(r int, set relationSet, grad []float32, rate float32) {
	weight := t.weight[r*t.stride:][:t.stride]
	square := t.square[r*t.stride:][:t.stride]
	for j, l := range set {
		x := grad[j]
		if x < least && x > -least {
			continue
		}
		q := square[l] + float32(x*x)
		square[l] = q
		weight[l] -= float32(rate*x) / (float32(math.Sqrt(float64(q))) + 1e-3)
	}
}

// prune keeps the t.Rows most useful feature rows.
func (t *trainer) prune() {
	if len(t.keys) <= t.Rows {
		return
	}
	count := make([]int32, len(t.keys))
	for _, e := range t.examples {
		for _, r := range e.rows {
			count[r]++
		}
	}
	use := make([]float64, len(t.keys))
	order := make([]int32, len(t.keys))
	for r := range order {
		order[r] = int32(r)
		sum := 0.0
		for _, x := range t.weight[r*t.stride : (r+1)*t.stride] {
			sum += float64(x) * float64(x)
		}
		use[r] = sum * float64(count[r])
	}
	sort.Slice(order, func(i, j int) bool {
		a, b := order[i], order[j]
		if use[a] != use[b] {
			return use[a] > use[b]
		}
		return a < b
	})
	keep := order[:t.Rows]
	sort.Slice(keep, func(i, j int) bool { return keep[i] < keep[j] })
	number := make([]int32, len(t.keys))
	for r := range number {
		number[r] = -1
	}
	for to, from := range keep {
		number[from] = int32(to)
		t.keys[to] = t.keys[from]
		t.copyRow(to, int(from))
	}
	for i := range t.pairRows() {
		t.copyRow(len(keep)+i, len(t.keys)+i)
	}
	t.keys = t.keys[:len(keep)]
	total := (len(keep) + t.pairRows()) * t.stride
	t.weight, t.square = t.weight[:total], t.square[:total]
	for _, e := range t.examples {
		e.keep(number)
	}
}

func (t *trainer) copyRow(to, from int) {
	n := t.stride
	copy(t.weight[to*n:(to+1)*n], t.weight[from*n:(from+1)*n])
	copy(t.square[to*n:(to+1)*n], t.square[from*n:(from+1)*n])
}

// keep renumbers the rows and leaves out those numbered -1.
func (e *example) keep(number []int32) {
	out := e.rows[:0]
	for m := 1; m <= e.n; m++ {
		rows := e.rows[e.from[m]:e.from[m+1]]
		e.from[m] = int32(len(out))
		for _, r := range rows {
			if to := number[r]; to >= 0 {
				out = append(out, to)
			}
		}
	}
	e.from[e.n+1] = int32(len(out))
	e.rows = out
}

// Accuracy labels copies of the sentences on their own heads and counts the
// words whose deprel is right without and with subtypes.
func (m *Model) Accuracy(sents []syntax.Sentence) (right, full, words int) {
	for i := range sents {
		s := sents[i]
		s.Words = append([]syntax.Word(nil), s.Words...)
		m.Label(&s)
		for j := range s.Words {
			a, b := s.Words[j].Deprel, sents[i].Words[j].Deprel
			words++
			if a == b {
				full++
			}
			if base(a) == base(b) {
				right++
			}
		}
	}
	return right, full, words
}

func base(deprel string) string {
	name, _, _ := strings.Cut(deprel, ":")
	return name
}
