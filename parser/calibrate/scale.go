package calibrate

import (
	"math"

	"github.com/treebeam/treebeam/parser/graph"
)

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

// sigmoid is 1/(1+e^-z), in [0,1]; 0 of NaN.
func sigmoid(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + exp(-z))
	}
	e := exp(z)
	return e / (1 + e)
}

// oddsOf holds, for every multiple of 1/grain, its log-odds in units of 1/nat. 0
// and 1 count as half a step from them, so that log-odds are within 9.02.
var oddsOf = func() (odds [grain + 1]int32) {
	for i := range odds {
		k := min(max(float64(i), 0.5), grain-0.5)
		odds[i] = int32(nearest(graph.Log(k/(grain-k)) * nat))
	}
	return odds
}()

// Sums of log-odds are integers in units of 1/logit nat, within limit.
const (
	logit = 1 << 12
	limit = 16 * logit
)

// Probabilities of sums are multiples of 1/fine, between nodes by straight lines.
const (
	fine     = 1 << 20
	nodeBits = 6 // 1/64 nat
)

var sigmoids = func() (list [2*limit>>nodeBits + 2]int32) {
	for i := range list {
		z := float64((i<<nodeBits)-limit) / logit
		list[i] = int32(nearest(sigmoid(z) * fine))
	}
	return list
}()

// probability returns that of a sum of log-odds, in units of 1/fine.
func probability(z int32) int32 {
	at := uint32(min(max(z, -limit), limit) + limit)
	k, rest := at>>nodeBits, int32(at&(1<<nodeBits-1))
	a, b := sigmoids[k], sigmoids[k+1]
	return a + (b-a)*rest>>nodeBits
}

// toGrain rounds a probability in units of 1/fine to units of 1/grain.
func toGrain(p int32) int32 { return (p + fine/grain/2) / (fine / grain) }

// steps returns a probability in steps of 1/grain, from 0 to grain. NaN is 0.
func steps(p float64) int {
	if !(p > 0) {
		return 0
	}
	return nearest(min(p, 1) * grain)
}

// nearest rounds to an integer, halves away from 0. x may be a product, and is
// rounded first.
func nearest(x float64) int {
	if x < 0 {
		return -int(0.5 - float64(x))
	}
	return int(float64(x) + 0.5)
}
