package finetune

import "math"

// exp returns e^x for x <= 0 with a relative error below 1e-5.
func exp(x float32) float32 {
	if !(x > -87) {
		return 0
	}
	const log2e = 1.44269504
	y := x*log2e - 0.5
	k := int32(y) // towards 0: y <= -0.5, so k is within 1/2 of x*log2e
	f := (x*log2e - float32(k)) * 0.693147181
	e := 1 + f*(1+f*(0.5+f*(1.0/6+f*(1.0/24+f*(1.0/120+f*(1.0/720))))))
	return e * math.Float32frombits(uint32(127+k)<<23)
}

// softmax sets each of x to exp(scale·x), and divides by their sum.
func softmax(x []float32, scale float32) {
	top := x[0]
	for _, a := range x[1:] {
		top = max(top, a)
	}
	var sum float32
	for i, a := range x {
		e := exp((a - top) * scale)
		x[i] = e
		sum += e
	}
	inverse := 1 / sum
	for i := range x {
		x[i] *= inverse
	}
}

// softmaxBackward turns the gradient d of the probabilities p into that of
// the scores before scaling.
func softmaxBackward(d, p []float32, scale float32) {
	p = p[:len(d)]
	var sum float32
	for i, a := range d {
		sum += a * p[i]
	}
	for i, a := range d {
		d[i] = (a - sum) * p[i] * scale
	}
}
