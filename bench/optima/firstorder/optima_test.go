package firstorder

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
)

// by makes the scores of a function.
func by(n int, score func(h, m int) int) *Scores {
	arcs := make([]int32, (n+1)*(n+1))
	for h := 0; h <= n; h++ {
		for m := 1; m <= n; m++ {
			arcs[h*(n+1)+m] = int32(score(h, m))
		}
	}
	return New(n, arcs)
}

func random(n int, limit uint32, r *hash.Rand) *Scores {
	return by(n, func(int, int) int { return int(r.Below(limit)) })
}

// trees calls f with every tree over n words, head[1..n].
func trees(n int, f func(head []int32)) {
	head := make([]int32, n+1)
	var rec func(m int)
	rec = func(m int) {
		if m <= n {
			for h := range n + 1 {
				if head[m] = int32(h); h != m {
					rec(m + 1)
				}
			}
			return
		}
		if isTree(head) {
			f(head)
		}
	}
	rec(1)
}

func isTree(head []int32) bool {
	for m := 1; m < len(head); m++ {
		steps := 0
		for u := int32(m); u != 0; u = head[u] {
			if steps++; steps >= len(head) {
				return false
			}
		}
	}
	return true
}

// better is the order of heads of the package comment.
func (s *Scores) better(a, b int32, m int) bool {
	if s.Arc(a, m) != s.Arc(b, m) {
		return s.Arc(a, m) > s.Arc(b, m)
	}
	return a < b
}

// local reports whether no change of one head gains.
func local(s *Scores, head []int32, gains func(from, to int32, m int) bool) bool {
	for m := 1; m <= s.N; m++ {
		for h := int32(0); int(h) <= s.N; h++ {
			if int(h) != m && h != head[m] && !below(head, h, int32(m)) && gains(head[m], h, m) {
				return false
			}
		}
	}
	return true
}

// brute returns all local optima.
func brute(s *Scores) map[string]bool {
	found := map[string]bool{}
	trees(s.N, func(head []int32) {
		if local(s, head, func(from, to int32, m int) bool { return s.better(to, from, m) }) {
			found[fmt.Sprint(head[1:])] = true
		}
	})
	return found
}

func TestNumberOfTrees(t *testing.T) {
	for n, want := range []int{1: 1, 3, 16, 125, 1296} {
		got := 0
		trees(n, func([]int32) { got++ })
		if n > 0 && got != want {
			t.Errorf("%d words: %d trees, want %d", n, got, want)
		}
	}
}

// The count is that of brute force, also where scores are tied, lies between
// 1 and 2^(n-1), is 1 if and only if the best heads make a tree, and the best
// tree is among the optima. Climbs from all trees end in exactly them.
func TestCountIsThatOfBruteForce(t *testing.T) {
	r := hash.Rand(1)
	most := map[int]uint64{}
	for k := 0; k < 500; k++ {
		n := 1 + int(r.Below(5))
		if k%50 == 0 {
			n = 6
		}
		s := random(n, []uint32{4, 20, 1 << 20}[k%3], &r)
		want := brute(s)
		got, exact := s.Count(1 << 20)
		if got != uint64(len(want)) || !exact || got > 1<<(n-1) {
			t.Fatalf("n = %d: %d optima (exact %v), want %d", n, got, exact, len(want))
		}
		most[n] = max(most[n], got)
		head := make([]int32, n+1)
		for m := 1; m <= n; m++ {
			head[m] = s.ranked(m)[0]
		}
		if isTree(head) != (got == 1) {
			t.Fatalf("best heads %v, %d optima", head[1:], got)
		}
		s.Best(head)
		best, total := int64(math.MinInt64), s.Total(head)
		trees(n, func(head []int32) { best = max(best, s.Total(head)) })
		if total != best || !s.Tied() && !want[fmt.Sprint(head[1:])] {
			t.Fatalf("best tree %v of score %d, want %d", head[1:], total, best)
		}
		var c Climber
		ends := map[string]bool{}
		trees(n, func(head []int32) {
			y := slices.Clone(head)
			c.Climb(s, y)
			ends[fmt.Sprint(y[1:])] = true
		})
		if len(ends) != len(want) {
			t.Fatalf("climbs end in %d trees, want %d", len(ends), len(want))
		}
		for end := range ends {
			if !want[end] {
				t.Fatalf("a climb ended in %s, which is no local optimum", end)
			}
		}
	}
	if most[5] < 5 {
		t.Errorf("the cases are too easy: %v", most)
	}
}

// The fixtures D.2 and D.3 of the specification.
func TestFixtures(t *testing.T) {
	for name, c := range map[string]struct {
		score func(h, m int) int
		want  []uint64 // of n = 2, 3, ...
	}{
		"D.2": {func(h, m int) int { return (7*h*h + 11*m + 3*h*m*m + (h+1)*(m+2)*(m+3)) % 101 }, []uint64{2, 1, 4, 6, 7}},
		"D.3": {func(h, m int) int { return (17*h*h + 5*m + 13*h*m*m + (h+1)*(m+2)*(m+3)) % 97 }, []uint64{1, 1, 1, 2, 6}},
	} {
		for i, want := range c.want {
			s := by(i+2, c.score)
			if got, _ := s.Count(1 << 20); got != want || s.Tied() {
				t.Errorf("%s, n = %d: %d optima (tied %v), want %d", name, i+2, got, s.Tied(), want)
			}
		}
	}
}

