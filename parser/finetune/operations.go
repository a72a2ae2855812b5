package finetune

import (
	"cmp"
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/matrix"
)

// The operations of the heads.

// words returns the vectors of the roots and words of a batch: the mean over their pieces
// of the mixed levels. It drops some numbers one by one.
func (t *tape) words(b *batch, levels []*array, p, grad *encode.Heads) *array {
	width, sentences := levels[0].cols, len(b.sents)
	share, scale := shares(p.Mix), p.Scale[0]
	y := t.array(len(b.rows), width)
	// each calls f for the words of a sentence with the factor of a level in them.
	each := func(s int, f func(row, level, piece int, factor float32)) {
		for r := b.first[s]; r < b.first[s+1]; r++ {
			pieces := b.rows[r]
			mean := 1 / float32(pieces.hi-pieces.lo)
			for l := range levels {
				for piece := int(pieces.lo); piece < int(pieces.hi); piece++ {
					f(r, l, piece, share[l]*scale*mean)
				}
			}
		}
	}
	linear.Parallel(sentences, t.workers, func(_, s int) {
		clear(y.data[b.first[s]*width : b.first[s+1]*width])
		each(s, func(row, level, piece int, factor float32) { addScaled(y.row(row), levels[level].row(piece), factor) })
		for r := b.first[s]; r < b.first[s+1]; r++ {
			t.dropNumbers(y.row(r), r)
		}
	})
	return t.then(y, func() {
		for _, level := range levels {
			if grad, add := t.share(level); !add {
				clear(grad)
			}
		}
		slopes := make([]float64, sentences*len(levels)) // of the share of a level, by sentences
		linear.Parallel(sentences, t.workers, func(_, s int) {
			for r := b.first[s]; r < b.first[s+1]; r++ {
				t.dropNumbers(y.slope(r), r)
			}
			each(s, func(row, level, piece int, factor float32) {
				mean := 1 / float32(b.rows[row].hi-b.rows[row].lo)
				slopes[s*len(levels)+level] += float64(dot(y.slope(row), levels[level].row(piece)) * mean)
				addScaled(levels[level].slope(piece), y.slope(row), factor)
			})
		})
		mean, total := 0.0, make([]float64, len(levels))
		for l := range total {
			for s := range sentences {
				total[l] += slopes[s*len(levels)+l]
			}
			mean += float64(share[l]) * total[l]
		}
		grad.Scale[0] = float32(mean)
		for l := range total {
			grad.Mix[l] = float32(float64(scale) * float64(share[l]) * (total[l] - mean))
		}
	})
}

// Shares that dropout removes.
type dropout struct {
	keep    [256]float32 // factors of activations, one of which is drawn
	numbers uint16       // of 2^16: single numbers of the vectors of words
	columns float64      // per sentence, of the outputs of the MLPs (Gal and Ghahramani 2016)
}

var (
	usualDropout = newDropout(26, 13107, 0.33)
	smallDropout = newDropout(3, 0, 0.1)
)

// newDropout returns shares to drop: activations is how many of 256 are dropped. Those that are
// kept grow, so that the expected sum stays the same.
func newDropout(activations int, numbers uint16, columns float64) *dropout {
	d := &dropout{numbers: numbers, columns: columns}
	for i := activations; i < len(d.keep); i++ {
		d.keep[i] = float32(256 / float64(256-activations))
	}
	return d
}

// dropped returns the shares of the tape.
func (t *tape) dropped() *dropout { return cmp.Or(t.shares, usualDropout) }

// dropNumbers drops some of the vector of a word, or of its gradient.
func (t *tape) dropNumbers(v []float32, row int) {
	share := t.dropped().numbers
	if t.seed == 0 || share == 0 {
		return
	}
	scale := float32(1 / (1 - float64(share)/65536))
	r := hash.Rand(hash.Key2(2, t.seed, uint64(row)))
	for part := range slices.Chunk(v, 4) {
		bits := r.Next()
		for j := range part {
			if uint16(bits) < share {
				part[j] = 0
			} else {
				part[j] *= scale
			}
			bits >>= 16
		}
	}
}

// keepColumns draws which outputs of MLPs a sentence keeps, as the factors of these
// outputs.
func (t *tape) keepColumns(kept []float32, sentence int) {
	r, share := hash.Rand(hash.Key2(1, t.seed, uint64(sentence))), t.dropped().columns
	for i := range kept {
		switch {
		case t.seed == 0:
			kept[i] = 1
		case r.Float() < share:
			kept[i] = 0
		default:
			kept[i] = float32(1 / (1 - share))
		}
	}
}

// arcsOf returns the matrix of sentence s in the scores of biaffine: n words x n+1 heads.
func (b *batch) arcsOf(scores []float32, s int) matrix.Matrix {
	n := b.first[s+1] - b.first[s] - 1
	return matrix.Of(scores[b.arcs[s]:b.arcs[s+1]], n, n+1)
}

