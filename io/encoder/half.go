package encoder

import "math"

// float32FromHalf returns the value of a number in half precision (IEEE 754
// binary16).
func float32FromHalf(h uint16) float32 {
	sign, exponent, fraction := uint32(h&0x8000)<<16, uint32(h>>10&31), uint32(h&0x3FF)
	switch exponent {
	case 0: // zero and subnormal: fraction * 2^-24
		x := float32(fraction) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(x) | sign)
	case 31: // infinite or no number
		return math.Float32frombits(sign | 0x7F800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}