// The bound of Theorem 1 is tight, for the paper's example, whichever way its
// ties are broken (D.4). Where ties are no order, the example has n! optima of
// which two are strict.
func TestTightExample(t *testing.T) {
	example := func(n int, tie func(h, m int) int) *Scores {
		return by(n, func(h, m int) int { return 1000*min(h, m) + tie(h, m) })
	}
	distance := func(h, m int) int { return max(h-m, m-h) }
	for n := 1; n <= 40; n++ {
		for i, tie := range []func(h, m int) int{
			func(h, m int) int { return 0 },
			func(h, m int) int { return h },
			func(h, m int) int { return -h },
			distance,
			func(h, m int) int { return -distance(h, m) },
		} {
			if got, exact := example(n, tie).Count(1 << 20); got != 1<<(n-1) || !exact {
				t.Errorf("n = %d, ties %d: %d optima (exact %v), want %d", n, i, got, exact, 1<<(n-1))
			}
		}
	}
	for n, want := range [][2]int{1: {1, 1}, {2, 2}, {6, 2}, {24, 2}, {120, 2}} {
		if n == 0 {
			continue
		}
		s := example(n, func(h, m int) int { return 0 })
		var got [2]int
		trees(n, func(head []int32) {
			if local(s, head, func(from, to int32, m int) bool { return s.Arc(to, m) > s.Arc(from, m) }) {
				got[0]++
			}
			if local(s, head, func(from, to int32, m int) bool { return s.Arc(to, m) >= s.Arc(from, m) }) {
				got[1]++
			}
		})
		if got != want {
			t.Errorf("n = %d: weak and strict optima %v, want %v", n, got, want)
		}
	}
}

// Many cycles that have nothing to do with each other cost little to count,
// counts that are too large are the largest, and the limit holds.
func TestCountOfManyCycles(t *testing.T) {
	pairs := func(n int) *Scores { // 1 and 2 prefer each other, then the root, and so on
		return by(n, func(h, m int) int {
			switch {
			case (h-1)/2 == (m-1)/2 && h > 0:
				return 2000
			case h == 0:
				return 1000
			}
			return h
		})
	}
	for _, n := range []int{2, 20, 100} {
		if got, exact := pairs(n).Count(n); got != 1<<(n/2) || !exact {
			t.Errorf("%d words: %d optima (exact %v)", n, got, exact)
		}
	}
	if got, exact := pairs(140).Count(140); got != math.MaxUint64 || !exact {
		t.Errorf("140 words: %d optima (exact %v)", got, exact)
	}
	if got, exact := pairs(20).Count(5); exact || got >= 1<<10 || got < 1 {
		t.Errorf("limit 5: %d optima (exact %v)", got, exact)
	}
}

// Any tree reaches any other by as many changes as heads differ, made bottom
// up (Zhang et al. 2014): all pairs of four words.
func TestEveryTreeReachesEveryOther(t *testing.T) {
	var all [][]int32
	trees(4, func(head []int32) { all = append(all, slices.Clone(head)) })
	var c Climber
	for _, from := range all {
		c.postorder(4, from)
		for _, to := range all {
			head := slices.Clone(from)
			for _, m := range c.order {
				if head[m] = to[m]; !isTree(head) {
					t.Fatalf("from %v to %v: %v is no tree", from[1:], to[1:], head[1:])
				}
			}
		}
	}
}

// Uniform draws have the probabilities of D.5, weighted ones those of the
// matrix tree fixture D.1.
func TestDraws(t *testing.T) {
	const draws = 60000
	r := hash.Rand(7)
	var c Climber
	for n := 2; n <= 5; n++ {
		s := random(n, 1000, &r)
		head := make([]int32, n+1)
		root := 0
		for range draws {
			c.Uniform(s, head, &r)
			if !isTree(head) {
				t.Fatalf("%v is no tree", head[1:])
			}
			if head[1] == 0 {
				root++
			}
		}
		if p := float64(root) / draws; math.Abs(p-2/float64(n+1)) > 0.01 {
			t.Errorf("n = %d: word 1 hangs on the root in %.3f, want %.3f", n, p, 2/float64(n+1))
		}
	}
	table := [4][4]int{{0, 1, 2, 3}, {0, 0, 1, 2}, {0, 2, 0, 1}, {0, 1, 3, 0}}
	want := [4][4]int{{0, 360, 416, 832}, {0, 0, 88, 176}, {0, 480, 0, 72}, {0, 240, 576, 0}}
	s := by(3, func(h, m int) int { return 100000 * table[h][m] })
	c.Prepare(s, 144270) // 100000 is ln 2
	head := make([]int32, 4)
	var got [4][4]int
	for range draws {
		c.Sampled(s, head, &r)
		for m := 1; m <= 3; m++ {
			got[head[m]][m]++
		}
	}
	for h := range want {
		for m := 1; m <= 3; m++ {
			if p, q := float64(got[h][m])/draws, float64(want[h][m])/1080; math.Abs(p-q) > 0.01 {
				t.Errorf("arc %d -> %d drawn in %.3f, want %.3f", h, m, p, q)
			}
		}
	}
	// Two words that all but exclude the root: the walk still ends.
	s = by(2, func(h, m int) int { return min(h, 1) * 1 << 20 })
	c.Prepare(s, 1)
	c.Sampled(s, head, &r)
	if !isTree(head[:3]) {
		t.Errorf("%v is no tree", head[1:3])
	}
}
