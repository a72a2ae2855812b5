package search

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

func tensorOptions() *score.TensorOptions { return &score.TensorOptions{Rank: 4, Gamma: 0.5} }

func TestTensorTrainingFitsAGrammarAndIsSaved(t *testing.T) {
	train, dev := grammar(60, 1), grammar(30, 2)
	m, err := Train(word.Learn(train), train, dev, TrainOptions{Epochs: 4, Tensor: tensorOptions()})
	if err != nil {
		t.Fatal(err)
	}
	if uas := m.uas(dev, 2); uas < 0.98 {
		t.Errorf("dev UAS %.3f", uas)
	}
	var b pack.Builder
	m.Pack(b.Sub("p"))
	opened, err := Open(pack.NewView(b.Sections), "p", m.source.Vocabulary)
	if err != nil {
		t.Fatal(err)
	}
	without := &Model{source: m.source, weights: m.weights, delta: m.delta}
	without.source.Tensor = nil
	differ := false
	for _, s := range dev {
		x, y, z := s, s, s
		for _, c := range []*syntax.Sentence{&x, &y, &z} {
			c.Words = append([]syntax.Word(nil), s.Words...)
		}
		if m.Parse(&x, Options{}) != nil || opened.Parse(&y, Options{}) != nil ||
			fmt.Sprint(x.Words, x.Confidence) != fmt.Sprint(y.Words, y.Confidence) {
			t.Fatal("a saved and a fresh model differ")
		}
		differ = differ || without.Parse(&z, Options{}) != nil || x.Confidence.TreeScore != z.Confidence.TreeScore
	}
	if !differ {
		t.Error("the tensor changes no score")
	}
}

func TestTensorTrainingDoesNotDependOnWorkersNorInterruption(t *testing.T) {
	train, dev := grammar(50, 3), grammar(10, 4)
	o := TrainOptions{Epochs: 3, Workers: 1, Tensor: tensorOptions()}
	want, err := Train(word.Learn(train), train, dev, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Workers = 4
	other, err := Train(word.Learn(train), train, dev, o)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(packed(want), packed(other)) {
		t.Error("1 and 4 workers give different models")
	}
	var state []pack.Section
	stop := fmt.Errorf("stopped")
	o.Checkpoint = func(epoch int, layout func(*pack.Layout)) error {
		state = written(layout)
		return stop
	}
	if _, err = Train(word.Learn(train), train, dev, o); err != stop || state == nil {
		t.Fatalf("interrupted training returned %v", err)
	}
	o.Checkpoint = nil
	o.Resume = reader(state)
	resumed, err := Train(word.Learn(train), train, dev, o)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(packed(want), packed(resumed)) {
		t.Error("a resumed training differs from one that was not interrupted")
	}
	o.Tensor = nil
	if _, err := Train(word.Learn(train), train, dev, o); err == nil {
		t.Error("a checkpoint with a tensor was taken by a training without")
	}
}

// The tensor's part of the step counts in its size: a small share of the step
// that would close the loss closes that share of it, up to the second order.
func TestTensorStepMeetsTheMargin(t *testing.T) {
	train := grammar(1, 5)
	o := TrainOptions{C: 1e9, Tensor: tensorOptions()}
	o.setDefaults()
	tr, err := newTrainer(word.Learn(train), train, o)
	if err != nil {
		t.Fatal(err)
	}
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
