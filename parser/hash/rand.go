package hash

// A Rand is the generator splitmix64 (Steele, Lea and Flood 2014). Its value is its
// seed. It is not for cryptography, and not safe for concurrent use.
type Rand uint64

// Next returns 64 random bits.
func (r *Rand) Next() uint64 {
	*r += 0x9E3779B97F4A7C15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Below returns a number in [0, n), n > 0, by the high product; its bias is
// under n/2^32.
func (r *Rand) Below(n uint32) uint32 { return uint32(r.Next() >> 32 * uint64(n) >> 32) }

// Float returns a number in [0, 1), a multiple of 2^-53.
func (r *Rand) Float() float64 { return float64(r.Next()>>11) / (1 << 53) }

// Shuffled returns 0..n-1 in an order that depends only on n and seed.
func Shuffled(n int, seed uint64) []int {
	r := Rand(Mix(seed))
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j := r.Below(uint32(i + 1))
		list[i], list[j] = list[j], list[i]
	}
	return list
}
