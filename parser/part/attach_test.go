package part

import (
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// checkAll holds what AttachAll says of all heads of m, those below m among
// them, against Attach of one head after another, and both against the
// from-scratch scores of the trees that the moves make. It returns how many
// heads it checked.
func checkAll(t *testing.T, x *scratch, m int, scratchToo bool) int {
	t.Helper()
	lo, hi := x.t.Arcs.Span(m)
	worth := make([]int32, hi-lo)
	x.t.AttachAll(&x.y, m, worth)
	old := x.y.Arc[m]
	now, before := int64(worth[int(old)-lo]), int64(0)
	if scratchToo {
		before = x.t.FromScratch(&x.y)
	}
	for i := lo; i < hi; i++ {
		h, arc := x.t.Arcs.Heads[i], int32(i)
		if one := x.t.Attach(&x.y, m, arc); one != worth[i-lo] {
			t.Fatalf("%v, heads %v, word %d to %d: %d among all heads, %d alone", x.on, x.y.Head[1:], m, h, worth[i-lo], one)
		}
		if !scratchToo || h == 0 || int32(m) == x.y.Root || x.y.Below(h, int32(m)) {
			continue
		}
		x.y.Move(m, arc)
		gain := x.t.FromScratch(&x.y) - before
		x.y.Move(m, old)
		if got := int64(worth[i-lo]) - now; got != gain {
			t.Fatalf("%v, heads %v, word %d to %d: gain %d, from scratch %d", x.on, x.y.Head[1:], m, h, got, gain)
		}
	}
	return hi - lo
}

// Two heads of word 2 share a part that neither had before: both cross the arc
// that word 4 has just got.
func TestHeadsThatShareAPart(t *testing.T) {
	s := randomSentence(6, 0, new(hash.Rand))
	c := &syntax.Candidates{Start: []int32{0}}
	for _, heads := range [][]int32{{0}, {1, 5, 6}, {1}, {1, 3}, {6}, {1}} {
		c.Heads = append(c.Heads, heads...)
		c.Start = append(c.Start, int32(len(c.Heads)))
	}
	c.LogOdds = make([]int32, len(c.Heads))
	s.Candidates = *c
	x := newScratch(s, 500, flag("cross"))
	x.y.Set(&x.t.Arcs, []int32{0, 0, 1, 1, 3, 6, 1})
	checkAll(t, x, 2, true)
	x.y.Move(4, x.t.Arc(1, 4))
	checkAll(t, x, 2, true)
}

// At every step of random walks, what AttachAll says of the heads of a word is
// what Attach says of each, whatever parts they share and whichever of these
// are known. Walks are long enough for the memory of parts to grow.
func TestAttachAllEqualsAttach(t *testing.T) {
	families = append(families, uncles)
	defer func() { families = families[:len(families)-1] }()
	r := hash.Rand(41)
	for _, on := range append(singles(), Standard, Standard|flag("uncle"), Locals) {
		if on == on&Globals {
			continue // has no gains
		}
		checked := 0
		for _, c := range []struct{ words, keep, steps int }{{3, 8, 10}, {7, 8, 40}, {12, 5, 60}, {40, 7, 60}} {
			x := newScratch(randomSentence(c.words, c.keep, &r), 500, on)
			x.chain()
			for range c.steps {
				m, arc := randomMove(x, &r)
				x.y.Move(m, arc)
				checked += checkAll(t, x, 1+int(r.Below(uint32(c.words))), c.words <= 12)
			}
		}
		if checked < 1000 {
			t.Errorf("%v: %d heads checked", on, checked)
		}
	}
}
