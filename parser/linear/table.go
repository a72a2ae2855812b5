package linear

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
)

// A Table is the packed, read-only form of learned weights. It maps a key to a row of
// cells, each with a class and an integer weight. It is used in place from the bytes of
// a model. A key that is not in the table finds the row of another about eight times in
// a million look-ups. A Table is safe for concurrent use.
type Table struct {
	// Open addressing with linear probing. A slot has, from the top, 20 bits of the
	// key (0: empty), 14 bits of the row's length and 30 bits of its start in cells.
	// A row of one cell whose class is below 1<<14 has the length 0; 14 bits of
	// class and 16 bits of weight replace its start.
	slots []uint64
	cells []uint32 // 16 bits of class, 16 of signed weight
	shift uint8    // a weight of 1 is 1<<shift units
	spare uint64   // bits of a key's print that are not kept: 0, or those of a narrow table (Packing.Narrow)
}

const (
	printBits = 20
	beginBits = 30
	countBits = 14
	maxCells  = 1<<beginBits - 1
	maxRow    = 1<<countBits - 1
	maxShift  = 15
)

func (t *Table) print(key hash.Key) uint64 { return max(key&(1<<printBits-1)&^t.spare, 1) }

// home returns the place where the search for key begins. The table must not be
// empty.
func (t *Table) home(key hash.Key) int {
	hi, _ := bits.Mul64(key, uint64(len(t.slots)))
	return int(hi)
}

// place returns the place of the slot of key, or of the empty slot that ends the
// search for key.
func (t *Table) place(key hash.Key) int {
	i := t.home(key)
	for p := t.print(key); t.slots[i] != 0 && t.slots[i]>>(64-printBits) != p; {
		if i++; i == len(t.slots) {
			i = 0
		}
	}
	return i
}

// fetch puts the slots of the keys that have a row into rows, and returns them. rows
// must have room for one slot per key.
func (t *Table) fetch(keys []hash.Key, rows []uint64) []uint64 {
	rows = rows[:0]
	if len(t.slots) == 0 {
		return rows
	}
	var first [ahead]uint64
	for len(keys) > 0 {
		batch := keys[:min(len(keys), ahead)]
		keys = keys[len(batch):]
		Prefetch(t.slots, 1, keys)
		for j, key := range batch {
			first[j%ahead] = t.slots[t.home(key)]
		}
		for j, key := range batch {
			q := first[j%ahead]
			if q != 0 && q>>(64-printBits) != t.print(key) {
				q = t.slots[t.place(key)]
			}
			if q != 0 {
				rows = append(rows, q)
			}
		}
	}
	return rows
}

// Prefetch starts to load the places of up to 32 keys into the first-level cache, and
// does not wait. A place of table has the given number of words, a power of two. The
// search for key k begins at place k*places>>64.
func Prefetch(table []uint64, words int, keys []hash.Key) {
	if n := min(len(keys), ahead); n > 0 && len(table) > 0 {
		prefetch(unsafe.Pointer(&table[0]), uint64(len(table)/words), bits.Len(uint(words))+2, &keys[0], n)
	}
}

// Sum adds the rows of keys, in units, to acc, which has an element for each class.
// rows is scratch with room for one row per key.
func (t *Table) Sum(keys []hash.Key, acc []int32, rows []uint64) {
	rows = t.fetch(keys, rows)
	if len(rows) > 0 && len(t.cells) > 0 {
		prefetchCells(&t.cells[0], &rows[0], len(rows))
	}
	for _, q := range rows {
		n, begin := q>>beginBits&maxRow, q&maxCells
		if n == 0 {
			acc[begin>>16] += int32(int16(q)) << t.shift
			continue
		}
		for _, c := range t.cells[begin : begin+n] {
			acc[c>>16] += int32(int16(c)) << t.shift
		}
	}
}

// Score is Sum for a table with one class.
func (t *Table) Score(keys []hash.Key) int32 {
	var sum int32
	if len(t.slots) > 0 {
		for lo := 0; lo < len(keys); lo += ahead {
			Prefetch(t.slots, 1, keys[lo:])
		}
		for _, key := range keys {
			sum += int32(int16(t.slots[t.place(key)]))
		}
	}
	return sum << t.shift
}

// Features is a list of learned features. It calls yield with the key of each and
// with its cells, classes[i] with weights[i], in the same order each time. The
// slices are valid only during the call.
type Features func(yield func(key hash.Key, classes []uint16, weights []float32))

