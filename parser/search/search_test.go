package search

import (
	"fmt"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/syntax"
)

func TestRerootingEqualsScoreDifference(t *testing.T) {
	r := hash.Rand(2)
	tried := 0
	for k := 0; k < 60; k++ {
		n := 2 + int(r.Below(4))
		s := randomSentence(n, 6, &r)
		x := newSearch(s, 500, part.Locals)
		allTrees(s, func(head []int32) {
			if r.Below(8) != 0 {
				return
			}
			x.Tree.Set(&x.Scores.Arcs, head)
			before := x.total()
			for m := int32(1); int(m) <= n; m++ {
				if !x.mayBeRoot(m) {
					continue
				}
				g, _ := x.makeRoot(m, 1)
				tried++
				if moved := x.total() - before; g > 0 && moved != g || g <= 0 && moved != 0 {
					t.Fatalf("re-rooting %v at %d: returned %d, score moved by %d", head, m, g, moved)
				}
				if g > 0 {
					checkTree(t, x)
					x.Tree.Set(&x.Scores.Arcs, head)
				}
			}
		})
	}
	if tried < 500 {
		t.Fatalf("only %d moves tried", tried)
	}
}

// checkTree holds links, root and heads of the present tree against a fresh one.
func checkTree(t *testing.T, x *Search) {
	t.Helper()
	var y part.Tree
	y.Set(&x.Scores.Arcs, x.Tree.Head[:x.Scores.N+1])
	for h := 0; h <= x.Scores.N; h++ {
		if y.First[h] != x.Tree.First[h] || y.Last[h] != x.Tree.Last[h] || h > 0 &&
			(y.Next[h] != x.Tree.Next[h] || y.Prev[h] != x.Tree.Prev[h] || y.Arc[h] != x.Tree.Arc[h] ||
				y.Low[h] != x.Tree.Low[h] || y.High[h] != x.Tree.High[h]) {
			t.Fatalf("links of %d differ from those of a fresh tree", h)
		}
	}
	if y.Root != x.Tree.Root {
		t.Fatalf("root %d, fresh %d", x.Tree.Root, y.Root)
	}
}

// The moves of the climb, single changes below a fixed root and re-rooting,
// connect all single-root trees.
func TestMovesConnectAllTrees(t *testing.T) {
	for n := 2; n <= 4; n++ {
		r := hash.Rand(3)
		s := randomSentence(n, 8, &r)
		x := newSearch(s, 10, part.Standard)
		index := map[string]int{}
		var list [][]int32
		allTrees(s, func(head []int32) {
			index[fmt.Sprint(head[1:])] = len(list)
			list = append(list, append([]int32(nil), head...))
		})
		component := make([]int, len(list))
		for i := range component {
			component[i] = i
		}
		find := func(i int) int {
			for component[i] != i {
				i = component[i]
			}
			return i
		}
		join := func(i int, head []int32) {
			j, ok := index[fmt.Sprint(head[1:])]
			if !ok {
				t.Fatalf("move from %v leaves the trees: %v", list[i], head)
			}
			component[find(i)] = find(j)
		}
		for i, head := range list {
			x.Tree.Set(&x.Scores.Arcs, head)
			root := x.Tree.Root
			for m := int32(1); int(m) <= n; m++ {
				for h := int32(0); int(h) <= n; h++ {
					moved := append([]int32(nil), head...)
					switch {
					case h == m || m == root:
					case h != 0 && !x.Tree.Below(h, m):
						moved[m] = h
						join(i, moved)
					case h != 0: // h below m: m becomes the root, the old one goes to h
						moved[m], moved[root] = 0, h
						join(i, moved)
					case h == 0: // the old root to m itself
						moved[m], moved[root] = 0, m
						join(i, moved)
					}
				}
			}
		}
		for i := range list {
			if find(i) != find(0) {
				t.Fatalf("n=%d: tree %v is not connected to %v", n, list[i], list[0])
			}
		}
	}
}

