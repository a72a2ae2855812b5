package decode

// A tree is a single-root tree over the candidate arcs, with the children of
// every head linked by position. Heads and links are words; 0 ends a chain
// (0 is never a child).
type tree struct {
	slot  []int32 // per word: index of its arc
	head  []int32
	first []int32 // per head: leftmost child
	last  []int32
	next  []int32 // per word: sibling to the right
	prev  []int32
	low   []int32 // per word: leftmost word that it shares an arc with
	high  []int32 // per word: rightmost
	root  int32
}

// set makes the tree whose heads are head[1..n].
func (y *tree) set(t *tables, head []int32) {
	n := t.n
	y.slot = resize(y.slot, n+1)
	y.head = resize(y.head, n+1)
	y.first = resize(y.first, n+1)
	y.last = resize(y.last, n+1)
	y.next = resize(y.next, n+1)
	y.prev = resize(y.prev, n+1)
	clear(y.first)
	clear(y.last)
	for m := 1; m <= n; m++ {
		h := head[m]
		y.slot[m], y.head[m] = t.arc(h, m), h
		if h == 0 {
			y.root = int32(m)
		}
		y.next[m], y.prev[m] = 0, y.last[h]
		if y.last[h] == 0 {
			y.first[h] = int32(m)
		} else {
			y.next[y.last[h]] = int32(m)
		}
		y.last[h] = int32(m)
	}
	y.low = resize(y.low, n+1)
	y.high = resize(y.high, n+1)
	for m := int32(1); int(m) <= n; m++ {
		y.reach(m)
	}
}

// reach sets the bounds of a word's arcs.
func (y *tree) reach(m int32) {
	h := y.head[m]
	y.low[m], y.high[m] = h, max(h, y.last[m])
	if c := y.first[m]; c != 0 && c < h {
		y.low[m] = c
	}
}

// arc returns the index of the arc h -> m, or -1.
func (t *tables) arc(h int32, m int) int32 {
	for i := t.arcs.Start[m-1]; i < t.arcs.Start[m]; i++ {
		if t.arcs.Heads[i] == h {
			return i
		}
	}
	return -1
}

// move hangs m on the head of arc.
func (y *tree) move(t *tables, m int, arc int32) {
	x, old, h := int32(m), y.head[m], t.arcs.Heads[arc]
	if p := y.prev[x]; p != 0 {
		y.next[p] = y.next[x]
	} else {
		y.first[old] = y.next[x]
	}
	if q := y.next[x]; q != 0 {
		y.prev[q] = y.prev[x]
	} else {
		y.last[old] = y.prev[x]
	}
	after := y.last[h]
	for after > x {
		after = y.prev[after]
	}
	y.prev[x] = after
	if after != 0 {
		y.next[x], y.next[after] = y.next[after], x
	} else {
		y.next[x], y.first[h] = y.first[h], x
	}
	if q := y.next[x]; q != 0 {
		y.prev[q] = x
	} else {
		y.last[h] = x
	}
	y.head[m], y.slot[m] = h, arc
	y.reach(x)
	if old != 0 {
		y.reach(old)
	}
	if h != 0 {
		y.reach(h)
	}
	if h == 0 {
		y.root = x
	}
}

// below reports whether u is m or a descendant of m.
func (y *tree) below(u, m int32) bool {
	for u != 0 {
		if u == m {
			return true
		}
		u = y.head[u]
	}
	return false
}

// postorder appends the words of the tree, every word after all of its
// descendants, children by position.
func (y *tree) postorder(order []int32) []int32 {
	u := y.root
	for y.first[u] != 0 {
		u = y.first[u]
	}
	for {
		order = append(order, u)
		if u == y.root {
			return order
		}
		if y.next[u] == 0 {
			u = y.head[u]
			continue
		}
		u = y.next[u]
		for y.first[u] != 0 {
			u = y.first[u]
		}
	}
}
