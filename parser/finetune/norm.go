package finetune

import (
	"math"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/vector"
)

// chunkRows rows are one piece of work, and one partial sum of a gradient: a
// sum over rows is that over chunks of the sums within, for any number of
// workers.
const chunkRows = 32

// chunks calls f for all chunks [lo, hi) of rows, c being the chunk's number.
func chunks(rows, workers int, f func(c, lo, hi int)) {
	linear.Parallel((rows+chunkRows-1)/chunkRows, workers, func(_, c int) {
		f(c, c*chunkRows, min((c+1)*chunkRows, rows))
	})
}

// A sums holds partial sums of up to three vectors for every chunk.
type sums struct {
	data  []float32
	width int
}

func (s *sums) begin(rows, width int) {
	s.width = width
	s.data = resize(s.data, (rows+chunkRows-1)/chunkRows*width)
	clear(s.data)
}

func (s *sums) of(chunk int) []float32 { return s.data[chunk*s.width : (chunk+1)*s.width] }

// end sets each of lists, which stand side by side in a chunk, to its sum.
func (s *sums) end(lists ...[]float32) {
	at := 0
	for _, to := range lists {
		clear(to)
		for c := at; c < len(s.data); c += s.width {
			vector.Add(to, s.data[c:c+len(to)])
		}
		at += len(to)
	}
}

// sumOf returns the sum of x: of every fourth element first.
func sumOf(x []float32) float32 {
	var a, b, c, d float32
	for len(x) >= 4 {
		v := (*[4]float32)(x)
		a, b, c, d = a+v[0], b+v[1], c+v[2], d+v[3]
		x = x[4:]
	}
	for _, v := range x {
		a += v
	}
	return (a + b) + (c + d)
}

// A normed is what a layer norm leaves for the way back.
type normed struct {
	hat     []float32 // rows x width: the rows without gain and bias
	inverse []float32 // of a row's standard deviation
}

func (n *normed) resize(rows, width int) {
	n.hat, n.inverse = resize(n.hat, rows*width), resize(n.inverse, rows)
}

// row normalises row t, which hat holds, into y.
func (n *normed) row(y []float32, t int, p *encode.Norm, epsilon float32) {
	w := len(y)
	x, gain, bias := n.hat[t*w:(t+1)*w], p.Gain[:w], p.Bias[:w]
	mean := sumOf(x) / float32(w)
	var a, b, c, d float32
	rest := x
	for len(rest) >= 4 {
		v := (*[4]float32)(rest)
		v[0] -= mean
		v[1] -= mean
		v[2] -= mean
		v[3] -= mean
		a += v[0] * v[0]
		b += v[1] * v[1]
		c += v[2] * v[2]
		d += v[3] * v[3]
		rest = rest[4:]
	}
	for i := range rest {
		rest[i] -= mean
		a += rest[i] * rest[i]
	}
	inverse := float32(1 / math.Sqrt(float64(((a+b)+(c+d))/float32(w)+epsilon)))
	n.inverse[t] = inverse
	for i := range y {
		x[i] *= inverse
		y[i] = x[i]*gain[i] + bias[i]
	}
}

// back sets dx to the gradient of what row normalised, d being that of y, and
// adds those of gain and bias. dx is not d.
func (n *normed) back(dx, d []float32, t int, gain, dgain, dbias []float32) {
	w := len(d)
	hat := n.hat[t*w : (t+1)*w]
	dx, gain, dgain, dbias = dx[:w], gain[:w], dgain[:w], dbias[:w]
	var sum0, sum1, product0, product1 float32
	i := 0
	for ; i+1 < w; i += 2 {
		a, b := d[i]*gain[i], d[i+1]*gain[i+1]
		dgain[i] += d[i] * hat[i]
		dgain[i+1] += d[i+1] * hat[i+1]
		dbias[i] += d[i]
		dbias[i+1] += d[i+1]
		dx[i], dx[i+1] = a, b
		sum0, sum1 = sum0+a, sum1+b
		product0, product1 = product0+a*hat[i], product1+b*hat[i+1]
	}
	if i < w {
		a := d[i] * gain[i]
		dgain[i] += d[i] * hat[i]
		dbias[i] += d[i]
		dx[i] = a
		sum0, product0 = sum0+a, product0+a*hat[i]
	}
	inverse := n.inverse[t]
	mean, slope := (sum0+sum1)/float32(w), (product0+product1)/float32(w)
	for i := range dx {
		dx[i] = inverse * (dx[i] - mean - hat[i]*slope)
	}
}
