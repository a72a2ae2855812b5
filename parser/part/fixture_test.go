package part

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// noise is a Scorer that gives every key a fixed random weight, so that all
// templates matter.
type noise struct{ scale int32 }

func (z noise) SumParts(keys []hash.Key, ends, sums []int32) {
	from := int32(0)
	for i, end := range ends {
		sums[i], from = z.Sum(keys[from:end]), end
	}
}

func (z noise) Sum(keys []hash.Key) int32 {
	s := int32(0)
	for _, k := range keys {
		r := hash.Rand(k)
		s += int32(r.Below(uint32(2*z.scale+1))) - z.scale
	}
	return s
}

var tags = []string{"NOUN", "VERB", "ADP", "PUNCT", "DET", "CCONJ"}

// randomSentence makes n words whose candidates are all heads, or each with
// probability keep/8 and always the one before.
func randomSentence(n, keep int, r *hash.Rand) *syntax.Sentence {
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
				s.Candidates.LogOdds = append(s.Candidates.LogOdds, -int32(r.Below(3000)))
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

var _ score.Scorer = noise{}

// A scratch is a sentence prepared, and a tree.
type scratch struct {
	t  Scores
	y  Tree
	on Families
}

func scratchScore(x *scratch, head []int32) int64 {
	var y Tree
	y.Set(&x.t.Arcs, head)
	return x.t.FromScratch(&y)
}

func newScratch(s *syntax.Sentence, scale int32, on Families) *scratch {
	x := &scratch{on: on}
	x.t.Prepare(&Source{Vocabulary: word.Learn(nil), Parts: noise{scale}, Families: on}, s)
	return x
}

// checkTree holds links, root and heads of the present tree against a fresh one.
func checkTree(t *testing.T, x *scratch) {
	t.Helper()
	var y Tree
	y.Set(&x.t.Arcs, x.y.Head[:x.t.N+1])
	for h := 0; h <= x.t.N; h++ {
		if y.First[h] != x.y.First[h] || y.Last[h] != x.y.Last[h] || h > 0 && (y.Next[h] != x.y.Next[h] || y.Prev[h] != x.y.Prev[h] || y.Slot[h] != x.y.Slot[h] ||
			y.Low[h] != x.y.Low[h] || y.High[h] != x.y.High[h]) {
			t.Fatalf("links of %d differ from those of a fresh tree", h)
		}
	}
	if y.Root != x.y.Root {
		t.Fatalf("root %d, fresh %d", x.y.Root, y.Root)
	}
}

// randomMove picks a head that a word of the present tree may change to.
func randomMove(x *scratch, r *hash.Rand) (m int, arc int32) {
	for {
		m = 1 + int(r.Below(uint32(x.t.N)))
		lo, hi := x.t.Arcs.Span(m)
		arc = int32(lo) + int32(r.Below(uint32(hi-lo)))
		if h := x.t.Arcs.Heads[arc]; int32(m) != x.y.Root && h != 0 && arc != x.y.Slot[m] && !x.y.Below(h, int32(m)) {
			return m, arc
		}
	}
}

// chain hangs every word on the one before it.
func (x *scratch) chain() {
	head := make([]int32, x.t.N+1)
	for m := 2; m <= x.t.N; m++ {
		head[m] = int32(m - 1)
	}
	x.y.Set(&x.t.Arcs, head)
}

// walk makes random moves, weighing each, from the chain.
func (x *scratch) walk(moves int, r *hash.Rand) {
	x.chain()
	for range moves {
		m, arc := randomMove(x, r)
		x.t.Attach(&x.y, m, arc)
		x.y.Move(m, arc)
		x.t.Globals(&x.y)
	}
}

// flag and kindOf return the flag and the Kind of a family by its name.
func flag(name string) Families {
	f, err := Families(0).With("+" + name)
	if err != nil {
		panic(err)
	}
	return f
}

func kindOf(name string) Kind { return Kind(bits.TrailingZeros32(uint32(flag(name)))) }

// crosses reports whether the arcs a-b and c-d cross.
func crosses(a, b, c, d int32) bool {
	if a > b {
		a, b = b, a
	}
	if c > d {
		c, d = d, c
	}
	return a < c && c < b && b < d || c < a && a < d && d < b
}
