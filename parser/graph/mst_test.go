package graph

import (
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
)

// levels is Chu-Liu/Edmonds as it is taught: all cycles of best arcs are
// contracted at once, and every level of it has a copy of the arcs. Its memory
// is that of arcs times levels, so it is only what MaximumTree is held to.
type levels struct {
	edges  []edge
	levels []level
	ints   []int32
	chosen []int32
	upper  []int32 // chosen of the level above
	marks  []int32
}

type edge struct {
	from, to int32
	w        int64
	id       int32 // index of the edge one level up, or of the arc
}

type level struct {
	n        int
	lo, hi   int // its edges
	best     int // offset into ints: best edge into each node, or -1
	group    int // offset into ints: node of the next level
	nodes    int // number of nodes of the next level
	contract bool
}

// maximumTree is MaximumTree.
func (s *levels) maximumTree(a *Arcs, root int, head []int32) bool {
	n := a.N()
	s.edges, s.levels, s.ints = s.edges[:0], s.levels[:0], s.ints[:0]
	spread := int64(1)
	for m := 1; m <= n; m++ {
		lo, hi := a.Span(m)
		if lo == hi {
			return false
		}
		least, most := int64(a.Score[lo]), int64(a.Score[lo])
		for i := lo; i < hi; i++ {
			least, most = min(least, int64(a.Score[i])), max(most, int64(a.Score[i]))
		}
		spread += most - least
	}
	for m := 1; m <= n; m++ {
		lo, hi := a.Span(m)
		for i := lo; i < hi; i++ {
			w := int64(a.Score[i])
			if a.Heads[i] == 0 {
				if root > 0 && m != root {
					continue
				}
				w -= spread
			} else if m == root {
				continue
			}
			s.edges = append(s.edges, edge{a.Heads[i], int32(m), w, int32(i)})
		}
	}
	if !s.contract(n) {
		return false
	}
	s.expand()
	roots := 0
	for m := 1; m <= n; m++ {
		head[m] = a.Heads[s.edges[s.chosen[m]].id]
		if head[m] == 0 {
			roots++
		}
	}
	return roots == 1
}

// contract builds the levels down to one whose best edges hold no cycle.
func (s *levels) contract(n int) bool {
	lo, hi := 0, len(s.edges)
	for nodes := n + 1; ; {
		lv := level{n: nodes, lo: lo, hi: hi, best: len(s.ints)}
		s.ints = extend(s.ints, nodes, -1)
		best := s.ints[lv.best:]
		for i := lo; i < hi; i++ {
			e := &s.edges[i]
			if b := best[e.to]; b < 0 || e.w > s.edges[b].w {
				best[e.to] = int32(i)
			}
		}
		for v := 1; v < nodes; v++ {
			if best[v] < 0 {
				return false
			}
		}
		lv.group = len(s.ints)
		s.ints = extend(s.ints, nodes, -1)
		lv.nodes = s.groups(lv)
		lv.contract = lv.nodes < nodes
		s.levels = append(s.levels, lv)
		if !lv.contract {
			return true
		}
		group, best := s.ints[lv.group:lv.group+nodes], s.ints[lv.best:lv.best+nodes]
		members := s.zeros(lv.nodes)
		for _, g := range group {
			members[g]++
		}
		next := len(s.edges)
		for i := lo; i < hi; i++ {
			e := s.edges[i]
			from, to := group[e.from], group[e.to]
			if from == to || e.to == 0 {
				continue
			}
			w := e.w
			if members[to] > 1 {
				w -= s.edges[best[e.to]].w
			}
			s.edges = append(s.edges, edge{from, to, w, int32(i)})
		}
		lo, hi, nodes = next, len(s.edges), lv.nodes
	}
}

// groups numbers the nodes of the next level: one for each cycle of best
// edges, one for every other node; node 0 stays 0.
func (s *levels) groups(lv level) int {
	group := s.ints[lv.group : lv.group+lv.n]
	best := s.ints[lv.best : lv.best+lv.n]
	mark := s.zeros(lv.n) // the walk that met the node first
	group[0] = 0
	next := int32(1)
	for v := 1; v < lv.n; v++ {
		u := int32(v)
		for u != 0 && mark[u] == 0 {
			mark[u] = int32(v)
			u = s.edges[best[u]].from
		}
		if u == 0 || mark[u] != int32(v) || group[u] >= 0 {
			continue
		}
		for w := u; group[w] < 0; w = s.edges[best[w]].from { // a cycle
			group[w] = next
		}
		next++
	}
	for v := 1; v < lv.n; v++ {
		if group[v] < 0 {
			group[v] = next
			next++
		}
	}
	return int(next)
}

