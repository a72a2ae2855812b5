package graph

import "math"

// Marginals computes single-root marginals. It is scratch: one per goroutine.
type Marginals struct {
	inverse []float64
	weight  []float64
	row     []float64
}

// Compute writes into p, one entry per arc, the probability of each arc
// under the distribution over single-root trees proportional to the product
// of exp(score/1024/temperature), and reports success. Temperature is in
// 1/16: 16 leaves the scores as they are. It is the matrix tree theorem with
// the root weights in place of the first row (Koo, Globerson, Carreras and
// Collins 2007, section 3.2), O(n^3) by Gauss-Jordan elimination with
// partial pivoting, every product rounded before it is added so that the
// bytes agree between machines. It fails only where the candidates hold no
// single-root tree.
func (g *Marginals) Compute(a *Arcs, temperature int32, p []float64) bool {
	n := a.N()
	g.weight = grow(g.weight, len(a.Heads))
	g.inverse = grow(g.inverse, 2*n*n)
	width := 2 * n
	l := g.inverse[:n*width]
	clear(l)
	for m := 1; m <= n; m++ {
		lo, hi := a.Span(m)
		best := int32(math.MinInt32)
		for i := lo; i < hi; i++ {
			best = max(best, a.Score[i])
		}
		for i := lo; i < hi; i++ {
			w := ExpMilli(int32(int64(best-a.Score[i]) * 16 / int64(temperature)))
			g.weight[i] = w
			if h := int(a.Heads[i]); h == 0 {
				continue
			} else if h != 1 {
				l[(h-1)*width+m-1] = -w
			}
			if m != 1 {
				l[(m-1)*width+m-1] += w
			}
		}
		l[(m-1)*width+n+m-1] = 1
	}
	for m := 1; m <= n; m++ { // first row: the root weights
		l[m-1] = 0
		lo, hi := a.Span(m)
		if lo < hi && a.Heads[lo] == 0 {
			l[m-1] = g.weight[lo]
		}
	}
	if !invert(l, n) {
		return false
	}
	inv := func(i, j int) float64 { return l[(i-1)*width+n+j-1] }
	for m := 1; m <= n; m++ {
		lo, hi := a.Span(m)
		sum := 0.0
		for i := lo; i < hi; i++ {
			h, w := int(a.Heads[i]), g.weight[i]
			x := 0.0
			switch {
			case h == 0:
				x = float64(w * inv(m, 1))
			default:
				if m != 1 {
					x += float64(w * inv(m, m))
				}
				if h != 1 {
					x -= float64(w * inv(m, h))
				}
			}
			x = math.Min(math.Max(x, 0), 1)
			p[i] = x
			sum += x
		}
		if !(sum > 0.5 && sum < 1.5) { // lost to rounding: the local distribution
			total := 0.0
			for i := lo; i < hi; i++ {
				total += g.weight[i]
			}
			for i := lo; i < hi; i++ {
				p[i] = g.weight[i] / total
			}
		}
	}
	return true
}

// invert turns [A | I] of n rows into [I | A^-1] in place.
func invert(l []float64, n int) bool {
	width := 2 * n
	for c := 0; c < n; c++ {
		pivot := c
		for r := c + 1; r < n; r++ {
			if math.Abs(l[r*width+c]) > math.Abs(l[pivot*width+c]) {
				pivot = r
			}
		}
		if l[pivot*width+c] == 0 {
			return false
		}
		if pivot != c {
			x, y := l[pivot*width:(pivot+1)*width], l[c*width:(c+1)*width]
			for j := range x {
				x[j], y[j] = y[j], x[j]
			}
		}
		row := l[c*width : (c+1)*width]
		scale := 1 / row[c]
		for j := c; j < width; j++ {
			row[j] *= scale
		}
		for r := 0; r < n; r++ {
			f := l[r*width+c]
			if r == c || f == 0 {
				continue
			}
			other := l[r*width : (r+1)*width]
			for j := c; j < width; j++ {
				other[j] -= float64(f * row[j])
			}
		}
	}
	return true
}

func grow(a []float64, n int) []float64 {
	if cap(a) < n {
		return make([]float64, n)
	}
	return a[:n]
}
