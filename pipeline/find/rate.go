package find

import "math"

// Units that a corpus is a sample of: words of the same sentence or document are alike.
const (
	ofSentences = iota
	ofDocuments
	unitKinds
)

// minDocuments is how many documents a rate must rest on for its variance to be that
// among documents; with fewer, it is that among sentences, which is often too small. That of
// ten documents is, too, for words in bursts (TestIntervalHolds).
const minDocuments = 10

// A whole is what rates are of, such as the words of a part of a corpus.
type whole struct {
	n     int64
	units [unitKinds]struct {
		now        int64 // of the unit that is being read
		n, squares float64
	}
}

// A rate is how many there are in a whole, such as hits in words.
type rate struct {
	n     int64
	of    *whole
	units [unitKinds]struct {
		now               int64
		squares, products float64 // of the rate's numbers with themselves and the whole's
	}
}

// A sampler adds up rates and their wholes, unit by unit.
type sampler struct {
	document string
	rates    [unitKinds][]*rate // with a number in the unit that is being read
	wholes   [unitKinds][]*whole
}

// enter ends the document before, if the next sentence is in another one.
func (s *sampler) enter(document string) {
	if document != s.document {
		s.end(ofDocuments)
	}
	s.document = document
}

// grow adds n to a whole, as part of the units that are being read.
func (s *sampler) grow(w *whole, n int64) {
	w.n += n
	for k := range w.units {
		if w.units[k].now == 0 && n > 0 {
			s.wholes[k] = append(s.wholes[k], w)
		}
		w.units[k].now += n
	}
}

// count adds n to a rate.
func (s *sampler) count(r *rate, n int64) {
	r.n += n
	for k := range r.units {
		if r.units[k].now == 0 && n > 0 {
			s.rates[k] = append(s.rates[k], r)
		}
		r.units[k].now += n
	}
}

// end ends a unit of a kind.
func (s *sampler) end(kind int) {
	for _, r := range s.rates[kind] {
		u := &r.units[kind]
		u.squares += float64(u.now) * float64(u.now)
		u.products += float64(u.now) * float64(r.of.units[kind].now)
		u.now = 0
	}
	for _, w := range s.wholes[kind] {
		u := &w.units[kind]
		u.n++
		u.squares += float64(u.now) * float64(u.now)
		u.now = 0
	}
	s.rates[kind], s.wholes[kind] = s.rates[kind][:0], s.wholes[kind][:0]
}

// value is the rate, with half a one for none.
func (r *rate) value() float64 { return max(float64(r.n), 0.5) / float64(r.of.n) }

// variance is the variance of the rate's natural logarithm: that of a ratio of totals of
// clusters (Cochran 1977, section 6.4). For none, and for a single unit, it is that of a
// Poisson number.
func (r *rate) variance() float64 {
	kind := ofDocuments
	if r.of.units[kind].n < minDocuments {
		kind = ofSentences
	}
	all, u := &r.of.units[kind], &r.units[kind]
	if r.n == 0 || all.n < 2 {
		return 1 / max(float64(r.n), 0.5)
	}
	v := r.value()
	return all.n / (all.n - 1) * max(0, u.squares-2*v*u.products+v*v*all.squares) / (float64(r.n) * float64(r.n))
}

// certain is how many standard errors an interval of 95 percent reaches to each side.
const certain = 1.96

// mean is the rate and its interval, as a mean has it.
func (r *rate) mean() (v, low, high float64) {
	v = float64(r.n) / float64(r.of.n)
	around := certain * v * math.Sqrt(r.variance())
	return v, v - around, v + around
}

// frequency is the rate per million and its interval, which is that of its logarithm.
func (r *rate) frequency() (v, low, high float64) {
	v = float64(r.n) * 1e6 / float64(r.of.n)
	around := math.Exp(certain * math.Sqrt(r.variance()))
	return v, v / around, v * around
}

// logLikelihood is G2 of two frequencies (Dunning 1993; Rayson and Garside 2000). By
// chance it is 3.84 or more in one of 20 comparisons of equal frequencies, if hits are
// independent.
func logLikelihood(a, b *rate) float64 {
	sum := 0.0
	for _, r := range [...]*rate{a, b} {
		if r.n > 0 {
			expected := float64(a.n+b.n) * float64(r.of.n) / float64(a.of.n+b.of.n)
			sum += float64(r.n) * math.Log(float64(r.n)/expected)
		}
	}
	return max(0, 2*sum) // rounding may make nothing less than nothing
}

// logRatio is the binary logarithm of the ratio of two frequencies (Hardie 2014), with half
// a hit for none, and its interval of 95 percent.
func logRatio(a, b *rate) (ratio, low, high float64) {
	ratio = math.Log2(a.value() / b.value())
	around := certain * math.Sqrt(a.variance()+b.variance()) / math.Ln2
	return ratio, ratio - around, ratio + around
}

// difference is that of two means, with its interval of 95 percent.
func difference(a, b *rate) (d, low, high float64) {
	x, xLow, _ := a.mean()
	y, yLow, _ := b.mean()
	d = x - y
	around := math.Hypot(x-xLow, y-yLow)
	return d, d - around, d + around
}
