package label

import (
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// arcs returns n sentences of random arcs: these need not be trees.
func arcs(n int, r *hash.Rand) (list []syntax.Sentence) {
	for range n {
		s := syntax.Sentence{}
		for m := range 9 {
			w := syntax.Word{UPOS: []string{"NOUN", "VERB", "DET"}[r.Below(3)], Head: int32(r.Below(11)) - 1, Deprel: []string{"nsubj", "det", "obl", ""}[r.Below(4)]}
			if int(w.Head) == m+1 {
				w.Head = 0
			}
			s.Words = append(s.Words, w)
		}
		list = append(list, s)
	}
	list[0].Weight = 0.5 // silver, which is not counted
	return list
}

// The probability of a relation is what counting all arcs again gives, class by class.
func TestPriorCountsKnownArcs(t *testing.T) {
	r := hash.Rand(4)
	list := arcs(60, &r)
	p := LearnPrior(list)
	far := func(d int32) (class int) {
		for _, most := range []int32{1, 3, 6} {
			if d > most {
				class++
			}
		}
		return class
	}
	near := func(m, h, n, g int32) bool {
		return (h < m) == (g < n) && far(max(h-m, m-h)) == far(max(g-n, n-g))
	}
	checked := 0
	for i := range list[:20] {
		s := &list[i]
		for m := int32(1); m <= 9; m++ {
			for h := int32(1); h <= 9; h++ {
				if w := &s.Words[m-1]; h == m || w.Deprel == "" {
					continue
				}
				want := 0.05
				// what the classes share with the arc besides the relation
				for k, c := range []struct{ tag, head, above, place bool }{
					{true, false, false, true}, {true, true, false, false}, {true, true, false, true}, {false, true, true, true}, {true, true, true, true},
				} {
					with, all, weight, up := 0.0, 0.0, 2.0, &s.Words[h-1]
					if k == 0 {
						weight = 1
					}
					for j := 1; j < len(list); j++ {
						for n := int32(1); n <= 9; n++ {
							x, y := &s.Words[m-1], &list[j].Words[n-1]
							if y.Head <= 0 || y.Deprel == "" {
								continue
							}
							of := &list[j].Words[y.Head-1]
							if c.tag && y.UPOS != x.UPOS || c.place && !near(m, h, n, y.Head) || c.head && of.UPOS != up.UPOS || c.above && of.Deprel != up.Deprel {
								continue
							}
							all++
							if y.Deprel == x.Deprel {
								with++
							}
						}
					}
					want = (with + weight*want) / (all + weight)
				}
				if got := p.of(s, int(m), h); math.Abs(got-want) > 1e-12 {
					t.Fatalf("sentence %d, arc %d -> %d: %v, want %v", i, h, m, got, want)
				}
				checked++
			}
		}
	}
	if checked < 500 {
		t.Errorf("%d arcs: the test sees too little", checked)
	}
}

// Weigh changes the odds of words with a relation and without a head, no others, and
// leaves the sentence as it is.
func TestPriorWeighsOpenHeads(t *testing.T) {
	r := hash.Rand(5)
	list := arcs(60, &r)
	p := LearnPrior(list)
	changed := 0
	for i := range list {
		s := &list[i]
		s.Candidates.Start = []int32{0}
		for m := int32(1); m <= 9; m++ {
			for h := int32(0); h <= 9; h++ {
				if h != m {
					s.Candidates.Heads = append(s.Candidates.Heads, h)
					s.Candidates.LogOdds = append(s.Candidates.LogOdds, -100*h)
				}
			}
			s.Candidates.Start = append(s.Candidates.Start, int32(len(s.Candidates.Heads)))
		}
		if i%2 == 0 { // says nothing of a head
			s.Words[i%9].Head, s.Words[i%9].Deprel = syntax.NoHead, "root"
		}
		before := slices.Clone(s.Candidates.LogOdds)
		c := p.Weigh(s)
		if !slices.Equal(before, s.Candidates.LogOdds) {
			t.Fatal("the sentence was changed")
		}
		for m := 1; m <= 9; m++ {
			w := &s.Words[m-1]
			for a := c.Start[m-1]; a < c.Start[m]; a++ {
				want := before[a]
				if w.Head == syntax.NoHead && w.Deprel != "" && w.Deprel != "root" {
					x, scale := 1e-4, 1.0
					if h := c.Heads[a]; h != 0 {
						x, scale = p.of(s, m, h), 1.5
					}
					want += int32(1024 * scale * math.Log(x))
					changed++
				}
				if c.LogOdds[a] != want || c.LogOdds[a] > 0 {
					t.Fatalf("word %d, head %d: %d, want %d", m, c.Heads[a], c.LogOdds[a], want)
				}
			}
		}
	}
	if changed < 100 {
		t.Errorf("%d odds changed: the test sees too little", changed)
	}
}
