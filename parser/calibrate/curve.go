package calibrate

import (
	"slices"

	"github.com/treebeam/treebeam/parser/pack"
)

// A curve corrects sums of log-odds. It is monotone and piecewise linear between
// points, with slope 1 beyond. Without points it is the identity.
type curve struct {
	knots  []int32 // rising, in units of 1/one
	values []int32 // at the knots
}

// mostKnots bounds a curve.
const mostKnots = 8

func (c *curve) at(z int32) int32 {
	n := len(c.knots)
	if n == 0 {
		return z
	}
	if z <= c.knots[0] {
		return c.values[0] + z - c.knots[0]
	}
	for k := 1; k < n; k++ {
		if z <= c.knots[k] {
			low, high := c.knots[k-1], c.knots[k]
			return c.values[k-1] + int32(int64(z-low)*int64(c.values[k]-c.values[k-1])/int64(high-low))
		}
	}
	return c.values[n-1] + z - c.knots[n-1]
}

// curveRidge pulls a curve to the diagonal.
const curveRidge = 10

// A point is the sum that a function gives to a case that it was not fitted to.
type point struct {
	z      int32
	right  bool
	weight int32 // in 1/weightOne
}

// fitCurve returns the curve of maximum likelihood.
func fitCurve(points []point) (c curve) {
	var sorted []int32
	for _, p := range points {
		sorted = append(sorted, p.z)
	}
	slices.Sort(sorted)
	for k := 0; k < mostKnots && len(sorted) > 0; k++ {
		knot := sorted[(len(sorted)-1)*k/(mostKnots-1)]
		if len(c.knots) == 0 || knot > c.knots[len(c.knots)-1] {
			c.knots = append(c.knots, knot)
		}
	}
	if len(c.knots) < 2 {
		return curve{}
	}
	// The curve bends at all knots but the first and the last.
	basis := func(x []float64, z int32) {
		x[0], x[1] = 1, float64(z)/one
		for k, knot := range c.knots[1 : len(c.knots)-1] {
			x[k+2] = float64(max(z-knot, 0)) / one
		}
	}
	width := len(c.knots)
	samples, values := make([]sample, len(points)), make([]float64, len(points)*width)
	for i, p := range points {
		x := values[i*width : (i+1)*width : (i+1)*width]
		basis(x, p.z)
		samples[i] = sample{x, p.right, float64(p.weight) / weightOne}
	}
	w, x := make([]float64, width), make([]float64, width)
	w[1] = 1
	fit(w, samples, curveRidge)
	for _, knot := range c.knots {
		basis(x, knot)
		c.values = append(c.values, int32(nearest(min(max(dot(w, x), -limit/one), limit/one)*one)))
	}
	rise(c.values)
	return c
}

// rise changes values as little as it can, by the sum of squares, so that none
// is below the one before: it pools adjacent violators (Ayer et al. 1955).
func rise(values []int32) {
	type pool struct{ sum, n int64 }
	var pools []pool
	for _, v := range values {
		pools = append(pools, pool{int64(v), 1})
		for k := len(pools) - 1; k > 0 && pools[k-1].sum*pools[k].n > pools[k].sum*pools[k-1].n; k-- {
			pools[k-1].sum += pools[k].sum
			pools[k-1].n += pools[k].n
			pools = pools[:k]
		}
	}
	at := 0
	for _, p := range pools {
		for range p.n {
			values[at] = int32(p.sum / p.n)
			at++
		}
	}
}

func (c *curve) layout(l *pack.Layout) {
	pack.Array(l, "knots", &c.knots)
	pack.Array(l, "values", &c.values)
	l.Check("knots", len(c.knots) <= mostKnots, "holds too many")
	l.Check("values", len(c.values) == len(c.knots), "does not fit the knots")
	within(l, "knots", c.knots, limit)
	within(l, "values", c.values, limit)
	if l.Reading() {
		for k := 1; k < len(c.knots); k++ {
			l.Check("knots", c.knots[k] > c.knots[k-1], "does not rise")
			l.Check("values", c.values[k] >= c.values[k-1], "falls")
		}
	}
}
