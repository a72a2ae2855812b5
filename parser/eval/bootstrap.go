package eval

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// A Comparison is the outcome of a paired bootstrap over sentences (Koehn
// 2004, "Statistical significance tests for machine translation
// evaluation", section 3.3).
type Comparison struct {
	Metric Metric
	A, B   float64 // F1 of the two systems on the whole corpus
	Delta  float64 // B - A
	// Low and High bound the middle 95 % of the differences in the samples.
	Low, High float64
	// P is the share of samples in which the system that is better on the
	// whole corpus is not, with one added to both counts: a one-sided p-value,
	// 1 if the systems are equal.
	P       float64
	Samples int
}

// Bootstrap compares the F1 of two results on the same gold sentences. Each of the
// samples draws as many sentences as there are, with replacement. System words belong
// to the gold sentence of their first character. Bootstrap fails for metrics on spans.
// Equal arguments give equal results.
func Bootstrap(a, b *Result, m Metric, samples int, seed uint64) (Comparison, error) {
	c := Comparison{Metric: m, Samples: samples}
	if a.sentences[m] == nil {
		return c, fmt.Errorf("no bootstrap for metric %s: choose one that is counted over words", m)
	}
	if samples < 1 {
		return c, errors.New("a bootstrap needs at least one sample")
	}
	sa, sb := a.sentences[m], b.sentences[m]
	sameGold := func(x, y Score) bool { return x.Gold == y.Gold }
	if !slices.EqualFunc(sa, sb, sameGold) {
		return c, errors.New("the two results have different gold sentences")
	}
	c.A, c.B = a.Scores[m].F1(), b.Scores[m].F1()
	c.Delta = c.B - c.A
	deltas := make([]float64, samples)
	rng := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	notBetter := 0
	for i := range deltas {
		var ta, tb Score
		for range sa {
			k := rng.IntN(len(sa))
			ta.add(sa[k])
			tb.add(sb[k])
		}
		d := tb.F1() - ta.F1()
		deltas[i] = d
		if c.Delta >= 0 && d <= 0 || c.Delta <= 0 && d >= 0 {
			notBetter++
		}
	}
	slices.Sort(deltas)
	c.Low = deltas[samples*25/1000]
	c.High = deltas[samples-1-samples*25/1000]
	c.P = float64(notBetter+1) / float64(samples+1)
	if c.Delta == 0 {
		c.P = 1
	}
	return c, nil
}
