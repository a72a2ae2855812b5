package calibrate

import "math"

// Everything here rounds each product before it is added to, so that no
// processor fuses the two, and uses no function of package math that has
// assembly with other roundings: the bits are the same on every machine.

const (
	grain = 4096 // probabilities are multiples of 1/grain
	ln2   = 0.693147180559945309417232121458
)

// inverse holds 1/i.
var inverse = func() (t [24]float64) {
	for i := range t {
		t[i] = 1 / float64(i)
	}
	return t
}()

// exp is e^x with a relative error below 1e-12; 0 from -700 down.
func exp(x float64) float64 {
	if !(x > -700) {
		return 0
	}
	k := nearest(min(x, 700) / ln2)
	r := min(x, 700) - float64(float64(k)*ln2)
	sum := 1.0
	for i := 13; i >= 1; i-- {
		sum = float64(float64(sum*r)*inverse[i]) + 1
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
		sum = float64(sum*square) + inverse[i]
	}
	return float64(float64(e)*ln2) + float64(2*t*sum)
}

// sigmoid is 1/(1+e^-z), in [0,1]; 0 of NaN.
func sigmoid(z float64) float64 {
	switch {
	case z >= 0:
		return 1 / (1 + exp(-z))
	case z < 0:
		e := exp(z)
		return e / (1 + e)
	}
	return 0
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
func odds(p float32) float64 { return oddsOf[steps(p)] }

// steps returns a probability in steps of 1/grain, from 0 to grain. NaN is 0.
func steps(p float32) int {
	if !(p > 0) {
		return 0
	}
	return nearest(float64(min(p, 1)) * grain)
}

// round rounds to a multiple of 1/grain in [0,1]. NaN is 0.
func round(p float64) float32 {
	if !(p > 0) {
		return 0
	}
	return float32(nearest(min(p, 1)*grain)) / grain
}

// nearest rounds to an integer, halves away from 0.
func nearest(x float64) int {
	if x < 0 {
		return -int(0.5 - x)
	}
	return int(x + 0.5)
}
