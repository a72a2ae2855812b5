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

// GELU is x·Φ(x), Φ the normal distribution (Hendrycks and Gimpel 2016), with Φ
// by formula 26.2.17 of Abramowitz and Stegun (1964): for z = |x|, Φ(-z) =
// φ(z)·(b1·t + b2·t² + ... + b5·t⁵) with t = 1/(1 + p·z). Its error is below
// 1e-6 of max(1, |x|).
const (
	geluP     = 0.2316419
	gelu1     = 0.319381530
	gelu2     = -0.356563782
	gelu3     = 1.781477937
	gelu4     = -1.821255978
	gelu5     = 1.330274429
	rootTwoPi = 0.39894228 // 1/sqrt(2π)
)

// tailOverDensity returns Φ(-z)/φ(z).
func tailOverDensity(z float32) float32 {
	t := 1 / (float32(geluP*z) + 1)
	p := float32(gelu5*t) + gelu4
	p = float32(p*t) + gelu3
	p = float32(p*t) + gelu2
	p = float32(p*t) + gelu1
	return float32(p * t)
}

// GELU applies GELU, by the error function, to every element of x.
func GELU(x []float32) {
	if useVectors && len(x)%lanes == 0 && len(x) > 0 {
		gelu(&x[0], len(x))
		return
	}
	for i, v := range x {
		z := max(v, -v)
		p := tailOverDensity(z)
		tail := float32(float32(p*rootTwoPi) * exp(float32(float32(z*-0.5)*z)))
		x[i] = max(v, 0) - float32(z*tail)
	}
}

// GELUSlope sets y to GELU of x, and x to the slope there, Φ + x·φ. Both must have the same
// length.
func GELUSlope(y, x []float32) {
	if useVectors && len(x)%lanes == 0 && len(x) > 0 {
		geluSlope(&y[:len(x)][0], &x[0], len(x))
		return
	}
	const half = 0.5
	for i, v := range x {
		z := max(v, -v)
		p := tailOverDensity(z)
		density := float32(exp(float32(float32(z*-0.5)*z)) * rootTwoPi)
		tail := float32(p * density) // at most 1/2, so Φ - 1/2 has the sign of v
		y[i] = max(v, 0) - float32(z*tail)
		share := math.Float32frombits(math.Float32bits(half-tail) ^ math.Float32bits(v)&(1<<31))
		x[i] = share + half + float32(v*density)
	}
}
