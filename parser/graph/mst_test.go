package graph

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
)

// levels is Chu-Liu/Edmonds as it is taught: all cycles of best arcs are
// contracted at once, and every level of it has a copy of the arcs. Its memory
// is that of arcs times levels, so it is only what MaximumTree is held to.
type levels struct{ levels, edges int } // how many there were

type edge struct {
	from, to int32
	w        int64
	id       int // index of the edge one level up, or of the arc
}

// maximumTree is MaximumTree.
func (s *levels) maximumTree(a *Arcs, root int, head []int32) bool {
	*s = levels{}
	var edges []edge
	for m := 1; m <= a.N(); m++ {
		lo, hi := a.Span(m)
		for i := lo; i < hi; i++ {
			w := int64(a.Score[i])
			if a.Heads[i] == 0 {
				w -= beyond
			}
			if root == 0 || (m == root) == (a.Heads[i] == 0) {
				edges = append(edges, edge{a.Heads[i], int32(m), w, i})
			}
		}
	}
	chosen := s.choose(a.N()+1, edges)
	if chosen == nil {
		return false
	}
	roots := 0
	for m := 1; m <= a.N(); m++ {
		if head[m] = edges[chosen[m]].from; head[m] == 0 {
			roots++
		}
	}
	return roots == 1
}

// choose returns the edge of the best tree into each node but 0, nil if there is none.
func (s *levels) choose(nodes int, edges []edge) []int {
	s.levels, s.edges = s.levels+1, s.edges+len(edges)
	best := slices.Repeat([]int{-1}, nodes)
	for i, e := range edges {
		if b := best[e.to]; b < 0 || e.w > edges[b].w {
			best[e.to] = i
		}
	}
	if slices.Contains(best[1:], -1) {
		return nil
	}
	// One node of the next level for each cycle of best edges, one for every other node.
	group, met, next := slices.Repeat([]int32{-1}, nodes), make([]int, nodes), int32(1)
	group[0] = 0
	cycle := map[int32]bool{}
	for v := 1; v < nodes; v++ {
		u := int32(v)
		for u != 0 && met[u] == 0 {
			met[u], u = v, edges[best[u]].from
		}
		if u == 0 || met[u] != v || group[u] >= 0 {
			continue
		}
		for cycle[next] = true; group[u] < 0; u = edges[best[u]].from {
			group[u] = next
		}
		next++
	}
	if len(cycle) == 0 {
		return best
	}
	for v := range group {
		if group[v] < 0 {
			group[v] = next
			next++
		}
	}
	var inner []edge
	for i, e := range edges {
		from, to, w := group[e.from], group[e.to], e.w
		if cycle[to] {
			w -= edges[best[e.to]].w
		}
		if from != to {
			inner = append(inner, edge{from, to, w, i})
		}
	}
	chosen := s.choose(int(next), inner)
	if chosen == nil {
		return nil
	}
	for _, k := range chosen[1:] {
		i := inner[k].id // the edge of this level that enters the group
		best[edges[i].to] = i
	}
	return best
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
		if plain.levels > 3 {
			contracted++
		}
		if !slices.Equal(got, want) {
			t.Fatalf("case %d: heads %v, want %v", k, got, want)
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
	if !slices.Equal(got, want) {
		t.Fatalf("heads %v, want %v", got, want)
	}
	if plain.edges < 50*len(a.Heads) {
		t.Errorf("only %d arcs on %d levels: not the case it should be", plain.edges, plain.levels)
	}
	if cap(s.arcs) > 2*len(a.Heads) || cap(s.heap) > 4*n {
		t.Errorf("scratch of %d arcs and %d nodes for %d arcs and %d words", cap(s.arcs), cap(s.heap), len(a.Heads), n)
	}
}
