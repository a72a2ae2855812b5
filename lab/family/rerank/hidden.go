package rerank

import (
	"cmp"
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/vector"
)

// A HiddenTree is a candidate as the model with hidden classes sees it. Features are
// numbers: Word[i] those of word i+1 with its class, Arc[i] those of the arc into it with
// the classes of both ends, of which there are none at the root.
type HiddenTree struct {
	Base  float64 // the parser's score in nats
	Right int     // words with the gold head
	Heads []int32 // by word minus 1
	Word  [][]int32
	Arc   [][]int32
}

// A Hidden is a log-linear model of trees and hidden classes (Koo and Collins 2005, sections 3
// and 4): every word has one of Classes values, which are summed out exactly, by messages up
// and down the tree. It is read-only once it is trained.
type Hidden struct {
	Classes int
	Factor  float64   // of the base score
	word    []float64 // of feature f and class c at f*Classes + c
	arc     []float64 // of feature f, class a of the head and b of the modifier at (f*Classes+a)*Classes + b
}

// HiddenOptions of TrainHidden. Zero values have the defaults.
type HiddenOptions struct {
	Seed    uint64
	Classes int     // 3 if 0
	Epochs  int     // 5 if 0
	Rate    float64 // AdaGrad's, falling to 0; 0.05 if 0
	Factor  float64 // of the base score, fixed; 1 if 0
	Workers int
	Log     func(format string, args ...any)
}

// messages is the scratch of inference in one tree.
type messages struct {
	order []int32   // words, heads before modifiers
	pair  []float64 // e^score of the arc into m, of head's class a and m's class b, at (m*K+a)*K + b, next to the best
	up    []float64 // message of m to class a of its head
	in    []float64 // e^score of word m and class c at m*K + c times the messages of m's modifiers, next to the best; row 0 unused
	node  []float64 // marginals of classes
	edge  []float64 // marginals of pairs of classes
	logZ  float64
}

// infer computes log Z, without the base score, and the marginals.
func (m *Hidden) infer(t *HiddenTree, x *messages) {
	n, k := len(t.Heads), m.Classes
	x.order = topDown(t.Heads, x.order)
	x.in, x.up = resize(x.in, (n+1)*k), resize(x.up, (n+1)*k)
	x.node, x.pair, x.edge = resize(x.node, (n+1)*k), resize(x.pair, (n+1)*k*k), resize(x.edge, (n+1)*k*k)
	x.logZ = 0
	for i := range t.Heads {
		at := (i + 1) * k
		in := x.in[at : at+k]
		for c := range in {
			in[c] = 0
			for _, f := range t.Word[i] {
				in[c] += m.word[int(f)*k+c]
			}
		}
		x.logZ += exponentials(in)
		if t.Heads[i] == 0 {
			continue
		}
		pair := x.pair[at*k : (at+k)*k]
		for ab := range pair {
			pair[ab] = 0
			for _, f := range t.Arc[i] {
				pair[ab] += m.arc[int(f)*k*k+ab]
			}
		}
		x.logZ += exponentials(pair)
	}
	for j := n - 1; j >= 0; j-- { // up
		w := int(x.order[j])
		in := x.in[w*k : w*k+k]
		h := int(t.Heads[w-1])
		if h == 0 {
			sum := 0.0
			for _, v := range in {
				sum += v
			}
			x.logZ += vector.Log(sum)
			continue
		}
		for a := range k {
			sum := 0.0
			for b := range k {
				sum += float64(x.pair[(w*k+a)*k+b] * in[b])
			}
			x.up[w*k+a] = sum
			x.in[h*k+a] = float64(x.in[h*k+a] * sum)
		}
		x.logZ += vector.Log(scale(x.in[h*k : h*k+k])) // at once: a word may have any number of modifiers
	}
	for _, word := range x.order { // down
		w := int(word)
		in, node := x.in[w*k:w*k+k], x.node[w*k:w*k+k]
		h := int(t.Heads[w-1])
		if h == 0 {
			copy(node, in)
			normalise(node)
			continue
		}
		clear(node)
		for a := range k {
			share := x.node[h*k+a] / x.up[w*k+a]
			for b := range k {
				p := float64(share * x.pair[(w*k+a)*k+b] * in[b])
				x.edge[(w*k+a)*k+b] = p
				node[b] += p
			}
		}
	}
}

// exponentials replaces scores by their exponentials, next to the largest, which it returns.
func exponentials(list []float64) float64 {
	top := slices.Max(list)
	for i, s := range list {
		list[i] = exp(s - top)
	}
	return top
}

// scale makes the largest of list 1 and returns what it was.
func scale(list []float64) float64 {
	top := 0.0
	for _, v := range list {
		top = max(top, v)
	}
	for i := range list {
		list[i] /= top
	}
	return top
}

