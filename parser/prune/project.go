package prune

import (
	"errors"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Project makes sure that s.Candidates, as Prune has set them, hold a
// single-root tree without crossing arcs, the arc from 0 included: where they
// do not, it adds the fewest that are needed. Words with a given head
// (given[m-1], as for Keep; nil if there are none) get no other; if given
// heads leave no projective tree it fails and changes nothing. A sentence of
// more than MaxMarginalWords words gets the chain in which every word hangs on
// the one before it, and given heads must be of that chain. One that is not
// searched whole stays as it is: the search may lift a word to a head that is no
// candidate.
func Project(s *syntax.Sentence, given []int32) error {
	switch {
	case len(s.Candidates.Start) != len(s.Words)+1:
		return errors.New("prune the sentence before it is parsed")
	case len(s.Words) <= syntax.MaxMarginalWords:
		return projectWhole(s, given)
	case !s.Whole():
		return nil
	}
	for i, h := range given {
		if h != syntax.NoHead && int(h) != i {
			return syntax.Because(syntax.KindHeadsLost, "heads cannot be given to a sentence of more than %d words that must be projective", syntax.MaxMarginalWords)
		}
	}
	for m := 1; m <= len(s.Words); m++ {
		add(&s.Candidates, m, int32(m-1), addedLogOdds)
	}
	return nil
}

// projectWhole is Project for a sentence that is not too long for a chart.
func projectWhole(s *syntax.Sentence, given []int32) error {
	const farBelow = -1 << 30 // so low that as few arcs as possible have it; the sum stays in range
	n := len(s.Words)
	all := graph.Arcs{Start: make([]int32, 1, n+1)} // the candidates, and what may be added to them
	for m := 1; m <= n; m++ {
		for h := int32(0); int(h) <= n; h++ {
			at, found := slices.BinarySearch(s.Candidates.Of(m), h)
			score := int32(farBelow)
			switch {
			case found:
				score = s.Candidates.LogOdds[int(s.Candidates.Start[m-1])+at]
			case int(h) == m || given != nil && given[m-1] != syntax.NoHead:
				continue
			}
			all.Heads, all.Score = append(all.Heads, h), append(all.Score, score)
		}
		all.Start = append(all.Start, int32(len(all.Heads)))
	}
	head := make([]int32, n+1)
	if new(graph.Spanner).ProjectiveTree(&all, head) > 0 {
		return syntax.Because(syntax.KindHeadsLost, "the given heads cross each other, or the root: no projective tree has them")
	}
	for m := n; m >= 1; m-- {
		add(&s.Candidates, m, head[m], addedLogOdds)
	}
	return nil
}

// Connect makes sure that candidates hold a single-root tree: if they do not, or
// leave a word without a head, every word may also hang on the one before it, the
// first on 0.
func Connect(c *syntax.Candidates) {
	if holdsTree(c) {
		return
	}
	for m := len(c.Start) - 1; m >= 1; m-- {
		add(c, m, int32(m-1), addedLogOdds)
	}
}
