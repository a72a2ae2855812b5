package graph

import "slices"

// A Spanner finds maximum spanning trees. It is scratch: one per goroutine.
type Spanner struct {
	// Of MaximumTree. A node is a word or, from n+1 on, a cycle that was
	// contracted; it has one heap of the arcs that enter it.
	arcs   []heapArc // by arc; the last is the empty heap
	to     []int32   // by arc: the word that it enters, or 0 if the tree must not have it
	heap   []int32   // by node: its best arc, which is the root of its heap if it is a cycle; or the empty heap
	parent []int32   // by node: the cycle into which it is contracted, or -1
	joined []int32   // by node: the way to the outermost cycle around it
	in     []int32   // by node: the best arc into it
	state  []uint8   // by node
	path   []int32
}

// States of a node.
const (
	unseen uint8 = iota
	onPath
	settled // 0 reaches it; when the tree is read: its arc is known
)

// MaximumTree writes into head[1..n] the single-root tree with the largest sum of
// scores, and reports whether the candidates hold such a tree at all. Ties go to the
// arc that comes first. If root is above 0, that word is the root. The algorithm is
// Chu-Liu/Edmonds with a path that grows backwards along the best arcs (Gabow, Galil,
// Spencer and Tarjan 1986) and with mergeable heaps (Tarjan 1977). It takes O(arcs *
// log arcs) time and O(arcs) memory.
func (s *Spanner) MaximumTree(a *Arcs, root int, head []int32) bool {
	n := a.N()
	if !s.load(a, root) {
		return false
	}
	for word := 1; word <= n; word++ {
		if s.state[s.find(int32(word))] == unseen && !s.grow(a, int32(word)) {
			return false
		}
	}
	s.expand(n)
	roots := 0
	for m := 1; m <= n; m++ {
		head[m] = a.Heads[s.in[m]]
		if head[m] == 0 {
			roots++
		}
	}
	return roots == 1
}

// load finds the best arc into each word. It reports whether every word has a
// candidate.
func (s *Spanner) load(a *Arcs, root int) bool {
	n, arcs := a.N(), len(a.Heads)
	s.arcs = append(slices.Grow(s.arcs[:0], arcs+1), make([]heapArc, arcs+1)...)
	s.to = append(slices.Grow(s.to[:0], arcs), make([]int32, arcs)...)
	empty := int32(arcs)
	s.arcs[empty].rank = -1
	s.heap, s.parent, s.joined, s.in = s.heap[:0], s.parent[:0], s.joined[:0], s.in[:0]
	s.state, s.path = s.state[:0], s.path[:0]
	s.node(empty)
	s.state[0] = settled
	for m := 1; m <= n; m++ {
		best := empty
		lo, hi := a.Span(m)
		if lo == hi {
			return false
		}
		for i := lo; i < hi; i++ {
			w := int64(a.Score[i])
			if a.Heads[i] == 0 {
				w -= beyond
			}
			s.arcs[i] = heapArc{w: w, left: empty, right: empty}
			if root > 0 && (m == root) != (a.Heads[i] == 0) {
				continue
			}
			s.to[i] = int32(m)
			if best == empty || w > s.arcs[best].w {
				best = int32(i)
			}
		}
		s.node(best)
	}
	return true
}

// node adds a node with the heap.
func (s *Spanner) node(heap int32) int32 {
	v := int32(len(s.heap))
	s.heap, s.parent, s.joined = append(s.heap, heap), append(s.parent, -1), append(s.joined, v)
	s.in, s.state = append(s.in, -1), append(s.state, unseen)
	return v
}

// find returns the outermost cycle around node v, or v.
func (s *Spanner) find(v int32) int32 {
	for s.joined[v] != v {
		s.joined[v] = s.joined[s.joined[v]]
		v = s.joined[v]
	}
	return v
}

