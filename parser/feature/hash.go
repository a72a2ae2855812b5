package feature

import "math/bits"

// A Key names one feature: a 64-bit hash of its template and atoms. Equal
// features have equal keys in training and parsing, because both go through
// the same extraction. Keys of different features collide with probability
// 2^-64; score.Table and score.Weights say what part of a Key they keep.
type Key = uint64

// Atoms are combined by role: a template is a sum of atoms, each times the
// odd constant of its role, so that the products of a part can run in
// parallel in the processor; one final mix spreads the sum.
const (
	role0 = 0x9E3779B97F4A7C15
	role1 = 0xC2B2AE3D27D4EB4F
	role2 = 0x165667B19E3779F9
	role3 = 0xD6E8FEB86659FD93
	role4 = 0xA0761D6478BD642F
	role5 = 0xE7037ED1A0B428DB
	roleT = 0x8EBC6AF09C88C6E3
)

func mix(x uint64) Key {
	hi, lo := bits.Mul64(x^0x2D358DCCAA6C78A5, 0x8BB84B93962EACC9)
	return hi ^ lo
}

// HashString is FNV-1a with a final mix: fixed, documented, and the same on
// every machine. Seeds and vocabularies depend on it.
func HashString(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h ^= uint64(s[i])
		h *= 1099511628211
	}
	return mix(h)
}

// Combine hashes a pair of hashes, order mattering.
func Combine(a, b uint64) uint64 { return mix(a*role0 + b*role1 + roleT) }
