package projective

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/part/parttest"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

const plenty = 1 << 40 // steps

// prepare scores the parts of a sentence with random weights.
func prepare(t *testing.T, s *syntax.Sentence, changes string) *part.Scores {
	t.Helper()
	on, err := part.Families(0).With(changes)
	if err != nil {
		t.Fatal(err)
	}
	x := &part.Scores{}
	x.Prepare(&part.Source{Vocabulary: word.Learn(nil), Parts: parttest.Noise(400), Families: on}, s)
	return x
}

// The result is the best of all projective trees with a single root, for the
// families of model 1, of model 2, of both, and of the standard preset.
func TestBestIsTheBestOfAllProjectiveTrees(t *testing.T) {
	var chart Chart
	r := hash.Rand(101)
	for _, changes := range []string{"", "+gp", "+cs", "+gs", "+ts", "+cross", "+gp,+cs,+gs,+cross", "+cs,+ts", "+hb",
		"+gp,+cs,+hb,+cross", "+gp,+cs,+gs,+ts,+hb,+cross"} {
		none, several, long := 0, 0, 0
		for k := range 250 {
			n, keep := 1+k%7, 1+int(r.Below(8))
			if n == 7 {
				keep = 1 + int(r.Below(5)) // all trees take too long
			}
			s := parttest.RandomSentence(n, keep, &r)
			if k%5 == 0 {
				lose(s, &r)
			}
			x := prepare(t, s, changes)
			var y part.Tree
			trees, most := 0, int64(0)
			parttest.AllTrees(s, func(head []int32) {
				if !parttest.IsProjective(head) {
					return
				}
				y.Set(&x.Arcs, head)
				if v := x.FromScratch(&y); trees == 0 || v > most {
					most = v
				}
				trees++
			})
			head := make([]int32, n+1)
			got, _, result := chart.Best(x, plenty, head)
			if trees == 0 {
				if none++; result != NoTree {
					t.Fatalf("%q: result %d where there is no tree", changes, result)
				}
				continue
			}
			if result != Found || got != most {
				t.Fatalf("%q: %d words, result %d, score %d, the best of %d trees has %d", changes, n, result, got, trees, most)
			}
			if roots := slices.DeleteFunc(slices.Clone(head[1:]),
				func(h int32) bool { return h != 0 }); !parttest.IsProjective(head) || len(roots) != 1 {
				t.Fatalf("%q: heads %v", changes, head[1:])
			}
			y.Set(&x.Arcs, head)
			if v := x.FromScratch(&y); v != got {
				t.Fatalf("%q: heads %v have a score of %d, not %d", changes, head[1:], v, got)
			}
			if trees > 10 {
				several++
			}
			if trees > 100 {
				long++
			}
		}
		if none < 3 || several < 40 || long < 15 {
			t.Errorf("%q: %d sentences without a tree, %d with more than 10, %d with more than 100", changes, none, several, long)
		}
	}
}

// lose drops the candidates before their words, but for one word: such
// sentences may have no projective tree.
func lose(s *syntax.Sentence, r *hash.Rand) {
	c, from := &s.Candidates, 0
	old := *c
	*c = syntax.Candidates{Start: []int32{0}}
	for m := 1; m <= len(s.Words); m++ {
		list := old.Of(m)
		for i, h := range list {
			if len(list) == 1 || r.Below(2) == 0 || i == len(list)-1 && len(c.Heads) == int(c.Start[m-1]) {
				c.Heads, c.LogOdds = append(c.Heads, h), append(c.LogOdds, old.LogOdds[from+i])
			}
		}
		from += len(list)
		c.Start = append(c.Start, int32(len(c.Heads)))
	}
}

// With arcs alone, it is Eisner's algorithm.
func TestArcsAloneAreFirstOrder(t *testing.T) {
	var chart Chart
	r := hash.Rand(102)
	for range 100 {
		s := parttest.RandomSentence(10+int(r.Below(30)), 3, &r)
		x := prepare(t, s, "")
		head, want := make([]int32, x.N+1), make([]int32, x.N+1)
		got, _, result := chart.Best(x, plenty, head)
		if absent := new(graph.Spanner).ProjectiveTree(&x.Arcs, want); absent > 0 || result != Found {
			t.Fatalf("%d heads absent, result %d", absent, result)
		}
		var y part.Tree
		y.Set(&x.Arcs, want)
		if sum := x.FromScratch(&y); sum != got {
			t.Fatalf("score %d, by Eisner's algorithm %d", got, sum)
		}
	}
}

// Whatever does not fit is refused.
func TestRefusals(t *testing.T) {
	var chart Chart
	r := hash.Rand(103)
	s := parttest.RandomSentence(5, 4, &r)
	for _, changes := range []string{"+ggp", "+psc", "+valency"} {
		if _, _, result := chart.Best(prepare(t, s, changes), plenty, make([]int32, 6)); result != Misfit {
			t.Errorf("%s: result %d", changes, result)
		}
	}
	s = parttest.RandomSentence(120, 8, &r)
	if _, _, result := chart.Best(prepare(t, s, "+ts"), plenty, make([]int32, 121)); result != TooLarge {
		t.Errorf("120 words, all heads: result %d", result)
	}
}

// With too few steps it gives up soon, in steady state it allocates nothing, and
// scratch from other sentences changes nothing.
func TestChartIsScratch(t *testing.T) {
	var chart Chart
	r := hash.Rand(104)
	const all = "+gp,+cs,+gs,+ts,+hb,+cross"
	gaveUp := 0
	for range 20 {
		x := prepare(t, parttest.RandomSentence(5+int(r.Below(12)), 2, &r), all)
		head, again := make([]int32, x.N+1), make([]int32, x.N+1)
		score, steps, result := new(Chart).Best(x, plenty, head)
		if result != Found {
			t.Fatalf("result %d", result)
		}
		few := steps / 3
		if _, now, result := chart.Best(x, few, again); result == TooLarge {
			gaveUp++
			if now > 2*few+1000 {
				t.Errorf("%d steps, where %d are allowed", now, few)
			}
		}
		if s, n, result := chart.Best(x, steps, again); s != score || n != steps || result != Found ||
			!slices.Equal(head[1:], again[1:]) {
			t.Fatalf("score %d in %d steps, heads %v; at first %d in %d, %v", s, n, again[1:], score, steps, head[1:])
		}
		if n := testing.AllocsPerRun(3, func() { chart.Best(x, steps, again) }); n > 0 {
			t.Errorf("%v allocations", n)
		}
	}
	if gaveUp < 15 {
		t.Errorf("gave up on %d sentences of 20", gaveUp)
	}
}
