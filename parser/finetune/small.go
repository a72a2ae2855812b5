package finetune

import (
	"errors"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/hash"
)

// A small network and how it learns.
var (
	smallShape = encode.Shape{Width: 128, Heads: 1, FeedForward: 256, Local: 4}
	smallSizes = encode.HeadSizes{Arc: 64, Label: 32, Tag: 64}
	smallPace  = pace{400, 2e-3, 2e-3}
)

const (
	smallLayers = 4
	smallPieces = 12_000_000 // of all epochs
)

// small returns a network with the pieces of a pretrained encoder. The vectors of pieces are
// those of p in the directions of their largest variance; all other weights are random.
func small(p *encode.Params) (*encode.Params, error) {
	s := &encode.Params{
		Shape: smallShape, Pieces: p.Pieces, Layers: make([]encode.Layer, smallLayers),
		Name: p.Name, Source: p.Source, Licence: p.Licence, Notice: p.Notice,
	}
	s.Positions, s.Epsilon = p.Positions, p.Epsilon
	list := s.Tensors()
	encode.Flatten(list)
	r := hash.Rand(1)
	normal := func(to []float32, deviation float64) {
		for i := range to {
			sum := -6.0 // of 12 uniform numbers: nearly normal, with deviation 1
			for range 12 {
				sum += r.Float()
			}
			to[i] = float32(deviation * sum)
		}
	}
	for _, t := range list {
		switch {
		case t.Data == &s.Word:
			if err := principal(*t.Data, s.Width, p); err != nil {
				return nil, err
			}
		case t.Data == &s.Position:
			normal(*t.Data, 0.1)
		case len(t.Shape) == 2 && t.Decays:
			normal(*t.Data, 1/math.Sqrt(float64(t.Shape[1])))
		case len(t.Shape) == 1 && strings.HasSuffix(t.Name, ".gain"):
			for i := range *t.Data {
				(*t.Data)[i] = 1
			}
		}
	}
	return s, nil
}

// wordDeviation is the deviation of the numbers in the vectors of pieces.
const wordDeviation = 0.5

// principal sets rows, n x width, to the vectors of the pieces of p, each with a mean of 0 and a
// norm of 1, in the directions of their largest variance. If there are fewer, the rest of rows
// stays as it is. It fails if the pieces have no directions.
func principal(rows []float32, width int, p *encode.Params) error {
	n, w := len(p.Pieces.Pieces), p.Width
	x := mat.NewDense(n, w, nil)
	for i := range n {
		row, mean, squares := x.RawRowView(i), 0.0, 0.0
		for j := range row {
			row[j] = float64(p.Word[i*w+j])
			mean += row[j] / float64(w)
		}
		for j := range row {
			row[j] -= mean
			squares += row[j] * row[j]
		}
		for j := range row {
			row[j] /= math.Sqrt(squares + 1e-9)
		}
	}
	for j := range w {
		mean := 0.0
		for i := range n {
			mean += x.At(i, j) / float64(n)
		}
		for i := range n {
			x.Set(i, j, x.At(i, j)-mean)
		}
	}
	var c mat.SymDense
	c.SymOuterK(1, x.T())
	var e mat.EigenSym
	if !e.Factorize(&c, true) {
		return errAlike
	}
	var vectors, y mat.Dense
	e.VectorsTo(&vectors)
	k := min(width, w)
	y.Mul(x, vectors.Slice(0, w, w-k, w)) // variances ascend
	size := mat.Norm(&y, 2)
	if !(size > 1e-3) {
		return errAlike
	}
	scale := wordDeviation / (size / math.Sqrt(float64(n*k)))
	for i := range n {
		for j, v := range y.RawRowView(i) {
			rows[i*width+j] = float32(v * scale)
		}
	}
	return nil
}

// errAlike says that an encoder is damaged or was never trained.
var errAlike = errors.New("finetune: all pieces of the encoder have the same vector: use another encoder")
