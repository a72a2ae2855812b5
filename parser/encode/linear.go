package encode

import (
	"slices"

	"github.com/treebeam/treebeam/parser/matrix"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/vector"
)

// A table is a matrix of 8-bit integers in [-127, 127], row by row: element
// (i, j) stands for weights[i*width+j]*scales[i].
type table struct {
	rows, width int
	weights     []int8
	scales      []float32
}

// newTable rounds a matrix: the scale of a row is its largest absolute value over
// 127.
func newTable(floats []float32, rows, width int) table {
	t := table{rows, width, make([]int8, len(floats)), make([]float32, rows)}
	for i := range rows {
		t.scales[i] = vector.Quantize(t.weights[i*width:(i+1)*width], floats[i*width:(i+1)*width])
	}
	return t
}

// expand sets dst to row i.
func (t *table) expand(dst []float32, i int) {
	vector.Expand(dst, t.weights[i*t.width:(i+1)*t.width], t.scales[i])
}

// layout names the sections of a table of rows x width. A Layout that reads must know
// both numbers beforehand.
func (t *table) layout(l *pack.Layout, rows, width int) {
	if l.Reading() {
		t.rows, t.width = rows, width
	}
	pack.Array(l, "weights", &t.weights)
	l.Check("weights", len(t.weights) == rows*width, "does not fit the shape")
	if l.Reading() {
		l.Check("weights", !slices.Contains(t.weights, -128), "has a weight of -128")
	}
	floats(l, "scales", &t.scales, rows)
}

// floats names the section of n bounded numbers.
func floats(l *pack.Layout, name string, list *[]float32, n int) {
	pack.Array(l, name, list)
	l.Check(name, len(*list) == n, "does not fit the shape")
	if l.Reading() {
		l.Check(name, bounded(*list) == nil, "has a value out of its range")
	}
}

// A linear is y = W·x + bias, by rows of integers. All elements of an input vector except
// the largest set its scale. The rest of the largest element is multiplied with its column.
type linear struct {
	table
	bias    []float32
	product *matrix.Int8
	columns []int8 // the weights, column by column
}

func newLinear(f Linear, inputs int) linear {
	y := linear{table: newTable(f.Weight, len(f.Bias), inputs), bias: slices.Clone(f.Bias)}
	y.prepare()
	return y
}

func (y *linear) prepare() {
	y.product = matrix.NewInt8(y.weights, y.rows, y.width)
	y.columns = make([]int8, len(y.weights))
	const tile = 32 // of rows whose parts stay in a cache
	for lo := 0; lo < y.rows; lo += tile {
		hi := min(lo+tile, y.rows)
		for i := range y.width {
			column := y.columns[i*y.rows : (i+1)*y.rows]
			for o := lo; o < hi; o++ {
				column[o] = y.weights[o*y.width+i]
			}
		}
	}
}

func (y *linear) layout(l *pack.Layout, name string, outputs, inputs int) {
	l.Nested(name, func(l *pack.Layout) {
		y.table.layout(l, outputs, inputs)
		floats(l, "bias", &y.bias, outputs)
		if l.Reading() {
			y.prepare()
		}
	})
}

// block is how many vectors are multiplied at once, so that scratch stays in the second
// cache and the weights are read once for all of them.
const block = 32

// blocks is the scratch of linears.
type blocks struct {
	input []int8 // block x inputs
	notes [block]note
	sums  []int32 // block x outputs
}

// A note has the results of vector.QuantizeButOne for an input.
type note struct {
	scale float32
	at    int
	rest  int32
}

// apply sets dst, n x outputs, to the images of x, n x inputs.
func (y *linear) apply(b *blocks, dst, x []float32, n int) {
	for lo := 0; lo < n; lo += block {
		y.applyBlock(b, dst[lo*y.rows:], x[lo*y.width:], min(block, n-lo))
	}
}

func (y *linear) applyBlock(b *blocks, dst, x []float32, n int) {
	b.input, b.sums = resize(b.input, n*y.width), resize(b.sums, n*y.rows)
	for t := range n {
		k := &b.notes[t]
		k.scale, k.at, k.rest = vector.QuantizeButOne(b.input[t*y.width:(t+1)*y.width], x[t*y.width:(t+1)*y.width])
	}
	y.product.Multiply(b.sums, b.input, n)
	for t := range n {
		k, row, sums := &b.notes[t], dst[t*y.rows:(t+1)*y.rows], b.sums[t*y.rows:(t+1)*y.rows]
		if k.rest == 0 {
			vector.Dequantize(row, sums, k.scale, y.scales, y.bias)
		} else {
			vector.DequantizeWith(row, sums, k.rest, y.columns[k.at*y.rows:(k.at+1)*y.rows], k.scale, y.scales, y.bias)
		}
	}
}

// resize returns a slice of n elements of any content, of the same array if that is large
// enough.
func resize[T any](list []T, n int) []T { return slices.Grow(list[:0], n)[:n] }
