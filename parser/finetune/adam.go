package finetune

import (
	"math"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/linear"
)

// Constants of Adam (Kingma and Ba 2015), with decay apart from the gradient
// (Loshchilov and Hutter 2019).
const (
	firstDecay  = 0.9
	secondDecay = 0.98
	adamEpsilon = 1e-8
	weightDecay = 0.01
)

// An adam moves weights against their gradient.
type adam struct {
	weights, slopes []float32
	first, second   []float32 // moving means of the gradient and of its square
	blocks          []adamBlock
	squares         []float64 // of the gradients of a block
}

// An adamBlock is one piece of work: weights lo..hi-1 of one tensor.
type adamBlock struct {
	lo, hi int
	decays bool
}

const adamBlockSize = 1 << 14

// newAdam returns an adam for tensors that encode.Flatten has laid into weights.
// slopes is their gradient.
func newAdam(list []encode.Tensor, weights, slopes []float32) *adam {
	a := &adam{weights: weights, slopes: slopes, first: make([]float32, len(weights)),
		second: make([]float32, len(weights))}
	at := 0
	for _, t := range list {
		end := at + len(*t.Data)
		for ; at < end; at = min(at+adamBlockSize, end) {
			a.blocks = append(a.blocks, adamBlock{at, min(at+adamBlockSize, end), t.Decays})
		}
	}
	a.squares = make([]float64, len(a.blocks))
	return a
}

// norm returns the Euclidean norm of the gradient.
func (a *adam) norm(workers int) float64 {
	linear.Parallel(len(a.blocks), workers, func(_, i int) {
		b := &a.blocks[i]
		a.squares[i] = squares(a.slopes[b.lo:b.hi])
	})
	sum := 0.0
	for _, x := range a.squares {
		sum += x
	}
	return math.Sqrt(sum)
}

func squares(x []float32) (sum float64) {
	for len(x) > 0 {
		part := x[:min(len(x), 256)]
		x = x[len(part):]
		var a, b, c, d float32
		for len(part) >= 4 {
			v := (*[4]float32)(part)
			a, b, c, d = a+v[0]*v[0], b+v[1]*v[1], c+v[2]*v[2], d+v[3]*v[3]
			part = part[4:]
		}
		for _, v := range part {
			a += v * v
		}
		sum += float64(a+b) + float64(c+d)
	}
	return sum
}

// step is update t, from 1, at a rate, with the gradient times scale.
func (a *adam) step(t int, rate float64, scale float32, workers int) {
	first, second := 1-math.Pow(firstDecay, float64(t)), 1-math.Pow(secondDecay, float64(t))
	u := update{
		scale: scale, rate: float32(rate / first), second: float32(1 / second), epsilon: adamEpsilon,
		firstDecay: firstDecay, firstGain: 1 - firstDecay, secondDecay: secondDecay, secondGain: 1 - secondDecay,
	}
	linear.Parallel(len(a.blocks), workers, func(_, i int) {
		b, u := &a.blocks[i], u
		u.keep = 1
		if b.decays {
			u.keep = float32(1 - rate*weightDecay)
		}
		u.move(a.weights[b.lo:b.hi], a.slopes[b.lo:b.hi], a.first[b.lo:b.hi], a.second[b.lo:b.hi])
	})
}

// An update holds the constants of one step: the factors of gradients, moves and
// squares, the share of a weight that decay leaves, and the constants of Adam. Its
// gains are the shares of new values in the means.
type update struct {
	scale, rate, second, keep                      float32
	firstDecay, firstGain, secondDecay, secondGain float32
	epsilon                                        float32
}

// move does the step for weights w with gradients g and means m and v. Every product
// is rounded, so all paths give the same result.
func (u *update) move(w, g, m, v []float32) {
	g, m, v = g[:len(w)], m[:len(w)], v[:len(w)]
	for i := u.moveFast(w, g, m, v); i < len(w); i++ {
		d := g[i] * u.scale
		m[i] = float32(u.firstDecay*m[i]) + float32(u.firstGain*d)
		v[i] = float32(u.secondDecay*v[i]) + float32(float32(u.secondGain*d)*d)
		root := float32(math.Sqrt(float64(v[i] * u.second)))
		w[i] = float32(w[i]*u.keep) - float32(u.rate*m[i])/(root+u.epsilon)
	}
}
