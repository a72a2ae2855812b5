package search

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part"
)

func noisy() *Model {
	m := newModel(noise(500), part.All)
	m.delta = 1 << 30
	return m
}

// Score equals the from-scratch score of every tree, and what is no tree over
// the candidates cannot be reached.
func TestScoreOfEveryTree(t *testing.T) {
	r := hash.Rand(3)
	m := noisy()
	for range 30 {
		s := randomSentence(1+int(r.Below(5)), 2+int(r.Below(7)), &r)
		n := len(s.Words)
		x := newSearch(s, 500, part.All)
		trees := map[string]int64{}
		allTrees(s, func(head []int32) { trees[key(head[1:])] = scratchScore(x, head) })
		heads := make([]int32, n)
		found := 0
		var rec func(i int)
		rec = func(i int) {
			if i < n {
				for h := range n + 3 { // -1 and n+1 are no heads
					heads[i] = int32(h) - 1
					rec(i + 1)
				}
				return
			}
			want, ok := trees[key(heads)]
			got, reachable := m.Score(s, heads)
			if reachable != ok || got != want {
				t.Fatalf("heads %v: score %d, reachable %v; want %d, %v", heads, got, reachable, want, ok)
			}
			if ok {
				found++
			}
		}
		rec(0)
		if found != len(trees) {
			t.Fatalf("%d of %d trees reached", found, len(trees))
		}
	}
}

func key(heads []int32) string {
	b := make([]byte, len(heads))
	for i, h := range heads {
		b[i] = byte(h)
	}
	return string(b)
}

// A climb ends in a tree from which none gains, and Parse
// finds one that is no worse.
func TestClimbs(t *testing.T) {
	r := hash.Rand(5)
	m := noisy()
	m.source.Families = part.Locals // a climb by local parts may leave a tree that is best by all
	for range 30 {
		s := randomSentence(2+int(r.Below(6)), 5, &r)
		x := &Search{}
		x.prepare(m, s)
		climb := func(heads []int32) int64 {
			if !x.load(heads) {
				t.Fatalf("%v cannot be reached", heads)
			}
			x.Climb()
			copy(heads, x.Tree.Head[1:])
			return x.total()
		}
		best := int64(-1 << 62)
		allTrees(s, func(head []int32) {
			if r.Below(8) != 0 {
				return
			}
			heads := slices.Clone(head[1:])
			before, _ := m.Score(s, heads)
			got := climb(heads)
			if again := climb(slices.Clone(heads)); got < before || again != got {
				t.Fatalf("from %d to %d and then %d", before, got, again)
			}
			best = max(best, got)
		})
		if err := m.Parse(s, Options{Restarts: 500, Patience: 500}); err != nil {
			t.Fatal(err)
		}
		if score, ok := m.Score(s, s.Heads()); !ok || score < best {
			t.Errorf("Parse found %d, %v; climbs %d", score, ok, best)
		}
	}
}
