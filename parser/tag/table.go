package tag

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/treebeam/treebeam/parser/pack"
)

// A table maps a feature to a row: weights of the few parts that it speaks
// for. It is read-only and used in place from the bytes of a model. A key
// that training never saw meets a foreign print about once in a million
// look-ups.
type table struct {
	// Open addressing, linear. A slot is, from the top, 20 bits of print
	// (0: empty), 14 of the row's length, 30 of its start in cells.
	slots []uint64
	cells []uint32 // 16 bits of part, 16 of signed weight
	shift uint8    // weights are in units of 2^shift of a score's unit
}

const (
	beginBits = 30
	countBits = 14
	maxCells  = 1 << beginBits
	maxRow    = 1<<countBits - 1
)

// sum adds the rows of keys to acc, which has an element per part. rows is
// room for as many rows as there are keys.
func (t *table) sum(keys []uint64, acc []int32, rows []uint64) {
	n := uint64(len(t.slots))
	if n == 0 {
		return
	}
	// All slots first, so that the processor can wait for them together.
	found := rows[:0]
	for _, key := range keys {
		i, _ := bits.Mul64(key, n)
		p := print20(key)
		for {
			q := t.slots[i]
			if q>>(64-20) == p {
				found = append(found, q)
				break
			}
			if q == 0 {
				break
			}
			if i++; i == n {
				i = 0
			}
		}
	}
	for _, q := range found {
		begin := q & (maxCells - 1)
		for _, c := range t.cells[begin : begin+q>>beginBits&maxRow] {
			acc[c>>16] += int32(int16(c)) << t.shift
		}
	}
}

func print20(key uint64) uint64 {
	if p := key & (1<<20 - 1); p != 0 {
		return p
	}
	return 1
}

// pruneStep is the smallest weight kept, in steps of the 8-bit weights: on
// en_ewt's dev data the tags of 2 MB of weights were as good as those of 9.
const pruneStep = 5

// A row is a feature with its weights, before they are quantised.
type row struct {
	key     uint64
	parts   []uint16
	weights []float32
}

// scoreBits: a weight of 1 is 1<<scoreBits in the integer scores.
const scoreBits = 10

// newTable quantises the limit heaviest weights of rows, whose keys are
// distinct, and drops what is less than pruneStep steps. Of two keys that cannot be told apart the first
// wins.
func newTable(rows []row, limit int) *table {
	t := &table{}
	scale, least := t.chooseScale(rows, limit)
	keep := func(w float32) bool { return max(w, -w) >= least }
	var kept []row
	for _, r := range rows {
		if slices.ContainsFunc(r.weights, keep) {
			kept = append(kept, r)
		}
	}
	n := len(kept)*5/4 + 2
	t.slots = make([]uint64, n)
	order := make([]int32, n) // index in kept plus 1
	for k, r := range kept {
		i, _ := bits.Mul64(r.key, uint64(n))
		for t.slots[i] != 0 && t.slots[i] != print20(r.key) {
			i = (i + 1) % uint64(n)
		}
		if t.slots[i] == 0 {
			t.slots[i] = print20(r.key)
			order[i] = int32(k) + 1
		}
	}
	for i, k := range order {
		if k == 0 {
			continue
		}
		r, begin := kept[k-1], len(t.cells)
		for j, part := range r.parts {
			if keep(r.weights[j]) && len(t.cells)-begin < maxRow && len(t.cells) < maxCells-1 {
				q := int8(max(-127, min(127, math.Round(float64(r.weights[j])*scale))))
				t.cells = append(t.cells, uint32(part)<<16|uint32(uint16(int16(q))))
			}
		}
		t.slots[i] = t.slots[i]<<(64-20) | uint64(len(t.cells)-begin)<<beginBits | uint64(begin)
	}
	return t
}

// chooseScale sets the shift so that all but one weight in 2,000 fit into
// 8 bits; it returns the factor from weights to steps and the least weight
// to keep.
func (t *table) chooseScale(rows []row, limit int) (scale float64, least float32) {
	var all []float32
	for _, r := range rows {
		for _, w := range r.weights {
			if w != 0 {
				all = append(all, max(w, -w))
			}
		}
	}
	if len(all) == 0 {
		return 1 << scoreBits, 0
	}
	slices.Sort(all)
	top := float64(all[len(all)-1-len(all)/2000])
	for t.shift = 0; t.shift < 16 && top*float64(int(1)<<scoreBits)/float64(int(1)<<t.shift) > 127; t.shift++ {
	}
	scale = float64(int(1)<<scoreBits) / float64(int(1)<<t.shift)
	least = float32(pruneStep / scale)
	if len(all) > limit {
		least = max(least, all[len(all)-limit])
	}
	return scale, least
}

func (t *table) bytes() int { return 8*len(t.slots) + 4*len(t.cells) }

func (t *table) pack(s *pack.Sub, name string) {
	pack.Put(s, name+".slots", t.slots)
	pack.Put(s, name+".cells", t.cells)
	pack.Put(s, name+".shift", []uint8{t.shift})
}

// openTable reads a table whose parts must be below nParts.
func openTable(v *pack.View, component, name string, nParts int) (*table, error) {
	t := &table{}
	var err error
	if t.slots, err = pack.Get[uint64](v, component, name+".slots"); err != nil {
		return nil, err
	}
	if t.cells, err = pack.Get[uint32](v, component, name+".cells"); err != nil {
		return nil, err
	}
	shift, err := pack.Get[uint8](v, component, name+".shift")
	if err != nil {
		return nil, err
	}
	ok := len(shift) == 1 && shift[0] <= 16 && slices.Contains(t.slots, 0)
	for _, q := range t.slots {
		ok = ok && q&(maxCells-1)+q>>beginBits&maxRow <= uint64(len(t.cells))
	}
	for _, c := range t.cells {
		ok = ok && int(c>>16) < nParts
	}
	if !ok {
		return nil, fmt.Errorf("model component %q: table %q is damaged; train the model again", component, name)
	}
	t.shift = shift[0]
	return t, nil
}
