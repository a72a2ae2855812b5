package search

import (
	"slices"

	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A partial tree has words without a head (syntax.NoHead). Many trees have its
// known heads, and the parser learns from it as translation systems learn from
// translations whose derivations are not known (Yu, Huang, Mi and Zhao 2013):
//
//   - Forced decoding finds the gold tree, the one that scores highest of those that
//     have all known heads.
//   - The ordinary search finds another tree. A known head that it lacks costs one;
//     an open head costs nothing.
//   - A climb also begins at the gold tree. The highest tree of all has the
//     largest violation. Unless it has all known heads, too, there is a step
//     from it towards the gold tree.
//
// If all heads are known, they are the gold tree, and nothing is forced.

// force makes x.gold the highest tree that a climb over the candidates with the
// known heads of s finds, and reports whether there is one. prune.Jackknife
// guarantees it. The tree depends on the sentence and the seed alone.
func (t *trainer) force(x *Search, s *syntax.Sentence, seed uint64) bool {
	like := *s
	if prune.Keep(&like, s.Heads()) != nil {
		return false
	}
	if x.forced == nil {
		x.forced = &Search{}
	}
	f := x.forced
	f.Scores.Count = Counters{}
	f.prepare(t.model, &like)
	f.Seed = seed
	if !(Greedy{Restarts: 1}).Decode(f) {
		return false
	}
	for m := 1; m <= len(s.Words); m++ {
		if !slices.Contains(s.Candidates.Of(m), f.best[m]) {
			return false // candidates that are not those of prune.Jackknife
		}
	}
	copy(x.gold, f.best[:len(s.Words)+1])
	return true
}