func normalise(list []float64) {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	for i := range list {
		list[i] /= sum
	}
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// topDown returns the words of a tree, heads before modifiers.
func topDown(heads, order []int32) []int32 {
	order = order[:0]
	for i, h := range heads {
		if h == 0 {
			order = append(order, int32(i+1))
		}
	}
	for done := 0; done < len(order); done++ {
		for i, h := range heads {
			if h == order[done] {
				order = append(order, int32(i+1))
			}
		}
	}
	return order
}

// Score returns the logarithm of the sum over all classes of what a tree with them
// scores.
func (m *Hidden) Score(t *HiddenTree) float64 {
	var x messages
	m.infer(t, &x)
	return float64(m.Factor*t.Base) + x.logZ
}

// Choose returns the number of the tree with the highest score; of equal ones the first.
func (m *Hidden) Choose(list []HiddenTree) int {
	best, top := 0, math.Inf(-1)
	for j := range list {
		if s := m.Score(&list[j]); s > top {
			best, top = j, s
		}
	}
	return best
}

// A hiddenStep is the gradient of one sentence.
type hiddenStep struct {
	trees []messages
	share []float64 // of each tree: 1 for the best one, less its probability
	loss  float64
}

// step computes the gradient of the log-probability of the best tree.
func (m *Hidden) step(list []HiddenTree, u *hiddenStep) {
	if len(u.trees) < len(list) {
		u.trees = append(u.trees, make([]messages, len(list)-len(u.trees))...)
	}
	u.share = resize(u.share, len(list))
	best, top := 0, math.Inf(-1)
	for j := range list {
		m.infer(&list[j], &u.trees[j])
		u.share[j] = float64(m.Factor*list[j].Base) + u.trees[j].logZ
		top = max(top, u.share[j])
		if list[j].Right > list[best].Right || list[j].Right == list[best].Right && list[j].Base > list[best].Base {
			best = j
		}
	}
	sum := 0.0
	for _, s := range u.share {
		sum += exp(s - top)
	}
	for j, s := range u.share {
		u.share[j] = -exp(s-top) / sum
	}
	u.loss = -math.Log(-u.share[best])
	u.share[best]++
}

// each calls weight with every weight of a tree's features and its expected count.
func (m *Hidden) each(t *HiddenTree, x *messages, weight func(arc bool, at int, p float64)) {
	k := m.Classes
	for i := range t.Heads {
		for c := range k {
			for _, f := range t.Word[i] {
				weight(false, int(f)*k+c, x.node[(i+1)*k+c])
			}
		}
		if t.Heads[i] == 0 {
			continue
		}
		for ab := range k * k {
			for _, f := range t.Arc[i] {
				weight(true, int(f)*k*k+ab, x.edge[(i+1)*k*k+ab])
			}
		}
	}
}

// TrainHidden learns a model from the candidates of sentences, whose features are numbered
// below words and arcs, by the log-likelihood of the best candidates. Weights begin with
// small random numbers, so that classes can part.
func TrainHidden(lists [][]HiddenTree, words, arcs int, o HiddenOptions) (*Hidden, error) {
	o.Classes, o.Epochs, o.Rate, o.Factor = cmp.Or(o.Classes, 3), cmp.Or(o.Epochs, 5), cmp.Or(o.Rate, 0.05), cmp.Or(o.Factor, 1)
	m := newHidden(words, arcs, o.Classes, o.Factor, o.Seed)
	squares := [2][]float64{make([]float64, len(m.word)), make([]float64, len(m.arc))}
	weights := [2][]float64{m.word, m.arc}
	const batch = 8
	steps := o.Epochs * ((len(lists) + batch - 1) / batch)
	loss := 0.0
	gradient := map[[2]int]float64{}
	loop := linear.Loop{Examples: len(lists), Epochs: o.Epochs, Batch: batch, Workers: o.Workers, Seed: o.Seed}
	err := linear.Run(loop, linear.Task[hiddenStep]{
		Learn: func(_ int, at linear.At, u *hiddenStep) { m.step(lists[at.Example], u) },
		Apply: func(at linear.At, u *hiddenStep) {
			loss += u.loss
			clear(gradient)
			for j := range lists[at.Example] {
				if math.Abs(u.share[j]) < 1e-4 {
					continue
				}
				m.each(&lists[at.Example][j], &u.trees[j], func(arc bool, i int, p float64) {
					kind := 0
					if arc {
						kind = 1
					}
					gradient[[2]int{kind, i}] += float64(u.share[j] * p)
				})
			}
			rate := o.Rate * (1 - float64(at.Step-1)/float64(steps))
			for key, g := range gradient { // every weight once: their order does not matter
				square := &squares[key[0]][key[1]]
				*square += float64(g * g)
				weights[key[0]][key[1]] += rate * g / (math.Sqrt(*square) + 1e-3)
			}
		},
		Measure: func(epoch, _ int) float64 {
			if o.Log != nil {
				o.Log("rerank: epoch %d: loss %.4f", epoch, loss/float64(max(len(lists), 1)))
			}
			loss = 0
			return float64(epoch)
		},
		Keep: func(int, int) {},
	})
	return m, err
}

func newHidden(words, arcs, classes int, factor float64, seed uint64) *Hidden {
	m := &Hidden{Classes: classes, Factor: factor, word: make([]float64, words*classes), arc: make([]float64, arcs*classes*classes)}
	if classes > 1 {
		rng := hash.Rand(hash.Pair(seed, uint64(classes)))
		for _, list := range [][]float64{m.word, m.arc} {
			for i := range list {
				list[i] = (float64(rng.Below(1<<16))/(1<<16) - 0.5) / 50
			}
		}
	}
	return m
}