// expand leaves in chosen[v] the index of the edge into node v of level 0.
func (s *levels) expand() {
	last := s.levels[len(s.levels)-1]
	s.chosen = append(s.chosen[:0], s.ints[last.best:last.best+last.n]...)
	for k := len(s.levels) - 2; k >= 0; k-- {
		lv := s.levels[k]
		best := s.ints[lv.best : lv.best+lv.n]
		s.upper = append(s.upper[:0], s.chosen[:lv.nodes]...)
		s.chosen = append(s.chosen[:0], best...)
		for g := 1; g < lv.nodes; g++ {
			id := s.edges[s.upper[g]].id // the edge of this level that enters group g
			s.chosen[s.edges[id].to] = id
		}
	}
}

// extend appends n times x to a.
func extend(a []int32, n int, x int32) []int32 {
	for range n {
		a = append(a, x)
	}
	return a
}

// zeros returns n zeros in scratch that the next call takes back.
func (s *levels) zeros(n int) []int32 {
	s.marks = extend(s.marks[:0], n, 0)
	return s.marks
}

// The trees are the same arc by arc, also where many have the same score.
func TestMaximumTreeIsThatOfLevels(t *testing.T) {
	r := hash.Rand(23)
	var s Spanner
	var plain levels
	none, contracted := 0, 0
	for k := range 20000 {
		n := 1 + int(r.Below(12))
		if k%200 == 0 {
			n = 100 + int(r.Below(100))
		}
		a := randomArcs(n, 1+int(r.Below(8)), 1<<r.Below(12), &r)
		if k%3 == 0 {
			thin(&a, &r)
		}
		root := 0
		if k%4 == 0 {
			root = 1 + int(r.Below(uint32(n)))
		}
		want, got := make([]int32, n+1), make([]int32, n+1)
		ok := plain.maximumTree(&a, root, want)
		if s.MaximumTree(&a, root, got) != ok {
			t.Fatalf("case %d: found a tree: %v, want %v", k, !ok, ok)
		}
		if !ok {
			none++
			continue
		}
		if len(plain.levels) > 3 {
			contracted++
		}
		for m := range want {
			if got[m] != want[m] {
				t.Fatalf("case %d: word %d hangs on %d, want %d", k, m, got[m], want[m])
			}
		}
	}
	if none < 100 || contracted < 100 {
		t.Errorf("%d cases without a tree, %d with cycles inside cycles: too few", none, contracted)
	}
}

// Scratch grows with the arcs, not with how often cycles must be contracted.
func TestMaximumTreeTakesLittleMemory(t *testing.T) {
	const n = 1000
	a := Arcs{Start: []int32{0}} // every word would hang on its neighbour, and every cycle on the next one
	for m := int32(1); m <= n; m++ {
		for h := max(m-4, 0); h <= min(m+4, n); h++ {
			if h != m {
				a.Heads, a.Score = append(a.Heads, h), append(a.Score, -(m+h)*(m+h))
			}
		}
		a.Start = append(a.Start, int32(len(a.Heads)))
	}
	var plain levels
	var s Spanner
	want, got := make([]int32, n+1), make([]int32, n+1)
	if !plain.maximumTree(&a, 0, want) || !s.MaximumTree(&a, 0, got) {
		t.Fatal("no tree")
	}
	for m := range want {
		if got[m] != want[m] {
			t.Fatalf("word %d hangs on %d, want %d", m, got[m], want[m])
		}
	}
	if len(plain.edges) < 50*len(a.Heads) {
		t.Errorf("only %d arcs on %d levels: not the case it should be", len(plain.edges), len(plain.levels))
	}
	if cap(s.arcs) > 2*len(a.Heads) || cap(s.heap) > 4*n {
		t.Errorf("scratch of %d arcs and %d nodes for %d arcs and %d words", cap(s.arcs), cap(s.heap), len(a.Heads), n)
	}
}
