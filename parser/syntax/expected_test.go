package syntax

import (
	"math"
	"testing"
)

func TestShare(t *testing.T) {
	// Two words, right with probabilities 1/2 and 1/4, independently: their
	// four cases have the number of right words 0, 1, 1, 2.
	e := Estimate{Right: 4096/2 + 4096/4, Variance: 4096/4 + 4096*3/16}
	mean, variance := 0.0, 0.0
	cases := []struct{ p, right float64 }{{3.0 / 8, 0}, {3.0 / 8, 1}, {1.0 / 8, 1}, {1.0 / 8, 2}}
	for _, c := range cases {
		mean += c.p * c.right
	}
	for _, c := range cases {
		variance += c.p * (c.right - mean) * (c.right - mean)
	}
	share, stderr := e.Share(2)
	if share != mean/2 || math.Abs(stderr-math.Sqrt(variance)/2) > 1e-15 {
		t.Errorf("%v, %v, want %v, %v", share, stderr, mean/2, math.Sqrt(variance)/2)
	}
}

// 10^12 words fit, though all of every 9,000 are right or wrong together.
func TestExpectedSums(t *testing.T) {
	const n, doublings = 9000, 27
	worst := Estimate{Right: 4096 * n / 2, Variance: 4096 * n * n / 4}
	sum := Expected{Words: n, UPOS: worst, UAS: worst, LAS: Estimate{Right: 4096 * n}}
	for range doublings {
		again := sum
		sum.Add(&again)
	}
	const sentences = 1 << doublings
	if sum.Words < 1e12 || sum.Words != n*sentences || sum.UPOS != sum.UAS {
		t.Fatalf("%+v", sum)
	}
	if share, stderr := sum.UAS.Share(sum.Words); share != 0.5 || math.Abs(stderr*math.Sqrt(sentences)-0.5) > 1e-9 {
		t.Errorf("%v, %v", share, stderr)
	}
	if share, stderr := sum.LAS.Share(sum.Words); share != 1 || stderr != 0 {
		t.Errorf("%v, %v", share, stderr)
	}
}
