package confidence

import (
	"cmp"
	"math"
	"slices"
)

// A judged is a probability that was said of something, in [0,1], and whether
// it is right.
type judged struct {
	said  float64
	right bool
}

// A ranking is a list of these, the surest first, and its running sums. Cases
// that were said the same of have no order: each takes the mean of what they
// would have in all orders.
type ranking struct {
	list []judged
	// right[k] is the expected number of right ones among the first k.
	right []float64
}

func rank(list []judged) *ranking {
	r := &ranking{list: slices.Clone(list), right: make([]float64, len(list)+1)}
	slices.SortStableFunc(r.list, func(a, b judged) int { return cmp.Compare(b.said, a.said) })
	r.eachTie(func(from, to, right int) {
		share := float64(right) / float64(to-from)
		for k := from; k < to; k++ {
			r.right[k+1] = r.right[from] + share*float64(k+1-from)
		}
	})
	return r
}

// eachTie calls do with the bounds of every run of cases that were said the same
// of, and the number of right ones among them.
func (r *ranking) eachTie(do func(from, to, right int)) {
	for from := 0; from < len(r.list); {
		to, right := from, 0
		for ; to < len(r.list) && r.list[to].said == r.list[from].said; to++ {
			if r.list[to].right {
				right++
			}
		}
		do(from, to, right)
		from = to
	}
}

// total is the number of right ones.
func (r *ranking) total() float64 { return r.right[len(r.list)] }

// accuracy is the share of right ones, 0 of nothing.
func (r *ranking) accuracy() float64 { return ratio(r.total(), float64(len(r.list))) }

// mean is that of what was said, 0 of nothing.
func (r *ranking) mean() float64 {
	sum := 0.0
	for _, j := range r.list {
		sum += j.said
	}
	return ratio(sum, float64(len(r.list)))
}

// surest returns the share of right ones among that share of all, the surest;
// of at least one.
func (r *ranking) surest(share float64) float64 {
	k := min(max(int(math.Round(share*float64(len(r.list)))), 1), len(r.list))
	return ratio(r.right[k], float64(k))
}

// above returns the share of all of which at least t was said, and the share of
// right ones among them.
func (r *ranking) above(t float64) (kept, right float64) {
	k := 0
	for k < len(r.list) && r.list[k].said >= t {
		k++
	}
	return ratio(float64(k), float64(len(r.list))), ratio(r.right[k], float64(k))
}

// aurc returns the area under the curve of risk and coverage (Geifman and
// El-Yaniv 2017): the mean share of wrong ones among the k surest, over all k.
func (r *ranking) aurc() float64 {
	sum := 0.0
	for k := 1; k <= len(r.list); k++ {
		sum += 1 - r.right[k]/float64(k)
	}
	return ratio(sum, float64(len(r.list)))
}

// best returns the aurc of the order that has all right ones first.
func (r *ranking) best() float64 {
	perfect := slices.Clone(r.list)
	for i := range perfect {
		perfect[i].said = 0
		if perfect[i].right {
			perfect[i].said = 1
		}
	}
	return rank(perfect).aurc()
}

// auc returns the probability that of a right and a wrong one, drawn by lot, more
// was said of the right one; a tie is half. It is 0 if there are not both.
func (r *ranking) auc() float64 {
	sum, before := 0.0, 0 // right ones that stand before
	r.eachTie(func(from, to, right int) {
		wrong := to - from - right
		sum += float64(wrong) * (float64(before) + float64(right)/2)
		before += right
	})
	return ratio(sum, float64(before)*float64(len(r.list)-before))
}

// binCount is the number of bins of a diagram and of its error.
const binCount = 15

// A bin is what was said between two bounds.
type bin struct {
	cases, right int
	said         []float64
	sum          float64 // of said
}

// bins cuts what was said into binCount intervals of equal width.
func (r *ranking) bins() (out [binCount]bin) {
	for _, j := range r.list {
		b := &out[min(int(j.said*binCount), binCount-1)]
		b.cases++
		b.said, b.sum = append(b.said, j.said), b.sum+j.said
		if j.right {
			b.right++
		}
	}
	return out
}

// ece returns the expected calibration error over bins (Guo et al. 2017): the mean
// distance, over cases, of what was said in a bin from the share of right ones.
func (r *ranking) ece() float64 {
	sum := 0.0
	for _, b := range r.bins() {
		sum += math.Abs(b.sum - float64(b.right))
	}
	return ratio(sum, float64(len(r.list)))
}

// chance returns the mean ece of a column that says what this one says and is
// calibrated perfectly: what is left is the chance of so many cases.
func (r *ranking) chance() float64 {
	sum := 0.0
	for _, b := range r.bins() {
		sum += deviation(b.said)
	}
	return ratio(sum, float64(len(r.list)))
}

// exactCases is the number of cases up to which deviation adds up all outcomes.
// For more it takes their number for normally distributed.
const exactCases = 1000

// deviation returns the mean distance of the number of those that happen, of
// independent cases with the probabilities p, from its expectation.
func deviation(p []float64) float64 {
	mean, variance := 0.0, 0.0
	for _, x := range p {
		mean += x
		variance += x * (1 - x)
	}
	if len(p) > exactCases {
		return math.Sqrt(2 / math.Pi * variance)
	}
	happen := make([]float64, len(p)+1) // [k]: probability that k do
	happen[0] = 1
	for i, x := range p {
		for k := i + 1; k > 0; k-- {
			happen[k] = happen[k]*(1-x) + happen[k-1]*x
		}
		happen[0] *= 1 - x
	}
	sum := 0.0
	for k, probability := range happen {
		sum += probability * math.Abs(float64(k)-mean)
	}
	return sum
}

// ratio is part of whole, 0 of nothing.
func ratio(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}
