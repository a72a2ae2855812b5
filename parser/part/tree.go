package part

import "github.com/treebeam/treebeam/parser/graph"

// A tree is a single-root tree over the candidate arcs, with the children of
// every head linked by position. Heads and links are words; 0 ends a chain
// (0 is never a child).
type Tree struct {
	Slot  []int32 // per word: index of its arc
	Head  []int32
	First []int32 // per head: leftmost child
	Last  []int32
	Next  []int32 // per word: sibling to the right
	Prev  []int32
	Low   []int32 // per word: leftmost word that it shares an arc with
	High  []int32 // per word: rightmost
	Root  int32

	arcs *graph.Arcs
}

// Set makes the tree whose heads are head[1..n], all candidates in arcs, which
// the tree refers to from now on.
func (y *Tree) Set(arcs *graph.Arcs, head []int32) {
	n := arcs.N()
	y.arcs = arcs
	y.Slot = resize(y.Slot, n+1)
	y.Head = resize(y.Head, n+1)
	y.First = resize(y.First, n+1)
	y.Last = resize(y.Last, n+1)
	y.Next = resize(y.Next, n+1)
	y.Prev = resize(y.Prev, n+1)
	clear(y.First)
	clear(y.Last)
	for m := 1; m <= n; m++ {
		h := head[m]
		y.Slot[m], y.Head[m] = arcOf(arcs, h, m), h
		if h == 0 {
			y.Root = int32(m)
		}
		y.Next[m], y.Prev[m] = 0, y.Last[h]
		if y.Last[h] == 0 {
			y.First[h] = int32(m)
		} else {
			y.Next[y.Last[h]] = int32(m)
		}
		y.Last[h] = int32(m)
	}
	y.Low = resize(y.Low, n+1)
	y.High = resize(y.High, n+1)
	for m := int32(1); int(m) <= n; m++ {
		y.reach(m)
	}
}

// reach sets the bounds of a word's arcs.
func (y *Tree) reach(m int32) {
	h := y.Head[m]
	y.Low[m], y.High[m] = h, max(h, y.Last[m])
	if c := y.First[m]; c != 0 && c < h {
		y.Low[m] = c
	}
}

// Arc returns the index of the arc h -> m, or -1.
func (t *Scores) Arc(h int32, m int) int32 { return arcOf(&t.Arcs, h, m) }

func arcOf(arcs *graph.Arcs, h int32, m int) int32 {
	for i := arcs.Start[m-1]; i < arcs.Start[m]; i++ {
		if arcs.Heads[i] == h {
			return i
		}
	}
	return -1
}

// Move hangs m on the head of arc.
func (y *Tree) Move(m int, arc int32) {
	x, old, h := int32(m), y.Head[m], y.arcs.Heads[arc]
	if p := y.Prev[x]; p != 0 {
		y.Next[p] = y.Next[x]
	} else {
		y.First[old] = y.Next[x]
	}
	if q := y.Next[x]; q != 0 {
		y.Prev[q] = y.Prev[x]
	} else {
		y.Last[old] = y.Prev[x]
	}
	after := y.Last[h]
	for after > x {
		after = y.Prev[after]
	}
	y.Prev[x] = after
	if after != 0 {
		y.Next[x], y.Next[after] = y.Next[after], x
	} else {
		y.Next[x], y.First[h] = y.First[h], x
	}
	if q := y.Next[x]; q != 0 {
		y.Prev[q] = x
	} else {
		y.Last[h] = x
	}
	y.Head[m], y.Slot[m] = h, arc
	y.reach(x)
	if old != 0 {
		y.reach(old)
	}
	if h != 0 {
		y.reach(h)
	}
	if h == 0 {
		y.Root = x
	}
}

// Below reports whether u is m or a descendant of m.
func (y *Tree) Below(u, m int32) bool {
	for u != 0 {
		if u == m {
			return true
		}
		u = y.Head[u]
	}
	return false
}

// Postorder appends the words of the tree, every word after all of its
// descendants, children by position.
func (y *Tree) Postorder(order []int32) []int32 {
	u := y.Root
	for y.First[u] != 0 {
		u = y.First[u]
	}
	for {
		order = append(order, u)
		if u == y.Root {
			return order
		}
		if y.Next[u] == 0 {
			u = y.Head[u]
			continue
		}
		u = y.Next[u]
		for y.First[u] != 0 {
			u = y.First[u]
		}
	}
}

// Crossed reports whether an arc between h and m would cross an arc of the
// tree. The arc that m has now crosses neither.
func (y *Tree) Crossed(h, m int32) bool {
	lo, hi := min(h, m), max(h, m)
	for u := lo + 1; u < hi; u++ {
		if y.Low[u] < lo || y.High[u] > hi {
			return true
		}
	}
	return false
}
