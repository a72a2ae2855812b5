package model

import (
	"slices"

	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
)

// jointBounds are those of Parse with JointTags. On dev of tr_imst, choices that are 3
// nats worse instead of 1 give the same LAS for three times the time
// (lab/notes/family.md).
var jointBounds = tag.Bounds{Tags: 3, Most: 1024}

// What ChooseTags looks for in a long sentence: trees of so many words in all, but at
// least so many trees. So its time does not grow with the square of the words.
const (
	jointWords  = 2000
	leastTrials = 4
)

// ChooseTags gives a pruned sentence the tags that score highest together with a
// tree (search.BestTags): UPOS, XPOS, FEATS and lemmas of words that the tagger
// is not sure of (tag.Model.Choices). Candidates become those of the new tags, and
// TagProb of a word that has changed what the tagger thinks of its new tag. Parse
// comes next. Words whose UPOS was given keep their tags. Sentences with given XPOS, FEATS
// or lemmas, or with tags that are others than the tagger's, those that are parsed in windows, and all of a model
// without tags stay as they are. ChooseTags returns the number of trees that it looked
// for: at most j.Trials, or if that is 0 as many as have 2,000 words in all, but 4 to 64.
func (m *Model) ChooseTags(s *syntax.Sentence, o search.Options, b tag.Bounds, j search.JointOptions) (trials int) {
	if len(s.Words) == 0 || m.noTags || len(s.TagProb) != len(s.Words) || !s.Whole() || s.TagsGiven || s.Given != (syntax.Given{}) {
		return 0
	}
	c := m.choices(s, b)
	for i := range s.Words {
		w, x := &s.Words[i], &c.Words[i][0]
		if w.UPOS != x.UPOS || w.XPOS != x.XPOS || w.Feats != x.Feats || w.Lemma != x.Lemma {
			return 0 // something was given
		}
	}
	if j.Trials == 0 {
		j.Trials = min(search.JointTrials, max(leastTrials, jointWords/len(s.Words)))
	}
	work := *s
	work.Words = slices.Clone(s.Words)
	o.Restarts, o.Certify = 1, -1 // Parse searches for longer, with the tags that are left
	path, trials := search.BestTags(&c, j, func(path []int) (int64, bool) {
		for i, k := range path {
			if k > 0 && s.TagProb[i] == 1 {
				return 0, false
			}
		}
		c.Set(&work, path)
		return m.bestTree(&work, o)
	})
	changed := false
	for i, k := range path {
		if k == 0 {
			continue
		}
		if x := c.Words[i]; x[k].UPOS != x[0].UPOS {
			s.TagProb[i] = lessProbable(s.TagProb[i], x[0].Score-x[k].Score)
		}
		changed = true
	}
	if changed {
		c.Set(s, path)
		m.Prune(s)
	}
	return trials
}

// bestTree prunes s and returns the score of its best tree.
func (m *Model) bestTree(s *syntax.Sentence, o search.Options) (int64, bool) {
	m.Prune(s)
	if o.Projective && prune.Project(s, nil) != nil {
		return 0, false
	}
	c := *s
	if m.dense(s) {
		x := buffers.Get().(*buffer)
		defer buffers.Put(x)
		c.Dense.Arcs = scaled(&x.a, s.Dense.Arcs, m.Mix.Parse)
	}
	_, score, ok := m.Decoder.Best(&c, o)
	return score, ok
}

// choices returns what the tagger thinks that the words may be.
func (m *Model) choices(s *syntax.Sentence, b tag.Bounds) syntax.Choices {
	c := *s
	if m.dense(s) {
		x := buffers.Get().(*buffer)
		defer buffers.Put(x)
		c.Dense = syntax.Dense{Tags: scaled(&x.a, s.Dense.Tags, m.Mix.Tags), Feats: scaled(&x.b, s.Dense.Feats, m.Mix.Feats)}
	}
	return m.Tagger.Choices(&c, tag.Request{Retag: true, Exceptions: m.custom.Exceptions}, b)
}
