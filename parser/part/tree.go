package part

import "github.com/treebeam/treebeam/parser/graph"

// A Tree is a single-root tree over the candidate arcs. The children of every head are
// linked in order of position. Heads and links are words; a link of 0 ends a chain,
// because 0 is never a child.
type Tree struct {
	Arc   []int32 // per word: the index of its arc
	Head  []int32
	First []int32 // per head: leftmost child
	Last  []int32
	Next  []int32 // per word: sibling to the right
	Prev  []int32
	Low   []int32 // per word: the leftmost word that it shares an arc with, or the root
	High  []int32 // per word: the same on the right
	Root  int32

	// Walked counts the links followed from word to word, plus a quarter of the words
	// passed between the ends of arcs. It only grows.
	Walked int64

	arcs *graph.Arcs
}

// Set makes y the tree with heads head[1..n], which must be candidates in arcs. The
// tree refers to arcs from then on.
func (y *Tree) Set(arcs *graph.Arcs, head []int32) {
	n := int32(arcs.N())
	y.arcs = arcs
	for _, a := range [...]*[]int32{&y.Arc, &y.Head, &y.First, &y.Last, &y.Next, &y.Prev, &y.Low, &y.High} {
		*a = resize(*a, int(n)+1)
	}
	clear(y.First)
	clear(y.Last)
	for m := int32(1); m <= n; m++ {
		y.link(m, arcOf(arcs, head[m], int(m)), y.Last[head[m]])
	}
	for m := int32(1); m <= n; m++ {
		y.setBounds(m)
	}
}

// link hangs m, which has no head, on the head of arc: behind its child after,
// or as the first child if after is 0.
func (y *Tree) link(m, arc, after int32) {
	h := y.arcs.Heads[arc]
	y.Head[m], y.Arc[m], y.Prev[m] = h, arc, after
	if after != 0 {
		y.Next[m], y.Next[after] = y.Next[after], m
	} else {
		y.Next[m], y.First[h] = y.First[h], m
	}
	if q := y.Next[m]; q != 0 {
		y.Prev[q] = m
	} else {
		y.Last[h] = m
	}
	if h == 0 {
		y.Root = m
	}
}

// setBounds sets Low and High of a word.
func (y *Tree) setBounds(m int32) {
	h := y.Head[m]
	y.Low[m], y.High[m] = h, max(h, y.Last[m])
	if c := y.First[m]; c != 0 && c < h {
		y.Low[m] = c
	}
}

// Arc returns the index of the arc h -> m, or -1 if h is not a candidate head of m.
func (x *Scores) Arc(h int32, m int) int32 { return arcOf(&x.Arcs, h, m) }

func arcOf(arcs *graph.Arcs, h int32, m int) int32 {
	for i := arcs.Start[m-1]; i < arcs.Start[m]; i++ {
		if arcs.Heads[i] == h {
			return i
		}
	}
	return -1
}

// Move makes word m a child of the head of arc, which must not be below m.
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
		y.Walked++
		after = y.Prev[after]
	}
	y.link(x, arc, after)
	for _, u := range [...]int32{x, old, h} {
		if u != 0 {
			y.setBounds(u)
		}
	}
}

// Below reports whether u is m or a descendant of m.
func (y *Tree) Below(u, m int32) bool {
	for u != 0 {
		y.Walked++
		if u == m {
			return true
		}
		u = y.Head[u]
	}
	return false
}

// Postorder appends the words of the tree to order: every word after all of its
// descendants, children in order of position.
func (y *Tree) Postorder(order []int32) []int32 {
	for u := y.Root; ; u = y.Next[u] {
		for y.First[u] != 0 {
			u = y.First[u]
		}
		order = append(order, u)
		for u != y.Root && y.Next[u] == 0 {
			u = y.Head[u]
			order = append(order, u)
		}
		if u == y.Root {
			return order
		}
	}
}
