package sequence

import (
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
)

const (
	// TemperatureUnit is the default temperature of a Posterior, 1/2, at which a score
	// of score.Unit is two nats. It was chosen by the likelihood of the tags of dev in
	// four languages.
	TemperatureUnit = 256

	NatShift  = 1 // from 1/score.Unit to 1/1024 nat, at TemperatureUnit
	worthBits = 16
)

// A Posterior computes the probabilities of the candidates of a lattice by the
// forward-backward algorithm (Baum et al. 1970). The probability of a path is
// proportional to exp(score/score.Unit/temperature). All sums are relative to the best
// path: a candidate has the score of the best path up to it (Lattice.Best), and the
// weight of all paths up to it divided by the weight of the best one. The same holds
// for paths after it. So only negligible weights underflow.
//
// A word with one candidate divides the sentence into independent parts, so a run of
// such words needs no work.
type Posterior struct {
	before []float64 // weight of all paths that end in a candidate, by the weight of the best; the largest of a word is 1
	behind []float64 // the same of paths that begin behind it
	after  []int64   // score of the best path behind a candidate, less what all of the word have in common
	weight []float64 // of the candidates of a word
	worth  int64     // of a score of 1 << worthBits, in 1/1024 nat
}

// Odds returns the weight of a path relative to one that scores diff >= 0 more.
func (p *Posterior) Odds(diff int64) float64 {
	return float64(graph.ExpOdds(int32(min(diff*p.worth>>worthBits, 1<<24)))) // a product: rounded
}

// Compute fills p for a lattice on which Search was called.
func (p *Posterior) Compute(lat *Lattice[int32], ls *Labels, pairs []int32, temperature int32) {
	p.worth = (TemperatureUnit << (worthBits - NatShift)) / int64(max(temperature, 1))
	size := len(lat.Emit)
	p.before, p.behind = slices.Grow(p.before[:0], size)[:size], slices.Grow(p.behind[:0], size)[:size]
	p.after = slices.Grow(p.after[:0], size)[:size]
	n := len(lat.Start) - 1
	for i := range n {
		p.forward(lat, i, ls, pairs)
	}
	for i := n - 1; i >= 0; i-- {
		p.backward(lat, i, ls, pairs)
	}
}

// forward fills before for word i, given before of the previous word.
func (p *Posterior) forward(lat *Lattice[int32], i int, ls *Labels, pairs []int32) {
	b0, b1 := lat.Start[i], lat.Start[i+1]
	for b := b0; b < b1; b++ {
		p.before[b] = 1
	}
	if i == 0 || b1-b0 == 1 || b0-lat.Start[i-1] == 1 {
		return
	}
	for b := b0; b < b1; b++ {
		sum := 0.0
		for a := lat.Start[i-1]; a < b0; a++ {
			s := lat.Best[a] + PairScore(ls, pairs, lat.Label[a], lat.Label[b]) + lat.Emit[b]
			sum += float64(p.before[a] * p.Odds(int64(lat.Best[b]-s)))
		}
		p.before[b] = sum
	}
	scale(p.before[b0:b1])
}

// backward fills behind and after for word i, given those of the next word.
func (p *Posterior) backward(lat *Lattice[int32], i int, ls *Labels, pairs []int32) {
	a0, b0 := lat.Start[i], lat.Start[i+1]
	for a := a0; a < b0; a++ {
		p.behind[a], p.after[a] = 1, 0
	}
	if b0-a0 == 1 || i+2 == len(lat.Start) {
		return
	}
	b1 := lat.Start[i+2]
	for a := a0; a < b0; a++ {
		sum, top := 0.0, int64(0)
		for b := b0; b < b1; b++ {
			s := int64(PairScore(ls, pairs, lat.Label[a], lat.Label[b])) + int64(lat.Emit[b]) + p.after[b]
			switch {
			case b == b0:
				sum, top = p.behind[b], s
			case s > top:
				sum, top = p.behind[b]+float64(sum*p.Odds(s-top)), s
			default:
				sum += float64(p.behind[b] * p.Odds(top-s))
			}
		}
		p.behind[a], p.after[a] = sum, top
	}
	scale(p.behind[a0:b0])
}

// scale makes the largest of list 1.
func scale(list []float64) {
	top := slices.Max(list)
	for k := range list {
		list[k] /= top
	}
}

// through returns the score of the best path through candidate c, less what all
// candidates of its word have in common; first is one of them.
func (p *Posterior) through(lat *Lattice[int32], first, c int32) int64 {
	return int64(lat.Best[c]-lat.Best[first]) + p.after[c]
}

// Of returns the probabilities of the candidates of word i. They are valid until
// the next call.
func (p *Posterior) Of(lat *Lattice[int32], i int) []float64 {
	lo, hi := lat.Start[i], lat.Start[i+1]
	top := p.through(lat, lo, lo)
	for c := lo + 1; c < hi; c++ {
		top = max(top, p.through(lat, lo, c))
	}
	p.weight = p.weight[:0]
	sum := 0.0
	for c := lo; c < hi; c++ {
		w := float64(float64(p.before[c]*p.behind[c]) * p.Odds(top-p.through(lat, lo, c)))
		p.weight = append(p.weight, w)
		sum += w
	}
	for k := range p.weight {
		p.weight[k] /= sum
	}
	return p.weight
}
