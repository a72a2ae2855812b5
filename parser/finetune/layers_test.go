package finetune

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/piece"
	"github.com/treebeam/treebeam/parser/syntax"
)

// normal returns n numbers of about the normal distribution.
func normal(r *hash.Rand, n int, scale float64) []float32 {
	list := make([]float32, n)
	for i := range list {
		sum := 0.0
		for range 12 {
			sum += r.Float()
		}
		list[i] = float32((sum - 6) * scale)
	}
	return list
}

// randomParams returns an encoder of so many layers, the lowest of them local, and pieces.
func randomParams(r *hash.Rand, width, heads, layers, pieces int) *encode.Params {
	p := &encode.Params{Shape: encode.Shape{Width: width, Heads: heads, FeedForward: 2 * width, Positions: 40, Epsilon: 1e-5, Local: 1},
		Pieces: &piece.Vocabulary{Pieces: make([]string, pieces)}, Layers: make([]encode.Layer, layers)}
	encode.Flatten(p.Tensors())
	for _, t := range p.Tensors() {
		scale := 0.2
		switch {
		case t.Name == "word":
			scale = 1
		case t.Name == "position":
			scale = 0.5
		case len(t.Shape) == 2:
			scale = 1 / math.Sqrt(float64(t.Shape[1]))
		}
		copy(*t.Data, normal(r, len(*t.Data), scale))
		if strings.HasSuffix(t.Name, "gain") {
			for i := range *t.Data {
				(*t.Data)[i]++
			}
		}
	}
	return p
}

// randomBatch returns a batch of sentences without words, of so many pieces, marks
// included.
func randomBatch(r *hash.Rand, pieces int, sizes ...int) *batch {
	b := new(batch)
	for k, size := range sizes {
		var ids, letters []int32
		for range size {
			ids, letters = append(ids, int32(r.Below(uint32(pieces)))), append(letters, int32(len(ids))%piece.Cases)
		}
		b.add(&syntax.Sentence{}, ids, letters, nil, int32(k%2))
	}
	return b
}

// plain runs an encoder over one sentence as the definition says, in 64 bits,
// and returns its levels.
func plain(p *encode.Params, ids []int32) [][][]float64 {
	apply := func(x []float64, l encode.Linear) []float64 {
		y := make([]float64, len(l.Bias))
		for i := range y {
			y[i] = float64(l.Bias[i])
			for j := range x {
				y[i] += x[j] * float64(l.Weight[i*len(x)+j])
			}
		}
		return y
	}
	norm := func(x []float64, n encode.Norm) []float64 {
		mean, variance := 0.0, 0.0
		for _, a := range x {
			mean += a / float64(len(x))
		}
		for _, a := range x {
			variance += (a - mean) * (a - mean) / float64(len(x))
		}
		y := make([]float64, len(x))
		for i, a := range x {
			y[i] = (a-mean)/math.Sqrt(variance+float64(p.Epsilon))*float64(n.Gain[i]) + float64(n.Bias[i])
		}
		return y
	}
	plus := func(x, y []float64) []float64 {
		z := slices.Clone(x)
		for i := range y {
			z[i] += y[i]
		}
		return z
	}
	level := make([][]float64, len(ids))
	for t, id := range ids {
		x := make([]float64, p.Width)
		for i := range x {
			x[i] = float64(p.Word[int(id)*p.Width+i]) + float64(p.Position[t*p.Width+i])
		}
		level[t] = norm(x, p.Norm)
	}
	levels := [][][]float64{level}
	depth := p.Width / p.Heads
	for i, l := range p.Layers {
		next := make([][]float64, len(ids))
		for t, x := range level {
			if i < p.Local {
				around := make([]float64, 3*p.Width)
				for u := max(t-1, 0); u < min(t+2, len(ids)); u++ {
					copy(around[(u-t+1)*p.Width:], level[u])
				}
				up := apply(around, l.Up)
				for i, a := range up {
					up[i] = a * 0.5 * math.Erfc(-a/math.Sqrt2)
				}
				next[t] = norm(plus(x, apply(up, l.Down)), l.FeedForwardNorm)
				continue
			}
			q, context := apply(x, l.Query), make([]float64, p.Width)
			for h := range p.Heads {
				weights, sum := make([]float64, len(ids)), 0.0
				for u := range ids {
					k, dot := apply(level[u], l.Key), 0.0
					for i := h * depth; i < (h+1)*depth; i++ {
						dot += q[i] * k[i]
					}
					weights[u] = math.Exp(dot / math.Sqrt(float64(depth)))
					sum += weights[u]
				}
				for u := range ids {
					v := apply(level[u], l.Value)
					for i := h * depth; i < (h+1)*depth; i++ {
						context[i] += weights[u] / sum * v[i]
					}
				}
			}
			middle := norm(plus(x, apply(context, l.Output)), l.AttentionNorm)
			up := apply(middle, l.Up)
			for i, a := range up {
				up[i] = a * 0.5 * math.Erfc(-a/math.Sqrt2)
			}
			next[t] = norm(plus(middle, apply(up, l.Down)), l.FeedForwardNorm)
		}
		level = next
		levels = append(levels, level)
	}
	return levels
}

