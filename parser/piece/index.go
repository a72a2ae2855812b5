package piece

import "math/bits"

// An index finds pieces by their bytes: open addressing with linear probing,
// at most half full.
type index struct {
	slots   []int32 // id + 1; 0 is empty
	shift   uint
	longest int // bytes of the longest piece
}

// FNV-1a, which grows byte by byte as a piece does.
const (
	hashStart = 0xCBF29CE484222325
	hashPrime = 0x100000001B3
)

func (x *index) build(v *Vocabulary) {
	x.shift = 64 - uint(bits.Len(uint(2*len(v.Pieces))))
	x.slots = make([]int32, 1<<(64-x.shift))
	for i, p := range v.Pieces {
		id := int32(i)
		if p == "" || id == v.Begin || id == v.End || id == v.Unknown {
			continue
		}
		h := uint64(hashStart)
		for j := range len(p) {
			h = (h ^ uint64(p[j])) * hashPrime
		}
		at := x.place(h)
		for x.slots[at] != 0 {
			at = (at + 1) & (len(x.slots) - 1)
		}
		x.slots[at] = id + 1
		x.longest = max(x.longest, len(p))
	}
}

// place spreads h, because its upper bits alone are not random enough.
func (x *index) place(h uint64) int { return int((h ^ h>>29) * 0x9E3779B97F4A7C15 >> x.shift) }

// find returns the id of the piece s with the hash h, or -1. If several pieces are equal,
// it returns the lowest id.
func (x *index) find(pieces []string, h uint64, s []byte) int32 {
	for at := x.place(h); ; at = (at + 1) & (len(x.slots) - 1) {
		id := x.slots[at] - 1
		if id < 0 || pieces[id] == string(s) {
			return id
		}
	}
}
