package search

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Whatever the budget, the search ends with a tree, no worse than the one it
// started from, near the budget, and says when it was cut.
func TestBudget(t *testing.T) {
	r := hash.Rand(5)
	for k := range 8 {
		s := randomSentence(10+int(r.Below(10)), 4, &r)
		on := []part.Families{part.Standard, part.All}[k%2]
		whole := newSearch(s, 400, on)
		if !whole.run(1, 6, 3) || whole.cut {
			t.Fatal("the unlimited search was cut or found nothing")
		}
		used := whole.work()
		for _, limit := range []int64{1, used / 50, used / 10, used / 2, used + 1} {
			x := newSearch(s, 400, on)
			x.limit = max(limit, 1)
			if !x.run(1, 6, 3) {
				t.Fatal("no tree")
			}
			copy(x.start, x.best)
			x.Tree.Set(&x.Scores.Arcs, x.start)
			checkTree(t, x)
			first := newSearch(s, 400, on)
			if first.First(); on == part.Standard && x.bestAt < scratchScore(first, first.start) {
				t.Errorf("budget %d: the tree is worse than the pruner's best", limit)
			}
			if x.cut != (limit < used) {
				t.Errorf("budget %d of %d: cut %v", limit, used, x.cut)
			}
			// One word, one chain or one root may still be weighed.
			if over := x.work() - x.limit; over > 100_000 {
				t.Errorf("budget %d: %d more units of work", limit, over)
			}
			if limit > used && !slices.Equal(x.best, whole.best) {
				t.Error("a budget that was not used changed the tree")
			}
		}
	}
}

func TestBudgetIsInTheStatus(t *testing.T) {
	r := hash.Rand(6)
	m := newModel(noise(300), part.Standard)
	for range 6 {
		s := randomSentence(14, 5, &r)
		if err := m.Parse(s, Options{Budget: 1}); err != nil {
			t.Fatal(err)
		}
		if s.Status != syntax.Budget {
			t.Errorf("status %v", s.Status)
		}
		if err := syntax.CheckTree(s.Words); err != nil {
			t.Error(err)
		}
		s.Status = syntax.OK
		if err := m.Parse(s, Options{Budget: 1 << 20}); err != nil || s.Status != syntax.OK {
			t.Errorf("with a large budget: status %v, %v", s.Status, err)
		}
	}
}

// To score all trees takes no more than the budget, and a search that it cut has no
// certificate and a tree no worse than the pruner's best.
func TestBudgetOfExact(t *testing.T) {
	r := hash.Rand(7)
	s := randomSentence(6, 8, &r)
	for _, limit := range []int64{1, 10_000, 100_000} {
		x := newSearch(s, 400, part.Standard)
		x.First()
		first := scratchScore(x, x.start)
		x.limit = limit
		if found := (Exact{1 << 20}).Decode(x) || (Greedy{6, 3, 1000}).Decode(x); !found || !x.cut {
			t.Fatalf("budget %d: found a tree: %v, cut: %v", limit, found, x.cut)
		}
		if over := x.work() - limit; over > 100_000 {
			t.Errorf("budget %d: %d more units of work", limit, over)
		}
		if x.certificate != syntax.Uncertain || x.bestAt < first || scratchScore(x, x.best) != x.bestAt {
			t.Errorf("budget %d: certificate %q, score %d, the pruner's best has %d", limit, x.certificate, x.bestAt, first)
		}
	}
}

// The windows of a sentence share its budget: words that are in two of them have
// no more of it than others, and marks have none.
func TestWindowsShareTheBudget(t *testing.T) {
	r := hash.Rand(9)
	m := newModel(noise(300), part.Standard)
	const n, budget = 2000, 20_000
	near := func(m int) []int32 {
		list := []int32{0}
		for h := max(m-4, 1); h <= min(m+4, n); h++ {
			if h != m {
				list = append(list, int32(h))
			}
		}
		return list
	}
	s := long(n, &r, near)
	work := func(form string, budget int) int64 {
		for i := range s.Words {
			s.Words[i].Form = form
		}
		s.Status = syntax.OK
		c, err := m.Count(s, Options{Budget: budget, Certify: -1})
		if err != nil {
			t.Fatal(err)
		}
		if s.Status != syntax.Budget || len(s.Confidence.HeadMarginal) != n || syntax.CheckTree(s.Words) != nil {
			t.Errorf("form %q, budget %d: status %v, %d marginals", form, budget, s.Status, len(s.Confidence.HeadMarginal))
		}
		return c.Work()
	}
	least := work("-", 1)
	if got := work("w", budget) - least; got < n*budget*8/10 || got > n*budget*11/10 {
		t.Errorf("words took %d units of work, their budget is %d", got, n*budget)
	}
	if got := work("-", budget) - least; got > 2*freeWords*budget {
		t.Errorf("marks took %d units of work, their budget is %d", got, freeWords*budget)
	}
}
