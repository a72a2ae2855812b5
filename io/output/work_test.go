package output

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
)

// Buckets are intervals without gaps, at most a quarter wide.
func TestBucketsOfWork(t *testing.T) {
	before := int64(-1)
	for n := int64(0); n < 1<<12; n++ {
		top := topOf(n)
		if top < n || n >= ownBuckets && (top-n)*4 > n {
			t.Fatalf("%d is in the bucket that ends at %d", n, top)
		}
		if top != before && before >= n {
			t.Fatalf("%d is in the bucket that ends at %d, and in that of %d", n, before, top)
		}
		before = top
	}
	for _, n := range []int64{1 << 40, 1<<62 - 1, 1 << 62, 1<<63 - 1} {
		if top := topOf(n); top < n || topOf(top) != top {
			t.Errorf("%d: %d", n, top)
		}
	}
}

// Quantiles are those of the sorted list, up to a quarter higher, and do not
// depend on how the sentences were divided.
func TestQuantilesOfWork(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var whole Work
		var parts [3]Work
		var list []int64
		for range 1 + r.IntN(300) {
			n := r.Int64N(1 << r.IntN(20))
			list = append(list, n)
			whole.Note(n)
			parts[r.IntN(3)].Note(n)
		}
		slices.Sort(list)
		for _, percent := range []int64{1, 50, 99, 100} {
			want := list[(int64(len(list))*percent+99)/100-1]
			if got := whole.quantile(percent); got < want || got > want+want/4 || got > whole.Max {
				t.Fatalf("%d%% of %d: %d, want %d", percent, len(list), got, want)
			}
		}
		var sum Work
		for i := range parts {
			sum.add(&parts[i])
		}
		sum.setQuantiles()
		whole.setQuantiles()
		a, _ := json.Marshal(&sum)
		b, _ := json.Marshal(&whole)
		if string(a) != string(b) {
			t.Fatalf("%s\n%s", a, b)
		}
	}
	if empty := new(Work); empty.quantile(50) != 0 {
		t.Error("work without sentences")
	}
}
