package search

import (
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/part/parttest"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

type noise = parttest.Noise

var (
	randomSentence = parttest.RandomSentence
	allTrees       = parttest.AllTrees
	isProjective   = parttest.IsProjective
	tags           = parttest.Tags
)

var _ score.Scorer = noise(0)

// headsOf returns the heads of a sentence by word, entry 0 unused.
func headsOf(s *syntax.Sentence) []int32 { return append([]int32{0}, s.Heads()...) }

// scratchScore scores a tree from its parts alone.
func scratchScore(x *Search, head []int32) int64 {
	var y part.Tree
	y.Set(&x.Scores.Arcs, head)
	return x.Scores.FromScratch(&y)
}

func newSearch(s *syntax.Sentence, scale int32, on part.Families) *Search {
	x := &Search{}
	x.prepare(newModel(noise(scale), on), s)
	return x
}

func newModel(sc score.Scorer, on part.Families) *Model {
	return &Model{source: part.Source{Vocabulary: word.Learn(nil), Parts: sc, Families: on}, delta: DefaultDelta}
}

func (x *Search) run(seed uint64, restarts, patience int) bool {
	x.Seed = seed
	return Greedy{restarts, patience, 0}.Decode(x)
}
