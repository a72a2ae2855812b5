package decode

import (
	"fmt"
	"testing"

	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// noise is a Scorer that gives every key a fixed random weight, so that all
// templates matter.
type noise struct{ scale int32 }

func (z noise) SumParts(keys []feature.Key, ends, sums []int32) {
	from := int32(0)
	for i, end := range ends {
		sums[i], from = z.Sum(keys[from:end]), end
	}
}

func (z noise) Sum(keys []feature.Key) int32 {
	s := int32(0)
	for _, k := range keys {
		r := graph.Rand(k)
		s += int32(r.Below(uint32(2*z.scale+1))) - z.scale
	}
	return s
}

var tags = []string{"NOUN", "VERB", "ADP", "PUNCT", "DET", "CCONJ"}

// randomSentence makes n words whose candidates are all heads, or each with
// probability keep/8 and always the one before.
func randomSentence(n, keep int, r *graph.Rand) *syntax.Sentence {
	s := &syntax.Sentence{}
	s.Candidates.Start = []int32{0}
	for m := 1; m <= n; m++ {
		form := fmt.Sprintf("w%d", r.Below(20))
		upos := tags[r.Below(uint32(len(tags)))]
		if upos == "PUNCT" {
			form = string(",.()\""[r.Below(5)])
		}
		s.Words = append(s.Words, syntax.Word{Form: form, Lemma: form, UPOS: upos, Feats: "Case=" + form[:1], Head: syntax.NoHead})
		for h := 0; h <= n; h++ {
			if h != m && (h == m-1 || int(r.Below(8)) < keep) {
				s.Candidates.Heads = append(s.Candidates.Heads, int32(h))
				s.Candidates.LogProb = append(s.Candidates.LogProb, -int32(r.Below(3000)))
			}
		}
		s.Candidates.Start = append(s.Candidates.Start, int32(len(s.Candidates.Heads)))
	}
	return s
}

// allTrees calls f with the heads of every single-root tree of s.
func allTrees(s *syntax.Sentence, f func(head []int32)) {
	n := len(s.Words)
	head := make([]int32, n+1)
	var rec func(m int)
	rec = func(m int) {
		if m <= n {
			for _, h := range s.Candidates.Of(m) {
				head[m] = h
				rec(m + 1)
			}
			return
		}
		roots := 0
		for k := 1; k <= n; k++ {
			if head[k] == 0 {
				roots++
			}
			u, steps := int32(k), 0
			for ; u != 0 && steps <= n; steps++ {
				u = head[u]
			}
			if u != 0 {
				return
			}
		}
		if roots == 1 {
			f(head)
		}
	}
	rec(1)
}

func scratchScore(x *search, head []int32) int64 {
	var y tree
	y.set(&x.t, head)
	return int64(x.t.scoreParts(y.parts(&x.t, nil)))
}

func newSearch(s *syntax.Sentence, scale int32, on feature.Families) *search {
	x := &search{}
	x.prepare(&Model{vocabulary: feature.Learn(nil), families: on, delta: DefaultDelta}, noise{scale}, s)
	return x
}

// familySets are the sets of families under test: none, all, each alone, each
// off, and random ones.
func familySets() []feature.Families {
	list := []feature.Families{0, feature.Full, feature.Standard, feature.Fast}
	for f := feature.Families(1); f <= feature.Lean; f <<= 1 {
		list = append(list, f, (feature.Full|feature.Lean)&^f)
	}
	r := graph.Rand(7)
	for range 6 {
		list = append(list, feature.Families(r.Next())&(feature.Full|feature.Lean))
	}
	return list
}

// Every gain of every legal move of every tree equals the difference of
// from-scratch scores, and the table total equals the from-scratch score,
// with every family on and off.
func TestGainsEqualScoreDifferences(t *testing.T) {
	r := graph.Rand(1)
	checked := 0
	for _, on := range familySets() {
		for k := 0; k < 10; k++ {
			s := randomSentence(1+int(r.Below(6)), 1+int(r.Below(5)), &r)
			x := newSearch(s, 500, on)
			allTrees(s, func(head []int32) {
				if r.Below(16) == 0 {
					checked += checkGains(t, x, head)
				}
			})
		}
	}
	if checked < 3000 {
		t.Fatalf("only %d moves checked", checked)
	}
}

// checkGains tries all moves of one tree and returns how many there were.
func checkGains(t *testing.T, x *search, head []int32) (checked int) {
	t.Helper()
	n := x.t.n
	before := scratchScore(x, head)
	x.y.set(&x.t, head)
	if got := x.total(); got != before {
		t.Fatalf("%v, heads %v: total %d, from scratch %d", x.t.on, head, got, before)
	}
	global := x.t.globals(&x.y)
	for m := 1; m <= n; m++ {
		for i := x.t.arcs.Start[m-1]; i < x.t.arcs.Start[m]; i++ {
			h := x.t.arcs.Heads[i]
			if h == head[m] || h == 0 || head[m] == 0 || x.y.below(h, int32(m)) {
				continue
			}
			gain := int64(x.y.attach(&x.t, m, i)) - int64(x.y.attach(&x.t, m, x.y.slot[m]))
			moved := append([]int32(nil), head...)
			moved[m] = h
			old := x.y.slot[m]
			x.y.move(&x.t, m, i)
			gain += x.t.globals(&x.y) - global
			if want := scratchScore(x, moved) - before; gain != want {
				t.Fatalf("%v, heads %v, word %d to %d: gain %d, want %d", x.t.on, head, m, h, gain, want)
			}
			if got := x.total(); got != before+gain {
				t.Fatalf("after the move: total %d, want %d", got, before+gain)
			}
			x.y.move(&x.t, m, old)
			checked++
		}
	}
	return checked
}

func TestRerootingEqualsScoreDifference(t *testing.T) {
	r := graph.Rand(2)
	tried := 0
	for k := 0; k < 60; k++ {
		n := 2 + int(r.Below(4))
		s := randomSentence(n, 6, &r)
		x := newSearch(s, 500, feature.Locals)
		allTrees(s, func(head []int32) {
			if r.Below(8) != 0 {
				return
			}
			x.y.set(&x.t, head)
			old, before := x.y.root, x.total()
			for m := int32(1); int(m) <= n; m++ {
				if m == old || !x.mayReplace(m, old) {
					continue
				}
				g := x.tryRoot(m, old)
				tried++
				if moved := x.total() - before; g > 0 && moved != g || g <= 0 && moved != 0 {
					t.Fatalf("re-rooting %v at %d: returned %d, score moved by %d", head, m, g, moved)
				}
				if g > 0 {
					checkTree(t, x)
					x.y.set(&x.t, head)
				}
			}
		})
	}
	if tried < 500 {
		t.Fatalf("only %d moves tried", tried)
	}
}

// checkTree holds links, root and heads of the present tree against a fresh one.
func checkTree(t *testing.T, x *search) {
	t.Helper()
	var y tree
	y.set(&x.t, x.y.head[:x.t.n+1])
	for h := 0; h <= x.t.n; h++ {
		if y.first[h] != x.y.first[h] || y.last[h] != x.y.last[h] || h > 0 && (y.next[h] != x.y.next[h] || y.prev[h] != x.y.prev[h] || y.slot[h] != x.y.slot[h] ||
			y.low[h] != x.y.low[h] || y.high[h] != x.y.high[h]) {
			t.Fatalf("links of %d differ from those of a fresh tree", h)
		}
	}
	if y.root != x.y.root {
		t.Fatalf("root %d, fresh %d", x.y.root, y.root)
	}
}

// The moves of the climb, single changes below a fixed root and re-rooting,
// connect all single-root trees.
func TestMovesConnectAllTrees(t *testing.T) {
	for n := 2; n <= 4; n++ {
		r := graph.Rand(3)
		s := randomSentence(n, 8, &r)
		x := newSearch(s, 10, feature.Standard)
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
			x.y.set(&x.t, head)
			root := x.y.root
			for m := int32(1); int(m) <= n; m++ {
				for h := int32(0); int(h) <= n; h++ {
					moved := append([]int32(nil), head...)
					switch {
					case h == m || m == root:
					case h != 0 && !x.y.below(h, m):
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
		on    feature.Families
		delta int64
		least int // percent of optimal results
	}{
		{feature.Standard, 0, 99},
		{feature.Full, 1 << 40, 95},
		{feature.Full, 300, 80},
		{feature.Full, 0, 80},
	} {
		r := graph.Rand(4)
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
			if !c.on.Any(feature.Globals) || c.delta > 1<<30 {
				checkOptimum(t, x, s)
			}
		}
		if optimal*100 < cases*c.least {
			t.Errorf("%v, delta %d: %d of %d cases optimal, want %d %%", c.on, c.delta, optimal, cases, c.least)
		}
	}
}

// checkOptimum holds the best tree against all single changes.
func checkOptimum(t *testing.T, x *search, s *syntax.Sentence) {
	t.Helper()
	for m := 1; m <= x.t.n; m++ {
		for _, h := range s.Candidates.Of(m) {
			x.y.set(&x.t, x.best)
			if h == 0 || x.best[m] == 0 || x.y.below(h, int32(m)) {
				continue
			}
			moved := append([]int32(nil), x.best[:x.t.n+1]...)
			moved[m] = h
			if scratchScore(x, moved) > x.bestAt {
				t.Fatalf("%v is no local optimum: word %d to %d gains", x.best, m, h)
			}
		}
	}
}

func TestParseIsDeterministicAndBounded(t *testing.T) {
	r := graph.Rand(5)
	m := &Model{vocabulary: feature.Learn(nil), scorer: noise{300}, families: feature.Full, delta: DefaultDelta}
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
				if !(c.HeadMarginal[w] >= 0 && c.HeadMarginal[w] <= 1) || !(c.HeadAgreement[w] > 0 && c.HeadAgreement[w] <= 1) ||
					!(c.HeadMargin[w] >= 0 && c.HeadMargin[w] <= marginCap) {
					t.Fatalf("signals out of range: %+v", c)
				}
			}
		}
	}
}

