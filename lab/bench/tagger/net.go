package tagger

import (
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/matrix"
	"github.com/treebeam/treebeam/parser/vector"
)

// A labels says which parts the labels of a head are made of, and which labels compete.
type labels struct {
	parts [][]uint16 // of each label
	n     int        // parts in all
	among [][]uint16 // of each context, the labels that compete; context 0 of a head without contexts
}

// A sentence is an example: atoms of words, gold labels of both heads.
type sentence struct {
	atoms  [][]int32 // rows of the table; the first two depend on the whole form
	gold   [2][]uint16
	within [2][]uint16 // contexts in among
	weight float32
}

// A network is embeddings of atoms, added up and normalised; layers of convolutions over
// three words, each with what it adds to normalised; and two linear heads over parts.
type network struct {
	rows, width, layers int
	heads               [2]labels
	drop, wordDrop      float32

	table []float32 // rows x width
	dense []float32 // all other weights
	at    struct {
		conv, bias, gain, shift []int // of each layer; gain and shift have one more: of the embeddings
		head, headBias          [2]int
	}
	padded [2]int // parts, to whole vectors
}

// newNetwork returns a network with random weights.
func newNetwork(rows, width, layers int, heads [2]labels, seed uint64) *network {
	n := &network{rows: rows, width: width, layers: layers, heads: heads, drop: 0.2, wordDrop: 0.1}
	rng := hash.Rand(seed)
	uniform := func(x []float32, scale float64) {
		for i := range x {
			x[i] = float32((float64(rng.Next()>>40)/(1<<23) - 1) * scale)
		}
	}
	n.table = make([]float32, rows*width)
	uniform(n.table, 0.1)
	grow := func(size int) int {
		at := len(n.dense)
		n.dense = append(n.dense, make([]float32, size)...)
		return at
	}
	one := func() {
		at := grow(width)
		for i := range width {
			n.dense[at+i] = 1
		}
		n.at.gain, n.at.shift = append(n.at.gain, at), append(n.at.shift, grow(width))
	}
	one()
	for range layers {
		at := grow(3 * width * width)
		uniform(n.dense[at:], math.Sqrt(3/float64(3*width))*math.Sqrt2)
		n.at.conv, n.at.bias = append(n.at.conv, at), append(n.at.bias, grow(width))
		one()
	}
	for h := range heads {
		n.padded[h] = (heads[h].n + 15) / 16 * 16
		n.at.head[h] = grow(n.padded[h] * width)
		uniform(n.dense[n.at.head[h]:], 0.02)
		n.at.headBias[h] = grow(n.padded[h])
	}
	return n
}

// A pass is the scratch of one shard.
type pass struct {
	grad    []float32
	rows    int
	atoms   [][]int32 // of each row
	x       [][]float32
	pre     [][]float32 // sums before a norm
	inverse [][]float32
	windows [][]float32
	active  [][]float32 // after ReLU and dropout
	mask    []float32
	logits  [2][]float32
	slope   [2][]float32
	dx, dp  []float32
	dw      []float32
	scores  []float32
	loss    float64
	words   int
}

func sized[T any](a []T, n int) []T {
	if cap(a) < n {
		return make([]T, n, n+n/4)
	}
	return a[:n]
}

func (n *network) dense2(at, size int) []float32 { return n.dense[at : at+size] }

