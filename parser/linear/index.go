// Package linear learns and stores linear models. It has an index of counted features
// (Index), the weights in training (Rows, Weights, Dense), the training loop of all
// learners (Run), and the packed read-only table that a model holds (Table).
//
// The update rules are PA-I (Crammer, Dekel, Keshet, Shalev-Shwartz and Singer
// 2006) with averaged weights, and AdaGrad (Duchi, Hazan and Singer 2011).
package linear

import (
	"math/bits"

	"github.com/treebeam/treebeam/parser/hash"
)

// An Index numbers the features that occur often enough in training. First Count every
// occurrence (or call CountRepeated), then Cut, then ask for each ID. It is not safe
// for concurrent use.
type Index struct {
	state map[hash.Key]int32 // occurrences while counting; then the number, or waiting
	keys  []hash.Key         // by number
}

// waiting is the state of a key before its first ID.
const waiting = -1

// Count counts an occurrence of key.
func (x *Index) Count(key hash.Key) {
	if x.state == nil {
		x.state = make(map[hash.Key]int32)
	}
	x.state[key]++
}

// CountRepeated counts the keys in all lists, except most keys that occur only once
// among them, which take no memory. It must be the only count, and Cut must have a
// least of 2 or more; the keys that are left are then the same as after Count.
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

// Cut ends the counting. Only keys with at least least occurrences can get a number.
func (x *Index) Cut(least int) {
	for key, n := range x.state {
		if int(n) < least {
			delete(x.state, key)
		} else {
			x.state[key] = waiting
		}
	}
}

// ID returns the number of key, or -1 if key was cut or never counted. Numbers start at
// 0 and are given in the order of the first calls.
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

// Keys returns the keys, indexed by number.
func (x *Index) Keys() []hash.Key { return x.keys }
