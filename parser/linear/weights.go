package linear

import (
	"math"
	"math/bits"
	"slices"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
)

// Weights holds float weights by key while they are learned, one a feature.
// Only features that were part of an update have a place, so that every other
// look-up ends at an empty one. Keys that agree in their lower half and nearly
// in their upper one share a weight. Readers may run concurrently with each
// other, but not with Add and Climb.
type Weights struct {
	slots  []slot     // open addressing, a power of two, at most 7 in 10 full
	keys   []hash.Key // whole ones, for growth
	total  []float64  // sum over updates of step * increment
	square []float32  // nil before the first Climb
	used   int
	shift  uint
}

// A slot is the lower half of a key, never 0 if there is one, above the bits
// of a float32.
type slot uint64

func newSlot(print uint32, w float32) slot { return slot(print)<<32 | slot(math.Float32bits(w)) }
func (s slot) print() uint32               { return uint32(s >> 32) }
func (s slot) weight() float32             { return math.Float32frombits(uint32(s)) }

const (
	firstBits = 16
	// ahead is how many slots are fetched before the first is looked at: the
	// processor waits for memory for all of them together.
	ahead = 32
)

// NewWeights returns weights of 0.
func NewWeights() *Weights { return newWeights(firstBits) }

func newWeights(logSize uint) *Weights {
	n := 1 << logSize
	return &Weights{slots: make([]slot, n), keys: make([]hash.Key, n), total: make([]float64, n), shift: 64 - logSize}
}

// Len returns the number of features.
func (w *Weights) Len() int { return w.used }

func print32(k hash.Key) uint32 { return max(uint32(k), 1) }

// Sum returns the sum of the weights of keys, added in their order.
func (w *Weights) Sum(keys []hash.Key) float64 {
	sum := 0.0
	var fetched [ahead]slot
	slots, mask := w.slots, len(w.slots)-1
	for len(keys) > 0 {
		batch := keys[:min(len(keys), ahead)]
		keys = keys[len(batch):]
		for j, k := range batch {
			fetched[j%ahead] = slots[int(k>>w.shift)&mask]
		}
		for j, k := range batch {
			s, p := fetched[j%ahead], print32(k)
			for i := int(k>>w.shift) & mask; s != 0; s = slots[i] {
				if s.print() == p {
					sum += float64(s.weight())
					break
				}
				i = (i + 1) & mask
			}
		}
	}
	return sum
}

// place returns the place of k, making one if it has none.
func (w *Weights) place(k hash.Key) int {
	if w.used*10 >= len(w.slots)*7 {
		w.grow()
	}
	p, mask := print32(k), len(w.slots)-1
	i := int(k>>w.shift) & mask
	for ; w.slots[i].print() != p; i = (i + 1) & mask {
		if w.slots[i] == 0 {
			w.slots[i], w.keys[i] = newSlot(p, 0), k
			w.used++
			return i
		}
	}
	return i
}

func (w *Weights) grow() {
	old := *w
	*w = *newWeights(64 - old.shift + 1)
	if old.square != nil {
		w.square = make([]float32, len(w.slots))
	}
	for i, s := range old.slots {
		if s == 0 {
			continue
		}
		j := w.place(old.keys[i])
		w.slots[j], w.total[j] = s, old.total[i]
		if old.square != nil {
			w.square[j] = old.square[i]
		}
	}
}

// Add adds delta to the weight of k at a step, counted from 1, for the
// average.
func (w *Weights) Add(k hash.Key, delta float64, step int) { w.add(w.place(k), delta, step) }

func (w *Weights) add(i int, delta float64, step int) {
	s := w.slots[i]
	w.slots[i] = newSlot(s.print(), s.weight()+float32(delta))
	w.total[i] += float64(step) * delta
}

// Climb moves the weight of k by rule at a step, counted from 1, for the
// average.
func (w *Weights) Climb(k hash.Key, gradient float32, rule AdaGrad, step int) {
	i := w.place(k)
	if w.square == nil {
		w.square = make([]float32, len(w.slots))
	}
	w.add(i, float64(rule.increment(&w.square[i], gradient)), step)
}

// Averaged calls yield with the weights averaged over steps 1..steps that are
// not 0. The order depends on the history of w: sort what must not.
func (w *Weights) Averaged(steps int, yield func(k hash.Key, weight float32)) {
	for i, s := range w.slots {
		if s == 0 {
			continue
		}
		if x := Average(s.weight(), w.total[i], steps); x != 0 {
			yield(w.keys[i], x)
		}
	}
}

// Average returns the weights averaged over steps 1..steps as Weights to read.
func (w *Weights) Average(steps int) *Weights {
	a := &Weights{slots: make([]slot, len(w.slots)), keys: w.keys, total: w.total, used: w.used, shift: w.shift}
	for i, s := range w.slots {
		if s != 0 {
			a.slots[i] = newSlot(s.print(), Average(s.weight(), w.total[i], steps))
		}
	}
	return a
}

// Layout names the arrays of a checkpoint. Weights that were read go on as
// those that were written.
func (w *Weights) Layout(l *pack.Layout, name string) {
	l.Nested(name, func(l *pack.Layout) {
		pack.Array(l, "slots", &w.slots)
		pack.Array(l, "keys", &w.keys)
		pack.Array(l, "total", &w.total)
		pack.Array(l, "square", &w.square)
		if !l.Reading() {
			return
		}
		n := len(w.slots)
		l.Check("slots", n > 1 && n&(n-1) == 0 && slices.Contains(w.slots, 0), "is no hash table")
		l.Check("keys", len(w.keys) == n && len(w.total) == n && (len(w.square) == n || len(w.square) == 0), "has another length than its weights")
		w.slots, w.keys, w.total, w.square = slices.Clone(w.slots), slices.Clone(w.keys), slices.Clone(w.total), slices.Clone(w.square)
		w.shift, w.used = 64-uint(bits.Len(uint(n-1))), 0
		for _, s := range w.slots {
			if s != 0 {
				w.used++
			}
		}
	})
}
