package search

import (
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/part/parttest"
	"github.com/treebeam/treebeam/parser/syntax"
)

// The projective search ends in projective trees, in the best of them nearly
// always if it may climb often, and always if it enumerates.
func TestProjectiveSearch(t *testing.T) {
	r := hash.Rand(22)
	m := noisy()
	cases, best, different := 0, 0, 0
	for cases < 150 {
		s := randomSentence(3+int(r.Below(3)), 4+int(r.Below(5)), &r)
		n := len(s.Words)
		s.Dense.Arcs = make([]int32, (n+1)*(n+1)) // arcs outweigh the other parts, as in a trained model
		for i := range s.Dense.Arcs {
			s.Dense.Arcs[i] = int32(r.Below(9000))
		}
		x := newSearch(s, 500, part.Full)
		most, free, found := int64(0), int64(0), false
		allTrees(s, func(head []int32) {
			x.Tree.Set(&x.Scores.Arcs, head)
			total := x.total()
			free = max(free, total)
			if isProjective(head) && (!found || total > most) {
				most, found = total, true
			}
		})
		if !found {
			continue
		}
		cases++
		for _, exact := range []int{-1, 1 << 20} {
			if err := m.Parse(s, Options{Restarts: 100, Patience: 100, Exact: exact, Projective: true}); err != nil {
				t.Fatal(err)
			}
			head := headsOf(s)
			got, ok := m.Score(s, head[1:])
			if !ok || !isProjective(head) || got > most || exact > 0 && got != most {
				t.Fatalf("heads %v score %d (%v), the best projective tree %d", head[1:], got, ok, most)
			}
			if exact < 0 && got == most {
				best++
			}
		}
		if free > most {
			different++
		}
	}
	if best < cases*97/100 || different < cases/3 {
		t.Errorf("%d of %d best, %d with a better tree that is not projective", best, cases, different)
	}
}

// Above MaxMarginalWords the search starts from a chain.
func TestProjectiveLongSentence(t *testing.T) {
	r := hash.Rand(23)
	n := syntax.MaxMarginalWords + 1
	s := &syntax.Sentence{Words: make([]syntax.Word, n)}
	c := &s.Candidates
	c.Start = []int32{0}
	for m := 1; m <= n; m++ {
		for _, h := range []int{m - 2, m - 1, m + 1, m + 3} {
			if h >= 0 && h <= n {
				c.Heads, c.LogOdds = append(c.Heads, int32(h)), append(c.LogOdds, -int32(r.Below(3000)))
			}
		}
		c.Start = append(c.Start, int32(len(c.Heads)))
		s.Words[m-1] = syntax.Word{Form: tags[r.Below(6)], UPOS: tags[r.Below(6)]}
	}
	if err := noisy().Parse(s, Options{Restarts: 2, Projective: true}); err != nil {
		t.Fatal(err)
	}
	head, chain := headsOf(s), true
	for i := range s.Words {
		chain = chain && head[i+1] == int32(i)
	}
	if !isProjective(head) || chain {
		t.Errorf("projective %v, still the chain %v", isProjective(head), chain)
	}
}

// With families that dynamic programming fits, the default finds the best
// projective tree and says so, if there is more than one.
func TestProjectiveSearchIsExact(t *testing.T) {
	r := hash.Rand(24)
	solved, climbed := 0, 0
	for k := range 120 {
		s := randomSentence(2+int(r.Below(5)), 4+int(r.Below(5)), &r)
		x := newSearch(s, 500, part.Standard)
		most, _, found := parttest.Best(s, true, func(head []int32) int64 { return scratchScore(x, head) })
		if !found {
			continue
		}
		m := newModel(noise(500), part.Standard)
		for _, o := range []Options{{Exact: -1, Projective: true}, {Exact: -1, Certify: -1, Restarts: 1, Projective: true}} {
			count, err := m.Count(s, o)
			if err != nil {
				t.Fatal(err)
			}
			head := headsOf(s)
			got, _ := m.Score(s, head[1:])
			switch choice := len(s.Candidates.Heads) > len(s.Words); {
			case !isProjective(head) || got > most:
				t.Fatalf("sentence %d: heads %v score %d, the best projective tree %d", k, head[1:], got, most)
			case o.Certify == 0 && choice:
				if solved++; got != most || count.Proved != 1 || s.Confidence.Certificate != syntax.Bound {
					t.Fatalf("sentence %d: score %d, the best projective tree %d; certificate %q", k, got, most,
						s.Confidence.Certificate)
				}
			case got < most:
				climbed++
			}
		}
	}
	if solved < 80 || climbed < 10 {
		t.Errorf("%d solved, one climb below the best in %d: the test sees too little", solved, climbed)
	}
}

// Where no arc may cross another, a tree with crossing arcs is never the result, whoever
// offers it: the last tree that a proof leaves may have some.
func TestCrossingTreesAreNotTaken(t *testing.T) {
	r := hash.Rand(91)
	crossed := 0
	for range 100 {
		s := randomSentence(5, 8, &r)
		x := newSearch(s, 500, part.Standard)
		x.Projective = true
		allTrees(s, func(head []int32) {
			before := x.bestAt
			if x.offerHeads(head); !isProjective(head) {
				crossed++
				if x.bestAt != before {
					t.Fatalf("the result is %v", head)
				}
			}
		})
	}
	if crossed < 100 {
		t.Errorf("only %d trees with crossing arcs", crossed)
	}
}