// The levels are those of the definition, sentence by sentence.
func TestForward(t *testing.T) {
	r := hash.Rand(1)
	p := randomParams(&r, 12, 3, 3, 20)
	b := randomBatch(&r, 20, 7, 3, 12)
	levels := newNetwork(p, nil).forward(new(tape), b)
	for s := range b.sents {
		for l, rows := range plain(p, b.ids[b.start[s]:b.start[s+1]]) {
			for k, row := range rows {
				for i, want := range row {
					if got := levels[l].row(b.start[s] + k)[i]; math.Abs(float64(got)-want) > 1e-3 { // GELU is one that is near
						t.Fatalf("sentence %d, level %d, piece %d: element %d is %g, want %g", s, l, k, i, got, want)
					}
				}
			}
		}
	}
}

func TestExp(t *testing.T) {
	for x := float32(-100); x <= 0; x += 0.00371 {
		if e := float64(exp(x)); math.Abs(e/math.Exp(float64(x))-1) > 1e-5 && e > 1e-30 {
			t.Fatalf("exp(%g) = %g", x, e)
		}
	}
}

// A share of elements near that of the table is dropped, the sum stays, and
// the same is dropped forward and backward.
func TestMask(t *testing.T) {
	o := tape{seed: 3}
	const n = 10001
	x := slices.Repeat([]float32{1}, n)
	y, again, other := slices.Clone(x), slices.Clone(x), slices.Clone(x)
	o.drop(y, 2, 5)
	zeros := 0
	for _, a := range y {
		if a == 0 {
			zeros++
		}
	}
	if zeros < n*8/100 || zeros > n*12/100 || math.Abs(float64(sumOf(y))/n-1) > 0.02 {
		t.Errorf("%d of %d dropped, sum %g", zeros, n, sumOf(y))
	}
	if o.drop(again, 2, 5); !slices.Equal(again, y) {
		t.Error("another mask for the same row")
	}
	if o.drop(other, 2, 6); slices.Equal(other, y) {
		t.Error("the same mask for another row")
	}
}

// The gradient of a random linear function of all levels is that of finite
// differences, along a random direction of each tensor, with and without
// dropout.
func TestGradient(t *testing.T) {
	for _, seed := range []uint64{0, 11} {
		r, o := hash.Rand(2), &tape{workers: 2}
		p := randomParams(&r, 8, 2, 2, 9)
		p.Banks, p.Bank = []string{"xx", encode.Anywhere}, normal(&r, 16, 0.5)
		p.Pieces.Lower, p.Case = true, normal(&r, int(piece.Cases)*8, 0.5)
		n := newNetwork(p, nil)
		goBack(n, o, randomBatch(&r, 9, 5), seed, nil) // leaves rows to clear
		b := randomBatch(&r, 9, 6, 4, 35)
		factors := make([][]float32, 3)
		for l := range factors {
			factors[l] = normal(&r, len(b.ids)*8, 1)
		}
		loss := func() (sum float64) {
			o.begin(seed, false)
			for l, level := range n.forward(o, b) {
				for i, x := range level.data {
					sum += float64(x) * float64(factors[l][i])
				}
			}
			return sum
		}
		goBack(n, o, b, seed, func(l int, level *array) []float32 { return factors[l] })
		checkDirections(t, fmt.Sprintf("seed %d", seed), &r, n.p.Tensors(), n.grad.Tensors(), loss)
	}
}

