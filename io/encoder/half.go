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

// halfFromFloat32 returns the number in half precision that is nearest to x,
// the even one of two; infinity from 65,520 on.
func halfFromFloat32(x float32) uint16 {
	b := math.Float32bits(x)
	sign, b := uint16(b>>16&0x8000), b&^(1<<31)
	switch {
	case b > 0x7F800000: // no number
		return sign | 0x7E00
	case b >= 0x477FF000: // 65,520
		return sign | 0x7C00
	case b < 0x38800000: // below 2^-14: the last bit counts 2^-24
		return sign | uint16(math.RoundToEven(float64(math.Float32frombits(b))*(1<<24)))
	}
	b += 0xFFF + b>>13&1 // rounds; may carry into the exponent, as it should
	return sign | uint16(b>>13-112<<10)
}
