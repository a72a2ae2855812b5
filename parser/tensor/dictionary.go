package tensor

import (
	"slices"

	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// minCount is how often training must see a feature for it to have a row.
const minCount = 3

// A dictionary maps keys to rows 0..n-1: an open-addressed set of
// fingerprints, the upper halves of the keys. A key outside it meets a
// foreign fingerprint once in 2^32/load look-ups.
type dictionary struct {
	prints []uint32 // power of two or empty, 0 is a free slot
	rows   []int32  // of the fingerprint in the same slot
	n      int
}

func print32(k feature.Key) uint32 {
	if p := uint32(k >> 32); p != 0 {
		return p
	}
	return 1
}

// newDictionary gives rows to the fingerprints in their order.
func newDictionary(prints []uint32) dictionary {
	size := 16
	for size*2 < len(prints)*3 {
		size *= 2
	}
	d := dictionary{prints: make([]uint32, size), rows: make([]int32, size)}
	for _, p := range prints {
		if i := d.slot(p); d.prints[i] == 0 {
			d.prints[i], d.rows[i] = p, int32(d.n)
			d.n++
		}
	}
	return d
}

func (d *dictionary) slot(p uint32) int {
	mask := uint32(len(d.prints) - 1)
	i := p * 0x9E3779B1 & mask
	for d.prints[i] != 0 && d.prints[i] != p {
		i = (i + 1) & mask
	}
	return int(i)
}

// row returns the row of k, or -1.
func (d *dictionary) row(k feature.Key) int32 {
	p := print32(k)
	if i := d.slot(p); d.prints[i] == p {
		return d.rows[i]
	}
	return -1
}

// learnDictionary gives a row to every feature of the words and roots of
// train that was seen minCount times, at most to the limit most frequent. A
// feature that is on at more than half of all positions, as tags are where
// there are none, has no row, but for the bias: many that are always on would
// count as often as they are.
// Rows are ordered by fingerprint.
func learnDictionary(train []syntax.Sentence, v *feature.Vocabulary, limit int) dictionary {
	count := make(map[uint32]int)
	positions, bias := 0, uint32(0)
	var c feature.Codes
	var keys []feature.Key
	for i := range train {
		v.Encode(&train[i], &c)
		for p := 0; p <= c.N; p++ {
			keys = c.Word(p, keys[:0])
			positions++
			bias = print32(keys[feature.WordBias])
			for _, k := range keys {
				count[print32(k)]++
			}
		}
	}
	type entry struct {
		print uint32
		n     int
	}
	var list []entry
	for p, n := range count {
		if n >= minCount && (n*2 <= positions || p == bias) {
			list = append(list, entry{p, n})
		}
	}
	slices.SortFunc(list, func(a, b entry) int {
		if a.n != b.n {
			return b.n - a.n
		}
		return int(int64(a.print) - int64(b.print))
	})
	list = list[:min(len(list), limit)]
	prints := make([]uint32, len(list))
	for i, e := range list {
		prints[i] = e.print
	}
	slices.Sort(prints)
	return newDictionary(prints)
}

func (d *dictionary) pack(s *pack.Sub, name string) {
	pack.Put(s, name+".prints", d.prints)
	pack.Put(s, name, d.rows)
}

// openDictionary is the inverse of pack. All rows lie in 0..n-1.
func openDictionary(v *pack.View, component, name string) (dictionary, error) {
	var d dictionary
	var err error
	if d.prints, err = pack.Get[uint32](v, component, name+".prints"); err != nil {
		return d, err
	}
	if d.rows, err = pack.Get[int32](v, component, name); err != nil {
		return d, err
	}
	if err := feature.CheckSet(d.prints, component+"."+name+".prints"); err != nil {
		return d, err
	}
	if len(d.prints) == 0 || len(d.rows) != len(d.prints) {
		return d, feature.ErrDamaged(component + "." + name)
	}
	for _, p := range d.prints {
		if p != 0 {
			d.n++
		}
	}
	for i, p := range d.prints {
		if p != 0 && (d.rows[i] < 0 || int(d.rows[i]) >= d.n) {
			return d, feature.ErrDamaged(component + "." + name)
		}
	}
	return d, nil
}
