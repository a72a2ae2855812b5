package part

import (
	"fmt"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// familySets are the sets of families under test: none, all, each alone, each
// off, and random ones.
func familySets() []Families {
	list := []Families{0, All, Standard, Fast}
	for _, f := range singles() {
		list = append(list, f, All&^f)
	}
	r := hash.Rand(7)
	for range 6 {
		list = append(list, Families(r.Next())&All)
	}
	return list
}

// singles are the families one by one.
func singles() (list []Families) {
	for k := range families {
		if families[k].Name != "" {
			list = append(list, 1<<k)
		}
	}
	return list
}

// Every gain of every legal move of every tree equals the difference of
// from-scratch scores, and the table total equals the from-scratch score,
// with every family on and off.
func TestGainsEqualScoreDifferences(t *testing.T) {
	r := hash.Rand(1)
	checked := 0
	for _, on := range familySets() {
		for k := 0; k < 10; k++ {
			s := randomSentence(1+int(r.Below(6)), 1+int(r.Below(5)), &r)
			x := newScratch(s, 500, on)
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
func checkGains(t *testing.T, x *scratch, head []int32) (checked int) {
	t.Helper()
	checked, err := checkMoves(x, head)
	if err != nil {
		t.Fatal(err)
	}
	return checked
}

// checkMoves holds what all moves of one tree gain, and its total before and
// after, against scores from scratch.
func checkMoves(x *scratch, head []int32) (checked int, err error) {
	n := x.t.N
	before := scratchScore(x, head)
	x.y.Set(&x.t.Arcs, head)
	if got := x.t.Total(&x.y); got != before {
		return checked, fmt.Errorf("%v, heads %v: total %d, from scratch %d", x.on, head, got, before)
	}
	global := x.t.Globals(&x.y)
	for m := 1; m <= n; m++ {
		for i := x.t.Arcs.Start[m-1]; i < x.t.Arcs.Start[m]; i++ {
			h := x.t.Arcs.Heads[i]
			if h == head[m] || h == 0 || head[m] == 0 || x.y.Below(h, int32(m)) {
				continue
			}
			gain := int64(x.t.Attach(&x.y, m, i)) - int64(x.t.Attach(&x.y, m, x.y.Arc[m]))
			moved := append([]int32(nil), head...)
			moved[m] = h
			old := x.y.Arc[m]
			x.y.Move(m, i)
			gain += x.t.Globals(&x.y) - global
			if want := scratchScore(x, moved) - before; gain != want {
				return checked, fmt.Errorf("%v, heads %v, word %d to %d: gain %d, want %d", x.on, head, m, h, gain, want)
			}
			if got := x.t.Total(&x.y); got != before+gain {
				return checked, fmt.Errorf("after the move: total %d, want %d", got, before+gain)
			}
			x.y.Move(m, old)
			checked++
		}
	}
	return checked, nil
}

// longSentence makes n words with a few candidate heads each, among them word
// 1 and word n, whose child lists then are as long as any can be.
func longSentence(n int, r *hash.Rand) *syntax.Sentence {
	s := randomSentence(n, 0, r)
	c := &s.Candidates
	c.Start, c.Heads, c.LogOdds = []int32{0}, nil, nil
	for m := 1; m <= n; m++ {
		heads := []int32{0, int32(m - 1), 1, int32(n)}
		for range 3 {
			heads = append(heads, int32(r.Below(uint32(n+1))), int32(min(n, m+int(r.Below(6)))))
		}
		slices.Sort(heads)
		for _, h := range slices.Compact(heads) {
			if int(h) != m && (h != 0 || m == 1 || m%50 == 0) {
				c.Heads, c.LogOdds = append(c.Heads, h), append(c.LogOdds, -int32(r.Below(3000)))
			}
		}
		c.Start = append(c.Start, int32(len(c.Heads)))
	}
	return s
}

// Gains equal differences of from-scratch scores in sentences as long as any
// that is searched whole, where places of child lists, numbers of words and of
// arcs come close to the width that they have in keys.
func TestGainsInLongSentences(t *testing.T) {
	r := hash.Rand(21)
	for _, c := range []struct {
		n  int
		on Families
	}{{400, All}, {701, Standard}, {syntax.MaxWholeWords, All}, {syntax.MaxWholeWords, Fast}} {
		s := longSentence(c.n, &r)
		x := newScratch(s, 500, c.on)
		heads := make([]int32, c.n+1)
		for m := 2; m <= c.n; m++ {
			heads[m] = int32(m - 1)
		}
		x.y.Set(&x.t.Arcs, heads)
		for range 3 * c.n { // away from the chain
			m, arc := randomMove(x, &r)
			x.y.Move(m, arc)
		}
		checkTree(t, x)
		now := scratchScore(x, x.y.Head)
		if got := x.t.Total(&x.y); got != now {
			t.Fatalf("%d words, %v: total %d, from scratch %d", c.n, c.on, got, now)
		}
		for range 25 {
			m, arc := randomMove(x, &r)
			gain := int64(x.t.Attach(&x.y, m, arc)) - int64(x.t.Attach(&x.y, m, x.y.Arc[m])) - x.t.Globals(&x.y)
			x.y.Move(m, arc)
			gain += x.t.Globals(&x.y)
			after := scratchScore(x, x.y.Head)
			if after-now != gain {
				t.Fatalf("%d words, %v, word %d to %d: gain %d, want %d", c.n, c.on, m, x.y.Head[m], gain, after-now)
			}
			if got := x.t.Total(&x.y); got != after {
				t.Fatalf("%d words, %v: total %d, from scratch %d", c.n, c.on, got, after)
			}
			now = after
		}
	}
}