// forward fills p for sentences; seed 0 drops nothing. Rows between sentences are zero.
func (n *network) forward(p *pass, list []*sentence, seed uint64) {
	w := n.width
	rng := hash.Rand(seed)
	p.atoms = append(p.atoms[:0], nil)
	for _, s := range list {
		p.atoms = append(p.atoms, s.atoms...)
		p.atoms = append(p.atoms, nil)
	}
	p.rows = len(p.atoms)
	for len(p.x) <= n.layers {
		p.x, p.pre, p.inverse = append(p.x, nil), append(p.pre, nil), append(p.inverse, nil)
		p.windows, p.active = append(p.windows, nil), append(p.active, nil)
	}
	p.x[0], p.pre[0], p.inverse[0] = sized(p.x[0], p.rows*w), sized(p.pre[0], p.rows*w), sized(p.inverse[0], p.rows)
	clear(p.x[0])
	clear(p.pre[0])
	p.mask = sized(p.mask, p.rows*w)
	keep := 1 / (1 - n.drop)
	for r, atoms := range p.atoms {
		if atoms == nil {
			continue
		}
		if seed != 0 && float32(rng.Next()>>40)/(1<<24) < n.wordDrop {
			atoms = atoms[2:]
			p.atoms[r] = atoms
		}
		sum := p.pre[0][r*w : (r+1)*w]
		for _, a := range atoms {
			vector.Add(sum, n.table[int(a)*w:(int(a)+1)*w])
		}
		x := p.x[0][r*w : (r+1)*w]
		p.inverse[0][r] = norm(x, sum, n.dense2(n.at.gain[0], w), n.dense2(n.at.shift[0], w))
		if seed != 0 {
			m := p.mask[r*w : (r+1)*w]
			for i := range m {
				m[i] = keep
				if float32(rng.Next()>>40)/(1<<24) < n.drop {
					m[i] = 0
				}
				x[i] *= m[i]
			}
		}
	}
	for l := range n.layers {
		n.layer(p, l)
	}
	for h := range n.heads {
		k := n.padded[h]
		p.logits[h] = sized(p.logits[h], p.rows*k)
		matrix.Product{TransposeB: true}.Multiply(matrix.Of(p.logits[h], p.rows, k), matrix.Of(p.x[n.layers], p.rows, w),
			matrix.Of(n.dense2(n.at.head[h], k*w), k, w))
		for r := range p.rows {
			vector.Add(p.logits[h][r*k:(r+1)*k], n.dense2(n.at.headBias[h], k))
		}
	}
}

// layer is a convolution: x[l+1] = norm(x[l] + ReLU(W·window + b)).
func (n *network) layer(p *pass, l int) {
	w := n.width
	x := p.x[l]
	p.windows[l] = sized(p.windows[l], p.rows*3*w)
	for r := range p.rows {
		to := p.windows[l][r*3*w : (r+1)*3*w]
		if r == 0 || r == p.rows-1 {
			clear(to)
			continue
		}
		copy(to, x[(r-1)*w:(r+2)*w])
	}
	p.active[l] = sized(p.active[l], p.rows*w)
	matrix.Product{TransposeB: true}.Multiply(matrix.Of(p.active[l], p.rows, w), matrix.Of(p.windows[l], p.rows, 3*w),
		matrix.Of(n.dense2(n.at.conv[l], 3*w*w), w, 3*w))
	p.x[l+1], p.pre[l+1], p.inverse[l+1] = sized(p.x[l+1], p.rows*w), sized(p.pre[l+1], p.rows*w), sized(p.inverse[l+1], p.rows)
	bias := n.dense2(n.at.bias[l], w)
	for r := range p.rows {
		y := p.x[l+1][r*w : (r+1)*w]
		if p.atoms[r] == nil {
			clear(y)
			clear(p.pre[l+1][r*w : (r+1)*w])
			continue
		}
		a := p.active[l][r*w : (r+1)*w]
		sum := p.pre[l+1][r*w : (r+1)*w]
		vector.Add(a, bias)
		for i := range a {
			a[i] = max(a[i], 0)
		}
		copy(sum, a)
		vector.Add(sum, x[r*w:(r+1)*w])
		p.inverse[l+1][r] = norm(y, sum, n.dense2(n.at.gain[l+1], w), n.dense2(n.at.shift[l+1], w))
	}
}

// norm sets y to the layer norm of x, and x to x normalised.
func norm(y, x, gain, shift []float32) float32 {
	var mean, v float32
	for _, a := range x {
		mean += a
	}
	mean /= float32(len(x))
	for _, a := range x {
		v += (a - mean) * (a - mean)
	}
	inverse := 1 / float32(math.Sqrt(float64(v/float32(len(x))+1e-5)))
	for i, a := range x {
		x[i] = (a - mean) * inverse
		y[i] = x[i]*gain[i] + shift[i]
	}
	return inverse
}

// normBack turns the slope d of a norm's result into that of its operand.
func normBack(d, x []float32, inverse float32, gain, dGain, dShift []float32) {
	var mean, along float32
	for i, s := range d {
		dGain[i] += s * x[i]
		dShift[i] += s
		s *= gain[i]
		d[i] = s
		mean += s
		along += s * x[i]
	}
	mean /= float32(len(d))
	along /= float32(len(d))
	for i := range d {
		d[i] = (d[i] - mean - x[i]*along) * inverse
	}
}

