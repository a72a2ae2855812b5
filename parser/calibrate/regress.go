package calibrate

import "github.com/treebeam/treebeam/parser/graph"

// A sample is one case for a logistic regression.
type sample struct {
	x      []float64
	right  bool
	weight float64
}

const newtonSteps = 50

// fit moves the coefficients w to the maximum of the samples' log-likelihood,
// less ridge times half the squared distances of w from its start, by Newton's
// method with halved steps. Samples are summed in their order.
func fit(w []float64, samples []sample, ridge float64) {
	r := regression{samples, append([]float64(nil), w...), ridge}
	loss := r.loss(w)
	for range newtonSteps {
		before := loss
		step := solve(r.slopes(w))
		next := make([]float64, len(w))
		for scale := 1.0; scale > 1e-6 && loss == before; scale /= 2 {
			for i := range w {
				next[i] = w[i] - float64(scale*step[i])
			}
			if l := r.loss(next); l < loss {
				loss = l
			}
		}
		if loss < before {
			copy(w, next)
		}
		if before-loss <= 1e-9*before {
			return
		}
	}
}

// A regression is the state of fit.
type regression struct {
	samples []sample
	start   []float64
	ridge   float64
}

func dot(w, x []float64) (z float64) {
	for i := range x {
		z += float64(w[i] * x[i])
	}
	return z
}

// loss returns the negative log-likelihood with the ridge.
func (r *regression) loss(w []float64) (sum float64) {
	for i := range r.samples {
		s := &r.samples[i]
		z := dot(w, s.x)
		if s.right {
			z = -z
		}
		sum += float64(s.weight * (max(z, 0) + graph.Log(1+decay(z)))) // log(1 + e^z)
	}
	for i, v := range w {
		d := v - r.start[i]
		sum += float64(r.ridge / 2 * d * d)
	}
	return sum
}

// slopes returns the Hessian and the gradient of the loss.
func (r *regression) slopes(w []float64) (hessian [][]float64, gradient []float64) {
	n := len(w)
	hessian, gradient = make([][]float64, n), make([]float64, n)
	for i := range hessian {
		hessian[i] = make([]float64, n)
	}
	for k := range r.samples {
		s := &r.samples[k]
		p := sigmoid(dot(w, s.x))
		d, v := p, float64(p*(1-p))*s.weight
		if s.right {
			d = p - 1
		}
		d = float64(d * s.weight)
		for i, x := range s.x {
			gradient[i] += float64(d * x)
			vx := float64(v * x)
			row := hessian[i]
			for j := range i + 1 {
				row[j] += float64(vx * s.x[j])
			}
		}
	}
	for i := range n {
		gradient[i] += float64(r.ridge * (w[i] - r.start[i]))
		hessian[i][i] += r.ridge
		for j := range i {
			hessian[j][i] = hessian[i][j]
		}
	}
	return hessian, gradient
}

// solve returns x with a x = b, by elimination. a must be symmetric and
// positive definite, as a ridge makes it, so there is no pivoting. It changes a
// and b.
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	for c := range n {
		for r := c + 1; r < n; r++ {
			f := a[r][c] / a[c][c]
			for k := c; k < n; k++ {
				a[r][k] -= float64(f * a[c][k])
			}
			b[r] -= float64(f * b[c])
		}
	}
	for c := n - 1; c >= 0; c-- {
		for k := c + 1; k < n; k++ {
			b[c] -= float64(a[c][k] * b[k])
		}
		b[c] /= a[c][c]
	}
	return b
}
