package finetune

import (
	"math"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/hash"
)

// mask sets dst to x times the elements of keep that are drawn. dst may be x.
func mask(dst, x []float32, keep *[256]float32, r hash.Rand) {
	dst = dst[:len(x)]
	for len(x) >= 8 {
		bits, a, d := r.Next(), (*[8]float32)(x), (*[8]float32)(dst)
		d[0] = a[0] * keep[uint8(bits)]
		d[1] = a[1] * keep[uint8(bits>>8)]
		d[2] = a[2] * keep[uint8(bits>>16)]
		d[3] = a[3] * keep[uint8(bits>>24)]
		d[4] = a[4] * keep[uint8(bits>>32)]
		d[5] = a[5] * keep[uint8(bits>>40)]
		d[6] = a[6] * keep[uint8(bits>>48)]
		d[7] = a[7] * keep[uint8(bits>>56)]
		x, dst = x[8:], dst[8:]
	}
	bits := r.Next()
	for i := range x {
		dst[i] = x[i] * keep[uint8(bits>>(8*i))]
	}
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

// softmaxBack turns d, the gradient of the probabilities p, into the gradient of the
// scores before scaling.
func softmaxBack(d, p []float32, scale float32) {
	p = p[:len(d)]
	var sum float32
	for i, a := range d {
		sum += a * p[i]
	}
	for i, a := range d {
		d[i] = (a - sum) * p[i] * scale
	}
}

// sumOf returns the sum of x: of every fourth element first.
func sumOf(x []float32) float32 {
	var a, b, c, d float32
	for len(x) >= 4 {
		v := (*[4]float32)(x)
		a, b, c, d = a+v[0], b+v[1], c+v[2], d+v[3]
		x = x[4:]
	}
	for _, v := range x {
		a += v
	}
	return (a + b) + (c + d)
}

// normalize sets y to the layer norm of x, from which it takes the mean and
// deviation, and returns the inverse of the deviation.
func normalize(y, x []float32, n encode.Norm, epsilon float32) (inverse float32) {
	w := len(y)
	x, gain, bias := x[:w], n.Gain[:w], n.Bias[:w]
	mean := sumOf(x) / float32(w)
	var a, b, c, d float32
	rest := x
	for len(rest) >= 4 {
		v := (*[4]float32)(rest)
		v[0] -= mean
		v[1] -= mean
		v[2] -= mean
		v[3] -= mean
		a += v[0] * v[0]
		b += v[1] * v[1]
		c += v[2] * v[2]
		d += v[3] * v[3]
		rest = rest[4:]
	}
	for i := range rest {
		rest[i] -= mean
		a += rest[i] * rest[i]
	}
	inverse = float32(1 / math.Sqrt(float64(((a+b)+(c+d))/float32(w)+epsilon)))
	for i := range y {
		x[i] *= inverse
		y[i] = x[i]*gain[i] + bias[i]
	}
	return inverse
}

// normalizeBack sets dx to the gradient of the values that normalize changed into hat. d
// is the gradient of the result. It adds the gradients of gain and bias to dgain and
// dbias. dx must not be d.
func normalizeBack(dx, d, hat []float32, inverse float32, gain, dgain, dbias []float32) {
	w := len(d)
	dx, hat, gain, dgain, dbias = dx[:w], hat[:w], gain[:w], dgain[:w], dbias[:w]
	var sum0, sum1, product0, product1 float32
	i := 0
	for ; i+1 < w; i += 2 {
		a, b := d[i]*gain[i], d[i+1]*gain[i+1]
		dgain[i] += d[i] * hat[i]
		dgain[i+1] += d[i+1] * hat[i+1]
		dbias[i] += d[i]
		dbias[i+1] += d[i+1]
		dx[i], dx[i+1] = a, b
		sum0, sum1 = sum0+a, sum1+b
		product0, product1 = product0+a*hat[i], product1+b*hat[i+1]
	}
	if i < w {
		a := d[i] * gain[i]
		dgain[i] += d[i] * hat[i]
		dbias[i] += d[i]
		dx[i] = a
		sum0, product0 = sum0+a, product0+a*hat[i]
	}
	mean, slope := (sum0+sum1)/float32(w), (product0+product1)/float32(w)
	for i := range dx {
		dx[i] = inverse * (dx[i] - mean - hat[i]*slope)
	}
}

func addScaled(dst, a []float32, x float32) {
	a = a[:len(dst)]
	for i := range dst {
		dst[i] += x * a[i]
	}
}

func dot(a, b []float32) (sum float32) {
	b = b[:len(a)]
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

// entropy returns weight times the cross-entropy of gold under the softmax of the
// scores, leaving out index skip, and turns the scores into its gradient. A gold < 0
// costs nothing.
func entropy(scores []float32, gold, skip int, weight float32) float64 {
	if gold < 0 || weight == 0 {
		clear(scores)
		return 0
	}
	top := float32(math.Inf(-1))
	for i, x := range scores {
		if i != skip {
			top = max(top, x)
		}
	}
	sum, own := 0.0, float64(scores[gold]-top)
	for i, x := range scores {
		e := 0.0
		if i != skip {
			e = math.Exp(float64(x - top))
		}
		scores[i] = float32(e)
		sum += e
	}
	scale := float32(float64(weight) / sum)
	for i := range scores {
		scores[i] *= scale
	}
	scores[gold] -= weight
	return float64(weight) * (math.Log(sum) - own)
}
