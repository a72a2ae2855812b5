package finetune

import (
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/matrix"
)

// The MLPs, by index in scratch.mlp.
const (
	arcModifier = iota
	arcHead
	labelModifier
	labelHead
	tagMLP
	mlps
)

const slope = 0.1 // of the leaky ReLU

// Shares that dropout takes away: of the numbers in the vectors of words one
// by one, of the outputs of the MLPs whole columns in a sentence (Gal and
// Ghahramani 2016).
const (
	wordDropped   = 13107 // of 2^16: 0.2
	columnDropout = 0.33
)

// scratch is what a batch needs between forward and backward. A row is the
// vector of a sentence's root or of one of its words, in the order of the
// batch.
type scratch struct {
	first  []int     // row of the root of sentence s; length sentences+1
	rows   []span    // pieces of a row
	weight []float32 // of a row in the loss: its sentence's over the sum of all words'; 0 for a root

	mixed   []float32 // of a level: softmax of Mix times Scale
	vectors []float32 // rows x width, after dropout
	back    []float32 // the gradient of vectors
	mlp     [mlps]activation
	kept    []float32 // sentences x columns of all MLPs: what an output is multiplied by
	partial []float64 // sentences x levels: shares in the gradient of the weights of levels
	loss    []float64 // of sentences or rows

	arcs   arcScratch
	label  labelScratch
	column columnScratch
}

// An activation is what an MLP gives, rows x outputs, and its gradient.
type activation struct{ out, back []float32 }

func (h *heads) linear(p *encode.Heads, i int) *encode.Linear {
	return [mlps]*encode.Linear{&p.ArcModifier, &p.ArcHead, &p.LabelModifier, &p.LabelHead, &p.Tag}[i]
}

// lay numbers the rows of a batch.
func (h *heads) lay(b *batch) {
	h.first, h.rows, h.weight = append(h.first[:0], 0), h.rows[:0], h.weight[:0]
	total := 0.0
	for s, words := range b.words {
		weight := float32(1)
		if b.weight != nil {
			weight = b.weight[s]
		}
		begin := int32(b.start[s])
		h.rows, h.weight = append(append(h.rows, span{begin, begin + 1}), words...), append(h.weight, 0)
		for range words {
			h.weight = append(h.weight, weight)
			total += float64(weight)
		}
		h.first = append(h.first, len(h.rows))
	}
	if total > 0 {
		for i := range h.weight {
			h.weight[i] = float32(float64(h.weight[i]) / total)
		}
	}
}

// forward computes the vectors of all rows, the MLPs and the scores of arcs.
func (h *heads) forward(b *batch, levels []matrix.Matrix, o stepOptions) {
	h.lay(b)
	rows, sentences := len(h.rows), len(b.sents)
	h.mixed = resize(h.mixed, len(levels))
	shares(h.mixed, h.p.Mix)
	for l := range h.mixed {
		h.mixed[l] *= h.p.Scale[0]
	}
	h.vectors = resize(h.vectors, rows*h.width)
	linear.Parallel(sentences, o.workers, func(_, s int) { h.mixWords(s, levels, o) })

	columns := 0
	for i := range mlps {
		columns += len(h.linear(h.p, i).Bias)
	}
	h.kept = resize(h.kept, sentences*columns)
	for s := range sentences {
		h.keepColumns(h.kept[s*columns:(s+1)*columns], s, o.seed)
	}
	vectors, at := matrix.Of(h.vectors, rows, h.width), 0
	for i := range mlps {
		l, a := h.linear(h.p, i), &h.mlp[i]
		outputs := len(l.Bias)
		a.out = resize(a.out, rows*outputs)
		matrix.Product{TransposeB: true, Workers: o.workers}.Multiply(
			matrix.Of(a.out, rows, outputs), vectors, matrix.Of(l.Weight, outputs, h.width))
		linear.Parallel(sentences, o.workers, func(_, s int) {
			kept := h.kept[s*columns+at:][:outputs]
			for r := h.first[s]; r < h.first[s+1]; r++ {
				activate(a.out[r*outputs:(r+1)*outputs], l.Bias, kept)
			}
		})
		at += outputs
	}
	h.scoreArcs(sentences, o)
}

// mixWords sets the vectors of sentence s.
func (h *heads) mixWords(s int, levels []matrix.Matrix, o stepOptions) {
	for r := h.first[s]; r < h.first[s+1]; r++ {
		v := h.vectors[r*h.width : (r+1)*h.width]
		clear(v)
		pieces := h.rows[r]
		share := 1 / float32(pieces.hi-pieces.lo)
		for l, level := range levels {
			for p := int(pieces.lo); p < int(pieces.hi); p++ {
				addScaled(v, level.Data[p*level.Stride:][:h.width], h.mixed[l]*share)
			}
		}
		dropWord(v, r, o.seed)
	}
}

