package search

import (
	"math"
	"testing"

	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/word"
)

// The pruner's log-odds count where trees are parsed and scored, and where
// an epoch is measured, not in a step of training.
func TestPriorIsForParsingAlone(t *testing.T) {
	train := grammar(20, 6)
	o := TrainOptions{}
	o.setDefaults()
	tr := newTrainer(word.Learn(train), train, o)
	tr.measure(train[:2], 1, 0)
	var x Search
	for i := range train {
		x.prepare(tr.model, &train[i])
		for a, sum := range x.Scores.Arcs.Score {
			if sum != 0 {
				t.Fatalf("sentence %d: arc %d scores %d before anything was learned", i, a, sum)
			}
		}
	}
	m, err := Train(word.Learn(train), train, nil, TrainOptions{Epochs: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := &train[0]
	n := len(s.Words)
	heads, want := make([]int32, n), 0.0
	for i := range s.Words {
		heads[i] = s.Words[i].Head
		for a := s.Candidates.Start[i]; a < s.Candidates.Start[i+1]; a++ {
			if s.Candidates.Heads[a] == heads[i] {
				want += float64(s.Candidates.LogOdds[a]) / 1024 * prior
			}
		}
	}
	with, _ := m.Score(s, heads)
	clear(s.Candidates.LogOdds)
	without, ok := m.Score(s, heads)
	if got := float64(with - without); !ok || math.Abs(got-want) > float64(n) || math.Abs(want) < score.Unit/16 {
		t.Errorf("log-odds add %g to the score of a tree, want %g", got, want)
	}
}
