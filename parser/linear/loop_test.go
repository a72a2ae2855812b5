package linear

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
)

// A toy learns a class of 4 from 6 features an example, some of them noise.
type toy struct {
	examples [][]int32
	gold     []uint16
	weights  *Weights
	best     []float32
	figures  []float64
}

const toyFeatures = 60

func newToy(n int) *toy {
	x := &toy{weights: NewWeights(), best: []float32{}}
	r := hash.Rand(8)
	for range n {
		gold := r.Below(4)
		ids := []int32{int32(gold*3 + r.Below(4)), int32(r.Below(12))}
		for range 4 {
			ids = append(ids, 16+int32(r.Below(toyFeatures-16)))
		}
		x.examples, x.gold = append(x.examples, ids), append(x.gold, uint16(gold))
	}
	return x
}

// sum adds the weights of a feature for each class to acc.
func (x *toy) sum(id int32, acc *[4]float32) {
	for c := range acc {
		acc[c] += float32(x.weights.Sum([]hash.Key{hash.Pair(uint64(id), uint64(c))}))
	}
}

func (x *toy) guess(i int) (class uint16, acc [4]float32) {
	for _, id := range x.examples[i] {
		x.sum(id, &acc)
	}
	for c := range acc {
		if acc[c] > acc[class] {
			class = uint16(c)
		}
	}
	return class, acc
}

type toyUpdate struct {
	ids   []int32
	wrong uint16
	tau   float64
}

func (x *toy) task() Task[toyUpdate] {
	return Task[toyUpdate]{
		Learn: func(_ int, at At, u *toyUpdate) {
			class, acc := x.guess(at.Example)
			gold := x.gold[at.Example]
			u.ids, u.wrong = u.ids[:0], class
			chance := hash.Rand(at.Seed(1))
			for _, id := range x.examples[at.Example] {
				if chance.Below(4) > 0 {
					u.ids = append(u.ids, id)
				}
			}
			u.tau = PassiveAggressive(float64(acc[class]-acc[gold])+1, float64(2*len(u.ids)), 0.1)
		},
		Apply: func(at At, u *toyUpdate) {
			if gold := x.gold[at.Example]; u.wrong != gold {
				for _, id := range u.ids {
					x.weights.Add(hash.Pair(uint64(id), uint64(gold)), u.tau, at.Step)
					x.weights.Add(hash.Pair(uint64(id), uint64(u.wrong)), -u.tau, at.Step)
				}
			}
		},
		Measure: func(epoch, steps int) float64 {
			right := 0.0
			for i := range x.examples {
				if class, _ := x.guess(i); class == x.gold[i] {
					right++
				}
			}
			x.figures = append(x.figures, right)
			return right
		},
		Keep: func(epoch, steps int) {
			x.best = x.best[:0]
			for id := range int32(toyFeatures) {
				var acc [4]float32
				x.sum(id, &acc)
				x.best = append(x.best, acc[:]...)
			}
		},
		State: func(l *pack.Layout) {
			x.weights.Layout(l, "weights")
			pack.Array(l, "best", &x.best)
		},
	}
}

func run(t *testing.T, l Loop, x *toy) *toy {
	t.Helper()
	l.Examples, l.Seed = len(x.examples), 5
	if err := Run(l, x.task()); err != nil {
		t.Fatal(err)
	}
	return x
}

// Any number of workers gives the same weights. Another batch size gives other weights.
func TestWorkersChangeNothing(t *testing.T) {
	one := run(t, Loop{Epochs: 4, Batch: 16}, newToy(500))
	for _, workers := range []int{2, 3, 20} {
		if x := run(t, Loop{Epochs: 4, Batch: 16, Workers: workers}, newToy(500)); !reflect.DeepEqual(one, x) {
			t.Errorf("%d workers: another result", workers)
		}
	}
	if x := run(t, Loop{Epochs: 4, Batch: 15}, newToy(500)); reflect.DeepEqual(one.best, x.best) {
		t.Error("the size of a batch changes nothing")
	}
	if last := one.figures[3]; last < 250 {
		t.Errorf("%g of 500 are right", last)
	}
}

