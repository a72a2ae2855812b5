package search

import (
	"slices"

	"github.com/treebeam/treebeam/parser/syntax"
)

// TagWeight is what the tagger's score of a path of tags counts in that of tags
// and tree, in 1/score.Unit a nat, if JointOptions does not say it: 8 wrong heads. On dev
// it made the least difference to UPOS, and nearly the most to LAS
// (lab/notes/family.md).
const TagWeight = 8192

// JointTrials is how many trees are looked for at most, if JointOptions does not say it.
const JointTrials = 64

// JointOptions of BestTags. Zero values have the defaults.
type JointOptions struct {
	Weight int // of the tagger's score, in 1/score.Unit a nat; TagWeight if 0
	Trials int // at most so many trees are looked for; JointTrials if 0
}

// BestTags looks for the tags and the tree of a sentence that score highest
// together: by the tagger (syntax.Choices.Score) and by the parts of the tree, whose
// features depend on tags (after Zhang, Lei, Barzilay, Jaakkola and Globerson 2014,
// who sample both). It climbs: from the tagger's own tags on, every word in turn takes the
// choice with which its sentence's best tree gains most, until none gains. tree
// returns the score of the best tree with the tags of a path, in 1/score.Unit; false
// if there is none. BestTags returns the path and the number of trees that it looked for.
// Of equal choices the earlier one stays.
func BestTags(c *syntax.Choices, o JointOptions, tree func(path []int) (int64, bool)) (path []int, trials int) {
	path = make([]int, len(c.Words))
	if c.Open() == 0 {
		return path, 0
	}
	if o.Weight == 0 {
		o.Weight = TagWeight
	}
	if o.Trials == 0 {
		o.Trials = JointTrials
	}
	value := func() (int64, bool) {
		trials++
		s, ok := tree(path)
		return s + c.Score(path)*int64(o.Weight)>>10, ok
	}
	best, ok := value()
	if !ok {
		return path, trials
	}
	last := -1 // word that changed last, or where the climb began
	for i := 0; ; i = (i + 1) % len(path) {
		if i == last {
			return path, trials // all words were tried since
		}
		if last < 0 {
			last = 0
		}
		own := path[i]
		for k := range c.Words[i] {
			if k == own {
				continue
			}
			if trials >= o.Trials {
				return path, trials
			}
			before := path[i]
			path[i] = k
			if v, ok := value(); ok && v > best {
				best, last = v, i
			} else {
				path[i] = before
			}
		}
	}
}

// Best returns the score of the best tree that Parse would find, in 1/score.Unit,
// and its heads by word minus 1, and changes nothing but candidates that are not set. It
// fails where Parse does, and on sentences that are parsed in windows.
func (m *Model) Best(s *syntax.Sentence, o Options) (heads []int32, score int64, ok bool) {
	if len(s.Words) == 0 || !s.Whole() || check(s) != nil {
		return nil, 0, false
	}
	o.setDefaults()
	x := m.get()
	x.Scores.Count = Counters{}
	if x.find(m, s, &o) {
		heads, score, ok = slices.Clone(x.best[1:len(s.Words)+1]), x.bestAt, true
	}
	m.pool.Put(x) // but not after a panic, which leaves it as it is
	return heads, score, ok
}
