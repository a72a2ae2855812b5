package label

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// withCandidates gives words candidate heads besides their own, with random gains.
func withCandidates(rng *rand.Rand, s *syntax.Sentence) {
	n := len(s.Words)
	k := &s.Candidates
	*k = syntax.Candidates{Start: make([]int32, 1)}
	for i := range s.Words {
		for h := range int32(n + 1) {
			if own := h == s.Words[i].Head; own || int(h) != i+1 && rng.IntN(2) == 0 {
				k.Heads, k.LogOdds = append(k.Heads, h), append(k.LogOdds, 0)
				gain := int32(0)
				if !own {
					gain = -rng.Int32N(4 * unit)
				}
				k.Gains = append(k.Gains, gain)
			}
		}
		k.Start = append(k.Start, int32(len(k.Heads)))
	}
	list := func() []float32 { return slices.Repeat([]float32{0.5}, n) }
	s.Confidence = syntax.Confidence{HeadMarginal: list(), HeadDoubt: list(), FirstOrder: list(), FirstDoubt: list(),
		HeadMargin: list()}
}

// TestMend: the tree that comes out is one, over the candidates, with the root
// that it had, and worth more than the one before where they differ; a tree whose
// labels obey the rules stays.
func TestMend(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 4))
	mended := 0
	for _, s := range strictly(rng, 400, 7) {
		m := strict(rng)
		withCandidates(rng, &s)
		worth := func() int64 {
			c := m.charts.New().(*chart)
			m.prepare(c, &s)
			c.readWords(m.rules, &s)
			x := c.maximiseStrictly(m)
			for i, w := range s.Words {
				at := slices.Index(s.Candidates.Of(i+1), w.Head)
				if at < 0 {
					t.Fatalf("head %d of word %d is no candidate", w.Head, i+1)
				}
				x += headShare * int64(s.Candidates.Gains[int(s.Candidates.Start[i])+at])
			}
			return x
		}
		c := m.charts.New().(*chart)
		m.prepare(c, &s)
		c.maximise(m.pair)
		before, old, obeys := worth(), slices.Clone(s.Words), !c.broken(m.rules, &s)
		changed := m.Label(&s, Help{Mend: true})
		for i := range s.Words {
			if s.Words[i].Head != old[i].Head && s.Confidence.HeadMargin[i] != 0 {
				t.Errorf("word %d has another head and the old margin", i+1)
			}
			if (s.Words[i].Head == 0) != (old[i].Head == 0) || isBelow(&s, s.Words[i].Head, int32(i+1)) {
				t.Fatalf("%v: no tree, or another root", s.Words)
			}
		}
		switch after := worth(); {
		case changed && (obeys || after <= before), !changed && after != before:
			t.Fatalf("changed %v, obeys %v: %d, then %d", changed, obeys, before, after)
		case changed:
			mended++
		}
	}
	if mended < 40 {
		t.Errorf("%d trees of 400 changed", mended)
	}
}