// Packing has the options of Pack.
type Packing struct {
	Unit  int     // units in a weight of 1: a power of two up to 1<<15
	Limit int     // cells to keep, the heaviest; all if 0
	Least float64 // least weight to keep, as a share of the weight that one in 2,000 exceeds
	Slots float64 // per row; 4/3 if 0. A look-up that fails tries 8 at 4/3, 4 at 5/3

	// Narrow makes a table that takes a third of the bytes in a compressed file. Its
	// weights have at most 127 steps, and two of a thousand keys that are not in the
	// table find the row of another. Slots is then at least 5/3.
	Narrow bool
}

// Of a narrow table.
const (
	narrowPrint = 11
	narrowSteps = 127
)

// Pack makes a Table of the features with a weight to keep. All weights share one scale
// (Scale), and weights beyond its range are clipped. Of two keys that the table cannot
// tell apart, the first stays. Classes must be below 1<<16. A row keeps its first
// 1<<14-1 cells.
func Pack(features Features, p Packing) *Table {
	var sizes []float32
	features(func(_ hash.Key, _ []uint16, weights []float32) {
		for _, w := range weights {
			if w != 0 {
				sizes = append(sizes, max(w, -w))
			}
		}
	})
	if len(sizes) == 0 {
		return &Table{}
	}
	slices.Sort(sizes)
	logUnit := bits.Len(uint(p.Unit)) - 1
	t, steps, slots := &Table{}, math.MaxInt16, max(p.Slots, 4.0/3)
	if p.Narrow {
		t.spare, steps, slots = spareBits, narrowSteps, max(slots, 5.0/3)
	}
	t.shift = uint8(max(0, min(logUnit-Scale(sizes, steps), maxShift)))
	least := max(Floor(sizes, p.Limit), float32(p.Least*common(sizes)))
	unit := math.Ldexp(1, logUnit-int(t.shift))
	integer := func(w float32) int16 {
		if max(w, -w) <= least {
			return 0
		}
		return int16(max(-float64(steps), min(float64(steps), math.Round(float64(w)*unit))))
	}
	t.fill(features, integer, slots)
	return t
}

// fill makes the slots and cells for the weights whose integer is not 0.
func (t *Table) fill(features Features, integer func(w float32) int16, slots float64) {
	rows := 0
	features(func(_ hash.Key, _ []uint16, weights []float32) {
		if slices.ContainsFunc(weights, func(w float32) bool { return integer(w) != 0 }) {
			rows++
		}
	})
	t.slots = make([]uint64, int(float64(rows)*slots)+2)
	features(func(key hash.Key, classes []uint16, weights []float32) {
		begin := len(t.cells)
		for j, class := range classes {
			if q := integer(weights[j]); q != 0 && len(t.cells)-begin < maxRow && len(t.cells) < maxCells {
				t.cells = append(t.cells, uint32(class)<<16|uint32(uint16(q)))
			}
		}
		count := len(t.cells) - begin
		i, slot := t.place(key), t.print(key)<<(64-printBits)
		switch {
		case t.slots[i] != 0: // it cannot be told apart from an earlier one
			t.cells = t.cells[:begin]
		case count == 1 && t.cells[begin]>>16 < 1<<countBits:
			t.slots[i] = slot | uint64(t.cells[begin])
			t.cells = t.cells[:begin]
		case count > 0:
			t.slots[i] = slot | uint64(count)<<beginBits | uint64(begin)
		}
	})
}

// With returns a copy of t to whose weights a share of the weights of features is added. t
// was packed with unit, and does not change. A table does not know its keys and so cannot
// grow: if the features have more new rows than it has room for, the lightest are left out,
// as are changes of less than half a step. An empty table stays empty.
func (t *Table) With(features Features, share float64, unit int) *Table {
	if len(t.slots) == 0 {
		return t
	}
	out := &Table{slots: slices.Clone(t.slots), cells: slices.Clone(t.cells), shift: t.shift, spare: t.spare}
	free := -len(t.slots) / leastFree
	for _, q := range t.slots {
		if q == 0 {
			free++
		}
	}
	heaviest := func(weights []float32) (top float32) {
		for _, w := range weights {
			top = max(top, w, -w)
		}
		return top
	}
	scale := share * float64(unit) / float64(int(1)<<t.shift) // steps in a weight of 1
	var sizes []float32                                       // of new rows
	features(func(key hash.Key, _ []uint16, weights []float32) {
		if w := heaviest(weights); t.slots[t.place(key)] == 0 && math.Round(float64(w)*scale) != 0 {
			sizes = append(sizes, w)
		}
	})
	slices.Sort(sizes)
	floor := Floor(sizes, max(free, 1))
	features(func(key hash.Key, classes []uint16, weights []float32) {
		i := out.place(key)
		if out.slots[i] == 0 && (free <= 0 || heaviest(weights) <= floor) {
			return
		}
		out.add(i, out.print(key), classes, weights, scale)
	})
	return out
}

