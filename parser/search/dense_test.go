package search

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part"
)

// Whoever scores arcs densely, by a neural network perhaps, puts the scores in
// a sentence before it is parsed, in units of 1/score.Unit: the same for all
// arcs changes nothing, a strong one for the arcs of a tree decides.
func TestDenseScores(t *testing.T) {
	r := hash.Rand(61)
	m := newModel(noise(300), part.Standard)
	for range 20 {
		s := randomSentence(3+int(r.Below(12)), 3, &r)
		n := len(s.Words)
		heads := func() []int32 {
			if err := m.Parse(s, Options{}); err != nil {
				t.Fatal(err)
			}
			return s.Heads()
		}
		plain := heads()
		s.Dense.Arcs = make([]int32, (n+1)*(n+1))
		for i := range s.Dense.Arcs {
			s.Dense.Arcs[i] = 12345
		}
		if got := heads(); !slices.Equal(got, plain) {
			t.Errorf("a constant moves %v to %v", plain, got)
		}
		x := newSearch(s, 300, part.Standard)
		x.run(1, 1, 1)
		for range 3 * n { // some other tree
			k, arc := 1+int(r.Below(uint32(n))), int32(0)
			lo, hi := x.Scores.Arcs.Span(k)
			arc = int32(lo) + int32(r.Below(uint32(hi-lo)))
			if h := x.Scores.Arcs.Heads[arc]; int32(k) != x.Tree.Root && h != 0 && !x.Tree.Below(h, int32(k)) {
				x.Tree.Move(k, arc)
			}
		}
		want := slices.Clone(x.Tree.Head[1 : n+1])
		for i, h := range want {
			s.Dense.Arcs[int(h)*(n+1)+i+1] += 1 << 22
		}
		if got := heads(); !slices.Equal(got, want) {
			t.Errorf("strong scores for %v leave %v", want, got)
		}
	}
}
