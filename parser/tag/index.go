package tag

// An index numbers the features that occur often enough in training.
type index struct {
	keys []uint64 // open addressing, power of two; 0 is empty
	vals []int32  // occurrences while counting, then number or -1
	used int
	n    int // features numbered
}

func newIndex() *index { return &index{keys: make([]uint64, 1<<16), vals: make([]int32, 1<<16)} }

func (x *index) slot(key uint64) int {
	if key == 0 {
		key = 1
	}
	mask := len(x.keys) - 1
	i := int(key>>32) & mask
	for x.keys[i] != key && x.keys[i] != 0 {
		i = (i + 1) & mask
	}
	return i
}

// count notes an occurrence of key.
func (x *index) count(key uint64) {
	if x.used*3 > len(x.keys)*2 {
		x.grow()
	}
	if key == 0 {
		key = 1
	}
	i := x.slot(key)
	if x.keys[i] == 0 {
		x.keys[i] = key
		x.used++
	}
	x.vals[i]++
}

func (x *index) grow() {
	old := *x
	x.keys, x.vals = make([]uint64, 2*len(old.keys)), make([]int32, 2*len(old.keys))
	for i, k := range old.keys {
		if k != 0 {
			j := x.slot(k)
			x.keys[j], x.vals[j] = k, old.vals[i]
		}
	}
}

// cut ends the counting: keys with at least min occurrences are numbered as
// they come in find.
func (x *index) cut(min int32) {
	for i, c := range x.vals {
		if x.keys[i] != 0 && c < min {
			x.vals[i] = -1
		} else {
			x.vals[i] = -2
		}
	}
}

// number returns the number of key, giving it the next one at its first
// occurrence, or -1 if it was cut.
func (x *index) number(key uint64) int32 {
	i := x.slot(key)
	if x.keys[i] == 0 {
		return -1
	}
	if x.vals[i] == -2 {
		x.vals[i] = int32(x.n)
		x.n++
	}
	return x.vals[i]
}

// keysByNumber inverts the index.
func (x *index) keysByNumber() []uint64 {
	list := make([]uint64, x.n)
	for i, k := range x.keys {
		if k != 0 && x.vals[i] >= 0 {
			list[x.vals[i]] = k
		}
	}
	return list
}
