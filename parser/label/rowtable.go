package label

import (
	"fmt"
	"math/bits"
	"sort"
)

// A rowTable finds the row of a feature by its key, and rejects keys that it
// does not hold but for one in about 20,000. Rows stand in the order of
// (bucket, fingerprint). The bucket is the key's high bits, the fingerprint
// its low 16 bits.
//
// Row i is rows[i*stride:(i+1)*stride]: a shift, then one int8 weight for
// every relation; the score is weight << shift.
type rowTable struct {
	shift  uint8    // 64 - log2 of the number of buckets
	start  []uint32 // of each bucket; one more than buckets
	prints []uint16
	rows   []int8
	stride int
}

// maxShift bounds a row's shift.
const maxShift = 4

// find returns the row of key, or -1.
func (t *rowTable) find(key uint64) int32 {
	b := key >> t.shift
	print := uint16(key)
	for i, end := t.start[b], t.start[b+1]; i < end; i++ {
		if t.prints[i] == print {
			return int32(i)
		}
	}
	return -1
}

// newRowTable builds an empty-rowed table of the keys and returns for each
// row the index of its key in keys. Of keys that cannot be told apart only
// the first is kept. len(keys) must be below 1<<31.
func newRowTable(keys []uint64, relations int) (*rowTable, []int32) {
	logBuckets := max(1, bits.Len(uint(len(keys)/4)))
	t := &rowTable{shift: uint8(64 - logBuckets), stride: relations + 1}
	order := make([]int32, len(keys))
	for i := range order {
		order[i] = int32(i)
	}
	rank := func(k uint64) uint64 { return k>>t.shift<<16 | k&0xffff }
	sort.Slice(order, func(i, j int) bool {
		a, b := rank(keys[order[i]]), rank(keys[order[j]])
		if a != b {
			return a < b
		}
		return order[i] < order[j]
	})
	kept := order[:0]
	t.start = make([]uint32, 1<<logBuckets+1)
	last := ^uint64(0)
	for _, i := range order {
		k := rank(keys[i])
		if k == last {
			continue
		}
		last = k
		kept = append(kept, i)
		t.prints = append(t.prints, uint16(k))
		t.start[k>>16+1]++
	}
	for b := 1; b < len(t.start); b++ {
		t.start[b] += t.start[b-1]
	}
	t.rows = make([]int8, len(kept)*t.stride)
	return t, kept
}

// validate checks that no lookup can leave the arrays.
func (t *rowTable) validate() error {
	n := len(t.start) - 1
	switch {
	case n < 2 || n&(n-1) != 0 || n > 1<<30 || t.stride < 2:
		return fmt.Errorf("row table has %d buckets", n)
	case t.start[0] != 0 || int(t.start[n]) != len(t.prints):
		return fmt.Errorf("row table: buckets do not fit %d rows", len(t.prints))
	case len(t.rows) != len(t.prints)*t.stride || len(t.prints) > 1<<30:
		return fmt.Errorf("row table: %d bytes do not fit %d rows of %d", len(t.rows), len(t.prints), t.stride)
	}
	for b := 0; b < n; b++ {
		if t.start[b] > t.start[b+1] {
			return fmt.Errorf("row table: bucket %d ends before it starts", b)
		}
	}
	for i := 0; i < len(t.rows); i += t.stride {
		if t.rows[i] < 0 || t.rows[i] > maxShift {
			return fmt.Errorf("row table: row %d has shift %d", i/t.stride, t.rows[i])
		}
	}
	t.shift = uint8(64 - bits.Len(uint(n-1)))
	return nil
}