// biaffine returns the scores of all arcs of all sentences.
func (t *tape) biaffine(b *batch, modifier, head *array, p, grad *encode.Heads) *array {
	width, sentences := len(p.ArcBias), len(b.sents)
	form := matrix.Of(p.Arc, width, width)
	middle, scores := t.array(modifier.rows, width), t.array(1, b.arcs[sentences])
	matrix.Product{Workers: t.workers}.Multiply(middle.matrix(), modifier.matrix(), form)
	linear.Parallel(sentences, t.workers, func(_, s int) {
		y, first, last := b.arcsOf(scores.data, s), b.first[s], b.first[s+1]
		matrix.Product{TransposeB: true}.Multiply(y, middle.matrix().RowRange(first+1, last),
			head.matrix().RowRange(first, last))
		for i := range y.Cols {
			bias := dot(p.ArcBias, head.row(first+i))
			for m := range y.Rows {
				y.Data[m*y.Stride+i] += bias
			}
		}
	})
	return t.then(scores, func() {
		_, add := t.share(head)
		t.share(middle)
		columns := t.floats(head.rows) // of a row: the sum of the gradients of its scores as head
		clear(columns)
		linear.Parallel(sentences, t.workers, func(_, s int) {
			d, first, last := b.arcsOf(scores.grad, s), b.first[s], b.first[s+1]
			for m := range d.Rows {
				addScaled(columns[first:last], d.Data[m*d.Stride:][:d.Cols], 1)
			}
			matrix.Product{TransposeA: true, Add: add}.Multiply(head.gradient().RowRange(first, last), d,
				middle.matrix().RowRange(first+1, last))
			for r := first; r < last; r++ {
				addScaled(head.slope(r), p.ArcBias, columns[r])
			}
			clear(middle.slope(first)) // a root has no head
			matrix.Product{}.Multiply(middle.gradient().RowRange(first+1, last), d, head.matrix().RowRange(first, last))
		})
		clear(grad.ArcBias)
		for r, x := range columns {
			addScaled(grad.ArcBias, head.row(r), x)
		}
		matrix.Product{TransposeA: true, Workers: t.workers}.Multiply(matrix.Of(grad.Arc, width, width),
			modifier.matrix(), middle.gradient())
		_, add = t.share(modifier)
		matrix.Product{TransposeB: true, Add: add, Workers: t.workers}.Multiply(modifier.gradient(), middle.gradient(), form)
		t.release(middle)
	})
}

// An arc is one whose label is scored: the rows of its ends, and the label to
// learn or -1.
type arc struct {
	modifier, head int
	gold           int32
}

// bilinear returns the scores of all labels of arcs. It adds to the gradient of
// Label.
func (t *tape) bilinear(modifier, head *array, arcs []arc, p, grad *encode.Heads) *array {
	n, labels, width := len(arcs), len(p.Labels), modifier.cols
	one := width + 1
	ends := [2]*array{t.array(n, one), t.array(n, one)} // vectors of modifiers and heads, each with a 1
	for i, a := range arcs {
		copy(ends[0].row(i), modifier.row(a.modifier))
		copy(ends[1].row(i), head.row(a.head))
		ends[0].row(i)[width], ends[1].row(i)[width] = 1, 1
	}
	middle, scores := t.array(n, labels*one), t.array(n, labels) // Label_l·[head; 1]
	form := matrix.Of(p.Label, labels*one, one)
	matrix.Product{TransposeB: true, Workers: t.workers}.Multiply(middle.matrix(), ends[1].matrix(), form)
	linear.Parallel(n, t.workers, func(_, i int) {
		for l := range labels {
			scores.row(i)[l] = dot(ends[0].row(i), middle.row(i)[l*one:][:one])
		}
	})
	return t.then(scores, func() {
		d := [2]*array{t.array(n, one), t.array(n, one)}
		clear(d[0].data)
		linear.Parallel(n, t.workers, func(_, i int) {
			for l, w := range scores.slope(i) {
				// The middle is read for the last time and makes room for the
				// modifier times the gradient.
				middle := middle.row(i)[l*one:][:one]
				addScaled(d[0].row(i), middle, w)
				for j, v := range ends[0].row(i) {
					middle[j] = v * w
				}
			}
		})
		matrix.Product{TransposeA: true, Add: true, Workers: t.workers}.Multiply(
			matrix.Of(grad.Label, labels*one, one), middle.matrix(), ends[1].matrix())
		matrix.Product{Workers: t.workers}.Multiply(d[1].matrix(), middle.matrix(), form)
		for _, x := range [2]*array{modifier, head} {
			if grad, add := t.share(x); !add {
				clear(grad)
			}
		}
		for i, a := range arcs {
			addScaled(modifier.slope(a.modifier), d[0].row(i), 1)
			addScaled(head.slope(a.head), d[1].row(i), 1)
		}
	})
}

// A choice is between scores lo to hi-1 of an array, except index skip. gold is the right
// one. If gold is below 0, there is nothing to learn.
type choice struct {
	lo, hi     int
	gold, skip int
	weight     float32 // in the loss
}

// crossEntropy returns the weighted sum of the cross-entropies of choices, and gives x
// their gradient. The choices must cover all of x.
func (t *tape) crossEntropy(x *array, list []choice) (loss float64) {
	grad, _ := t.share(x)
	losses := make([]float64, len(list))
	t.eachRow(len(list), func(i int) {
		c := &list[i]
		copy(grad[c.lo:c.hi], x.data[c.lo:c.hi])
		losses[i] = entropy(grad[c.lo:c.hi], c.gold, c.skip, c.weight)
	})
	for _, l := range losses {
		loss += l
	}
	return loss
}

// shares returns the softmax of a.
func shares(a []float32) []float32 {
	top, sum, out := slices.Max(a), 0.0, make([]float32, len(a))
	for _, x := range a {
		sum += math.Exp(float64(x - top))
	}
	for i, x := range a {
		out[i] = float32(math.Exp(float64(x-top)) / sum)
	}
	return out
}
