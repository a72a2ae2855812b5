package calibrate

import "math"

// Everything here rounds each product before it is added to, so that no
// processor fuses the two, and uses no function of package math that has
// assembly: the bits are the same on every machine. Products with powers of
// two are exact, fused or not.

const (
	grain = 4096 // probabilities are multiples of 1/grain
	unit  = 64   // steps of the exponential's table in one nat
)

var (
	expHigh, expLow = expTables() // e^-i and e^(-i/unit)
	oddsOf, logOf   = logTables() // of multiples of 1/grain
)

func expTables() (high, low [unit]float64) {
	for i := range unit {
		high[i], low[i] = power(float64(i)), power(float64(i)/unit)
	}
	return high, low
}

// power is e^-x for 0 <= x <= unit, by e^(-x/unit) to the power of unit.
func power(x float64) float64 {
	r := -x / unit
	sum := 1.0
	for i := 16; i >= 1; i-- {
		sum = float64(sum*r)/float64(i) + 1
	}
	for p := 1; p < unit; p *= 2 {
		sum *= sum
	}
	return sum
}

// logTables returns log-odds and logarithm of every multiple of 1/grain. 0 and
// 1 count as half a step from them, so that log-odds are within 9.02.
func logTables() (odds, logs [grain + 1]float64) {
	for i := range odds {
		p := min(max(float64(i), 0.5), grain-0.5)
		odds[i] = log(p / (grain - p))
		logs[i] = log(max(float64(i), 0.5) / grain)
	}
	return odds, logs
}

// exp is e^-x for x >= 0, with a relative error below 1e-8; 0 from unit on.
func exp(x float64) float64 {
	if !(x < unit) {
		return 0
	}
	k := int(x * unit)
	r := x - float64(k)/unit
	rest := 1 - r + float64(float64(r*r)*(0.5-r/6))
	return expHigh[k/unit] * expLow[k%unit] * rest
}

// inverses are 1/1, 1/3, 1/5, ...
var inverses = func() (t [12]float64) {
	for i := range t {
		t[i] = 1 / float64(2*i+1)
	}
	return t
}()

// log is the natural logarithm of a positive number, with a relative error
// below 1e-13.
func log(x float64) float64 {
	const ln2 = 0.693147180559945309417232121458
	f, e := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f, e = 2*f, e-1
	}
	t := (f - 1) / (f + 1)
	square, sum := float64(t*t), 0.0
	for i := len(inverses) - 1; i >= 0; i-- {
		sum = float64(sum*square) + inverses[i]
	}
	return float64(float64(e)*ln2) + float64(2*t*sum)
}

// sigmoid is 1/(1+e^-z), in [0,1]; 0 of NaN.
func sigmoid(z float64) float64 {
	switch {
	case z >= 0:
		return 1 / (1 + exp(z))
	case z < 0:
		e := exp(-z)
		return e / (1 + e)
	}
	return 0
}

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
