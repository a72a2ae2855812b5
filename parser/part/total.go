package part

import "github.com/treebeam/treebeam/parser/feature"

// Total scores a tree from the tables.
func (t *Scores) Total(y *Tree) int64 {
	on := t.on
	sum := t.Globals(y)
	for m := 1; m <= t.N; m++ {
		arc, h := y.Slot[m], y.Head[m]
		sum += int64(t.Arcs.Score[arc])
		slot := arc - t.Arcs.Start[m-1]
		if h != 0 && on.Any(feature.Grandparents) {
			sum += int64(t.grandparent(arc, y.Slot[h]-t.Arcs.Start[h-1], m))
		}
		if h != 0 && y.Head[h] != 0 && on.Any(feature.GreatGrandparents) {
			g := y.Head[h]
			sum += int64(t.greatGrandparent(y.Slot[g], arc, g, int32(m)))
		}
		if m < t.N && on.Any(feature.HeadBigrams) {
			sum += int64(t.headBigram(m, slot, y.Slot[m+1]-t.Arcs.Start[m]))
		}
		if on.Any(lists) {
			sum += y.family(t, m, slot)
		}
	}
	if on.Any(feature.Crossings) {
		sum += t.allCrossings(y)
	}
	return sum
}

// allCrossings scores every pair of crossing arcs on both of its sides.
func (t *Scores) allCrossings(y *Tree) int64 {
	sum := int64(0)
	for m := 1; m <= t.N; m++ {
		sum += int64(y.crossings(t, m, y.Slot[m]))
	}
	return sum / 2 // every pair was met from both of its arcs
}

// family scores the child list of m: sibling pairs with and without their
// grandparent, tri-siblings and sibling-grandchildren.
func (y *Tree) family(t *Scores, m int, slot int32) int64 {
	sum := int64(0)
	before, at, self := int32(none), int32(0), false
	step := func(p int32) {
		sum += int64(t.sibling(m, slot, at, p))
		if before != none && t.on.Any(feature.TriSiblings) {
			sum += int64(t.triSibling(m, before, at, p))
		}
		if a, b := int32(t.word(m, at)), int32(t.word(m, p)); t.on.Any(feature.SiblingGrandchildren) &&
			a > 0 && b > 0 && int(a) != m && int(b) != m {
			sum += int64(y.nephewsOf(t, b, y.Slot[b], a, 0) + y.nephewsOf(t, a, y.Slot[a], b, 0))
		}
		before, at = at, p
	}
	for c := y.First[m]; ; c = y.Next[c] {
		if !self && (c == 0 || c > int32(m)) {
			step(t.self[m])
			self = true
		}
		if c == 0 {
			break
		}
		step(t.place[y.Slot[c]])
	}
	step(t.width(m) - 1)
	return sum
}
