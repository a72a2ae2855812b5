package vector

import "math"

// Exponentials are of x in [-87, 0] (Cody and Waite 1980): x = k·ln 2 + r by
// the nearest k, e^r by a polynomial of degree 7 whose relative error is below
// 2e-7, times 2^k by its exponent.
const (
	expLeast = -87
	log2e    = 1.44269504
	ln2High  = 0.693359375 // few bits, so that k times it is exact
	ln2Low   = -2.12194440e-4
	exp7     = 1.9875691500e-4
	exp6     = 1.3981999507e-3
	exp5     = 8.3334519073e-3
	exp4     = 4.1665795894e-2
	exp3     = 1.6666665459e-1
	exp2     = 5.0000001201e-1
)

// exp returns e^x for x <= 0; below -87 it returns e^-87, 1.6e-38.
func exp(x float32) float32 {
	x = max(x, expLeast)
	t := float32(x*log2e) + magic
	k := t - magic
	r := x - float32(k*ln2High)
	r -= float32(k * ln2Low)
	p := float32(exp7*r) + exp6
	p = float32(p*r) + exp5
	p = float32(p*r) + exp4
	p = float32(p*r) + exp3
	p = float32(p*r) + exp2
	y := float32(float32(p*r)*r) + r + 1
	return math.Float32frombits(math.Float32bits(y) + math.Float32bits(t)<<23) // the low bits of t are k
}

// Softmax sets x to the exponentials of x minus its largest element. It returns that
// element and the sum of the exponentials: the softmax is x/sum.
func Softmax(x []float32) (top, sum float32) {
	if len(x) == 0 {
		return 0, 0
	}
	if useVectors && len(x)%lanes == 0 {
		top = maximum(&x[0], len(x))
		return top, expSum(&x[0], len(x), top)
	}
	top = x[0]
	for _, v := range x {
		top = max(top, v)
	}
	var sums [lanes]float32
	for i, v := range x {
		x[i] = exp(v - top)
		sums[i%lanes] += x[i]
	}
	return top, total(&sums)
}

// Log returns the natural logarithm of a positive x. For the mantissa m in
// [sqrt(1/2), sqrt(2)) it uses the series of 2·artanh((m-1)/(m+1)). Its error is below
// 1e-14.
func Log(x float64) float64 {
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	s := (m - 1) / (m + 1)
	square, sum := float64(s*s), 0.0
	for d := 19; d > 0; d -= 2 {
		sum = float64(sum*square) + 2/float64(d)
	}
	return float64(sum*s) + float64(float64(k)*math.Ln2)
}

// GELU is x·Φ(x), Φ the normal distribution (Hendrycks and Gimpel 2016). For x in [-4, 4],
// Φ(x) is 1/2 plus x times a polynomial of degree 7 of x², which is 1/8 at 4; beyond, Φ stays
// what it is at the bound. The polynomial is fitted to the least error of GELU, which is below
// 6e-5 of max(1, |x|), and of a tenth of its slope, whose error is below 1e-3. Beyond, the slope
// is that at the bound.
const (
	half      = 0.5
	geluMost  = 4
	geluLeast = -4
	gelu0     = 0.39858347
	gelu1     = -0.06573268
	gelu2     = 0.009415425
	gelu3     = -0.0009819549
	gelu4     = 7.130426e-05
	gelu5     = -3.3766778e-06
	gelu6     = 9.2784596e-08
	gelu7     = -1.1141691e-09
)

// GELU applies GELU to every element of x.
func GELU(x []float32) {
	if useVectors && len(x)%lanes == 0 && len(x) > 0 {
		gelu(&x[0], len(x))
		return
	}
	for i, v := range x {
		u := max(min(v, geluMost), geluLeast)
		s := float32(u * u)
		p := float32(s*gelu7) + gelu6
		p = float32(p*s) + gelu5
		p = float32(p*s) + gelu4
		p = float32(p*s) + gelu3
		p = float32(p*s) + gelu2
		p = float32(p*s) + gelu1
		p = float32(p*s) + gelu0
		x[i] = v * (float32(p*u) + half)
	}
}

// GELUSlope sets y to GELU of x, and x to the slope there, Φ + x·φ. Both must have the same
// length.
func GELUSlope(y, x []float32) {
	if useVectors && len(x)%lanes == 0 && len(x) > 0 {
		geluSlope(&y[:len(x)][0], &x[0], len(x))
		return
	}
	for i, v := range x {
		u := max(min(v, geluMost), geluLeast)
		s := float32(u * u)
		p, d := float32(s*gelu7)+gelu6, float32(0) // the polynomial, and its slope
		for k, c := range [...]float32{gelu5, gelu4, gelu3, gelu2, gelu1, gelu0} {
			if k == 0 {
				d = float32(s * gelu7)
			} else {
				d = float32(d * s)
			}
			d, p = d+p, float32(p*s)+c
		}
		y[i] = v * (float32(p*u) + half)
		d = float32((float32(d*s) + p) * u)
		x[i] = d + d + half
	}
}
