package search

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A JointExample is what training with joint tags needs beside a sentence, which
// has the tagger's tags: what else its words may be, and which of these is gold, by word
// minus 1; the tagger's own where none is.
type JointExample struct {
	Choices *syntax.Choices // nil: the tags stay
	Gold    []int
}

// fits reports whether an example with choices is one of so many words.
func (e *JointExample) fits(words int) bool {
	c := e.Choices
	if len(c.Words) != words || len(e.Gold) != words || len(c.Pairs) != max(words-1, 0) {
		return false
	}
	for i, k := range e.Gold {
		if k < 0 || k >= len(c.Words[i]) || i > 0 && len(c.Pairs[i-1]) != len(c.Words[i-1])*len(c.Words[i]) {
			return false
		}
	}
	return true
}

// trialsInTraining bounds the trees that one step looks for.
const trialsInTraining = 24

// learnJoint is learn where tags are found with the tree (BestTags). A wrong tag
// costs as much as a wrong head, and the step moves away from the features of the tree
// with these tags, towards those of the gold tree with gold tags.
func (t *trainer) learnJoint(x *Search, s *syntax.Sentence, e *JointExample, seed uint64, u *update) {
	work := *s
	work.Words = slices.Clone(s.Words)
	count := Counters{}
	tree := func(path []int) (int64, bool) {
		e.Choices.Set(&work, path)
		t.load(x, &work, seed)
		ok := Greedy{Restarts: 1}.Decode(x)
		count.Add(x.Scores.Count)
		wrong := 0
		for i, k := range path {
			if k != e.Gold[i] {
				wrong++
			}
		}
		return x.bestAt + int64(wrong)*score.Unit, ok
	}
	path, _ := BestTags(e.Choices, JointOptions{Weight: t.o.TagWeight, Trials: trialsInTraining}, tree)
	if found, ok := tree(path); ok {
		for i := range path {
			if x.best[i+1] != x.gold[i+1] {
				u.tally.wrong++
			}
		}
		if u.tally.wrong == 0 && slices.Equal(path, e.Gold) {
			u.tally.correct = 1
		} else {
			t.stepJoint(x, &work, e, path, found, seed, u)
		}
	}
	count.Words = int64(len(s.Words))
	u.tally.counters = count
}

// stepJoint fills u with the step from x.best with the tags of path, which score
// found with their cost, towards the gold tree with gold tags.
func (t *trainer) stepJoint(x *Search, work *syntax.Sentence, e *JointExample, path []int, found int64, seed uint64, u *update) {
	collect := func(heads []int32, count float32) {
		x.Tree.Set(&x.Scores.Arcs, heads)
		x.parts[0] = x.Scores.Parts(&x.Tree, x.parts[0][:0])
		u.add(x, x.parts[0], count)
	}
	collect(x.best, -1)
	e.Choices.Set(work, e.Gold)
	t.load(x, work, seed)
	collect(x.gold, 1)
	weight := int64(cmp.Or(t.o.TagWeight, TagWeight))
	loss := float64(found+e.Choices.Score(path)*weight>>10-x.total()-e.Choices.Score(e.Gold)*weight>>10) / score.Unit
	if loss <= 0 {
		u.features, u.tally.below = u.features[:0], 1
		return
	}
	u.merge()
	u.take(loss, t.o.C)
	u.alpha *= float64(work.Step())
}

// checkLearner reports options that do not go together.
func (o *TrainOptions) checkLearner(train []syntax.Sentence) error {
	switch {
	case o.Learner.Valid() != nil:
		return o.Learner.Valid()
	case o.Joint != nil && len(o.Joint) != len(train):
		return fmt.Errorf("joint tags of %d sentences, want %d", len(o.Joint), len(train))
	case o.Joint != nil && o.Learner == SampleRank:
		return errors.New("SampleRank does not learn with joint tags")
	case o.Tensor != nil && (o.Joint != nil || o.Learner == SampleRank):
		return errors.New("neither joint tags nor SampleRank learn a tensor")
	}
	for i := range o.Joint {
		if e := &o.Joint[i]; e.Choices != nil && !e.fits(len(train[i].Words)) {
			return fmt.Errorf("joint tags of training sentence %d are of another one", i+1)
		}
	}
	return nil
}
