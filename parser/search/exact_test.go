package search

import (
	"math"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Enumeration finds the best and the second best score of all trees, and
// refuses a sentence with more combinations than the limit.
func TestEnumerationIsExact(t *testing.T) {
	r := hash.Rand(21)
	for k := 0; k < 60; k++ {
		on := []part.Families{part.Standard, part.All}[k%2]
		s := randomSentence(1+int(r.Below(5)), 2+int(r.Below(4)), &r)
		x := newSearch(s, 400, on)
		trees, best, second := 0, int64(-1<<62), int64(-1<<62)
		allTrees(s, func(head []int32) {
			trees++
			v := scratchScore(x, head)
			if v > best {
				best, second = v, best
			} else {
				second = max(second, v)
			}
		})
		ways := 1
		for m := 1; m <= x.Scores.N; m++ {
			lo, hi := x.Scores.Arcs.Span(m)
			ways *= hi - lo
		}
		if (Exact{ways - 1}).Decode(x) {
			t.Fatalf("%d combinations were enumerated under a limit of %d", ways, ways-1)
		}
		if found := (Exact{ways}).Decode(x); found != (trees > 0) {
			t.Fatalf("%d trees, found: %v", trees, found)
		}
		if trees == 0 {
			continue
		}
		if x.certificate != syntax.All {
			t.Fatalf("all trees were scored, and the certificate is %q", x.certificate)
		}
		if x.bestAt != best || scratchScore(x, x.best) != best || trees > 1 && x.second != second {
			t.Fatalf("best %d, second %d; want %d and %d", x.bestAt, x.second, best, second)
		}
	}
}

// More combinations than there are integers are not taken for few: they cost no work.
func TestEnumerationOfTooMany(t *testing.T) {
	r := hash.Rand(22)
	for k := range 20 {
		x := newSearch(randomSentence(28+k, 8, &r), 400, part.Standard)
		x.limit = x.work() + 1000
		if (Exact{math.MaxInt}).Decode(x) || x.cut {
			t.Fatal("the enumeration began")
		}
	}
}
