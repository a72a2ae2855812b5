// Package linear is what learns: an index of counted features, rows and
// single weights while they are learned, the one loop over the examples, and
// the packed read-only table that a model holds.
//
// The update rules are PA-I (Crammer, Dekel, Keshet, Shalev-Shwartz and Singer
// 2006) with averaged weights, and AdaGrad (Duchi, Hazan and Singer 2011).
package linear

import (
	"math/bits"

	"github.com/treebeam/treebeam/parser/hash"
)

// An Index numbers the features that occur often enough in training: first
// Count every occurrence (or CountRepeated), then Cut, then ask for each ID. It is not safe for
// concurrent use.
type Index struct {
	state map[hash.Key]int32 // occurrences while counting; then the number, or waiting
	keys  []hash.Key         // by number
}

// waiting is the state of a key before its first ID.
const waiting = -1

// Count notes an occurrence of key.
func (x *Index) Count(key hash.Key) {
	if x.state == nil {
		x.state = make(map[hash.Key]int32)
	}
	x.state[key]++
}

// CountRepeated is Count for each of the keys in all lists, but for most keys that occur only once
// among them. They take no memory, and Cut, which must have a least of 2 or more, leaves
// the same keys. It must be the only count.
func (x *Index) CountRepeated(lists ...[]hash.Key) {
	// A bit for a key: whether there was one, and whether there was another. Keys that
	// share a bit are counted in vain.
	n := 0
	for _, keys := range lists {
		n += len(keys)
	}
	mask := uint64(1)<<bits.Len(uint(4*n+64)) - 1
	once, again := make([]uint64, mask/64+1), make([]uint64, mask/64+1)
	place := func(key hash.Key) (int, uint64) {
		at := hash.Mix(key) & mask
		return int(at / 64), 1 << (at % 64)
	}
	for _, keys := range lists {
		for _, key := range keys {
			i, bit := place(key)
			again[i] |= once[i] & bit
			once[i] |= bit
		}
	}
	for _, keys := range lists {
		for _, key := range keys {
			if i, bit := place(key); again[i]&bit != 0 {
				x.Count(key)
			}
		}
	}
}

// Cut ends the counting: only keys that occurred least times or more will
// have a number.
func (x *Index) Cut(least int) {
	for key, n := range x.state {
		if int(n) < least {
			delete(x.state, key)
		} else {
			x.state[key] = waiting
		}
	}
}

// ID returns the number of key, the next one from 0 when it is asked for
// first, or -1 if it was cut or never counted.
func (x *Index) ID(key hash.Key) int32 {
	id, known := x.state[key]
	if !known {
		return -1
	}
	if id == waiting {
		id = int32(len(x.keys))
		x.state[key] = id
		x.keys = append(x.keys, key)
	}
	return id
}

// Len returns how many keys have a number.
func (x *Index) Len() int { return len(x.keys) }

// Keys returns the keys by number.
func (x *Index) Keys() []hash.Key { return x.keys }