// learn sets p.grad to the gradient of the loss of sentences, and p.dx to that of the
// sums of embeddings.
func (n *network) learn(p *pass, list []*sentence, seed uint64) {
	w := n.width
	n.forward(p, list, seed)
	p.grad = sized(p.grad, len(n.dense))
	clear(p.grad)
	p.loss, p.words = 0, 0
	for h := range n.heads {
		k := n.padded[h]
		p.slope[h] = sized(p.slope[h], p.rows*k)
		clear(p.slope[h])
		r := 1
		for _, s := range list {
			for i, gold := range s.gold[h] {
				p.loss += n.heads[h].loss(p, p.logits[h][r*k:(r+1)*k], p.slope[h][r*k:(r+1)*k], s.within[h][i], gold, s.weight)
				r++
			}
			r++
			p.words += len(s.atoms)
		}
	}
	p.dx = sized(p.dx, p.rows*w)
	for h := range n.heads {
		k := n.padded[h]
		slope := matrix.Of(p.slope[h], p.rows, k)
		matrix.Product{TransposeA: true}.Multiply(matrix.Of(p.grad[n.at.head[h]:n.at.head[h]+k*w], k, w), slope, matrix.Of(p.x[n.layers], p.rows, w))
		for r := range p.rows {
			vector.Add(p.grad[n.at.headBias[h]:n.at.headBias[h]+k], p.slope[h][r*k:(r+1)*k])
		}
		matrix.Product{Add: h > 0}.Multiply(matrix.Of(p.dx, p.rows, w), slope, matrix.Of(n.dense2(n.at.head[h], k*w), k, w))
	}
	p.dp, p.dw = sized(p.dp, p.rows*w), sized(p.dw, p.rows*3*w)
	for l := n.layers - 1; l >= 0; l-- {
		n.normsBack(p, l+1)
		copy(p.dp, p.dx)
		bias := p.grad[n.at.bias[l] : n.at.bias[l]+w]
		for i, a := range p.active[l][:p.rows*w] {
			if a <= 0 {
				p.dp[i] = 0
			}
		}
		for r := range p.rows {
			vector.Add(bias, p.dp[r*w:(r+1)*w])
		}
		matrix.Product{TransposeA: true}.Multiply(matrix.Of(p.grad[n.at.conv[l]:n.at.conv[l]+3*w*w], w, 3*w),
			matrix.Of(p.dp, p.rows, w), matrix.Of(p.windows[l], p.rows, 3*w))
		matrix.Product{}.Multiply(matrix.Of(p.dw, p.rows, 3*w), matrix.Of(p.dp, p.rows, w), matrix.Of(n.dense2(n.at.conv[l], 3*w*w), w, 3*w))
		for r := 1; r < p.rows-1; r++ {
			vector.Add(p.dx[(r-1)*w:(r+2)*w], p.dw[r*3*w:(r+1)*3*w])
		}
	}
	for i, m := range p.mask[:p.rows*w] {
		p.dx[i] *= m
	}
	n.normsBack(p, 0)
}

// normsBack takes p.dx back through the norms of layer l.
func (n *network) normsBack(p *pass, l int) {
	w := n.width
	for r := range p.rows {
		d := p.dx[r*w : (r+1)*w]
		if p.atoms[r] == nil {
			clear(d)
			continue
		}
		normBack(d, p.pre[l][r*w:(r+1)*w], p.inverse[l][r], n.dense2(n.at.gain[l], w),
			p.grad[n.at.gain[l]:n.at.gain[l]+w], p.grad[n.at.shift[l]:n.at.shift[l]+w])
	}
}

// score returns what a label scores: the sum over its parts.
func (ls *labels) score(logits []float32, x uint16) float32 {
	var s float32
	for _, q := range ls.parts[x] {
		s += logits[q]
	}
	return s
}

// loss adds the slope of the cross-entropy over the labels that compete.
func (ls *labels) loss(p *pass, logits, slope []float32, within, gold uint16, weight float32) float64 {
	list := ls.among[within]
	if len(list) < 2 {
		return 0
	}
	p.scores = sized(p.scores, len(list))
	at := -1
	for k, x := range list {
		p.scores[k] = ls.score(logits, x)
		if x == gold {
			at = k
		}
	}
	top := slices.Max(p.scores)
	var sum float64
	for k, s := range p.scores {
		e := math.Exp(float64(s - top))
		sum += e
		p.scores[k] = float32(e)
	}
	for k, x := range list {
		g := float32(float64(p.scores[k])/sum) * weight
		if k == at {
			g -= weight
		}
		for _, q := range ls.parts[x] {
			slope[q] += g
		}
	}
	return (math.Log(sum) - math.Log(float64(p.scores[at]))) * float64(weight)
}

