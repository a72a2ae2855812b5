package calibrate

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

// fit returns the coefficients that make the samples likeliest, less the
// squares of the coefficients, by Newton's method with halved steps. Samples
// are summed in their order.
func fit(samples []sample, width int) []float64 {
	w := make([]float64, width)
	loss := lossOf(samples, w)
	for range newtonSteps {
		gradient, hessian := slopes(samples, w)
		step := solve(hessian, gradient)
		next, better := make([]float64, width), false
		for scale := 1.0; scale > 1e-6; scale /= 2 {
			for i := range w {
				next[i] = w[i] - float64(scale*step[i])
			}
			if l := lossOf(samples, next); l < loss {
				better = loss-l > 1e-9*loss
				loss = l
				copy(w, next)
				break
			}
		}
		if !better {
			break
		}
	}
	return w
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
		// log(1 + e^z)
		if z > 0 {
			sum += z + log(1+exp(-z))
		} else {
			sum += log(1 + exp(z))
		}
	}
	for _, v := range w {
		sum += float64(ridge / 2 * v * v)
	}
	return sum
}

// slopes returns the gradient and the Hessian of lossOf.
func slopes(samples []sample, w []float64) (gradient []float64, hessian [][]float64) {
	n := len(w)
	gradient, hessian = make([]float64, n), make([][]float64, n)
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
	return gradient, hessian
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