// grow follows the best arcs backwards from word until they come to a node that 0
// reaches, and contracts the cycles that they run into. It reports whether they
// come to such a node.
func (s *Spanner) grow(a *Arcs, word int32) bool {
	empty := int32(len(s.arcs) - 1)
	s.path = s.path[:0]
	for v := s.find(word); s.state[v] != settled; {
		s.state[v] = onPath
		s.path = append(s.path, v)
		best := s.heap[v]
		for best != empty && s.find(a.Heads[best]) == v {
			best = s.pop(best) // an arc inside the cycle
		}
		s.heap[v] = best
		if best == empty {
			return false
		}
		s.in[v] = best
		u := s.find(a.Heads[best])
		if s.state[u] == onPath {
			u = s.contract(a, u)
		}
		v = u
	}
	for _, v := range s.path {
		s.state[v] = settled
	}
	return true
}

// contract makes a single node of the end of the path from node first on, which is
// a cycle, and takes it off the path.
func (s *Spanner) contract(a *Arcs, first int32) int32 {
	empty := int32(len(s.arcs) - 1)
	cycle, heap := s.node(empty), empty
	for {
		v := s.path[len(s.path)-1]
		s.path = s.path[:len(s.path)-1]
		if int(v) <= a.N() {
			s.heap[v] = s.build(a, int(v))
		}
		best := s.heap[v]
		s.arcs[best].more -= s.arcs[best].w + s.arcs[best].more
		heap = s.merge(heap, best)
		s.parent[v], s.joined[v] = cycle, cycle
		if v == first {
			break
		}
	}
	s.heap[cycle] = heap
	return cycle
}

// build returns the heap of the arcs into a word, which only cycles need.
func (s *Spanner) build(a *Arcs, word int) int32 {
	heap := int32(len(s.arcs) - 1)
	lo, hi := a.Span(word)
	for i := lo; i < hi; i++ {
		if s.to[i] > 0 {
			heap = s.merge(heap, int32(i))
		}
	}
	return heap
}

// expand makes in[m] the tree's arc into word m.
func (s *Spanner) expand(n int) {
	clear(s.state)
	for v := int32(len(s.heap) - 1); v > int32(n); v-- {
		if s.state[v] == settled {
			continue
		}
		// The arc into the cycle replaces the cycle's own arc into the word, and the
		// arcs of the cycles between them.
		arc := s.in[v]
		for u := s.to[arc]; u != v; u = s.parent[u] {
			s.in[u], s.state[u] = arc, settled
		}
	}
}

// A heapArc is an arc in a leftist heap (Crane 1972). Arcs are ordered by weight,
// the heaviest first, then by index.
type heapArc struct {
	w, more     int64 // the weight is w plus more of this arc and of all arcs above it
	left, right int32
	rank        int32 // arcs on the path down to the right, minus one
}

// merge makes one heap of two. Either may be the empty heap.
func (s *Spanner) merge(x, y int32) int32 {
	empty := int32(len(s.arcs) - 1)
	if x == empty {
		return y
	}
	if y == empty {
		return x
	}
	if wx, wy := s.arcs[x].w+s.arcs[x].more, s.arcs[y].w+s.arcs[y].more; wx < wy || wx == wy && x > y {
		x, y = y, x
	}
	s.push(x)
	top := &s.arcs[x]
	top.right = s.merge(top.right, y)
	if s.arcs[top.left].rank < s.arcs[top.right].rank {
		top.left, top.right = top.right, top.left
	}
	top.rank = s.arcs[top.right].rank + 1
	return x
}

// pop removes x from the top of its heap and returns the rest.
func (s *Spanner) pop(x int32) int32 {
	s.push(x)
	return s.merge(s.arcs[x].left, s.arcs[x].right)
}

// push moves the pending addition of the first arc of a heap to the arcs below it.
func (s *Spanner) push(x int32) {
	top := &s.arcs[x]
	if top.more == 0 {
		return
	}
	s.arcs[top.left].more += top.more // the empty heap's is never read
	s.arcs[top.right].more += top.more
	top.w, top.more = top.w+top.more, 0
}
