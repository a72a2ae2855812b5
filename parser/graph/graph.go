// Package graph solves first-order problems over the candidate heads of a
// sentence: the maximum spanning tree (Chu-Liu/Edmonds), the best projective
// tree (Eisner), marginals (matrix tree theorem) and random trees (Wilson's
// algorithm). All of them know one root: exactly one word hangs on 0.
package graph

import "github.com/treebeam/treebeam/parser/syntax"

// Arcs are candidate heads with a score each. Those of word m, 1 <= m <= n,
// are the indices Start[m-1] <= a < Start[m]; Heads increase within a word.
type Arcs struct {
	Start []int32 // length n+1
	Heads []int32
	Score []int32 // any unit for MaximumTree; 1/1024 nat, at most 0, elsewhere
}

// Of returns c as Arcs scored by the pruner's log-odds.
func Of(c *syntax.Candidates) Arcs { return Arcs{c.Start, c.Heads, c.LogOdds} }

// N returns the number of words.
func (a *Arcs) N() int { return len(a.Start) - 1 }

// Span returns the indices of the arcs into word m.
func (a *Arcs) Span(m int) (lo, hi int) { return int(a.Start[m-1]), int(a.Start[m]) }

// ExpOdds returns exp(-k/1024), of log-odds -k in 1/1024 nat, k >= 0. Its two
// tables are computed with rounded products only, hence the same on every
// machine.
func ExpOdds(k int32) float64 {
	if k < 0 {
		k = 0
	}
	hi := int(k >> 10)
	if hi >= len(expHigh) {
		return 0
	}
	return expHigh[hi] * expLow[k&1023]
}

var expHigh, expLow = expTables()

func expTables() (high [746]float64, low [1024]float64) {
	for i := range low {
		x := -float64(i) / 1024
		term, sum := 1.0, 1.0
		for k := 1; k < 24; k++ {
			term = float64(term*x) / float64(k)
			sum += term
		}
		low[i] = sum
	}
	inv := 1.0
	term := 1.0
	for k := 1; k < 30; k++ { // e^-1
		term = -term / float64(k)
		inv += term
	}
	high[0] = 1
	for i := 1; i < len(high); i++ {
		high[i] = float64(high[i-1] * inv)
	}
	return high, low
}