// goBack runs a network forward and backward from the gradients of levels, nil
// for zeros, and returns the levels.
func goBack(n *network, t *tape, b *batch, seed uint64, slope func(l int, level *array) []float32) (all []float32) {
	t.begin(seed, true)
	for l, level := range n.forward(t, b) {
		all = append(all, level.data...)
		grad, _ := t.share(level)
		if clear(grad); slope != nil {
			copy(grad, slope(l, level))
		}
	}
	t.rewind(mark{})
	return all
}

// checkDirections compares the change of a loss along a random direction of
// each tensor with the gradient.
func checkDirections(t *testing.T, what string, r *hash.Rand, weights, slopes []encode.Tensor, loss func() float64) {
	t.Helper()
	for i := range weights {
		w := *weights[i].Data
		direction := normal(r, len(w), 1)
		want := 0.0
		for j, d := range direction {
			want += float64(d) * float64((*slopes[i].Data)[j])
		}
		old := slices.Clone(w)
		const step = 2e-3
		at := func(k float64) float64 {
			for j, d := range direction {
				w[j] = old[j] + float32(k*step*float64(d))
			}
			return loss()
		}
		got := (8*(at(1)-at(-1)) - (at(2) - at(-2))) / (12 * step)
		copy(w, old)
		if math.Abs(got-want) > 0.02*math.Abs(want)+0.02 {
			t.Errorf("%s: %s: slope %g, want %g", what, weights[i].Name, want, got)
		}
	}
}

// Products with factors of bfloat16 give a gradient that points where the
// exact one does.
func TestHalf(t *testing.T) {
	run := func(half bool) []float32 {
		r := hash.Rand(7)
		n := newNetwork(randomParams(&r, 32, 4, 3, 30), nil)
		n.half = half
		b := randomBatch(&r, 30, 20, 33, 9, 14, 38)
		last := normal(&r, len(b.ids)*32, 1)
		goBack(n, new(tape), b, 0, func(l int, _ *array) []float32 { return last[:l/3*len(last)] })
		return n.slopes
	}
	exact, half := run(false), run(true)
	difference := slices.Clone(exact)
	for i, x := range half {
		difference[i] -= x
	}
	if d := math.Sqrt(squares(difference) / squares(exact)); d > 0.02 {
		t.Errorf("the gradient is off by %.4f of its length", d)
	}
}

// Any number of workers gives the same bits, as does a network that has run
// another batch before.
func TestWorkers(t *testing.T) {
	run := func(workers int, before bool) (levels []float32, slopes []float32) {
		r, o := hash.Rand(4), &tape{workers: workers}
		n := newNetwork(randomParams(&r, 16, 4, 2, 30), nil)
		b, other := randomBatch(&r, 30, 20, 33, 9, 14, 38), randomBatch(&r, 30, 40, 40, 40, 40)
		own := func(_ int, level *array) []float32 { return level.data }
		if before {
			goBack(n, o, other, 8, own)
		}
		return goBack(n, o, b, 8, own), n.slopes
	}
	levels, slopes := run(1, false)
	for _, workers := range []int{2, 3, 8} {
		if l, s := run(workers, workers == 3); !slices.Equal(l, levels) || !slices.Equal(s, slopes) {
			t.Errorf("%d workers: other bits", workers)
		}
	}
}
