package calibrate

import "math"

// Everything here rounds each product before it is added to, so that no
// processor fuses the two, and uses no function of package math that has
// assembly with other roundings: the bits are the same on every machine.

const (
	grain = 4096 // probabilities are multiples of 1/grain
	ln2   = 0.693147180559945309417232121458
)

// exp is e^x with a relative error below 1e-12; 0 from -700 down.
func exp(x float64) float64 {
	if !(x > -700) {
		return 0
	}
	k := nearest(min(x, 700) / ln2)
	r := min(x, 700) - float64(float64(k)*ln2)
	sum := 1.0
	for i := 13; i >= 1; i-- {
		sum = float64(float64(sum*r)*(1/float64(i))) + 1
	}
	return math.Ldexp(sum, k)
}

// log is the natural logarithm of a positive number, with a relative error
// below 1e-13.
func log(x float64) float64 {
	f, e := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f, e = 2*f, e-1
	}
	t := (f - 1) / (f + 1)
	square, sum := float64(t*t), 0.0
	for i := 23; i >= 1; i -= 2 {
		sum = float64(sum*square) + 1/float64(i)
	}
	return float64(float64(e)*ln2) + float64(2*t*sum)
}

// sigmoid is 1/(1+e^-z), in [0,1]; 0 of NaN.
func sigmoid(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + exp(-z))
	}
	e := exp(z)
	return e / (1 + e)
}

// oddsOf and logOf hold log-odds and logarithm of every multiple of 1/grain. 0
// and 1 count as half a step from them, so that log-odds are within 9.02.
var oddsOf, logOf = func() (odds, logs [grain + 1]float64) {
	for i := range odds {
		k := min(max(float64(i), 0.5), grain-0.5)
		odds[i], logs[i] = log(k/(grain-k)), log(max(float64(i), 0.5)/grain)
	}
	return odds, logs
}()

// odds returns the log-odds of a probability, to the next 1/grain.
func odds(p float32) float64 { return oddsOf[steps(float64(p))] }

// rounded returns the multiple of 1/grain in [0,1] that is next to p.
func rounded(p float64) float32 { return float32(steps(p)) / grain }

// steps returns a probability in steps of 1/grain, from 0 to grain. NaN is 0.
func steps(p float64) int {
	if !(p > 0) {
		return 0
	}
	return nearest(min(p, 1) * grain)
}

// nearest rounds to an integer, halves away from 0.
func nearest(x float64) int {
	if x < 0 {
		return -int(0.5 - x)
	}
	return int(x + 0.5)
}

// A sample is one case for a logistic regression.
type sample struct {
	x     []float64 // the first is 1
	right bool
}

const (
	newtonSteps = 50
	// ridge holds coefficients to 0, so that they stay finite where all cases
	// are right and small where few cases speak for them.
	ridge = 0.5
)

// fit moves the coefficients w to those that make the samples likeliest, less
// the squares of the coefficients, by Newton's method with halved steps.
// Samples are summed in their order.
func fit(w []float64, samples []sample) {
	loss := lossOf(samples, w)
	for range newtonSteps {
		before := loss
		step := solve(slopes(samples, w))
		next := make([]float64, len(w))
		for scale := 1.0; scale > 1e-6 && loss == before; scale /= 2 {
			for i := range w {
				next[i] = w[i] - float64(scale*step[i])
			}
			if l := lossOf(samples, next); l < loss {
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

func dot(w, x []float64) (z float64) {
	for i := range x {
		z += float64(w[i] * x[i])
	}
	return z
}

// lossOf returns the negative log-likelihood with the ridge.
func lossOf(samples []sample, w []float64) (sum float64) {
	for i := range samples {
		z := dot(w, samples[i].x)
		if samples[i].right {
			z = -z
		}
		sum += max(z, 0) + log(1+exp(-max(z, -z))) // log(1 + e^z)
	}
	for _, v := range w {
		sum += float64(ridge / 2 * v * v)
	}
	return sum
}

// slopes returns the Hessian and the gradient of lossOf.
func slopes(samples []sample, w []float64) (hessian [][]float64, gradient []float64) {
	n := len(w)
	hessian, gradient = make([][]float64, n), make([]float64, n)
	for i := range hessian {
		hessian[i] = make([]float64, n)
	}
	for k := range samples {
		x := samples[k].x
		p := sigmoid(dot(w, x))
		d, v := p, p*(1-p)
		if samples[k].right {
			d = p - 1
		}
		for i := range x {
			gradient[i] += float64(d * x[i])
			vx := float64(v * x[i])
			for j := range i + 1 {
				hessian[i][j] += float64(vx * x[j])
			}
		}
	}
	for i := range n {
		gradient[i] += float64(ridge * w[i])
		hessian[i][i] += ridge
		for j := range i {
			hessian[j][i] = hessian[i][j]
		}
	}
	return hessian, gradient
}

// solve returns x with a x = b, by elimination; a is symmetric and positive
// definite, as a ridge makes it, so no pivots are sought. It changes both.
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
