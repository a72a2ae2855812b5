package score

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/pack"
)

// Weights is a read-only table of quantised weights, used in place from the
// bytes of a model. A slot is one uint32: the upper 20 bits are a
// fingerprint of the key (0 is an empty slot), the lower 12 a signed weight.
// A key outside the table meets a foreign fingerprint about twice in a
// million look-ups. It is safe for concurrent use.
type Weights struct {
	slots []uint32 // linear probing, at most 70 % full; always some empty
	left  uint     // weight * 2^left / 2^right is in units of 1/Unit
	right uint
}

const weightBits = 12

// Compact quantises the limit largest weights of t, by absolute value; of
// weights equal to the smallest of these, all are left out that would not
// fit. The result depends on the features and weights only, not on the order
// in which t met them.
func (t *Table) Compact(limit int) *Weights {
	sizes := make([]float32, 0, t.used)
	for _, s := range t.slots {
		if s.print != 0 && s.w != 0 {
			sizes = append(sizes, abs(s.w))
		}
	}
	slices.Sort(sizes)
	floor := float32(0) // weights above it stay
	if len(sizes) > limit {
		floor = sizes[len(sizes)-limit-1]
	}
	const top = 1<<(weightBits-1) - 1
	exp := 0 // one step is 2^-exp
	if len(sizes) > 0 {
		exp = int(math.Floor(math.Log2(top / float64(sizes[len(sizes)-1]))))
	}
	exp = max(0, min(exp, 24))
	type entry struct {
		key uint64
		q   int32
	}
	kept := make([]entry, 0, min(limit, len(sizes)))
	for i, s := range t.slots {
		q := int32(math.Round(math.Ldexp(float64(s.w), exp)))
		if s.print != 0 && q != 0 && abs(s.w) > floor {
			kept = append(kept, entry{t.keys[i], q})
		}
	}
	slices.SortFunc(kept, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
	w := &Weights{}
	w.setScale(exp)
	w.slots = make([]uint32, max(16, len(kept)*10/7+1))
	for _, e := range kept {
		w.insert(e.key, e.q)
	}
	return w
}

func abs(x float32) float32 {
	if x < 0 {
		return -x
	}
	return x
}

// setScale makes weights of step 2^-exp come out in units of 1/Unit.
func (w *Weights) setScale(exp int) {
	if exp > 12 {
		w.right = uint(exp - 12)
	} else {
		w.left = uint(12 - exp)
	}
}

func shortPrint(k feature.Key) uint32 {
	p := uint32(k) >> weightBits
	if p == 0 {
		p = 1
	}
	return p
}

// home is the slot where the search for a key begins: its upper half spread
// over the table.
func (w *Weights) home(k feature.Key) int { return int(k >> 32 * uint64(len(w.slots)) >> 32) }

func (w *Weights) insert(k uint64, q int32) {
	p := shortPrint(k)
	i := w.home(k)
	for w.slots[i] != 0 {
		if w.slots[i]>>weightBits == p {
			return // of two keys that look alike the smaller stays
		}
		if i++; i == len(w.slots) {
			i = 0
		}
	}
	w.slots[i] = p<<weightBits | uint32(q)&(1<<weightBits-1)
}

// ahead is how many keys are fetched before the first of them is looked at.
// Whether a slot holds its key is a coin toss, so a processor that had to
// guess before every fetch would wait for memory one key at a time.
const ahead = 32

// Sum implements Scorer.
func (w *Weights) Sum(keys []feature.Key) int32 {
	var sum int32
	var fetched [ahead]uint32
	slots := w.slots
	n := uint64(len(slots))
	for len(keys) > 0 {
		batch := keys[:min(len(keys), ahead)]
		keys = keys[len(batch):]
		for j, k := range batch {
			fetched[j%ahead] = slots[k>>32*n>>32]
		}
		for j, k := range batch {
			s, p := fetched[j%ahead], shortPrint(k)
			for i := k >> 32 * n >> 32; s != 0; {
				if s>>weightBits == p {
					sum += int32(s<<(32-weightBits)) >> (32 - weightBits)
					break
				}
				if i++; i == n {
					i = 0
				}
				s = slots[i]
			}
		}
	}
	return sum << w.left >> w.right
}

// Len returns the number of features.
func (w *Weights) Len() int {
	n := 0
	for _, s := range w.slots {
		if s != 0 {
			n++
		}
	}
	return n
}

// Pack stores w under name.
func (w *Weights) Pack(s *pack.Sub, name string) {
	pack.Put(s, name+".slots", w.slots)
	pack.Put(s, name+".scale", []uint8{uint8(w.left), uint8(w.right)})
}

// Open is the inverse of Pack.
func Open(v *pack.View, component, name string) (*Weights, error) {
	w := &Weights{}
	var err error
	if w.slots, err = pack.Get[uint32](v, component, name+".slots"); err != nil {
		return nil, err
	}
	scale, err := pack.Get[uint8](v, component, name+".scale")
	if err != nil {
		return nil, err
	}
	if len(scale) != 2 || scale[0] > 12 || scale[1] > 12 || len(w.slots) < 16 {
		return nil, fmt.Errorf("model section %q has a wrong length: the model is damaged, train or fetch it again", component+"."+name)
	}
	w.left, w.right = uint(scale[0]), uint(scale[1])
	if !slices.Contains(w.slots, 0) {
		return nil, feature.ErrDamaged(component + "." + name + ".slots")
	}
	return w, nil
}

// MarshalBinary returns the bytes of w for a checkpoint.
func (w *Weights) MarshalBinary() ([]byte, error) {
	b := make([]byte, 0, 4*len(w.slots)+2)
	b = append(b, byte(w.left), byte(w.right))
	for _, s := range w.slots {
		b = binary.LittleEndian.AppendUint32(b, s)
	}
	return b, nil
}

// UnmarshalBinary is the inverse of MarshalBinary.
func (w *Weights) UnmarshalBinary(b []byte) error {
	n := (len(b) - 2) / 4
	if len(b) < 2+4*16 || len(b) != 2+4*n {
		return fmt.Errorf("weights of %d bytes are damaged", len(b))
	}
	w.left, w.right = uint(b[0]), uint(b[1])
	w.slots = make([]uint32, n)
	for i := range w.slots {
		w.slots[i] = binary.LittleEndian.Uint32(b[2+4*i:])
	}
	if !slices.Contains(w.slots, 0) {
		return fmt.Errorf("weights without an empty slot are damaged")
	}
	return nil
}
