package segment

import (
	"errors"
	"math/bits"
)

// A table is a read-only open-addressing hash table from 64-bit keys to 16
// bits. A cell is value<<16 | fingerprint; 0 is an empty cell. A key that was
// never put is found by mistake with a probability of about 2e-5, which is
// what keeps unseen features at weight 0. Safe for concurrent use.
type table struct {
	cells []uint32 // length a power of two, at least one cell 0
	shift uint8    // 64 - log2(len(cells))
}

// newTable builds a table of the keys with non-zero values.
func newTable(keys []uint64, values []uint16) table {
	n := 0
	for _, v := range values {
		if v != 0 {
			n++
		}
	}
	size := 8
	for size*3 < n*4 {
		size *= 2
	}
	t := table{cells: make([]uint32, size)}
	t.shift = uint8(64 - bits.TrailingZeros(uint(size)))
	for i, k := range keys {
		if values[i] == 0 {
			continue
		}
		at := k >> t.shift
		for t.cells[at] != 0 {
			at = (at + 1) & uint64(size-1)
		}
		t.cells[at] = uint32(values[i])<<16 | fingerprint(k)
	}
	return t
}

// openTable checks cells that come from a file: any content that passes can
// be searched without a panic or an endless loop.
func openTable(cells []uint32) (table, error) {
	if len(cells) < 2 || len(cells)&(len(cells)-1) != 0 {
		return table{}, errors.New("the length of a hash table is not a power of two")
	}
	for _, c := range cells {
		if c == 0 {
			return table{cells, uint8(64 - bits.TrailingZeros(uint(len(cells))))}, nil
		}
	}
	return table{}, errors.New("a hash table has no empty cell")
}

func fingerprint(key uint64) uint32 { return uint32(key&0xFFFF) | 1 }

// get returns the value of the key, 0 if it has none.
func (t *table) get(key uint64) uint16 {
	at, mask := key>>t.shift, uint64(len(t.cells)-1)
	want := fingerprint(key)
	for {
		c := t.cells[at&mask]
		if c == 0 {
			return 0
		}
		if c&0xFFFF == want {
			return uint16(c >> 16)
		}
		at++
	}
}

// score sums the weights of the features.
func (t *table) score(features []uint64) int32 {
	var sum int32
	for _, f := range features {
		sum += int32(int16(t.get(f)))
	}
	return sum
}
