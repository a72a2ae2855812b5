package search

import (
	"errors"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/tensor"
)

// setTensor gives m a tensor, or none if t is nil.
func (m *Model) setTensor(t *tensor.Model) {
	m.tensor, m.source.Tensor = t, nil
	if t != nil {
		m.source.Tensor = t
	}
}

// openTensor opens the model's tensor if it has one.
func (m *Model) openTensor(v *pack.View, component string) error {
	if !tensor.Packed(v, component) {
		return nil
	}
	t, err := tensor.Open(v, component)
	if err == nil {
		m.setTensor(t)
	}
	return err
}

// gamma is the weight of the sparse score in a tree's: 1 without a tensor.
func (t *trainer) gamma() float64 {
	if t.learner == nil {
		return 1
	}
	return t.learner.Gamma()
}

// startTensor makes the tensor that the options ask for, unless a checkpoint
// brought it.
func (t *trainer) startTensor() error {
	if t.o.Tensor == nil {
		return nil
	}
	if t.learner == nil {
		l, err := tensor.NewLearner(t.train, t.model.source.Vocabulary, t.tensorOptions())
		if err != nil {
			return err
		}
		t.learner = l
	}
	t.model.source.Tensor = t.learner
	return nil
}

func (t *trainer) tensorOptions() tensor.Options {
	o := *t.o.Tensor
	o.Seed, o.Log = t.o.Seed, t.o.Log
	return o
}

// restoreTensor takes the tensor over from a checkpoint.
func (t *trainer) restoreTensor(s *saved) (err error) {
	if (s.Tensor == nil) != (t.o.Tensor == nil) {
		return errors.New("the parser's checkpoint is of other options; delete it to start its training again")
	}
	if s.Tensor == nil {
		return nil
	}
	t.bestTensor = s.BestTensor
	t.learner, err = tensor.FromState(*s.Tensor, t.tensorOptions())
	return err
}

// measure returns the UAS on dev under averaged weights, and the tensor of
// that average.
func (t *trainer) measure(average *score.Table) (uas float64, fixed *tensor.Model) {
	if t.learner != nil {
		fixed = t.learner.Averaged(t.step)
		t.model.source.Tensor = fixed
	}
	t.model.source.Parts = average
	uas = t.model.uas(t.dev, t.o.Workers)
	t.model.source.Parts = t.table
	if t.learner != nil {
		t.model.source.Tensor = t.learner
	}
	return uas, fixed
}
