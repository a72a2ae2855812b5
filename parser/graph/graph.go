// Package graph solves first-order problems over the candidate heads of a sentence, which
// come as scored Arcs. Spanner finds the maximum spanning tree (Chu and Liu 1965; Edmonds
// 1967), Marginals computes the marginal probability of every arc by the matrix tree theorem
// (Koo, Globerson, Carreras and Collins 2007), and Sampler draws random trees (Wilson 1996).
// All trees have a single root: exactly one word has head 0. Lift makes a tree projective
// (Nivre and Nilsson 2005).
package graph

import (
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/syntax"
)

// beyond is the cost of an arc that a tree uses only if no tree does without it.
// It exceeds the sum of all score differences of up to 8,192 words.
const beyond = 1 << 45

// Arcs are the candidate heads of n words, each with a score. The arcs into word m,
// from 1 to n, have the indices Start[m-1] to Start[m]-1, by ascending head.
type Arcs struct {
	Start []int32 // length n+1
	Heads []int32
	Score []int32 // any unit for MaximumTree; 1/1024 nat elsewhere
}

// Of returns c as Arcs, scored by the pruner's log-odds. It shares the slices of c.
func Of(c *syntax.Candidates) Arcs { return Arcs{c.Start, c.Heads, c.LogOdds} }

// N returns the number of words.
func (a *Arcs) N() int { return len(a.Start) - 1 }

// Span returns the indices lo <= a < hi of the arcs into word m.
func (a *Arcs) Span(m int) (lo, hi int) { return int(a.Start[m-1]), int(a.Start[m]) }

// best returns the largest score of the arcs into word m, or the least int32 if
// there are no such arcs.
func (a *Arcs) best(m int) int32 {
	lo, hi := a.Span(m)
	best := int32(math.MinInt32)
	for _, x := range a.Score[lo:hi] {
		best = max(best, x)
	}
	return best
}

// Softmax writes into p, one entry per arc, the softmax of score/1024 over the heads of
// each word, word by word.
func (a *Arcs) Softmax(p []float64) {
	for m := 1; m <= a.N(); m++ {
		lo, hi := a.Span(m)
		best, sum := a.best(m), 0.0
		for i := lo; i < hi; i++ {
			p[i] = ExpOdds(best - a.Score[i])
			sum += p[i]
		}
		for i := lo; i < hi; i++ {
			p[i] /= sum
		}
	}
}

// resize returns a slice of length n, in the memory of a if that is large
// enough. Its content is undefined.
func resize[T any](a []T, n int) []T { return slices.Grow(a[:0], n)[:n] }

// ExpOdds returns exp(-k/1024) for log-odds of -k in units of 1/1024 nat, k >= 0. Its
// tables are computed with rounded products only, so the result is the same on every
// machine.
func ExpOdds(k int32) float64 {
	k = max(k, 0)
	if int(k>>10) >= len(expHigh) {
		return 0
	}
	return expHigh[k>>10] * expLow[k&1023]
}

var expHigh, expLow = expTables()

func expTables() (high [746]float64, low [1024]float64) {
	series := func(x float64) float64 {
		term, sum := 1.0, 1.0
		for k := 1; k < 24; k++ {
			term = float64(term*x) / float64(k)
			sum += term
		}
		return sum
	}
	for i := range low {
		low[i] = series(-float64(i) / 1024)
	}
	high[0] = 1
	inverse := series(-1)
	for i := 1; i < len(high); i++ {
		high[i] = float64(high[i-1] * inverse)
	}
	return high, low
}

// Exp returns e^x for |x| < 700. Unlike math.Exp it uses no fused multiply-add, so the
// bits are the same on every machine. Its relative error is below 3e-13.
func Exp(x float64) float64 {
	y := max(x, -x)
	k := int32(y * 1024)
	r := float64(k)/1024 - y // -1/1024 < r <= 0
	e := ExpOdds(k) * (1 + float64(r*(1+float64(r*(0.5+float64(r*(1.0/6+float64(r/24))))))))
	if x > 0 {
		return 1 / e
	}
	return e
}

// Log returns the natural logarithm of a positive number, with the same bits on
// every machine. Its relative error is below 1e-13.
func Log(x float64) float64 {
	f, e := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f, e = 2*f, e-1
	}
	t := (f - 1) / (f + 1)
	square, sum := float64(t*t), 0.0
	for i := 23; i >= 1; i -= 2 {
		sum = float64(sum*square) + 1/float64(i)
	}
	return float64(float64(e)*math.Ln2) + float64(2*t*sum)
}
