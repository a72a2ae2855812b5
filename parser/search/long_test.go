package search

import (
	"fmt"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A climb begins with no word in line, whatever the one before it has left
// there: a word that is marked, but not in line, would not be visited again.
func TestClimbVisitsWordsLeftInLine(t *testing.T) {
	r := hash.Rand(22)
	left := 0
	for range 200 {
		s := randomSentence(12, 3, &r)
		x := newSearch(s, 500, part.Standard)
		if !x.First() {
			t.Fatal("no tree")
		}
		if x.reroot() > 0 { // as the last thing that a climb does at its limit of sweeps
			left++
		}
		x.climb()
		if w := slices.Index(x.queued, true); w >= 0 || len(x.queue) > 0 {
			t.Fatalf("word %d is still marked, %d are in line", w, len(x.queue))
		}
	}
	if left < 20 {
		t.Errorf("only %d climbs left words in line: the test sees too little", left)
	}
}

// long returns a sentence of n words and its candidates: all but the one that
// some say are noise around it.
func long(n int, r *hash.Rand, heads func(m int) []int32) *syntax.Sentence {
	s := &syntax.Sentence{}
	c := &s.Candidates
	c.Start = []int32{0}
	for m := 1; m <= n; m++ {
		s.Words = append(s.Words, syntax.Word{Form: "w", UPOS: tags[r.Below(6)], Head: syntax.NoHead})
		for _, h := range heads(m) {
			c.Heads, c.LogOdds = append(c.Heads, h), append(c.LogOdds, 0)
		}
		c.Start = append(c.Start, int32(len(c.Heads)))
	}
	return s
}

// Where the candidates leave one tree of the whole sentence, it is found, whatever
// middles of windows its arcs connect; where they leave none in a window, or none
// at all, there is still a tree, and no arcs cross if they must not.
func TestLongSentences(t *testing.T) {
	r := hash.Rand(6)
	m := newModel(noise(300), part.All)
	const n = syntax.MaxWholeWords + 500
	for name, heads := range map[string]func(m int) []int32{
		"forwards":  func(m int) []int32 { return []int32{int32(m - 1)} },
		"backwards": func(m int) []int32 { return []int32{int32((m + 1) % (n + 1))} },
		"far":       func(m int) []int32 { return []int32{int32(max(m-40, 0))} },
		"choices": func(m int) []int32 { // so few that all trees of a window are scored
			if m%60 == 30 {
				return []int32{int32(m - 2), int32(m - 1)}
			}
			return []int32{int32(m - 1)}
		},
		"free":   func(m int) []int32 { return []int32{0, int32(m%n + 1)} },
		"cycles": func(m int) []int32 { return []int32{int32((m - 1) ^ 1 + 1)} },
		"roots":  func(int) []int32 { return []int32{0} },
		"beyond": func(m int) []int32 { return []int32{int32((m+n/2-1)%n + 1)} },
	} {
		for _, projective := range []bool{false, true} {
			s := long(n, &r, heads)
			if err := m.Parse(s, Options{Restarts: 2, Projective: projective}); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			c := &s.Confidence
			if err := syntax.CheckTree(s.Words); err != nil || s.Status != syntax.Long || len(c.HeadMarginal) != n ||
				len(c.FirstOrder) != n || len(c.HeadDoubt) != n || len(c.FirstDoubt) != n || len(c.HeadMargin) != n ||
				c.TreeMargin != 0 {
				t.Errorf("%s: %v, status %v, tree margin %v", name, err, s.Status, c.TreeMargin)
			}
			all, last := 0, int32(0)
			for i := range s.Words {
				if want := heads(i + 1); len(want) == 1 && s.Words[i].Head == want[0] {
					all++
				}
				last = max(last, s.Words[i].Head)
			}
			if chain := name == "forwards" || name == "backwards"; chain && all != n || last > n {
				t.Errorf("%s, projective %v: %d of %d words have the only head that they may have", name, projective, all, n)
			}
			if name == "roots" && (s.Words[0].Head != 0 || s.Words[n-1].Head != 1) {
				t.Errorf("roots: heads %d and %d", s.Words[0].Head, s.Words[n-1].Head)
			}
			if projective && !isProjective(headsOf(s)) {
				t.Errorf("%s: arcs cross", name)
			}
		}
	}
}

// Without crossing arcs, the tree is the lifted one, and words that keep their
// heads keep what is said of them. A head that is no candidate is not sure at all.
func TestLifting(t *testing.T) {
	for _, n := range []int{100, syntax.MaxMarginalWords + 100, syntax.MaxWholeWords + 300} {
		t.Run(fmt.Sprint(n), func(t *testing.T) { testLifting(t, n) })
	}
}

func testLifting(t *testing.T, n int) {
	r := hash.Rand(9)
	m := newModel(noise(300), part.Standard)
	s := long(n, &r, func(m int) []int32 {
		list := []int32{0}
		for range 3 {
			if h := int32(max(1, min(n, m-30+int(r.Below(61))))); int(h) != m && !slices.Contains(list, h) {
				list = append(list, h)
			}
		}
		slices.Sort(list)
		return list
	})
	var trees [2]syntax.Sentence
	for k := range trees {
		trees[k] = syntax.Clone([]syntax.Sentence{*s})[0]
		if err := m.Parse(&trees[k], Options{Projective: k == 1}); err != nil {
			t.Fatal(err)
		}
	}
	head := headsOf(&trees[0])
	graph.Lift(head)
	if !slices.Equal(head[1:], trees[1].Heads()) {
		t.Fatal("the tree is not the lifted one")
	}
	free, flat := &trees[0].Confidence, &trees[1].Confidence
	if flat.TreeMargin > free.TreeMargin || flat.Certificate != syntax.Uncertain {
		t.Errorf("a margin of %v after %v, certificate %q", flat.TreeMargin, free.TreeMargin, flat.Certificate)
	}
	lifted, unknown := 0, 0
	for i := range n {
		now := [...]float32{flat.HeadMarginal[i], flat.HeadDoubt[i], flat.FirstOrder[i], flat.FirstDoubt[i],
			flat.HeadMargin[i]}
		switch {
		case head[i+1] == trees[0].Words[i].Head:
			if now != [...]float32{free.HeadMarginal[i], free.HeadDoubt[i], free.FirstOrder[i], free.FirstDoubt[i],
				free.HeadMargin[i]} {
				t.Errorf("word %d keeps its head, but not %v", i+1, now)
			}
			continue
		case !slices.Contains(s.Candidates.Of(i+1), head[i+1]) && int(head[i+1]) != i: // which prune.Connect may have added
			unknown++
			if now != [...]float32{0, 1, 0, 1, 0} {
				t.Errorf("word %d: no candidate, %v", i+1, now)
			}
		case free.HeadMarginal[i]+flat.HeadMarginal[i] > 1.001:
			t.Errorf("word %d: heads of probability %v and %v", i+1, free.HeadMarginal[i], flat.HeadMarginal[i])
		}
		lifted++
	}
	if unknown < 10 || lifted == unknown || lifted == n {
		t.Errorf("%d of %d words are lifted, %d to no candidate: the test sees too little", lifted, n, unknown)
	}
}

// The same sentence gives the same tree and signals, and a sentence of the most
// words that are searched whole has no part in any of this.
func TestLongSentencesAgain(t *testing.T) {
	r := hash.Rand(8)
	m := newModel(noise(300), part.Standard)
	near := func(m int) []int32 {
		list := []int32{0}
		for h := max(m-3, 1); h <= min(m+3, syntax.MaxWholeWords); h++ {
			if h != m {
				list = append(list, int32(h))
			}
		}
		return list
	}
	a := long(syntax.MaxWholeWords+1, &r, near)
	b := *a
	b.Words = slices.Clone(a.Words)
	for _, s := range []*syntax.Sentence{a, &b} {
		if err := m.Parse(s, Options{Seed: 3}); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(a.Words, b.Words) || !slices.Equal(a.Confidence.HeadDoubt, b.Confidence.HeadDoubt) ||
		a.Confidence.TreeScore != b.Confidence.TreeScore {
		t.Error("the second parse differs")
	}
	for i, p := range a.Confidence.HeadMarginal {
		if p < 0 || p > 1 || a.Confidence.HeadMargin[i] < 0 {
			t.Fatalf("word %d: marginal %v, margin %v", i+1, p, a.Confidence.HeadMargin[i])
		}
	}
	whole := long(syntax.MaxWholeWords, &r, near)
	if err := m.Parse(whole, Options{Restarts: 1, Certify: -1}); err != nil || whole.Status == syntax.Long {
		t.Errorf("%v, status %v", err, whole.Status)
	}
}
