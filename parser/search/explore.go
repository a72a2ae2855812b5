package search

import (
	"slices"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Climb climbs from the present tree to a local optimum. With global families, another
// climb from there may lead further.
func (x *Search) Climb() {
	x.close()
	if x.full() {
		x.climbFull()
	}
}

// load makes heads, by word minus 1, the present tree, if the search can reach it: exactly
// one word has head 0, every head is a candidate of its word, and there is no cycle.
func (x *Search) load(heads []int32) bool {
	for i, h := range heads {
		if x.Scores.Arc(h, i+1) < 0 {
			return false
		}
	}
	copy(x.start[1:], heads)
	if !syntax.IsTree(x.start[:len(heads)+1]) {
		return false
	}
	x.Tree.Set(&x.Scores.Arcs, x.start)
	return true
}

// Score returns the score by which Parse chooses trees, in units of 1/score.Unit, for one
// tree of a sentence whose Candidates are set. It reports whether the search can reach the
// tree; the score of another is 0. It refuses sentences that are parsed in windows, because
// their trees have no single score. It looks up only the weights of this tree.
func (m *Model) Score(s *syntax.Sentence, heads []int32) (score int64, reachable bool) {
	if len(s.Words) == 0 || len(heads) != len(s.Words) || !s.Whole() || check(s) != nil {
		return 0, false
	}
	n := len(heads)
	only := *s
	only.Candidates = syntax.Candidates{Start: make([]int32, n+1), Heads: heads, LogOdds: make([]int32, n)}
	for i, h := range heads {
		at := slices.Index(s.Candidates.Of(i+1), h)
		if at < 0 {
			return 0, false
		}
		only.Candidates.Start[i+1] = int32(i + 1)
		only.Candidates.LogOdds[i] = s.Candidates.LogOdds[int(s.Candidates.Start[i])+at]
	}
	x := m.get()
	x.prepare(m, &only)
	if reachable = x.load(heads); reachable {
		score = x.total()
	}
	m.pool.Put(x) // but not after a panic, which leaves it as it is
	return score, reachable
}
