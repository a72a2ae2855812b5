package part

import (
	"math/bits"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part/parttest"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

type noise = parttest.Noise

var (
	randomSentence = parttest.RandomSentence
	allTrees       = parttest.AllTrees
)

var _ score.Scorer = noise(0)

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
	x.t.Prepare(&Source{Vocabulary: word.Learn(nil), Parts: noise(scale), Families: on}, s)
	return x
}

// checkTree holds links, root and heads of the present tree against a fresh one.
func checkTree(t *testing.T, x *scratch) {
	t.Helper()
	var y Tree
	y.Set(&x.t.Arcs, x.y.Head[:x.t.N+1])
	for h := 0; h <= x.t.N; h++ {
		if y.First[h] != x.y.First[h] || y.Last[h] != x.y.Last[h] || h > 0 &&
			(y.Next[h] != x.y.Next[h] || y.Prev[h] != x.y.Prev[h] || y.Arc[h] != x.y.Arc[h] ||
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
		if h := x.t.Arcs.Heads[arc]; int32(m) != x.y.Root && h != 0 && arc != x.y.Arc[m] && !x.y.Below(h, int32(m)) {
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
