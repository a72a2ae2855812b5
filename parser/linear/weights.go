package linear

import (
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
)

// Weights holds float weights in training, one for each key. Only keys that were part
// of an update have a place. Two keys share a weight if their lower halves agree and
// their upper halves nearly agree. Readers may run concurrently with each other, but
// not with Add and Climb.
//
// A place takes 16 bytes, or 20 after Climb, and half to three quarters of the places
// are full. Places are divided into shards by the top bits of the key. So when Weights
// grows, only one shard at a time is in memory twice.
type Weights struct{ shards [1 << shardBits]shard }

type shard struct {
	slots  []slot    // open addressing
	upper  []uint32  // upper halves of the keys
	total  []float32 // sum over updates of step * increment
	square []float32 // nil before the first Climb
	used   int
}

// A slot is the lower half of a key above the bits of a float32. The lower half of a
// key that is present is never 0.
type slot uint64

func newSlot(print uint32, w float32) slot { return slot(print)<<32 | slot(math.Float32bits(w)) }
func (s slot) print() uint32               { return uint32(s >> 32) }
func (s slot) weight() float32             { return math.Float32frombits(uint32(s)) }

const (
	shardBits = 6
	firstSize = 1 << 8 // places of a shard
	// ahead is how many slots are fetched before the first is looked at, so that the
	// processor waits for all of them together.
	ahead = 32
)

// NewWeights returns weights of 0.
func NewWeights() *Weights {
	w := new(Weights)
	for i := range w.shards {
		w.shards[i] = newShard(firstSize)
	}
	return w
}

func newShard(n int) shard {
	return shard{slots: make([]slot, n), upper: make([]uint32, n), total: make([]float32, n)}
}

func print32(k hash.Key) uint32 { return max(uint32(k), 1) }

func (w *Weights) shard(k hash.Key) *shard { return &w.shards[k>>(64-shardBits)] }

// home returns the place at which the search for k begins. Homes are in the order of
// keys.
func (s *shard) home(k hash.Key) int {
	hi, _ := bits.Mul64(k<<shardBits, uint64(len(s.slots)))
	return int(hi)
}

// Len returns the number of features.
func (w *Weights) Len() (n int) {
	for i := range w.shards {
		n += w.shards[i].used
	}
	return n
}

// Sum returns the sum of the weights of keys, added in their order.
func (w *Weights) Sum(keys []hash.Key) float64 {
	sum := 0.0
	var fetched [ahead]slot
	for len(keys) > 0 {
		batch := keys[:min(len(keys), ahead)]
		keys = keys[len(batch):]
		for j, k := range batch {
			s := w.shard(k)
			fetched[j%ahead] = s.slots[s.home(k)]
		}
		for j, k := range batch {
			x := fetched[j%ahead]
			if x != 0 && x.print() != print32(k) {
				s := w.shard(k)
				x = s.slots[s.seek(k)]
			}
			sum += float64(x.weight())
		}
	}
	return sum
}

// seek returns the place of k, or the empty place that ends the search for k.
func (s *shard) seek(k hash.Key) int {
	i := s.home(k)
	for p := print32(k); s.slots[i] != 0 && s.slots[i].print() != p; {
		if i++; i == len(s.slots) {
			i = 0
		}
	}
	return i
}

// place returns the shard and the place of k. If k has no place, it makes one.
func (w *Weights) place(k hash.Key) (*shard, int) {
	s := w.shard(k)
	if s.used*4 >= len(s.slots)*3 {
		s.grow()
	}
	i := s.seek(k)
	if s.slots[i] == 0 {
		s.slots[i], s.upper[i] = newSlot(print32(k), 0), uint32(k>>32)
		s.used++
	}
	return s, i
}

func (s *shard) key(i int) hash.Key { return uint64(s.upper[i])<<32 | uint64(s.slots[i].print()) }

// grow adds half as many places again.
func (s *shard) grow() {
	old := *s
	*s = newShard(len(old.slots) * 3 / 2)
	s.used = old.used
	if old.square != nil {
		s.square = make([]float32, len(s.slots))
	}
	for i, x := range old.slots {
		if x == 0 {
			continue
		}
		j := s.home(old.key(i))
		for s.slots[j] != 0 {
			if j++; j == len(s.slots) {
				j = 0
			}
		}
		s.slots[j], s.upper[j], s.total[j] = x, old.upper[i], old.total[i]
		if old.square != nil {
			s.square[j] = old.square[i]
		}
	}
}

// Add adds delta to the weight of k at a step, counted from 1, for the
// average.
func (w *Weights) Add(k hash.Key, delta float64, step int) {
	s, i := w.place(k)
	s.add(i, delta, step)
}

func (s *shard) add(i int, delta float64, step int) {
	x := s.slots[i]
	s.slots[i] = newSlot(x.print(), x.weight()+float32(delta))
	s.total[i] += float32(float64(step) * delta)
}

// Climb moves the weight of k by rule at a step, counted from 1, for the
// average.
func (w *Weights) Climb(k hash.Key, gradient float32, rule AdaGrad, step int) {
	s, i := w.place(k)
	if s.square == nil {
		s.square = make([]float32, len(s.slots))
	}
	s.add(i, float64(rule.increment(&s.square[i], gradient)), step)
}

// Averaged averages the weights over steps 1..steps, and calls yield with each average
// that is not 0. The order depends on the history of w: sort the averages if it matters.
func (w *Weights) Averaged(steps int, yield func(k hash.Key, weight float32)) {
	for n := range w.shards {
		s := &w.shards[n]
		for i, x := range s.slots {
			if x != 0 {
				if a := average(x.weight(), float64(s.total[i]), steps); a != 0 {
					yield(s.key(i), a)
				}
			}
		}
	}
}

// Average returns the weights averaged over steps 1..steps, as Weights for reading.
func (w *Weights) Average(steps int) *Weights {
	a := new(Weights)
	for n := range w.shards {
		s := &w.shards[n]
		a.shards[n] = shard{slots: make([]slot, len(s.slots)), used: s.used}
		for i, x := range s.slots {
			if x != 0 {
				a.shards[n].slots[i] = newSlot(x.print(), average(x.weight(), float64(s.total[i]), steps))
			}
		}
	}
	return a
}

// Layout names the arrays of a checkpoint, without copying them. After reading,
// learning goes on as if it had never stopped.
func (w *Weights) Layout(l *pack.Layout, name string) {
	l.Nested(name, func(l *pack.Layout) {
		for n := range w.shards {
			l.Nested(strconv.Itoa(n), w.shards[n].layout)
		}
	})
}

func (s *shard) layout(l *pack.Layout) {
	pack.Array(l, "slots", &s.slots)
	pack.Array(l, "upper", &s.upper)
	pack.Array(l, "total", &s.total)
	pack.Array(l, "square", &s.square)
	if !l.Reading() {
		return
	}
	n := len(s.slots)
	l.Check("slots", n > 1 && slices.Contains(s.slots, 0), "has one place, or no empty one")
	l.Check("upper", len(s.upper) == n && len(s.total) == n && (len(s.square) == n || len(s.square) == 0),
		"has another length than its weights")
	s.slots, s.upper, s.total, s.square = slices.Clone(s.slots), slices.Clone(s.upper), slices.Clone(s.total),
		slices.Clone(s.square)
	s.used = 0
	for _, x := range s.slots {
		if x != 0 {
			s.used++
		}
	}
}