// unmixWords turns the gradients of the vectors of sentence s into those of
// all levels, and of the weights of levels.
func (h *heads) unmixWords(b *batch, s int, levels, back []matrix.Matrix, o stepOptions) {
	for l := range back {
		for p := b.start[s]; p < b.start[s+1]; p++ {
			clear(back[l].Data[p*back[l].Stride:][:h.width])
		}
	}
	partial := h.partial[s*len(levels) : (s+1)*len(levels)]
	clear(partial)
	for r := h.first[s]; r < h.first[s+1]; r++ {
		d := h.back[r*h.width : (r+1)*h.width]
		dropWord(d, r, o.seed)
		pieces := h.rows[r]
		share := 1 / float32(pieces.hi-pieces.lo)
		for l, level := range levels {
			for p := int(pieces.lo); p < int(pieces.hi); p++ {
				partial[l] += float64(dot(d, level.Data[p*level.Stride:][:h.width]) * share)
				addScaled(back[l].Data[p*back[l].Stride:][:h.width], d, h.mixed[l]*share)
			}
		}
	}
}

// keepColumns draws which outputs of the MLPs sentence s keeps.
func (h *heads) keepColumns(kept []float32, s int, seed uint64) {
	r := hash.Rand(hash.Key2(1, seed, uint64(s)))
	for i := range kept {
		switch {
		case seed == 0:
			kept[i] = 1
		case r.Float() < columnDropout:
			kept[i] = 0
		default:
			kept[i] = 1 / (1 - columnDropout)
		}
	}
}

// dropWord multiplies the vector of a row, or its gradient, by its mask.
func dropWord(v []float32, row int, seed uint64) {
	if seed == 0 {
		return
	}
	const scale = 1.0 / (1 - wordDropped/65536.0)
	r := hash.Rand(hash.Key2(2, seed, uint64(row)))
	for i := 0; i < len(v); i += 4 {
		bits := r.Next()
		for j := i; j < min(i+4, len(v)); j++ {
			if uint16(bits) < wordDropped {
				v[j] = 0
			} else {
				v[j] *= scale
			}
			bits >>= 16
		}
	}
}

// activate adds the bias to products and takes the leaky ReLU and dropout.
func activate(out, bias, kept []float32) {
	for i, x := range out {
		if x += bias[i]; x < 0 {
			x *= slope
		}
		out[i] = x * kept[i]
	}
}

// backward turns the gradients of the MLPs into those of their weights, of
// the vectors and of the levels.
func (h *heads) backward(b *batch, levels, back []matrix.Matrix, o stepOptions) {
	rows, sentences := len(h.rows), len(b.sents)
	h.back = resize(h.back, rows*h.width)
	vectors, columns, at := matrix.Of(h.vectors, rows, h.width), len(h.kept)/max(sentences, 1), 0
	for i := range mlps {
		l, g, a := h.linear(h.p, i), h.linear(h.grad, i), &h.mlp[i]
		outputs := len(l.Bias)
		linear.Parallel(sentences, o.workers, func(_, s int) {
			kept := h.kept[s*columns+at:][:outputs]
			for r := h.first[s]; r < h.first[s+1]; r++ {
				out, d := a.out[r*outputs:][:outputs], a.back[r*outputs:][:outputs]
				for j := range d {
					if d[j] *= kept[j]; out[j] < 0 {
						d[j] *= slope
					}
				}
			}
		})
		d := matrix.Of(a.back, rows, outputs)
		addRows(g.Bias, d)
		matrix.Product{TransposeA: true, Add: true, Workers: o.workers}.Multiply(matrix.Of(g.Weight, outputs, h.width), d, vectors)
		matrix.Product{Add: i > 0, Workers: o.workers}.Multiply(
			matrix.Of(h.back, rows, h.width), d, matrix.Of(l.Weight, outputs, h.width))
		at += outputs
	}
	h.partial = resize(h.partial, sentences*len(levels))
	linear.Parallel(sentences, o.workers, func(_, s int) { h.unmixWords(b, s, levels, back, o) })
	h.backMix(sentences)
}

// backMix adds the gradients of Mix and Scale.
func (h *heads) backMix(sentences int) {
	scale, levels, mean := float64(h.p.Scale[0]), len(h.mixed), 0.0
	total, share := make([]float64, levels), make([]float32, levels)
	shares(share, h.p.Mix)
	for l := range total {
		for s := range sentences {
			total[l] += h.partial[s*levels+l]
		}
		mean += float64(share[l]) * total[l]
	}
	h.grad.Scale[0] += float32(mean)
	for l := range total {
		h.grad.Mix[l] += float32(scale * float64(share[l]) * (total[l] - mean))
	}
}

// shares sets dst to the softmax of a.
func shares(dst, a []float32) {
	top, sum := slices.Max(a), 0.0
	for _, x := range a {
		sum += math.Exp(float64(x - top))
	}
	for i, x := range a {
		dst[i] = float32(math.Exp(float64(x-top)) / sum)
	}
}

func addScaled(dst, a []float32, x float32) {
	a = a[:len(dst)]
	for i := range dst {
		dst[i] += x * a[i]
	}
}

func dot(a, b []float32) (sum float32) {
	b = b[:len(a)]
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

// addRows adds the rows of a to dst, the first one first.
func addRows(dst []float32, a matrix.Matrix) {
	for r := range a.Rows {
		addScaled(dst, a.Data[r*a.Stride:][:a.Cols], 1)
	}
}
