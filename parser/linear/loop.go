package linear

import (
	"sync"
	"sync/atomic"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
)

// A Loop has the options of Run.
type Loop struct {
	Examples int
	Epochs   int // largest number of passes over the examples
	Stop     int // ends after this many epochs without a better figure; 0: never
	Batch    int // examples that see the same weights; 1 if 0
	Workers  int // goroutines, 1 if 0; the result does not depend on it
	Seed     uint64

	// Checkpoint, if set, is called after every epoch with the layout of the state of
	// the training. Resume, if set, reads that state, and the training goes on as if it
	// had never stopped. Resume returns false, and does not call layout, if there is no
	// checkpoint.
	Checkpoint func(epoch int, layout func(*pack.Layout)) error
	Resume     func(layout func(*pack.Layout)) (bool, error)
}

// At says how far Run has come.
type At struct {
	Epoch   int // from 1
	Step    int // batches so far, with this one: from 1
	Example int // from 0
}

// Seed returns a seed for random numbers for this example in this epoch.
func (a At) Seed(seed uint64) uint64 {
	return hash.Pair(hash.Pair(seed, uint64(a.Epoch)), uint64(a.Example))
}

// A Task is a learner. U is the update for one example.
type Task[U any] struct {
	// Learn computes the update for an example with the current weights, which it must
	// not change. It is called from several goroutines; worker is the number of the
	// caller. The update may depend only on the weights and on at. *u holds an earlier
	// update, whose memory may be reused.
	Learn func(worker int, at At, u *U)

	// Apply changes the weights by an update. It is called for one example after
	// another, in the order of the batch.
	Apply func(at At, u *U)

	// Measure returns the score of the weights after an epoch; higher is better. An
	// epoch with a score below 0 is never kept. Keep makes the current weights the
	// result so far. Without Measure, Keep is called once, at the end. steps is the
	// number of batches so far, for averages.
	Measure func(epoch, steps int) float64
	Keep    func(epoch, steps int)

	// State names all arrays of a checkpoint: the current weights and the kept ones. It
	// may be nil without checkpoints.
	State func(*pack.Layout)
}

// progress is the part of a checkpoint that is about the loop itself.
type progress struct {
	epoch, step, since int32
	best               float64
}

func (p *progress) layout(l *pack.Layout) {
	pack.Value(l, "epoch", &p.epoch)
	pack.Value(l, "step", &p.step)
	pack.Value(l, "since", &p.since)
	pack.Value(l, "best", &p.best)
}

// Run learns from the examples in a shuffled order, batch by batch, and keeps the first
// epoch with the best score. All examples of a batch see the same weights, and updates
// are applied in order, so the result is the same for any number of workers. Errors are
// from Checkpoint and Resume.
func Run[U any](l Loop, t Task[U]) error {
	l.Batch, l.Workers = max(l.Batch, 1), max(l.Workers, 1)
	p := progress{best: -1}
	state := func(s *pack.Layout) {
		s.Nested("loop", p.layout)
		if t.State != nil {
			t.State(s)
		}
	}
	if l.Resume != nil {
		if _, err := l.Resume(state); err != nil {
			return err
		}
	}
	updates := make([]U, min(l.Batch, l.Examples))
	for int(p.epoch) < l.Epochs && (l.Stop == 0 || int(p.since) < l.Stop) {
		p.epoch++
		order := hash.Shuffled(l.Examples, hash.Pair(l.Seed, uint64(p.epoch)))
		for lo := 0; lo < len(order); lo += l.Batch {
			p.step++
			batch := order[lo:min(lo+l.Batch, len(order))]
			at := func(k int) At { return At{int(p.epoch), int(p.step), batch[k]} }
			Parallel(len(batch), l.Workers, func(worker, k int) { t.Learn(worker, at(k), &updates[k]) })
			for k := range batch {
				t.Apply(at(k), &updates[k])
			}
		}
		p.since++
		if t.Measure != nil {
			if figure := t.Measure(int(p.epoch), int(p.step)); figure >= 0 && figure > p.best {
				p.best, p.since = figure, 0
				t.Keep(int(p.epoch), int(p.step))
			}
		}
		if l.Checkpoint != nil {
			if err := l.Checkpoint(int(p.epoch), state); err != nil {
				return err
			}
		}
	}
	if t.Measure == nil || p.best < 0 {
		t.Keep(int(p.epoch), int(p.step))
	}
	return nil
}

// Parallel calls f for i = 0..n-1 from the given number of goroutines. worker is the
// number of the calling goroutine. Parallel returns when all calls have returned.
func Parallel(n, workers int, f func(worker, i int)) {
	workers = min(workers, n)
	if workers <= 1 {
		for i := range n {
			f(0, i)
		}
		return
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(worker, i)
			}
		})
	}
	group.Wait()
}