// With enough restarts the search finds the exhaustive maximum, and never
// anything better; its result is a local optimum under from-scratch scores if
// all moves are scored in full.
func TestSearchAgainstAllTrees(t *testing.T) {
	for _, c := range []struct {
		on    part.Families
		delta int64
		least int // percent of optimal results
	}{
		{part.Standard, 0, 99},
		{part.All, 1 << 40, 95},
		{part.All, 300, 80},
		{part.All, 0, 80},
	} {
		r := hash.Rand(4)
		cases, optimal := 120, 0
		for k := 0; k < cases; k++ {
			s := randomSentence(1+int(r.Below(5)), 2+int(r.Below(7)), &r)
			x := newSearch(s, 400, c.on)
			x.delta = c.delta
			best := int64(-1 << 62)
			allTrees(s, func(head []int32) { best = max(best, scratchScore(x, head)) })
			x.run(uint64(k), 300, 100)
			if x.bestAt > best {
				t.Fatalf("score %d above the maximum %d", x.bestAt, best)
			}
			if got := scratchScore(x, x.best); got != x.bestAt {
				t.Fatalf("reported %d, from scratch %d", x.bestAt, got)
			}
			if x.bestAt == best {
				optimal++
			}
			if !c.on.Any(part.Globals) || c.delta > 1<<30 {
				checkOptimum(t, x, s)
			}
		}
		if optimal*100 < cases*c.least {
			t.Errorf("%v, delta %d: %d of %d cases optimal, want %d %%", c.on, c.delta, optimal, cases, c.least)
		}
	}
}

// checkOptimum holds the best tree against all single changes.
func checkOptimum(t *testing.T, x *Search, s *syntax.Sentence) {
	t.Helper()
	for m := 1; m <= x.Scores.N; m++ {
		for _, h := range s.Candidates.Of(m) {
			x.Tree.Set(&x.Scores.Arcs, x.best)
			if h == 0 || x.best[m] == 0 || x.Tree.Below(h, int32(m)) {
				continue
			}
			moved := append([]int32(nil), x.best[:x.Scores.N+1]...)
			moved[m] = h
			if scratchScore(x, moved) > x.bestAt {
				t.Fatalf("%v is no local optimum: word %d to %d gains", x.best, m, h)
			}
		}
	}
}

func TestParseIsDeterministicAndBounded(t *testing.T) {
	r := hash.Rand(5)
	m := newModel(noise(300), part.All)
	var list []*syntax.Sentence
	for k := 0; k < 20; k++ {
		list = append(list, randomSentence(3+int(r.Below(20)), 2, &r))
	}
	var first []string
	for round := 0; round < 2; round++ {
		for i := range list {
			k := i
			if round == 1 {
				k = len(list) - 1 - i // another order, another history of the scratch
			}
			s := *list[k]
			s.Words = append([]syntax.Word(nil), s.Words...)
			if err := m.Parse(&s, Options{}); err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprint(s.Words, s.Confidence)
			if round == 0 {
				first = append(first, got)
			} else if got != first[k] {
				t.Fatalf("sentence %d: second run differs:\n%s\n%s", k, got, first[k])
			}
			c := s.Confidence
			for w := range s.Words {
				if !(c.HeadMarginal[w] >= 0 && c.HeadMarginal[w] <= 1) ||
					!(c.HeadMargin[w] >= 0 && c.HeadMargin[w] <= marginCap) {
					t.Fatalf("signals out of range: %+v", c)
				}
			}
		}
	}
}

func TestParseRefusesBadCandidates(t *testing.T) {
	m := newModel(noise(300), part.All)
	s := &syntax.Sentence{Words: make([]syntax.Word, 2)}
	if m.Parse(s, Options{}) == nil {
		t.Error("no candidates: no error")
	}
	s.Candidates = syntax.Candidates{Start: []int32{0, 1, 2}, Heads: []int32{2, 1}, LogOdds: []int32{0, 0}}
	if m.Parse(s, Options{}) == nil {
		t.Error("a cycle is all the candidates allow: no error")
	}
}