// best returns the label with the highest score.
func (ls *labels) best(logits []float32, within uint16) uint16 {
	list := ls.among[within]
	best, top := list[0], ls.score(logits, list[0])
	for _, x := range list[1:] {
		if s := ls.score(logits, x); s > top {
			best, top = x, s
		}
	}
	return best
}

// adam is the state of Adam; rows of the table move only when they are touched.
type adam struct {
	m, v, tm, tv []float32
	step         int
	grad         []float32
	seen         []bool
	touched      []int32
}

const (
	shards  = 4
	beta1   = 0.9
	beta2   = 0.98
	epsilon = 1e-8
)

// train learns by Adam (Kingma and Ba 2015), whose rate falls to nearly 0. A batch is cut
// into shards, whose gradients are added in their order, so the number of workers changes
// nothing. Products of floats depend on the processor.
func (n *network) train(sents []*sentence, epochs, batch int, rate float64, workers int, seed uint64, report func(epoch int, loss float64)) {
	a := &adam{m: make([]float32, len(n.dense)), v: make([]float32, len(n.dense)),
		tm: make([]float32, len(n.table)), tv: make([]float32, len(n.table)),
		grad: make([]float32, len(n.table)), seen: make([]bool, n.rows)}
	passes := make([]*pass, shards)
	for i := range passes {
		passes[i] = &pass{}
	}
	words := 0
	for _, s := range sents {
		words += len(s.atoms)
	}
	total := float64(words * epochs)
	done := 0
	for epoch := 1; epoch <= epochs; epoch++ {
		order := hash.Shuffled(len(sents), hash.Pair(seed, uint64(epoch)))
		loss, seen := 0.0, 0
		for lo := 0; lo < len(order); {
			var lists [shards][]*sentence
			size := 0
			for k := 0; lo < len(order) && size < batch; lo, k = lo+1, k+1 {
				s := sents[order[lo]]
				size += len(s.atoms)
				lists[k%shards] = append(lists[k%shards], s)
			}
			a.step++
			linear.Parallel(shards, workers, func(_, k int) {
				if len(lists[k]) == 0 {
					passes[k].rows, passes[k].words, passes[k].loss = 0, 0, 0
					return
				}
				n.learn(passes[k], lists[k], hash.Pair(hash.Pair(seed, uint64(a.step)), uint64(k))|1)
			})
			done += size
			now := rate * (1 - float64(done)/total*0.98)
			if warm := 200.0; float64(a.step) < warm {
				now *= float64(a.step) / warm
			}
			n.move(a, passes, now, size)
			for _, p := range passes {
				loss += p.loss
				seen += p.words
			}
		}
		report(epoch, loss/float64(seen))
	}
}

// move makes a step with the gradients of the passes.
func (n *network) move(a *adam, passes []*pass, rate float64, size int) {
	w := n.width
	scale := 1 / float32(size)
	c1 := float32(1 / (1 - math.Pow(beta1, float64(a.step))))
	c2 := float32(1 / (1 - math.Pow(beta2, float64(a.step))))
	adjust := func(x, g, m, v []float32) {
		r := float32(rate) * c1
		for i, d := range g {
			d *= scale
			m[i] = beta1*m[i] + (1-beta1)*d
			v[i] = beta2*v[i] + (1-beta2)*d*d
			x[i] -= r * m[i] / (float32(math.Sqrt(float64(v[i]*c2))) + epsilon)
		}
	}
	sum := passes[0].grad
	for _, p := range passes[1:] {
		if p.rows > 0 {
			for i, g := range p.grad {
				sum[i] += g
			}
		}
	}
	adjust(n.dense, sum, a.m, a.v)
	a.touched = a.touched[:0]
	for _, p := range passes {
		for r := range p.rows {
			for _, id := range p.atoms[r] {
				g := a.grad[int(id)*w : (int(id)+1)*w]
				if !a.seen[id] {
					a.seen[id] = true
					a.touched = append(a.touched, id)
				}
				vector.Add(g, p.dx[r*w:(r+1)*w])
			}
		}
	}
	linear.Parallel((len(a.touched)+63)/64, 2, func(_, c int) {
		for _, id := range a.touched[c*64 : min((c+1)*64, len(a.touched))] {
			lo, hi := int(id)*w, (int(id)+1)*w
			adjust(n.table[lo:hi], a.grad[lo:hi], a.tm[lo:hi], a.tv[lo:hi])
			clear(a.grad[lo:hi])
			a.seen[id] = false
		}
	})
}
