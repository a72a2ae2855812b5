package search

import (
	"errors"
	"unsafe"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/score"
)

// setTensor gives m a tensor, or none if t is nil.
func (m *Model) setTensor(t *score.Tensor) {
	m.tensor, m.source.Tensor = t, nil
	if t != nil {
		m.source.Tensor = t
	}
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
		l, err := score.NewTensorLearner(t.train, t.model.source.Vocabulary, t.tensorOptions())
		if err != nil {
			return err
		}
		t.learner = l
	}
	t.model.source.Tensor = t.learner
	return nil
}

func (t *trainer) tensorOptions() score.TensorOptions {
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
	t.bestTensor = new(score.Tensor)
	if err := pack.Read(pack.NewView(aligned(s.BestTensor)), "t", t.bestTensor.Layout); err != nil {
		return err
	}
	t.learner, err = score.TensorFromState(s.Tensor, t.tensorOptions())
	return err
}

// measure returns the UAS on dev under averaged weights, and the tensor of
// that average.
func (t *trainer) measure(average *score.Table) (uas float64, fixed *score.Tensor) {
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

// aligned copies sections to multiples of 8, as a View wants them.
func aligned(list []pack.Section) []pack.Section {
	for i, s := range list {
		words := make([]uint64, len(s.Data)/8+1)
		list[i].Data = unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(s.Data))
		copy(list[i].Data, s.Data)
	}
	return list
}
