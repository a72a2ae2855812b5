// Package rerank chooses among the trees that the search has found for a sentence, by
// features of whole trees that no part sees: boosting with the exponential loss (Collins
// and Koo 2005), and a log-linear model in which every word has a hidden class (Koo and
// Collins 2005).
package rerank

import (
	"cmp"
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/vector"
)

// A Candidate is one tree of a sentence.
type Candidate struct {
	Base     float64    // the parser's score in nats
	Right    int        // words with the gold head
	Features []hash.Key // indicators that are on, sorted, each once (Indicators)
}

// A List has the candidates of a sentence, in any order. It has at least one.
type List []Candidate

// Best returns the candidate with most right heads; of equal ones that with the higher Base,
// then the first.
func (l List) Best() int {
	best := 0
	for j := range l {
		if l[j].Right > l[best].Right || l[j].Right == l[best].Right && l[j].Base > l[best].Base {
			best = j
		}
	}
	return best
}

// A Linear is a linear model over indicators, on top of a factor times the base score. It
// is read-only.
type Linear struct {
	Factor  float64
	Weights map[hash.Key]float64
}

// Score returns the score of a candidate.
func (m *Linear) Score(c *Candidate) float64 {
	s := float64(m.Factor * c.Base)
	for _, k := range c.Features {
		s += m.Weights[k]
	}
	return s
}

// Choose returns the candidate with the highest score; of equal ones that with the higher
// Base, then the first.
func (m *Linear) Choose(l List) int {
	best, top := 0, math.Inf(-1)
	for j := range l {
		if s := m.Score(&l[j]); s > top || s == top && l[j].Base > l[best].Base {
			best, top = j, s
		}
	}
	return best
}

// BoostOptions of Boost. Zero values have the defaults.
type BoostOptions struct {
	Rounds     int     // 10,000 if 0
	Smoothing  float64 // epsilon; 0.0025 if 0
	Cutoff     int     // sentences in which an indicator must be on; 5 if 0
	Unweighted bool    // every pair counts 1, not the difference in right heads
	Step       func(round int, chosen hash.Key, by, loss float64)
}

// A pair is a best candidate and another one of its sentence.
type pair struct {
	margin, weight float64
	plus, minus    []int32 // indicators that only the best one has, and only the other
}

// A booster is the state of boosting: by indicator, the pairs that it can change.
type booster struct {
	pairs       []pair
	keys        []hash.Key
	plus, minus [][]int32 // pairs by indicator
	pro, anti   []float64 // W+ and W-: weighted losses of these
	total       float64   // Z: of all pairs
	smoothing   float64
	gains       tournament
	work        int64 // indicators of pairs that were visited
}

// Boost learns a linear model that ranks the best candidate of every list above the others
// (Collins and Koo 2005, sections 4.3 to 4.5). Each round chooses the indicator that can lower the
// exponential loss most, with the weight that does so, and visits only the pairs on which
// it differs. The factor of the base score is found first, and then fixed. The work is the
// number of indicators of pairs that all rounds have visited.
func Boost(lists []List, o BoostOptions) (m *Linear, work int64) {
	o.Rounds, o.Smoothing, o.Cutoff = cmp.Or(o.Rounds, 10_000), cmp.Or(o.Smoothing, 0.0025), cmp.Or(o.Cutoff, 5)
	m = &Linear{Factor: factor(lists, o.Unweighted), Weights: map[hash.Key]float64{}}
	b := newBooster(lists, m.Factor, o)
	for round := 1; round <= o.Rounds; round++ {
		k := b.gains.top()
		if k < 0 {
			break
		}
		by := b.bestWeight(k)
		if by == 0 {
			break
		}
		m.Weights[b.keys[k]] += by
		b.move(k, by)
		if o.Step != nil {
			o.Step(round, b.keys[k], by, b.total)
		}
	}
	return m, b.work
}

// exp is e^x within the range of graph.Exp, with the same bits on every machine.
func exp(x float64) float64 { return graph.Exp(max(-690, min(x, 690))) }

// weightOf is what confusing two candidates costs.
func weightOf(best, other *Candidate, unweighted bool) float64 {
	d := best.Right - other.Right
	if d > 0 && unweighted {
		d = 1
	}
	return float64(d)
}

// factor returns the factor from 0.001 to 10 with the lowest loss by the base score alone.
func factor(lists []List, unweighted bool) float64 {
	loss := func(a float64) float64 {
		sum := 0.0
		for _, l := range lists {
			best := &l[l.Best()]
			for j := range l {
				if w := weightOf(best, &l[j], unweighted); w > 0 {
					sum += float64(w * exp(-a*(best.Base-l[j].Base)))
				}
			}
		}
		return sum
	}
	low, high := 0.001, 10.0 // the loss is convex
	for high-low > 1e-4 {
		a, b := low+(high-low)/3, high-(high-low)/3
		if loss(a) <= loss(b) {
			high = b
		} else {
			low = a
		}
	}
	return (low + high) / 2
}

