package score

import (
	"math"

	"github.com/treebeam/treebeam/parser/hash"
)

// A Table is an open-addressed dictionary from keys to float weights with
// lazy averaging. Only features that were once part of an update have an
// entry, so that every other look-up ends at an empty slot. Readers may run
// concurrently with each other, but not with Add.
type Table struct {
	slots []slot    // power of two, load under 0.7
	keys  []uint64  // whole keys, for growth and for Compact
	total []float64 // sum over updates of step * increment
	used  int
	shift uint
}

type slot struct {
	print uint32 // low half of the key, never 0
	w     float32
}

// NewTable returns an empty Table of 2^bits slots.
func NewTable(bits uint) *Table {
	n := 1 << bits
	return &Table{slots: make([]slot, n), keys: make([]uint64, n), total: make([]float64, n), shift: 64 - bits}
}

// Len returns the number of features.
func (t *Table) Len() int { return t.used }

func fingerprint(k hash.Key) uint32 {
	if p := uint32(k); p != 0 {
		return p
	}
	return 1
}

// Sum implements Scorer.
func (t *Table) Sum(keys []hash.Key) int32 {
	return int32(math.Round(t.SumFloat(keys) * Unit))
}

// SumParts implements Scorer.
func (t *Table) SumParts(keys []hash.Key, ends, sums []int32) {
	from := int32(0)
	for i, end := range ends {
		sums[i], from = t.Sum(keys[from:end]), end
	}
}

// SumFloat returns the sum of weights. The order of the sum is that of keys.
func (t *Table) SumFloat(keys []hash.Key) float64 {
	sum := 0.0
	var fetched [ahead]slot
	slots, mask := t.slots, len(t.slots)-1
	for len(keys) > 0 {
		batch := keys[:min(len(keys), ahead)]
		keys = keys[len(batch):]
		for j, k := range batch {
			fetched[j%ahead] = slots[int(k>>t.shift)&mask]
		}
		for j, k := range batch {
			s, p := fetched[j%ahead], fingerprint(k)
			for i := int(k>>t.shift) & mask; s.print != 0; {
				if s.print == p {
					sum += float64(s.w)
					break
				}
				i = (i + 1) & mask
				s = slots[i]
			}
		}
	}
	return sum
}

// slotOf returns the slot of k, making one if it has none.
func (t *Table) slotOf(k hash.Key) int {
	if t.used*10 > len(t.slots)*7 {
		t.grow()
	}
	p := fingerprint(k)
	mask := len(t.slots) - 1
	i := int(k>>t.shift) & mask
	for t.slots[i].print != 0 {
		if t.slots[i].print == p {
			return i
		}
		i = (i + 1) & mask
	}
	t.slots[i].print = p
	t.keys[i] = k
	t.used++
	return i
}

// Add adds delta to the weight of k; step counts the updates so far, for
// the average.
func (t *Table) Add(k hash.Key, delta float64, step int) {
	i := t.slotOf(k)
	t.slots[i].w += float32(delta)
	t.total[i] += float64(step) * delta
}

// AddSquared is an AdaGrad step on the weight of k with gradient g and step
// size eta: the squared gradients are kept where averaging keeps its sums,
// so a Table is used with one of Add and AddSquared only.
func (t *Table) AddSquared(k hash.Key, g, eta float64) {
	i := t.slotOf(k)
	t.total[i] += g * g
	t.slots[i].w += float32(eta * g / (math.Sqrt(t.total[i]) + 1e-3))
}

func (t *Table) grow() {
	old := *t
	*t = *NewTable(64 - old.shift + 1)
	for i, s := range old.slots {
		if s.print == 0 {
			continue
		}
		j := t.slotOf(old.keys[i])
		t.slots[j].w, t.total[j] = s.w, old.total[i]
	}
}

// Averaged returns a Table of the weights averaged over steps 1..steps.
func (t *Table) Averaged(steps int) *Table {
	avg := &Table{slots: make([]slot, len(t.slots)), keys: t.keys, total: t.total, used: t.used, shift: t.shift}
	for i, s := range t.slots {
		if s.print != 0 {
			w := (float64(s.w)*float64(steps+1) - t.total[i]) / float64(steps)
			avg.slots[i] = slot{s.print, float32(w)}
		}
	}
	return avg
}

// State is the content of a Table for a checkpoint, in slot order.
type State struct {
	Keys  []uint64
	W     []float32
	Total []float64
	Bits  uint
}

// State copies t.
func (t *Table) State() State {
	st := State{Bits: 64 - t.shift}
	for i, s := range t.slots {
		if s.print != 0 {
			st.Keys = append(st.Keys, t.keys[i])
			st.W = append(st.W, s.w)
			st.Total = append(st.Total, t.total[i])
		}
	}
	return st
}

// FromState is the inverse of State, up to the order within probe runs,
// which no result depends on.
func FromState(st State) *Table {
	t := NewTable(st.Bits)
	for i, k := range st.Keys {
		j := t.slotOf(k)
		t.slots[j].w, t.total[j] = st.W[i], st.Total[i]
	}
	return t
}
