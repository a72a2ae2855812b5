package score

import (
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// A low-rank tensor scores arcs (Lei, Xin, Zhang, Barzilay and Jaakkola 2014):
//
//	t(h,m) = sum over r of (U_r . phi_h) (V_r . phi_m) (W_r . phi_hm)
//
// phi of a word has the features of the word (wordKeys) that the dictionary knows.
// phi_hm has an entry that is always on, and the bin of the signed distance. The
// projections U.phi and V.phi of every position are summed once a sentence, so an
// arc costs rank multiplications. The score of a tree is
// gamma*sparse + (1-gamma)*tensor. Gamma is folded into the sparse weights, and
// 1-gamma into the result of Arc, so neither is multiplied at inference.

// An ArcScorer scores arcs. It is a Tensor, or a TensorLearner in training. It is safe
// for concurrent readers, each with its own Projection.
type ArcScorer interface {
	// Project fills p for sentence c. It returns the number of rows looked up.
	Project(c *word.Sentence, p *Projection) (lookups int)

	// Arc returns the tensor score t(h,m) times 1-gamma (Gamma), in units
	// of 1/Unit, for the sentence last projected into p, 0 <= h <= n, 1 <= m <= n and h
	// != m.
	Arc(p *Projection, h, m int) int32
}

// bins is the length of phi_hm: entry 0 is always on, 1..14 are the bins of
// word.Distance.
const bins = 15

// A Projection is what an ArcScorer computes once for a sentence. It is scratch for one
// goroutine, refilled without allocation once it is large enough.
type Projection struct {
	keys   []hash.Key
	fixed  []int32   // of a Tensor: position p has U.phi at [2*p*rank] and V.phi at [(2*p+1)*rank], units of 2^-16
	floats []float64 // of a TensorLearner, likewise
	rows   []int32   // of the features of a position, or of a TensorLearner of all positions
	start  []int32   // rows of position p: rows[start[p]:start[p+1]]
	local  []int32   // for Gradient: by row, its place in the gradient, valid if the gradient names the row there
}

// Fixed-point arithmetic of a Tensor. With these bounds no sum of Arc can overflow.
const (
	fixedBits    = 16                // rows, projections and W are in units of 2^-16
	maxShift     = 17                // a row's scale is at most 2^(17-16)
	maxProjected = 256 << fixedBits  // projections are clipped to this
	maxW         = 64<<fixedBits - 1 // so is W
	maxArc       = 1 << 24           // score of an arc, in units of 1/Unit
	maxRank      = 256
)

// No projection overflows: a position adds up one row for every feature of its
// word. A negative constant would not compile.
const _ = uint(math.MaxInt32 - (wordKinds+2*syntax.MaxFeats)<<(7+maxShift))

// A Tensor is a trained tensor in integers: rows of 8 bits, each scaled by a power of
// two. Feature f has row f of U, which is line 2*f, and row f of V, which is line
// 2*f+1. Line i is lines[i*rank:(i+1)*rank] << shift[i]. A Tensor is read-only. The
// zero value scores nothing.
type Tensor struct {
	rank     int
	features hash.Set
	lines    []int8
	shift    []uint8
	w        []int32 // [bin*rank + r], times 1-gamma
}

// Rank returns the rank, which is 0 for the zero value.
func (t *Tensor) Rank() int { return t.rank }

// line quantises line i with the smallest scale that fits its values.
func (t *Tensor) line(i int, values []float64) {
	largest := 0.0
	for _, x := range values {
		largest = max(largest, math.Abs(x))
	}
	shift := 0
	for shift < maxShift && math.Ldexp(largest, fixedBits-shift) > 127 {
		shift++
	}
	for r, x := range values {
		t.lines[i*t.rank+r] = int8(math.Round(max(-127, min(127, math.Ldexp(x, fixedBits-shift)))))
	}
	t.shift[i] = uint8(shift)
}

// Project implements ArcScorer.
func (t *Tensor) Project(c *word.Sentence, p *Projection) (lookups int) {
	p.fixed = resize(p.fixed, 2*(c.Len()+1)*t.rank)
	clear(p.fixed)
	for pos := 0; pos <= c.Len(); pos++ {
		p.keys = wordKeys(c, pos, p.keys[:0])
		lookups += len(p.keys)
		p.rows = t.features.FindAll(p.rows[:0], p.keys)
		for _, row := range p.rows {
			t.add(p, pos, int(row))
		}
	}
	for i, x := range p.fixed {
		p.fixed[i] = max(-maxProjected, min(maxProjected, x))
	}
	return lookups
}

// add adds a row of U and V to the projections of a position.
func (t *Tensor) add(p *Projection, pos, row int) {
	R := t.rank
	to := p.fixed[2*pos*R:][:2*R]
	from := t.lines[2*row*R:][:2*R]
	u, v := t.shift[2*row]&31, t.shift[2*row+1]&31
	for r, x := range from[:R] {
		to[r] += int32(x) << u
		to[R+r] += int32(from[R+r]) << v
	}
}

// Arc implements ArcScorer.
func (t *Tensor) Arc(p *Projection, h, m int) int32 {
	R := t.rank
	u, v := p.fixed[2*h*R:][:R], p.fixed[(2*m+1)*R:][:R]
	always, w := t.w[:R], t.w[int(word.Distance(h, m))*R:][:R]
	sum := int64(0)
	for r, x := range u {
		sum += int64(x) * int64(v[r]) >> fixedBits * int64(always[r]+w[r])
	}
	const drop = 2*fixedBits - unitBits
	return int32(max(-maxArc, min(maxArc, (sum+1<<(drop-1))>>drop)))
}

// Layout names the sections of a tensor. They are empty if t is the zero value.
func (t *Tensor) Layout(l *pack.Layout) {
	var vectors []uint32 // of words; models of earlier programs may have some
	t.features.Layout(l, "features")
	pack.Array(l, "words", &vectors)
	pack.Array(l, "lines", &t.lines)
	pack.Array(l, "shift", &t.shift)
	pack.Array(l, "w", &t.w)
	if !l.Reading() {
		return
	}
	t.rank = len(t.w) / bins
	l.Check("words", len(vectors) == 0, "holds word vectors, which this program does not know: train the model again without --vectors")
	l.Check("w", t.rank <= maxRank && len(t.w) == bins*t.rank, "has a wrong length")
	l.Check("lines", len(t.lines) == 2*t.features.Len()*t.rank && (t.rank > 0 || t.features.Len() == 0),
		"has a wrong length")
	l.Check("shift", len(t.shift) == 2*t.features.Len(), "has a wrong length")
	pack.Below(l, "shift", t.shift, maxShift+1)
	l.Check("w", slices.Max(append(t.w, 0)) <= maxW && slices.Min(append(t.w, 0)) >= -maxW,
		"has a weight out of its range")
}