func TestParseRefusesBadCandidates(t *testing.T) {
	m := &Model{vocabulary: feature.Learn(nil), scorer: noise{300}, families: feature.Full, delta: DefaultDelta}
	s := &syntax.Sentence{Words: make([]syntax.Word, 2)}
	if m.Parse(s, Options{}) == nil {
		t.Error("no candidates: no error")
	}
	s.Candidates = syntax.Candidates{Start: []int32{0, 1, 2}, Heads: []int32{0, 7}, LogProb: []int32{0, 0}}
	if m.Parse(s, Options{}) == nil {
		t.Error("head outside the sentence: no error")
	}
	s.Candidates.Heads = []int32{2, 1}
	if m.Parse(s, Options{}) == nil {
		t.Error("a cycle is all the candidates allow: no error")
	}
}

func TestLongSentenceInWindows(t *testing.T) {
	r := graph.Rand(6)
	m := &Model{vocabulary: feature.Learn(nil), scorer: noise{300}, families: feature.Full, delta: DefaultDelta}
	n := syntax.MaxWholeWords + 500
	s := &syntax.Sentence{}
	for len(s.Words) < n {
		s.Words = append(s.Words, syntax.Word{Form: "w", UPOS: tags[r.Below(6)]})
	}
	b := s.Windows()
	c := &s.Candidates
	c.Start = []int32{0}
	for i := 0; i+1 < len(b); i++ {
		for w := b[i] + 1; w <= b[i+1]; w++ {
			c.Heads, c.LogProb = append(c.Heads, 0), append(c.LogProb, 0)
			if w > b[i]+1 {
				c.Heads, c.LogProb = append(c.Heads, int32(w-1)), append(c.LogProb, 0)
			}
			c.Start = append(c.Start, int32(len(c.Heads)))
		}
	}
	if err := m.Parse(s, Options{Restarts: 2}); err != nil {
		t.Fatal(err)
	}
	roots := 0
	for i := range s.Words {
		if s.Words[i].Head == 0 {
			roots++
		}
	}
	if roots != 1 || s.Status != syntax.Long || s.Confidence.HeadMarginal != nil || len(s.Confidence.HeadMargin) != n {
		t.Errorf("%d roots, status %v", roots, s.Status)
	}
}

var _ score.Scorer = noise{}
