// Package linear is what learns: an index of counted features, rows and
// single weights while they are learned, the one loop over the examples, and
// the packed read-only table that a model holds.
//
// The update rules are PA-I (Crammer, Dekel, Keshet, Shalev-Shwartz and Singer
// 2006) with averaged weights, and AdaGrad (Duchi, Hazan and Singer 2011).
package linear

import "github.com/treebeam/treebeam/parser/hash"

// An Index numbers the features that occur often enough in training: first
// Count every occurrence, then Cut, then ask for each ID. It is not safe for
// concurrent use.
type Index struct {
	keys  []hash.Key // open addressing, power of two; 0 is empty
	state []int32    // occurrences while counting; then the number, cut or waiting
	used  int
	list  []hash.Key // by number
}

const (
	cut     = -1
	waiting = -2 // for its first ID
)

// place returns the place of key, which is not 0.
func (x *Index) place(key hash.Key) int {
	mask := len(x.keys) - 1
	i := int(key>>32) & mask
	for x.keys[i] != key && x.keys[i] != 0 {
		i = (i + 1) & mask
	}
	return i
}

func orOne(key hash.Key) hash.Key {
	if key == 0 {
		return 1
	}
	return key
}

// Count notes an occurrence of key.
func (x *Index) Count(key hash.Key) {
	if x.used*3 >= len(x.keys)*2 {
		x.grow()
	}
	key = orOne(key)
	i := x.place(key)
	if x.keys[i] == 0 {
		x.keys[i] = key
		x.used++
	}
	x.state[i]++
}

func (x *Index) grow() {
	n := max(1<<10, 2*len(x.keys))
	old := *x
	x.keys, x.state = make([]hash.Key, n), make([]int32, n)
	for i, k := range old.keys {
		if k != 0 {
			j := x.place(k)
			x.keys[j], x.state[j] = k, old.state[i]
		}
	}
}

// Cut ends the counting: only keys that occurred least times or more will
// have a number.
func (x *Index) Cut(least int) {
	for i, n := range x.state {
		x.state[i] = waiting
		if x.keys[i] != 0 && int(n) < least {
			x.state[i] = cut
		}
	}
}

// ID returns the number of key, the next one from 0 when it is asked for
// first, or -1 if it was cut or never counted.
func (x *Index) ID(key hash.Key) int32 {
	if len(x.keys) == 0 {
		return cut
	}
	key = orOne(key)
	i := x.place(key)
	if x.keys[i] == 0 {
		return cut
	}
	if x.state[i] == waiting {
		x.state[i] = int32(len(x.list))
		x.list = append(x.list, key)
	}
	return x.state[i]
}

// Len returns how many keys have a number.
func (x *Index) Len() int { return len(x.list) }

// Keys returns the keys by number.
func (x *Index) Keys() []hash.Key { return x.list }
