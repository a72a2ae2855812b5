package tag

import "math/bits"

// prints is a set of keys in 32 bits each, by open addressing; 0 is empty. A
// key that was never put in is found about once in a thousand million
// look-ups. It is read-only after newPrints.
type prints []uint32

// newPrints returns the set of keys, and of each the place in it; of keys that
// cannot be told apart the first has the place, and the others have -1.
func newPrints(keys []uint64) (p prints, places []int) {
	n := len(keys)*10/8 + 2
	p, places = make(prints, n), make([]int, len(keys))
	for k, key := range keys {
		if _, ok := p.find(key); ok {
			places[k] = -1
			continue
		}
		hi, _ := bits.Mul64(key, uint64(n))
		i := int(hi)
		for p[i] != 0 {
			i = (i + 1) % n
		}
		p[i], places[k] = uint32(key)|1, i
	}
	return p, places
}

// find returns the place of key.
func (p prints) find(key uint64) (int, bool) {
	n := len(p)
	if n == 0 {
		return 0, false
	}
	hi, _ := bits.Mul64(key, uint64(n))
	i, x := int(hi), uint32(key)|1
	for p[i] != 0 {
		if p[i] == x {
			return i, true
		}
		if i++; i == n {
			i = 0
		}
	}
	return 0, false
}

func (p prints) has(key uint64) bool {
	_, ok := p.find(key)
	return ok
}
