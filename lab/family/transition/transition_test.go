package transition

import (
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// noisy scores actions by all that a View has, at random.
type noisy struct {
	seed   uint64
	range_ uint64
}

func (x noisy) Score(v *View, out *[3]int64) {
	h := x.seed
	for _, p := range [...]int32{v.N, v.Next, v.S0, v.S1, v.S2, v.From, v.L0, v.R0, v.L1, v.R1} {
		h = hash.Pair(h, uint64(uint32(p)))
	}
	for a := range out {
		out[a] = int64(hash.Pair(h, uint64(a))%x.range_) - int64(x.range_/2)
	}
}

// Cost depends on exactly what Costs may see.
func (x noisy) Cost(a Action, s1, s0, next int32) int32 {
	h := x.seed
	for _, p := range [...]int32{int32(a), s1, s0, next} {
		h = hash.Pair(h, uint64(uint32(p)))
	}
	return int32(h % x.range_)
}

// A copied state holds whole arrays.
type copied struct {
	score int64
	next  int32
	stack []int32
	head  []int32
}

func (c *copied) outermost(w int32, right bool) int32 {
	out := int32(None)
	for m := int32(1); int(m) < len(c.head); m++ {
		if c.head[m] != w || (m > w) != right || w == None {
			continue
		}
		if out == None || right {
			out = m
		}
	}
	return out
}

func (c *copied) view() View {
	at := func(k int) int32 {
		if k >= len(c.stack) {
			return None
		}
		return c.stack[len(c.stack)-1-k]
	}
	v := View{N: int32(len(c.head) - 1), Next: c.next, S0: at(0), S1: at(1), S2: at(2)}
	v.L0, v.R0 = c.outermost(v.S0, false), c.outermost(v.S0, true)
	v.L1, v.R1 = c.outermost(v.S1, false), c.outermost(v.S1, true)
	v.From = v.S0
	for l := v.L0; l != None; l = c.outermost(l, false) {
		v.From = l
	}
	return v
}

func (c *copied) after(a Action, score int64) *copied {
	d := &copied{c.score + score, c.next, slices.Clone(c.stack), slices.Clone(c.head)}
	if a == Shift {
		d.stack = append(d.stack, d.next)
		d.next++
		return d
	}
	v := c.view()
	h, m := v.arc(a)
	d.head[m] = h
	d.stack = append(d.stack[:len(d.stack)-2], h)
	return d
}

func begin(n int) *copied {
	c := &copied{next: 1, stack: []int32{0}, head: make([]int32, n+1)}
	for m := range c.head {
		c.head[m] = None
	}
	return c
}

// naive is Beam by copying.
func naive(n, width int, oneRoot bool, s Scorer) *copied {
	list := []*copied{begin(n)}
	for range 2 * n {
		var next []*copied
		for _, c := range list {
			v := c.view()
			var scores [3]int64
			s.Score(&v, &scores)
			for a := range numActions {
				if v.may(a, oneRoot) {
					next = append(next, c.after(a, scores[a]))
				}
			}
		}
		slices.SortStableFunc(next, func(x, y *copied) int {
			switch {
			case x.score > y.score:
				return -1
			case x.score < y.score:
				return 1
			}
			return 0
		})
		list = next[:min(len(next), width)]
	}
	return list[0]
}

// every visits all sequences of actions, each with its score or cost; those of
// free ones may attach modifiers in any order.
func every(c *copied, oneRoot, free bool, s func(c *copied, v *View, out *[3]int64), visit func(c *copied)) {
	if n := len(c.head) - 1; int(c.next) > n && len(c.stack) == 1 {
		visit(c)
		return
	}
	v := c.view()
	var scores [3]int64
	s(c, &v, &scores)
	if free {
		v.R0 = None
	}
	for a := range numActions {
		if v.may(a, oneRoot) {
			every(c.after(a, scores[a]), oneRoot, free, s, visit)
		}
	}
}

func roots(head []int32) (count int) {
	for _, h := range head[1:] {
		if h == 0 {
			count++
		}
	}
	return count
}

func crosses(head []int32) bool {
	for a := 1; a < len(head); a++ {
		for b := 1; b < len(head); b++ {
			l, r := min(a, int(head[a])), max(a, int(head[a]))
			l2, r2 := min(b, int(head[b])), max(b, int(head[b]))
			if l < l2 && l2 < r && r < r2 {
				return true
			}
		}
	}
	return false
}

// The shared stacks give the states, scores and trees of copied ones.
func TestBeamEqualsCopying(t *testing.T) {
	var b Beam
	for i := range 400 {
		n, width := 1+i%23, 1+i%64
		if i%3 == 0 {
			width = 1 + i%8
		}
		s := noisy{uint64(i), []uint64{3, 50, 1 << 40}[i%3]}
		b.Width, b.OneRoot = width, i%2 == 0
		head := make([]int32, n+1)
		score := b.Decode(n, s, head)
		want := naive(n, width, b.OneRoot, s)
		if score != want.score || !slices.Equal(head[1:], want.head[1:]) {
			t.Fatalf("sentence %d of %d words, beam of %d: %d %v, copying: %d %v", i, n, width, score, head[1:], want.score, want.head[1:])
		}
		if r := roots(head); crosses(head) || r < 1 || b.OneRoot && r > 1 {
			t.Fatalf("sentence %d: heads %v", i, head[1:])
		}
	}
}

// A beam that drops nothing finds the best of all sequences; there is one for
// every tree without crossing arcs.
func TestWideBeamEqualsEnumeration(t *testing.T) {
	var b Beam
	for i := range 60 {
		n := 1 + i%5
		s := noisy{uint64(1000 + i), 1 << 30}
		b.Width, b.OneRoot = 1<<14, i%2 == 0
		best, trees := int64(math.MinInt64), map[[6]int32]int{}
		every(begin(n), b.OneRoot, false, func(_ *copied, v *View, out *[3]int64) { s.Score(v, out) }, func(c *copied) {
			best = max(best, c.score)
			var key [6]int32
			copy(key[:], c.head)
			trees[key]++
		})
		if got := b.Decode(n, s, make([]int32, n+1)); got != best {
			t.Errorf("%d words: %d, of all %d", n, got, best)
		}
		// Projective trees with one root: Sloane's A006013; with several: A001764.
		want := []int{1, 2, 7, 30, 143}[n-1]
		if !b.OneRoot {
			want = []int{1, 3, 12, 55, 273}[n-1]
		}
		if len(trees) != want {
			t.Errorf("%d words: %d trees, want %d", n, len(trees), want)
		}
		for tree, count := range trees {
			if count != 1 {
				t.Errorf("%d sequences lead to %v", count, tree)
			}
		}
	}
}

// A beam does not allocate from its second sentence on.
func TestBeamReusesItsMemory(t *testing.T) {
	b := Beam{Width: 8}
	s := Scorer(noisy{7, 1 << 20})
	head := make([]int32, 101)
	if got := testing.AllocsPerRun(10, func() { b.Decode(100, s, head) }); got > 0 {
		t.Errorf("%v allocations a sentence", got)
	}
	if got, want := len(b.states), 1+2*100*8; got > want {
		t.Errorf("%d states, want at most %d", got, want)
	}
}

// The first tree of the whole sentence is the cheapest of all sequences, and
// costs of what is finished do not fall.
func TestBestFirstEqualsEnumeration(t *testing.T) {
	var x BestFirst
	for i := range 400 {
		n := 1 + i%6
		c := noisy{uint64(i), []uint64{2, 20, 1 << 29}[i%3]}
		x.OneRoot = i%2 == 0
		least := int64(math.MaxInt64)
		every(begin(n), x.OneRoot, true, func(_ *copied, v *View, out *[3]int64) {
			for a := range numActions {
				out[a] = int64(c.Cost(a, v.S1, v.S0, v.Next))
			}
		}, func(d *copied) { least = min(least, d.score) })
		head := make([]int32, n+1)
		got, found := x.Decode(n, c, head)
		if !found || got != least || priceOf(head, c, x.OneRoot) != least {
			t.Fatalf("%d words: %d %v, heads %v cost %d; of all %d", n, got, found, head[1:], priceOf(head, c, x.OneRoot), least)
		}
		last := int64(0)
		for _, p := range x.items {
			if p.before < 0 || p.inside > p.before {
				t.Fatalf("item %+v", p)
			}
			if p.finished {
				last = max(last, p.before)
			}
		}
		if last > least {
			t.Errorf("an item of cost %d was finished, the best tree costs %d", last, least)
		}
	}
}

// priceOf returns the cost of the cheapest sequence that leads to a tree.
func priceOf(head []int32, c Costs, oneRoot bool) int64 {
	least := int64(math.MaxInt64)
	every(begin(len(head)-1), oneRoot, true, func(_ *copied, v *View, out *[3]int64) {
		for a := range numActions {
			out[a] = int64(c.Cost(a, v.S1, v.S0, v.Next))
		}
	}, func(d *copied) {
		if slices.Equal(d.head[1:], head[1:]) {
			least = min(least, d.score)
		}
	})
	return least
}

// Merging stacks takes fewer items than there are stacks, and a limit stops
// the search.
func TestBestFirstIsBounded(t *testing.T) {
	c := noisy{3, 1000}
	var x BestFirst
	head := make([]int32, 15)
	want, _ := x.Decode(14, c, head)
	if all := x.Finished(); all > 14*14*14*14 {
		t.Errorf("%d items for 14 words", all)
	} else {
		x.Limit = all
		if got, found := x.Decode(14, c, head); !found || got != want {
			t.Errorf("with a limit of all items: %d %v, want %d", got, found, want)
		}
		x.Limit = all / 2
		if _, found := x.Decode(14, c, head); found {
			t.Error("half of the items are enough")
		}
	}
	if _, found := x.Decode(MaxBestFirst+1, c, nil); found {
		t.Error("a sentence that is too long was taken")
	}
}

// randomArcs are candidates of which each word has some, the word before it
// among them.
func randomArcs(n int, r *hash.Rand) graph.Arcs {
	a := graph.Arcs{Start: []int32{0}}
	for m := 1; m <= n; m++ {
		for h := range int32(n + 1) {
			if int(h) != m && (int(h) == m-1 || r.Below(3) == 0) {
				a.Heads, a.Score = append(a.Heads, h), append(a.Score, -int32(r.Below(5000)))
			}
		}
		a.Start = append(a.Start, int32(len(a.Heads)))
	}
	return a
}

func worth(a *graph.Arcs, head []int32) (sum int64) {
	for m := 1; m <= a.N(); m++ {
		lo, hi := a.Span(m)
		at, found := slices.BinarySearch(a.Heads[lo:hi], head[m])
		if !found {
			return math.MinInt64
		}
		sum += int64(a.Score[lo+at])
	}
	return sum
}

// By the scores of arcs, best-first search finds Eisner's tree, a wide beam too,
// and no beam more.
func TestArcsAgainstEisner(t *testing.T) {
	r := hash.Rand(4)
	var arcs Arcs
	var chart Eisner
	narrow, wide := 0, 0
	for range 150 {
		n := 1 + int(r.Below(14))
		a := randomArcs(n, &r)
		want, head := make([]int32, n+1), make([]int32, n+1)
		if chart.Tree(&a, want) > 0 {
			t.Fatal("no projective tree")
		}
		best := worth(&a, want)
		arcs.Load(a, 1<<20)
		x := BestFirst{OneRoot: true}
		cost, found := x.Decode(n, &arcs, head)
		if !found || worth(&a, head) != best {
			t.Fatalf("best first: %d of %d", worth(&a, head), best)
		}
		for _, width := range []int{1, 8, 600} {
			b := Beam{Width: width, OneRoot: true}
			score := b.Decode(n, &arcs, head)
			switch got := worth(&a, head); {
			case -score < cost || got > best || got > math.MinInt64 && got-best != score+cost:
				t.Fatalf("a beam of %d: %d, its tree %d; the best tree costs %d and has %d", width, score, got, cost, best)
			case width == 8 && got == best:
				narrow++
			case width == 600 && got == best:
				wide++
			}
		}
	}
	if narrow < 80 || wide < 140 {
		t.Errorf("of 150 trees, a beam of 8 finds %d, one of 600 %d", narrow, wide)
	}
}

// What is owed is the least that an arc with a later word costs.
func TestOwed(t *testing.T) {
	r := hash.Rand(9)
	var arcs Arcs
	for range 50 {
		n := 1 + int(r.Below(9))
		a := randomArcs(n, &r)
		arcs.Load(a, 4000)
		for w := int32(0); int(w) <= n; w++ {
			for from := w + 1; int(from) <= n; from++ {
				want := int32(4000)
				for p := from; int(p) <= n; p++ {
					want = min(want, arcs.lossOf(w, p), arcs.lossOf(p, max(w, 1)))
				}
				if got := arcs.owed(w, from); w > 0 && got != int64(want) || w == syntax.Root && got != 0 {
					t.Fatalf("word %d from %d: %d, want %d", w, from, got, want)
				}
			}
		}
	}
}
