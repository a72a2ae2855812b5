// Package hash makes all feature keys (Key0 to Key4) and all random numbers (Rand) of
// the parser. Equal input gives equal output on every machine. Models store their
// weights under these keys, so any change here invalidates every model.
package hash

import "math/bits"

// A Key identifies a feature: it is a 64-bit hash of the template and atoms of the
// feature. Keys of different features are equal with probability 2^-64. Every table
// documents which part of a Key it keeps.
type Key = uint64

// A key is the Mix of a sum of atoms, each times the odd constant of its role. The
// processor can compute these products in parallel.
const (
	role0    = 0x9E3779B97F4A7C15
	role1    = 0xC2B2AE3D27D4EB4F
	role2    = 0x165667B19E3779F9
	role3    = 0xD6E8FEB86659FD93
	roleFlag = 0xE7037ED1A0B428DB
	roleT    = 0x8EBC6AF09C88C6E3
)

// Mix spreads the entropy of x over all 64 bits.
func Mix(x uint64) uint64 {
	hi, lo := bits.Mul64(x^0x2D358DCCAA6C78A5, 0x8BB84B93962EACC9)
	return hi ^ lo
}

// Sum0 to Sum4 return keys before Mix, for template t and its atoms. Atoms are hashes
// or small numbers, and their order matters.
func Sum0(t uint64) uint64       { return t * roleT }
func Sum1(t, a uint64) uint64    { return t*roleT + a*role0 }
func Sum2(t, a, b uint64) uint64 { return t*roleT + a*role0 + b*role1 }
func Sum3(t, a, b, c uint64) uint64 {
	return t*roleT + a*role0 + b*role1 + c*role2
}
func Sum4(t, a, b, c, d uint64) uint64 {
	return t*roleT + a*role0 + b*role1 + c*role2 + d*role3
}

// Flag returns a term to add to a Sum for one more atom. It is for values that many
// keys of a part share, such as the direction.
func Flag(x uint64) uint64 { return x * roleFlag }

// Key0 to Key4 return the key of template t and its atoms.
func Key0(t uint64) Key             { return Mix(Sum0(t)) }
func Key1(t, a uint64) Key          { return Mix(Sum1(t, a)) }
func Key2(t, a, b uint64) Key       { return Mix(Sum2(t, a, b)) }
func Key3(t, a, b, c uint64) Key    { return Mix(Sum3(t, a, b, c)) }
func Key4(t, a, b, c, d uint64) Key { return Mix(Sum4(t, a, b, c, d)) }

// Append appends the keys for sums (Sum0 to Sum4), each with flag added (Flag; 0 adds
// nothing).
func Append(keys []Key, flag uint64, sums ...uint64) []Key {
	for _, sum := range sums {
		keys = append(keys, Mix(sum+flag))
	}
	return keys
}

// Beside returns a key for sum that shares its upper half with k. A table that chooses
// the cache line of a key by the upper half finds both in one line, for example the
// keys of a template with and without a Flag.
func Beside(k Key, sum uint64) Key {
	const lower = 1<<32 - 1
	return k&^lower | Mix(sum)&lower
}

// Pair hashes an ordered pair of hashes.
func Pair(a, b uint64) uint64 { return Mix(a*role0 + b*role1 + roleT) }

// Start is the state of a string hash before the first character.
const Start = 0xCBF29CE484222325

// Step adds a character to the state of a string hash. The hash is Mix of the state. So
// one pass gives the hashes of all prefixes of a word, or of all its suffixes read
// backwards.
func Step(h uint64, r rune) uint64 { return (h ^ uint64(uint32(r))) * 0x9FB21C651E98DF25 }

// String returns the hash of the runes of s.
func String(s string) uint64 {
	h := uint64(Start)
	for _, r := range s {
		h = Step(h, r)
	}
	return Mix(h)
}

// Runes returns String(string(rs)) for valid characters.
func Runes(rs []rune) uint64 {
	h := uint64(Start)
	for _, r := range rs {
		h = Step(h, r)
	}
	return Mix(h)
}
