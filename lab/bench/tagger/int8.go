package tagger

import (
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/matrix"
	"github.com/treebeam/treebeam/parser/vector"
)

// A quantized network has 8-bit weights, a scale for every output. Its products are exact,
// and between them are only the floats of package vector, so its scores are the same bits
// on every processor.
type quantized struct {
	n     *network
	table []int8 // one scale for all
	unit  float32
	conv  []linear8
	head  [2]linear8
}

type linear8 struct {
	weights      *matrix.Int8
	scales, bias []float32
}

func quantize(w, bias []float32, outputs, inputs int) linear8 {
	q := make([]int8, len(w))
	l := linear8{scales: make([]float32, outputs), bias: bias}
	for o := range outputs {
		l.scales[o] = vector.Quantize(q[o*inputs:(o+1)*inputs], w[o*inputs:(o+1)*inputs])
	}
	l.weights = matrix.NewInt8(q, outputs, inputs)
	return l
}

func newQuantized(n *network) *quantized {
	w := n.width
	q := &quantized{n: n, table: make([]int8, len(n.table))}
	var sizes []float32
	for _, x := range n.table {
		sizes = append(sizes, float32(math.Abs(float64(x))))
	}
	slices.Sort(sizes)
	q.unit = sizes[len(sizes)*9999/10000] / 127
	for i, x := range n.table {
		q.table[i] = int8(max(-127, min(127, math.Round(float64(x/q.unit)))))
	}
	for l := range n.layers {
		q.conv = append(q.conv, quantize(n.dense2(n.at.conv[l], 3*w*w), n.dense2(n.at.bias[l], w), w, 3*w))
	}
	for h := range n.heads {
		k := n.padded[h]
		q.head[h] = quantize(n.dense2(n.at.head[h], k*w), n.dense2(n.at.headBias[h], k), k, w)
	}
	return q
}

type scratch8 struct {
	x, y    []float32
	zero    []float32
	bytes   []int8
	windows []int8
	scale   []float32
	sums    []int32
	logits  [2][]float32
	acc     []int32
}

// first returns the first vector of a form.
func (q *quantized) first(s *scratch8, atoms []int32) []float32 {
	w := q.n.width
	s.acc = sized(s.acc, w)
	clear(s.acc)
	for _, a := range atoms {
		for i, v := range q.table[int(a)*w : (int(a)+1)*w] {
			s.acc[i] += int32(v)
		}
	}
	x := make([]float32, w)
	for i, v := range s.acc {
		x[i] = float32(float32(v) * q.unit)
	}
	vector.AddNorm(x, make([]float32, w), 1e-5, q.n.dense2(q.n.at.gain[0], w), q.n.dense2(q.n.at.shift[0], w))
	return x
}

// logits scores the words of a sentence with the given first vectors. A window has the
// scale of its largest number.
func (q *quantized) run(s *scratch8, first [][]float32) {
	w, n := q.n.width, len(first)
	s.x, s.y = sized(s.x, (n+2)*w), sized(s.y, n*w)
	clear(s.x[:w])
	clear(s.x[(n+1)*w:])
	for i, x := range first {
		copy(s.x[(i+1)*w:], x)
	}
	s.bytes, s.scale = sized(s.bytes, n*3*w), sized(s.scale, n)
	for l := range q.conv {
		for i := range n {
			s.scale[i] = vector.Quantize(s.bytes[i*3*w:(i+1)*3*w], s.x[i*w:(i+3)*w])
		}
		s.sums = sized(s.sums, n*w)
		q.conv[l].weights.Multiply(s.sums, s.bytes, n)
		gain, shift := q.n.dense2(q.n.at.gain[l+1], w), q.n.dense2(q.n.at.shift[l+1], w)
		for i := range n {
			a := s.y[i*w : (i+1)*w]
			vector.Dequantize(a, s.sums[i*w:(i+1)*w], s.scale[i], q.conv[l].scales, q.conv[l].bias)
			for k, v := range a {
				a[k] = max(v, 0)
			}
			vector.AddNorm(s.x[(i+1)*w:(i+2)*w], a, 1e-5, gain, shift)
		}
	}
	for i := range n {
		s.scale[i] = vector.Quantize(s.bytes[i*w:(i+1)*w], s.x[(i+1)*w:(i+2)*w])
	}
	for h := range q.head {
		k := q.n.padded[h]
		s.sums, s.logits[h] = sized(s.sums, n*k), sized(s.logits[h], n*k)
		q.head[h].weights.Multiply(s.sums, s.bytes, n)
		for i := range n {
			vector.Dequantize(s.logits[h][i*k:(i+1)*k], s.sums[i*k:(i+1)*k], s.scale[i], q.head[h].scales, q.head[h].bias)
		}
	}
}
