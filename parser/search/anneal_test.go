package search

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// allowed calls f with the trees of s that the search may find.
func (x *Search) allowed(s *syntax.Sentence, f func(head []int32)) {
	allTrees(s, func(head []int32) {
		x.Tree.Set(&x.Scores.Arcs, head)
		for m := int32(1); int(m) <= x.Scores.N; m++ {
			if x.crossed(m, m) {
				return
			}
		}
		f(head)
	})
}

// Annealing finds the best of all trees nearly always, and knows its score.
func TestAnnealingAgainstAllTrees(t *testing.T) {
	r := hash.Rand(91)
	cases, optimal := 0, 0
	for k := range 120 {
		setup := setups[k%len(setups)]
		s := randomSentence(1+int(r.Below(5)), 2+int(r.Below(7)), &r)
		x := newSearch(s, score.Unit/40, setup.on)
		x.Projective, x.Seed = setup.projective, uint64(k)
		best := int64(worst)
		x.allowed(s, func(head []int32) { best = max(best, scratchWhole(x, head)) })
		if best == worst || x.Projective && !x.First() {
			continue
		}
		cases++
		if !(Sampled{}).Decode(x) {
			t.Fatal("no tree, though there are some")
		}
		if x.bestAt > best || x.bestAt != scratchWhole(x, x.best) {
			t.Fatalf("score %d, from scratch %d, the best of all %d", x.bestAt, scratchWhole(x, x.best), best)
		}
		if x.bestAt == best {
			optimal++
		}
	}
	if cases < 80 || optimal*100 < 97*cases {
		t.Errorf("%d of %d sentences with the best tree", optimal, cases)
	}
}

// The tree of least risk is that with the largest sum of marginals among those
// that are allowed.
func TestSafestTree(t *testing.T) {
	r := hash.Rand(92)
	cases := 0
	for k := range 120 {
		s := randomSentence(1+int(r.Below(5)), 2+int(r.Below(7)), &r)
		x := newSearch(s, 100, part.Standard)
		x.Projective = k%2 == 1
		if !x.First() {
			continue
		}
		x.posterior = resize(x.posterior, len(x.Pruned.Heads))
		for i := range x.posterior {
			x.posterior[i] = float64(r.Below(1<<20)) / (1 << 20)
		}
		sum := func(head []int32) (p float64) {
			for m := 1; m <= x.Scores.N; m++ {
				p += x.posterior[x.Scores.Arc(head[m], m)]
			}
			return p
		}
		best := 0.0
		x.allowed(s, func(head []int32) { best = max(best, sum(head)) })
		if cases++; !x.safest() {
			t.Fatal("no tree")
		}
		if got := sum(x.Tree.Head); math.Abs(got-best) > 1e-4 {
			t.Fatalf("a tree of %v expected heads, the best has %v", got, best)
		}
	}
	if cases < 60 {
		t.Errorf("only %d cases", cases)
	}
}

// Decoders that sample give the same trees every time, keep to the candidates and
// to projective trees, and end when their budget does.
func TestSamplingDecoders(t *testing.T) {
	r := hash.Rand(93)
	m := newModel(noise(score.Unit/40), part.Standard)
	for k := range 20 {
		s := randomSentence(12, 3, &r) // its candidates hold the chain, which is projective
		for _, name := range []string{"sample", "risk"} {
			d, err := NamedDecoder(name)
			if err != nil {
				t.Fatal(err)
			}
			o := Options{Decoder: d, Projective: k%2 == 1, Budget: 1 + k%3*200}
			var seen []string
			for range 2 {
				s.Status = syntax.OK
				if err := m.Parse(s, o); err != nil {
					t.Fatal(err)
				}
				seen = append(seen, fmt.Sprint(s.Words, s.Confidence))
			}
			if seen[0] != seen[1] {
				t.Fatalf("%s: %s, then %s", name, seen[0], seen[1])
			}
			if o.Budget == 1 && (s.Status != syntax.Budget || s.Confidence.Weighed > 4000) {
				t.Errorf("%s: status %v after %d gains", name, s.Status, s.Confidence.Weighed)
			}
			heads := []int32{0}
			for i := range s.Words {
				if heads = append(heads, s.Words[i].Head); !slices.Contains(s.Candidates.Of(i+1), s.Words[i].Head) {
					t.Fatalf("%s: head %d of word %d is no candidate", name, s.Words[i].Head, i+1)
				}
			}
			x := &Search{}
			x.prepare(m, s)
			x.Projective = o.Projective
			if x.Tree.Set(&x.Scores.Arcs, heads); !isTree(heads) {
				t.Fatalf("%s: %v is no tree", name, heads)
			}
			for m := int32(1); int(m) <= x.Scores.N; m++ {
				if x.crossed(m, m) {
					t.Fatalf("%s: %v has crossing arcs", name, heads)
				}
			}
		}
	}
	if _, err := NamedDecoder("best"); err == nil {
		t.Error("a decoder of a name that there is not")
	}
}