func newBooster(lists []List, factor float64, o BoostOptions) *booster {
	b := &booster{smoothing: o.Smoothing}
	seen := map[hash.Key]int{}
	for _, l := range lists {
		in := map[hash.Key]bool{}
		for j := range l {
			for _, k := range l[j].Features {
				in[k] = true
			}
		}
		for k := range in {
			seen[k]++
		}
	}
	for k, n := range seen {
		if n >= o.Cutoff {
			b.keys = append(b.keys, k)
		}
	}
	slices.Sort(b.keys)
	number := make(map[hash.Key]int32, len(b.keys))
	for i, k := range b.keys {
		number[k] = int32(i)
	}
	b.plus, b.minus = make([][]int32, len(b.keys)), make([][]int32, len(b.keys))
	b.pro, b.anti = make([]float64, len(b.keys)), make([]float64, len(b.keys))
	for _, l := range lists {
		best := &l[l.Best()]
		for j := range l {
			w := weightOf(best, &l[j], o.Unweighted)
			if w == 0 {
				continue
			}
			p := pair{margin: float64(factor * (best.Base - l[j].Base)), weight: w,
				plus: only(best.Features, l[j].Features, number), minus: only(l[j].Features, best.Features, number)}
			n, loss := int32(len(b.pairs)), float64(w*exp(-p.margin))
			for _, k := range p.plus {
				b.plus[k] = append(b.plus[k], n)
				b.pro[k] += loss
			}
			for _, k := range p.minus {
				b.minus[k] = append(b.minus[k], n)
				b.anti[k] += loss
			}
			b.total += loss
			b.pairs = append(b.pairs, p)
		}
	}
	b.gains = newTournament(len(b.keys))
	for k := range b.keys {
		b.gains.set(k, b.gain(k))
	}
	return b
}

// only returns the numbers of what a has and b has not, both sorted.
func only(a, b []hash.Key, number map[hash.Key]int32) (list []int32) {
	for _, k := range a {
		if _, found := slices.BinarySearch(b, k); !found {
			if n, known := number[k]; known {
				list = append(list, n)
			}
		}
	}
	return list
}

// gain is how far the loss can fall by an indicator, up to a square.
func (b *booster) gain(k int) float64 {
	return math.Abs(math.Sqrt(max(b.pro[k], 0)) - math.Sqrt(max(b.anti[k], 0)))
}

func (b *booster) bestWeight(k int) float64 {
	least := float64(b.smoothing * b.total)
	return vector.Log((max(b.pro[k], 0)+least)/(max(b.anti[k], 0)+least)) / 2
}

// move adds by to the weight of indicator k.
func (b *booster) move(k int, by float64) {
	touched := map[int32]bool{}
	shift := func(list []int32, by float64) {
		for _, n := range list {
			p := &b.pairs[n]
			before := float64(p.weight * exp(-p.margin))
			p.margin += by
			d := float64(p.weight*exp(-p.margin)) - before
			b.total += d
			for _, q := range p.plus {
				b.pro[q] += d
				touched[q] = true
			}
			for _, q := range p.minus {
				b.anti[q] += d
				touched[q] = true
			}
			b.work += int64(len(p.plus) + len(p.minus))
		}
	}
	shift(b.plus[k], by)
	shift(b.minus[k], -by)
	for q := range touched {
		b.gains.set(int(q), b.gain(int(q)))
	}
}

// A tournament finds the largest of many values that change; of equal ones the first.
type tournament struct {
	n, half int
	value   []float64
	winner  []int32 // of each inner node; leaves begin at half
}

func newTournament(n int) tournament {
	half := 1
	for half < n {
		half *= 2
	}
	t := tournament{n: n, half: half, value: make([]float64, half), winner: make([]int32, 2*half)}
	for i := range t.value {
		t.value[i], t.winner[half+i] = math.Inf(-1), int32(i)
	}
	for i := half - 1; i >= 1; i-- {
		t.winner[i] = t.winner[2*i]
	}
	return t
}

func (t *tournament) set(i int, v float64) {
	t.value[i] = v
	for at := (t.half + i) / 2; at >= 1; at /= 2 {
		a, b := t.winner[2*at], t.winner[2*at+1]
		if t.value[b] > t.value[a] {
			a = b
		}
		t.winner[at] = a
	}
}

// top returns the largest, or -1 if there is none.
func (t *tournament) top() int {
	if t.n == 0 {
		return -1
	}
	if t.half == 1 {
		return 0
	}
	return int(t.winner[1])
}