// leastFree is the inverse of the share of slots that With leaves empty.
const leastFree = 10

// add adds weights to the row at slot i, where a row of the print is or nothing.
func (t *Table) add(i int, print uint64, classes []uint16, weights []float32, scale float64) {
	steps := float64(math.MaxInt16)
	if t.spare != 0 {
		steps = narrowSteps
	}
	old := t.slots[i]
	n, begin := old>>beginBits&maxRow, old&maxCells
	var row []uint32
	if n > 0 {
		row = slices.Clone(t.cells[begin : begin+n])
	} else if old != 0 {
		row = []uint32{uint32(begin)}
	}
	changed := false
	for j, class := range classes {
		change := math.Round(float64(weights[j]) * scale)
		if change == 0 {
			continue
		}
		changed = true
		k := slices.IndexFunc(row, func(c uint32) bool { return c>>16 == uint32(class) })
		if k < 0 {
			k, row = len(row), append(row, uint32(class)<<16)
		}
		w := float64(int16(row[k])) + change
		row[k] = uint32(class)<<16 | uint32(uint16(int16(max(-steps, min(steps, w)))))
	}
	switch slot := print << (64 - printBits); {
	case !changed:
	case len(row) == int(n):
		copy(t.cells[begin:], row)
	case len(row) == 1 && row[0]>>16 < 1<<countBits:
		t.slots[i] = slot | uint64(row[0])
	case len(row) <= maxRow && len(t.cells)+len(row) <= maxCells:
		t.slots[i] = slot | uint64(len(row))<<beginBits | uint64(len(t.cells))
		t.cells = append(t.cells, row...)
	}
}

// Scale returns the exponent e of the finest step 2^-e at which weights are at most
// top steps. sizes has the absolute values of all weights in increasing order. The
// largest weight decides, unless it is over 8 times the weight that one in 2,000
// exceeds. In that case the latter decides, so that one outlier does not leave all
// others without steps. In a trained parser the ratio is 4, and the median is 35
// steps of 12 bits, so a finer scale gains nothing: clipping one in 2,000 cost 0.8
// points of UAS on dev with 1,500 sentences of tr_imst.
func Scale(sizes []float32, top int) int {
	if len(sizes) == 0 {
		return 0
	}
	largest := min(float64(sizes[len(sizes)-1]), 8*common(sizes))
	if !(largest > 0) {
		return 0
	}
	return math.Ilogb(float64(top) / largest)
}

// common returns the weight that one in 2,000 exceeds.
func common(sizes []float32) float64 {
	last := len(sizes) - 1
	return float64(sizes[max(0, last-max(1, len(sizes)/2000))])
}

// Floor returns the largest weight to drop so that at most limit weights stay, or 0 if
// all may stay or limit is 0. sizes has the absolute values of all weights in ascending
// order. All weights equal to the floor are dropped.
func Floor(sizes []float32, limit int) float32 {
	if limit <= 0 || len(sizes) <= limit {
		return 0
	}
	return sizes[len(sizes)-limit-1]
}

// Bytes returns the size of t in bytes.
func (t *Table) Bytes() int { return 8*len(t.slots) + 4*len(t.cells) }

// Layout names the sections of t. It refuses classes that are not below the given
// number, so a table that was read fits an acc of that length.
func (t *Table) Layout(l *pack.Layout, name string, classes int) {
	l.Nested(name, func(l *pack.Layout) {
		if l.Optional("prints", t.spare != 0) {
			t.layoutNarrow(l, classes)
			return
		}
		pack.Array(l, "slots", &t.slots)
		pack.Array(l, "cells", &t.cells)
		pack.Value(l, "shift", &t.shift)
		size := uint64(t.Bytes())
		pack.Value(l, "size", &size)
		l.Check("size", size == uint64(t.Bytes()), "does not fit the table")
		l.Check("shift", t.shift <= maxShift, "is too large")
		l.Check("slots", len(t.slots) == 0 || slices.Contains(t.slots, 0), "has no empty slot")
		l.Check("slots", !slices.ContainsFunc(t.slots, func(q uint64) bool {
			n, begin := q>>beginBits&maxRow, q&maxCells
			return n == 0 && q != 0 && begin>>16 >= uint64(classes) || n > 0 && (classes == 1 || begin+n > uint64(len(t.cells)))
		}), "has a row outside the table")
		l.Check("cells", !slices.ContainsFunc(t.cells, func(c uint32) bool { return int(c>>16) >= classes }),
			"has a class that does not exist")
	})
}
