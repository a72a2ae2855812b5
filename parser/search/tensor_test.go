package search

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/word"
)

// A model with a tensor that loses it gives other scores.
func TestTensorChangesScores(t *testing.T) {
	train, dev := grammar(60, 1), grammar(30, 2)
	m, err := Train(word.Learn(train), train, nil, TrainOptions{Epochs: 4, Tensor: 4})
	if err != nil {
		t.Fatal(err)
	}
	without := &Model{source: m.source, weights: m.weights, delta: m.delta}
	without.source.Tensor = nil
	for _, s := range dev {
		with := s
		if m.Parse(&with, Options{}) != nil || without.Parse(&s, Options{}) != nil || with.Confidence.TreeScore != s.Confidence.TreeScore {
			return
		}
	}
	t.Error("the tensor changes no score")
}

// The tensor's part of the step counts in its size: a small share of the step
// that would close the loss closes that share of it, up to the second order.
func TestTensorStepMeetsTheMargin(t *testing.T) {
	train := grammar(1, 5)
	o := TrainOptions{C: 1e9, Tensor: 4}
	o.setDefaults()
	tr := newTrainer(word.Learn(train), train, o)
	s, x, u := &train[0], &Search{}, update{}
	tr.learn(x, s, 1, &u)
	violator, gold, wrong := slices.Clone(x.best), headsOf(s), u.outcomes.wrong
	margin := func() float64 {
		x.prepare(tr.model, s)
		x.Tree.Set(&x.Scores.Arcs, gold)
		at := x.total()
		x.Tree.Set(&x.Scores.Arcs, violator)
		return float64(at-x.total()) / score.Unit
	}
	const share = 1. / 16
	before := margin()
	want := (float64(wrong) - before) * share
	u.alpha *= share
	tr.apply(&u, 1)
	if got := margin() - before; got < 0.97*want || got > 1.03*want {
		t.Errorf("a step closes %.4f of the loss, want %.4f", got, want)
	}
}
