package search

import (
	"errors"
	"slices"

	"github.com/treebeam/treebeam/parser/syntax"
)

// An Explorer scores given trees of one sentence and climbs from them, with the full
// score of the model. Heads are indexed by word minus 1. An Explorer belongs to one
// goroutine.
type Explorer struct{ x *Search }

// Explore prepares a sentence whose Candidates are set. It fails where Parse would, and
// on sentences that are parsed in windows, because their trees have no single score.
// The sentence must not change while the Explorer is used.
func (m *Model) Explore(s *syntax.Sentence) (*Explorer, error) {
	if len(s.Words) == 0 {
		return nil, errors.New("a sentence without words has no trees")
	}
	if !s.Whole() {
		return nil, errors.New("the sentence is parsed in windows: its trees have no one score")
	}
	if err := check(s); err != nil {
		return nil, err
	}
	e := &Explorer{new(Search)}
	e.x.prepare(m, s)
	return e, nil
}

// Score returns the score by which Parse chooses trees, in units of 1/score.Unit. It
// reports whether the search can reach the tree: exactly one word has head 0, every
// head is a candidate of its word, and there is no cycle. The score of a tree that
// cannot be reached is 0.
func (e *Explorer) Score(heads []int32) (score int64, reachable bool) {
	if !e.load(heads) {
		return 0, false
	}
	return e.x.total(), true
}

// Climb climbs from heads, a reachable tree, replaces heads by the local optimum where
// it ends, and returns its score. With global families, another climb from there may
// lead further.
func (e *Explorer) Climb(heads []int32) int64 {
	if !e.load(heads) {
		panic("search: climb from a tree that cannot be reached")
	}
	e.x.close()
	if e.x.full() {
		e.x.climbFull()
	}
	copy(heads, e.x.Tree.Head[1:])
	return e.x.total()
}

// load makes heads the present tree, if it can be reached.
func (e *Explorer) load(heads []int32) bool {
	x := e.x
	if len(heads) != x.Scores.N {
		return false
	}
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

// Score returns the score of one tree of a sentence whose Candidates are set, as
// Explorer.Score does, or false for sentences that Explore refuses. It looks up only
// the weights of this tree.
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
	e := Explorer{x}
	score, reachable = e.Score(heads)
	m.pool.Put(x) // but not after a panic, which leaves it as it is
	return score, reachable
}
