package finetune

import "math"

// The error function by a table: Φ(x), the share of the normal distribution
// below x, and the slope of x·Φ(x), linear between points at steps of 1/128 up
// to ±6. Errors are below 1e-5.
const (
	gaussStep = 128
	gaussEnd  = 6
)

// A gaussPoint holds both functions at a point and what they gain up to the
// next.
type gaussPoint struct{ share, shareGain, slope, slopeGain float32 }

var gauss = func() []gaussPoint {
	share := func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
	slope := func(x float64) float64 { return share(x) + x*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi) }
	table := make([]gaussPoint, 2*gaussEnd*gaussStep+1)
	for i := range table {
		x := float64(i)/gaussStep - gaussEnd
		y := x + 1.0/gaussStep
		table[i] = gaussPoint{float32(share(x)), float32(share(y) - share(x)), float32(slope(x)), float32(slope(y) - slope(x))}
	}
	return table
}()

// gelu returns x·Φ(x) (Hendrycks and Gimpel 2016) and its slope.
func gelu(x float32) (y, slope float32) {
	at := (x + gaussEnd) * gaussStep
	if !(at > 0) { // nor NaN, which the loss shows
		return 0 * x, 0
	}
	if at >= 2*gaussEnd*gaussStep {
		return x, 1
	}
	i := int32(at)
	t, p := at-float32(i), &gauss[i]
	return x * (p.share + t*p.shareGain), p.slope + t*p.slopeGain
}

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
