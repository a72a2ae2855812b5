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
// that training never saw meets a foreign print about once in 20,000
// look-ups.
type table struct {
	prints  []uint16 // open addressing, linear; 0 is empty
	begin   []uint32 // row of slot i is begin[i]:begin[i+1]
	parts   []uint16
	weights []int8 // in units of 2^shift of a score's unit
	shift   uint8
}

// add adds the row of key to acc, which has an element per part.
func (t *table) add(key uint64, acc []int32) {
	n := len(t.prints)
	hi, _ := bits.Mul64(key, uint64(n))
	i := int(hi)
	p := print16(key)
	for {
		if i >= n {
			if n == 0 {
				return
			}
			i = 0
		}
		q := t.prints[i]
		if q == p {
			break
		}
		if q == 0 {
			return
		}
		i++
	}
	parts := t.parts[t.begin[i]:t.begin[i+1]]
	weights := t.weights[t.begin[i]:t.begin[i+1]]
	for k, part := range parts {
		acc[part] += int32(weights[k]) << t.shift
	}
}

func print16(key uint64) uint16 {
	if p := uint16(key); p != 0 {
		return p
	}
	return 1
}

// A row is a feature with its weights, before they are quantised.
type row struct {
	key     uint64
	parts   []uint16
	weights []float32
}

// scoreBits: a weight of 1 is 1<<scoreBits in the integer scores.
const scoreBits = 10

// newTable quantises rows, whose keys are distinct. Of two keys that cannot
// be told apart the first wins.
func newTable(rows []row) *table {
	t := &table{}
	scale := t.chooseScale(rows)
	var kept []row
	for _, r := range rows {
		for _, w := range r.weights {
			if math.Round(float64(w)*scale) != 0 {
				kept = append(kept, r)
				break
			}
		}
	}
	n := len(kept)*6/5 + 2
	t.prints = make([]uint16, n)
	slots := make([]int32, n) // index in kept plus 1
	for k, r := range kept {
		hi, _ := bits.Mul64(r.key, uint64(n))
		i := int(hi)
		for t.prints[i] != 0 && t.prints[i] != print16(r.key) {
			i = (i + 1) % n
		}
		if t.prints[i] == 0 {
			t.prints[i] = print16(r.key)
			slots[i] = int32(k) + 1
		}
	}
	t.begin = append(make([]uint32, 0, n+1), 0)
	for _, k := range slots {
		if k > 0 {
			r := kept[k-1]
			for j, part := range r.parts {
				if q := math.Round(float64(r.weights[j]) * scale); q != 0 {
					t.parts = append(t.parts, part)
					t.weights = append(t.weights, int8(max(-127, min(127, q))))
				}
			}
		}
		t.begin = append(t.begin, uint32(len(t.parts)))
	}
	return t
}

// chooseScale sets the shift so that all but one weight in 2,000 fit into
// 8 bits, and returns the factor from weights to steps.
func (t *table) chooseScale(rows []row) float64 {
	var all []float32
	for _, r := range rows {
		for _, w := range r.weights {
			if w != 0 {
				all = append(all, max(w, -w))
			}
		}
	}
	if len(all) == 0 {
		return 1 << scoreBits
	}
	slices.Sort(all)
	top := float64(all[len(all)-1-len(all)/2000])
	for t.shift = 0; t.shift < 16 && top*float64(int(1)<<scoreBits)/float64(int(1)<<t.shift) > 127; t.shift++ {
	}
	return float64(int(1)<<scoreBits) / float64(int(1)<<t.shift)
}

func (t *table) bytes() int {
	return 2*len(t.prints) + 4*len(t.begin) + 2*len(t.parts) + len(t.weights)
}

func (t *table) pack(s *pack.Sub, name string) {
	pack.Put(s, name+".prints", t.prints)
	pack.Put(s, name+".begin", t.begin)
	pack.Put(s, name+".parts", t.parts)
	pack.Put(s, name+".weights", t.weights)
	pack.Put(s, name+".shift", []uint8{t.shift})
}

// openTable reads a table whose parts must be below nParts.
func openTable(v *pack.View, component, name string, nParts int) (*table, error) {
	t := &table{}
	var err error
	if t.prints, err = pack.Get[uint16](v, component, name+".prints"); err != nil {
		return nil, err
	}
	if t.begin, err = pack.Get[uint32](v, component, name+".begin"); err != nil {
		return nil, err
	}
	if t.parts, err = pack.Get[uint16](v, component, name+".parts"); err != nil {
		return nil, err
	}
	if t.weights, err = pack.Get[int8](v, component, name+".weights"); err != nil {
		return nil, err
	}
	shift, err := pack.Get[uint8](v, component, name+".shift")
	if err != nil {
		return nil, err
	}
	n := len(t.prints)
	ok := len(shift) == 1 && shift[0] <= 16 && len(t.begin) == n+1 && len(t.parts) == len(t.weights) &&
		slices.IsSorted(t.begin) && int(t.begin[n]) == len(t.parts) && n > 0 && slices.Contains(t.prints, 0)
	for _, p := range t.parts {
		ok = ok && int(p) < nParts
	}
	if !ok {
		return nil, fmt.Errorf("model component %q: table %q is damaged; train the model again", component, name)
	}
	t.shift = shift[0]
	return t, nil
}
