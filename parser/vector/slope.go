package vector

import "math"

// GELUSlope sets y to GELU of x + bias and x to the slope there, Φ + x·φ. All
// have one length.
func GELUSlope(y, x, bias []float32) {
	if useVectors && len(x)%lanes == 0 && len(x) > 0 {
		geluSlope(&y[:len(x)][0], &x[0], &bias[:len(x)][0], len(x))
		return
	}
	const half = 0.5
	for i, v := range x {
		v += bias[i]
		z := max(v, -v)
		t := 1 / (float32(geluP*z) + 1)
		p := float32(gelu5*t) + gelu4
		p = float32(p*t) + gelu3
		p = float32(p*t) + gelu2
		p = float32(p*t) + gelu1
		p = float32(p * t)
		density := float32(exp(float32(float32(z*-0.5)*z)) * rootTwoPi)
		tail := float32(p * density) // at most 1/2, so the sign of v is that of Φ - 1/2
		y[i] = max(v, 0) - float32(z*tail)
		share := math.Float32frombits(math.Float32bits(half-tail) ^ math.Float32bits(v)&(1<<31))
		x[i] = share + half + float32(v*density)
	}
}
