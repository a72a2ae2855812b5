package part

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
)

// Dense scores are added to those of the arcs: h*(n+1)+m is that of h -> m.
func TestDenseScores(t *testing.T) {
	r := hash.Rand(41)
	s := randomSentence(8, 3, &r)
	n := len(s.Words)
	plain := newScratch(s, 500, Standard)
	s.Dense.Arcs = make([]int32, (n+1)*(n+1))
	for i := range s.Dense.Arcs {
		s.Dense.Arcs[i] = int32(i)
	}
	x := newScratch(s, 500, Standard)
	for m := 1; m <= n; m++ {
		lo, hi := x.t.Arcs.Span(m)
		for i := lo; i < hi; i++ {
			if got, want := x.t.Arcs.Score[i]-plain.t.Arcs.Score[i], x.t.Arcs.Heads[i]*int32(n+1)+int32(m); got != want {
				t.Errorf("arc %d -> %d: %d more, want %d", x.t.Arcs.Heads[i], m, got, want)
			}
		}
	}
	plain.walk(30, &r)
	heads := slices.Clone(plain.y.Head)
	for m := 1; m <= n; m++ {
		s.Dense.Arcs[int(heads[m])*(n+1)+m] += 1 << 20
	}
	x = newScratch(s, 500, Standard)
	for m := 1; m <= n; m++ {
		lo, hi := x.t.Arcs.Span(m)
		best := lo
		for i := lo; i < hi; i++ {
			if x.t.Arcs.Score[i] > x.t.Arcs.Score[best] {
				best = i
			}
		}
		if x.t.Arcs.Heads[best] != heads[m] {
			t.Errorf("a strong score does not decide the head of %d", m)
		}
	}
}