// An interruption after any epoch changes nothing.
func TestResume(t *testing.T) {
	whole := run(t, Loop{Epochs: 6, Batch: 4}, newToy(300))
	for stop := 1; stop <= 6; stop++ {
		var kept []pack.Section
		interrupted := errors.New("interrupted")
		l := Loop{Epochs: 6, Batch: 4, Seed: 5, Examples: 300}
		l.Checkpoint = func(epoch int, layout func(*pack.Layout)) error {
			if epoch > stop {
				return interrupted
			}
			kept = sections(layout)
			return nil
		}
		if err := Run(l, newToy(300).task()); !errors.Is(err, interrupted) && (stop < 6 || err != nil) {
			t.Fatal(err)
		}
		resumed := newToy(300)
		l.Checkpoint = nil
		l.Resume = func(layout func(*pack.Layout)) (bool, error) {
			return true, pack.Read(pack.NewView(kept), "c", layout)
		}
		if err := Run(l, resumed.task()); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(resumed.best, whole.best) {
			t.Errorf("interrupted after epoch %d: another result", stop)
		}
		if !slices.Equal(resumed.figures, whole.figures[stop:]) {
			t.Errorf("interrupted after epoch %d: figures %v, want %v", stop, resumed.figures, whole.figures[stop:])
		}
	}
	l := Loop{Epochs: 1, Examples: 9, Resume: func(layout func(*pack.Layout)) (bool, error) {
		return true, pack.Read(pack.NewView(nil), "c", layout)
	}}
	if Run(l, newToy(9).task()) == nil {
		t.Error("a checkpoint without sections was accepted")
	}
}

// The loop keeps the first of the best epochs and no epoch with a figure below 0. It stops
// after Stop epochs that are no better.
func TestKeep(t *testing.T) {
	for _, c := range []struct {
		figures      []float64
		stop         int
		epochs, kept int
	}{
		{[]float64{1, 3, 2, 3, 2}, 0, 5, 2},
		{[]float64{1, 3, 2, 3, 2}, 2, 4, 2},
		{[]float64{-1, -0.5, 0, -1, 0}, 0, 5, 3},
		{[]float64{-1, -1, -1}, 0, 3, 3},
		{nil, 0, 5, 5},
	} {
		epochs, kept := 0, 0
		task := Task[int]{
			Learn: func(int, At, *int) {},
			Apply: func(at At, _ *int) { epochs = at.Epoch },
			Keep:  func(epoch, _ int) { kept = epoch },
		}
		n := 5
		if c.figures != nil {
			task.Measure = func(epoch, steps int) float64 {
				if steps != 2*epoch {
					t.Errorf("epoch %d ends after %d steps, want 2 an epoch", epoch, steps)
				}
				return c.figures[epoch-1]
			}
			n = len(c.figures)
		}
		if err := Run(Loop{Examples: 3, Batch: 2, Epochs: n, Stop: c.stop}, task); err != nil {
			t.Fatal(err)
		}
		if epochs != c.epochs || kept != c.kept {
			t.Errorf("figures %v: %d epochs, %d kept; want %d, %d", c.figures, epochs, kept, c.epochs, c.kept)
		}
	}
}

func TestParallel(t *testing.T) {
	for _, n := range []int{0, 1, 5, 100} {
		for _, workers := range []int{0, 1, 3, 200} {
			done := make([]int, n)
			Parallel(n, workers, func(worker, i int) {
				if worker < 0 || worker >= max(workers, 1) {
					t.Errorf("worker %d of %d", worker, workers)
				}
				done[i]++
			})
			if slices.ContainsFunc(done, func(k int) bool { return k != 1 }) {
				t.Errorf("%d calls by %d workers: %v", n, workers, done)
			}
		}
	}
}
