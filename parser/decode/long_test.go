package decode

import (
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/syntax"
)

// longSentence makes n words with a few candidate heads each, among them word
// 1 and word n, whose child lists then are as long as any can be.
func longSentence(n int, r *graph.Rand) *syntax.Sentence {
	s := randomSentence(n, 0, r)
	c := &s.Candidates
	c.Start, c.Heads, c.LogProb = []int32{0}, nil, nil
	for m := 1; m <= n; m++ {
		heads := []int32{0, int32(m - 1), 1, int32(n)}
		for range 3 {
			heads = append(heads, int32(r.Below(uint32(n+1))), int32(min(n, m+int(r.Below(6)))))
		}
		slices.Sort(heads)
		for _, h := range slices.Compact(heads) {
			if int(h) != m && (h != 0 || m == 1 || m%50 == 0) {
				c.Heads, c.LogProb = append(c.Heads, h), append(c.LogProb, -int32(r.Below(3000)))
			}
		}
		c.Start = append(c.Start, int32(len(c.Heads)))
	}
	return s
}

// randomMove picks a head that a word of the present tree may change to.
func randomMove(x *search, r *graph.Rand) (m int, arc int32) {
	for {
		m = 1 + int(r.Below(uint32(x.t.n)))
		lo, hi := x.t.arcs.Span(m)
		arc = int32(lo) + int32(r.Below(uint32(hi-lo)))
		if h := x.t.arcs.Heads[arc]; int32(m) != x.y.root && h != 0 && arc != x.y.slot[m] && !x.y.below(h, int32(m)) {
			return m, arc
		}
	}
}

// Gains equal differences of from-scratch scores in sentences as long as any
// that is searched whole, where places of child lists, numbers of words and of
// arcs come close to the width that they have in keys.
func TestGainsInLongSentences(t *testing.T) {
	r := graph.Rand(21)
	for _, c := range []struct {
		n  int
		on feature.Families
	}{{400, feature.Full}, {701, feature.Standard}, {syntax.MaxWholeWords, feature.Full}, {syntax.MaxWholeWords, feature.Fast}} {
		s := longSentence(c.n, &r)
		x := newSearch(s, 500, c.on)
		heads := make([]int32, c.n+1)
		for m := 2; m <= c.n; m++ {
			heads[m] = int32(m - 1)
		}
		x.y.set(&x.t, heads)
		for range 3 * c.n { // away from the chain
			m, arc := randomMove(x, &r)
			x.y.move(&x.t, m, arc)
		}
		checkTree(t, x)
		now := scratchScore(x, x.y.head)
		if got := x.total(); got != now {
			t.Fatalf("%d words, %v: total %d, from scratch %d", c.n, c.on, got, now)
		}
		for range 25 {
			m, arc := randomMove(x, &r)
			gain := int64(x.y.attach(&x.t, m, arc)) - int64(x.y.attach(&x.t, m, x.y.slot[m])) - x.t.globals(&x.y)
			x.y.move(&x.t, m, arc)
			gain += x.t.globals(&x.y)
			after := scratchScore(x, x.y.head)
			if after-now != gain {
				t.Fatalf("%d words, %v, word %d to %d: gain %d, want %d", c.n, c.on, m, x.y.head[m], gain, after-now)
			}
			if got := x.total(); got != after {
				t.Fatalf("%d words, %v: total %d, from scratch %d", c.n, c.on, got, after)
			}
			now = after
		}
	}
}

// A climb begins with no word in line, whatever the one before it has left
// there: a word that is marked, but not in line, would not be visited again.
func TestClimbVisitsWordsLeftInLine(t *testing.T) {
	r := graph.Rand(22)
	left := 0
	for range 200 {
		s := randomSentence(12, 3, &r)
		x := newSearch(s, 500, feature.Standard)
		x.start = resize(x.start, x.t.n+1)
		if !x.firstTree() {
			t.Fatal("no tree")
		}
		x.y.set(&x.t, x.start)
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

// A window that the candidates leave a word without a head in is an error
// that names it, not a panic.
func TestWindowWithoutCandidates(t *testing.T) {
	m := &Model{vocabulary: feature.Learn(nil), scorer: noise{300}, families: feature.Standard}
	n := syntax.MaxWholeWords + 100
	s := &syntax.Sentence{}
	c := &s.Candidates
	c.Start = []int32{0}
	for w := 1; w <= n; w++ {
		h := int32(0)
		if w == 700 {
			h = 2
		}
		s.Words = append(s.Words, syntax.Word{Form: "w", UPOS: "NOUN", Head: syntax.NoHead})
		c.Heads, c.LogProb = append(c.Heads, h), append(c.LogProb, 0)
		if w > 1 && w != 700 && w%300 != 1 {
			c.Heads, c.LogProb = append(c.Heads, int32(w-1)), append(c.LogProb, 0)
		}
		c.Start = append(c.Start, int32(len(c.Heads)))
	}
	err := m.Parse(s, Options{Restarts: 1})
	if err == nil || !strings.Contains(err.Error(), "words 601 to 900: word 100 has no candidate head") {
		t.Errorf("%v", err)
	}
}
