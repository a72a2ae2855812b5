package output

import "math/bits"

// A Work says how many heads the search weighed, and is a histogram of that
// by sentence: the keys of Sentences are the largest numbers of its buckets. Up
// to 7 every number has a bucket of its own, every power of two after it has
// four. Two histograms add up to that of all their sentences.
type Work struct {
	Heads     int64           `json:"heads_weighed"`
	P50       int64           `json:"p50,omitempty"` // of a sentence, at most a quarter too high; in summary.json only
	P99       int64           `json:"p99,omitempty"`
	Max       int64           `json:"max"`
	Sentences map[int64]int64 `json:"sentences,omitempty"`
}

// ownBuckets is how many numbers have a bucket of their own.
const ownBuckets = 8

// topOf returns the largest number in the bucket of n, which is 0 or more.
func topOf(n int64) int64 {
	if n < ownBuckets {
		return max(n, 0)
	}
	quarter := int64(1) << (bits.Len64(uint64(n)) - 3) // of the power of two below n
	return n | (quarter - 1)
}

// Note counts a sentence for which n heads were weighed.
func (w *Work) Note(n int64) {
	if w.Sentences == nil {
		w.Sentences = map[int64]int64{}
	}
	w.Heads += n
	w.Max = max(w.Max, n)
	w.Sentences[topOf(n)]++
}

// add adds the sentences of o.
func (w *Work) add(o *Work) {
	if w.Sentences == nil {
		w.Sentences = map[int64]int64{}
	}
	w.Heads += o.Heads
	w.Max = max(w.Max, o.Max)
	for top, n := range o.Sentences {
		w.Sentences[top] += n
	}
}

func (s *Summary) addWork(w *Work) {
	if s.Work == nil {
		s.Work = new(Work)
	}
	s.Work.add(w)
}

// setQuantiles fills in P50 and P99.
func (w *Work) setQuantiles() { w.P50, w.P99 = w.quantile(50), w.quantile(99) }

// quantile returns a number that percent of the sentences do not exceed: the
// largest of a bucket, or Max if that is less.
func (w *Work) quantile(percent int64) int64 {
	total := int64(0)
	for _, n := range w.Sentences {
		total += n
	}
	seen, at := int64(0), int64(0)
	for seen*100 < total*percent {
		seen += w.Sentences[topOf(at)]
		at = topOf(at) + 1
	}
	return min(max(at-1, 0), w.Max)
}
