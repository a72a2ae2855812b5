package calibrate

import "github.com/treebeam/treebeam/parser/graph"

// Everything here rounds each product before it is added to, so that no
// processor fuses the two, and uses no function of package math that has
// assembly with other roundings: the bits are the same on every machine.

// Units of integers. Log-odds of features are in 1/nat, log-odds of sums in 1/one,
// within limit. Weights and slopes are in 1/one, too. Probabilities of sums are in
// 1/fine, rounded ones multiples of 1/one.
const (
	nat   = 1 << 8
	one   = 1 << 12
	fine  = 1 << 20
	limit = 16 * one

	ln2 = 0.693147180559945309417232121458
)

// decay is e^-|z|.
func decay(z float64) float64 { return graph.Exp(-min(max(z, -z), 699)) }

// sigmoid is 1/(1+e^-z).
func sigmoid(z float64) float64 {
	e := decay(z)
	if z >= 0 {
		return 1 / (1 + e)
	}
	return e / (1 + e)
}

// oddsOf holds, for every multiple of 1/one, its log-odds in units of 1/nat. 0
// and 1 count as half a step away from themselves, so that log-odds are within
// 9.02.
var oddsOf = func() (odds [one + 1]int32) {
	for i := range odds {
		k := min(max(float64(i), 0.5), one-0.5)
		odds[i] = int32(nearest(graph.Log(k/(one-k)) * nat))
	}
	return odds
}()

// nodeBits is the binary logarithm of the distance of nodes, 1/64 nat. Between nodes
// probabilities are linear.
const nodeBits = 6

var sigmoids = func() (list [2*limit>>nodeBits + 2]int32) {
	for i := range list {
		z := float64((i<<nodeBits)-limit) / one
		list[i] = int32(nearest(sigmoid(z) * fine))
	}
	return list
}()

// probability returns the probability of a sum of log-odds, in units of 1/fine.
func probability(z int32) int32 {
	at := uint32(min(max(z, -limit), limit) + limit)
	k, rest := at>>nodeBits, int32(at&(1<<nodeBits-1))
	a, b := sigmoids[k], sigmoids[k+1]
	return a + (b-a)*rest>>nodeBits
}

// toGrain rounds a probability in units of 1/fine to units of 1/one.
func toGrain(p int32) int32 { return (p + fine/one/2) / (fine / one) }

// steps returns a probability in steps of 1/one, from 0 to one. NaN is 0.
func steps(p float64) int {
	if !(p > 0) {
		return 0
	}
	return nearest(min(p, 1) * one)
}

// nearest rounds to an integer, halves away from 0. x may be a product, and is
// rounded first.
func nearest(x float64) int {
	if x < 0 {
		return -int(0.5 - float64(x))
	}
	return int(float64(x) + 0.5)
}
