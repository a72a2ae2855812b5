package segment

import (
	"math/bits"
	"slices"
)

// Templates of one classifier are numbered; the number is the first value
// hashed, so that classifiers and templates never share a weight on purpose.

const (
	golden = 0x9E3779B97F4A7C15
	prime  = 0xD6E8FEB86659FD93
)

// mix adds v to the running hash h. The order of the values matters.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * golden
	return bits.RotateLeft64(h, 29) ^ v
}

// finish spreads the entropy of h over all bits.
func finish(h uint64) uint64 {
	h ^= h >> 32
	h *= prime
	h ^= h >> 29
	h *= golden
	return h ^ h>>32
}

func f1(t, a uint64) uint64          { return finish(mix(t*prime, a)) }
func f2(t, a, b uint64) uint64       { return finish(mix(mix(t*prime, a), b)) }
func f3(t, a, b, c uint64) uint64    { return finish(mix(mix(mix(t*prime, a), b), c)) }
func f4(t, a, b, c, d uint64) uint64 { return finish(mix(mix(mix(mix(t*prime, a), b), c), d)) }

// hashRunes hashes normalised characters.
func hashRunes(rs []rune) uint64 {
	h := uint64(len(rs))
	for _, r := range rs {
		h = mix(h, uint64(r))
	}
	return finish(h)
}

// A random is a splitmix64 generator: the same numbers on every machine.
type random struct{ state uint64 }

func (r *random) next() uint64 {
	r.state += golden
	return finish(r.state)
}

// below returns a number in [0, n).
func (r *random) below(n int) int {
	hi, _ := bits.Mul64(r.next(), uint64(n))
	return int(hi)
}

// chance is true with probability p.
func (r *random) chance(p float64) bool { return float64(r.next()>>11) < p*(1<<53) }

// shuffle permutes a.
func shuffle[T any](r *random, a []T) {
	for i := len(a) - 1; i > 0; i-- {
		j := r.below(i + 1)
		a[i], a[j] = a[j], a[i]
	}
}

func sortKeys(keys []uint64) { slices.Sort(keys) }
