// Package vector has the functions on rows of 32-bit floats that an encoder computes
// between its integer products. The results have the same bits on every processor.
//
// Every product is rounded before it is added, and sums have a fixed order, so that
// vector instructions and plain Go agree. A sum over a row uses 16 lanes. Lane i adds
// the elements i, i+16, i+32 and so on, in increasing order. Then lanes 8 to 15 are
// added to lanes 0 to 7, 4 to 7 to 0 to 3, 2 and 3 to 0 and 1, and 1 to 0. No function
// allocates. Arguments must be finite.
package vector

import "math"

const lanes = 16

// tiny is the largest absolute value that Quantize treats as 0, because its inverse would
// not be finite.
const tiny = 1e-30

// magic, added to a float32 of at most 1<<22, rounds it to an integer, ties to even. The
// integer is then in the low bits.
const magic = 3 << 22

const magicBits = 0x4B400000

// Quantize sets dst to the integers in [-127, 127] nearest to x/scale, ties to
// even, and returns scale: the largest absolute value of x over 127, or 0 if
// all is 0.
func Quantize(dst []int8, x []float32) (scale float32) {
	dst = dst[:len(x)]
	top, _ := topTwo(x)
	if top < tiny {
		clear(dst)
		return 0
	}
	round(dst, x, 127/top)
	return top / 127
}

// round sets dst to the integers nearest to x times inverse. One beyond 127 or -127 becomes any
// byte. x must not be empty.
func round(dst []int8, x []float32, inverse float32) {
	if useVectors && len(x)%lanes == 0 {
		quantize(&dst[0], &x[0], len(x), inverse)
		return
	}
	for i, v := range x {
		dst[i] = int8(math.Float32bits(float32(v*inverse)+magic) - magicBits)
	}
}

// largest is the greatest factor by which an element counts as larger than all others.
const largest = 64

// QuantizeButOne is Quantize with the scale of all elements except x[at], the largest in
// absolute value. dst[at] becomes 127 or -127, and rest is the remainder: x[at] is about
// (dst[at]+rest)*scale. The scale is at least the largest absolute value over 64*127. In
// the vectors of encoders, single elements are far larger than the others, and their scale
// would round all others coarsely (Dettmers and others 2022).
func QuantizeButOne(dst []int8, x []float32) (scale float32, at int, rest int32) {
	dst = dst[:len(x)]
	top, second := topTwo(x)
	if top < tiny {
		clear(dst)
		return 0, 0, 0
	}
	if useVectors && len(x)%lanes == 0 {
		at = indexAbs(&x[0], len(x), top)
	} else {
		for at = 0; x[at] != top && x[at] != -top; {
			at++
		}
	}
	second = max(second, top*(1.0/largest))
	inverse := 127 / second
	round(dst, x, inverse)
	whole := int32(math.Float32bits(float32(x[at]*inverse)+magic) - magicBits)
	clipped := max(-127, min(127, whole))
	dst[at] = int8(clipped)
	return second / 127, at, whole - clipped
}

// topTwo returns the largest absolute value of x and the largest of the rest.
func topTwo(x []float32) (top, second float32) {
	if useVectors && len(x)%lanes == 0 && len(x) > 0 {
		var found [2]float32
		maxAbsTwo(&x[0], len(x), &found[0])
		return found[0], found[1]
	}
	for _, v := range x {
		v = max(v, -v)
		second = max(second, min(top, v))
		top = max(top, v)
	}
	return top, second
}

// DequantizeWith is Dequantize of sums[i] + rest*column[i].
func DequantizeWith(dst []float32, sums []int32, rest int32, column []int8, scale float32, scales, bias []float32) {
	n := len(dst)
	sums, column, scales, bias = sums[:n], column[:n], scales[:n], bias[:n]
	if useVectors && n%lanes == 0 && n > 0 {
		dequantizeWith(&dst[0], &sums[0], n, rest, scale, &column[0], &scales[0], &bias[0])
		return
	}
	for i, v := range sums {
		dst[i] = float32(float32(float32(v+rest*int32(column[i]))*scale)*scales[i]) + bias[i]
	}
}

// Dequantize sets dst[i] to sums[i]*scale*scales[i] + bias[i], multiplied from
// left to right.
func Dequantize(dst []float32, sums []int32, scale float32, scales, bias []float32) {
	n := len(dst)
	sums, scales, bias = sums[:n], scales[:n], bias[:n]
	if useVectors && n%lanes == 0 && n > 0 {
		dequantize(&dst[0], &sums[0], n, scale, &scales[0], &bias[0])
		return
	}
	for i, v := range sums {
		dst[i] = float32(float32(float32(v)*scale)*scales[i]) + bias[i]
	}
}

// Expand sets dst[i] to q[i]*scale.
func Expand(dst []float32, q []int8, scale float32) {
	dst = dst[:len(q)]
	if useVectors && len(q)%lanes == 0 && len(q) > 0 {
		expand(&dst[0], &q[0], len(q), scale)
		return
	}
	for i, v := range q {
		dst[i] = float32(float32(v) * scale)
	}
}

// Scale multiplies x by factor.
func Scale(x []float32, factor float32) {
	if useVectors && len(x)%lanes == 0 && len(x) > 0 {
		multiply(&x[0], len(x), factor)
		return
	}
	for i, v := range x {
		x[i] = float32(v * factor)
	}
}

// Add adds y to x.
func Add(x, y []float32) {
	if useVectors && len(x)%lanes == 0 && len(x) > 0 {
		addScaled(&x[0], 1, &y[:len(x)][0], len(x))
		return
	}
	y = y[:len(x)]
	for i, v := range y {
		x[i] += v
	}
}

// AddScaled adds factor*y to x.
func AddScaled(x []float32, factor float32, y []float32) {
	y = y[:len(x)]
	if useVectors && len(x)%lanes == 0 && len(x) > 0 {
		addScaled(&x[0], factor, &y[0], len(x))
		return
	}
	for i, v := range y {
		x[i] += float32(factor * v)
	}
}

// AddNorm adds y to x, and normalises x: (x - mean) / sqrt(variance + epsilon)
// * gain + bias. The variance is the mean of the squares of x - mean.
func AddNorm(x, y []float32, epsilon float32, gain, bias []float32) {
	n := len(x)
	y, gain, bias = y[:n], gain[:n], bias[:n]
	if n == 0 {
		return
	}
	if useVectors && n%lanes == 0 {
		mean := addSum(&x[0], &y[0], n) / float32(n)
		variance := sumSquares(&x[0], n, mean) / float32(n)
		normalize(&x[0], n, mean, inverseRoot(variance+epsilon), &gain[0], &bias[0])
		return
	}
	var sum [lanes]float32
	for i, v := range y {
		x[i] += v
		sum[i%lanes] += x[i]
	}
	mean := total(&sum) / float32(n)
	sum = [lanes]float32{}
	for i, v := range x {
		d := v - mean
		sum[i%lanes] += float32(d * d)
	}
	inverse := inverseRoot(total(&sum)/float32(n) + epsilon)
	for i, v := range x {
		x[i] = float32(float32((v-mean)*inverse)*gain[i]) + bias[i]
	}
}

// inverseRoot returns 1/sqrt(v), both rounded to float32.
func inverseRoot(v float32) float32 { return 1 / float32(math.Sqrt(float64(v))) }

func total(sum *[lanes]float32) float32 {
	for half := lanes / 2; half > 0; half /= 2 {
		for i := range half {
			sum[i] += sum[i+half]
		}
	}
	return sum[0]
}

// LeakyReLU multiplies negative elements by 0.1.
func LeakyReLU(x []float32) {
	for i, v := range x {
		x[i] = max(v, float32(v*0.1))
	}
}

// Product sets c, rows x cols, to a·b. a is rows x inner, b is inner x cols, and each has
// the given stride. Every element is the sum over inner in increasing order, starting at 0.
func Product(c []float32, strideC int, a []float32, strideA int, b []float32, strideB, rows, inner, cols int) {
	if rows <= 0 || cols <= 0 {
		return
	}
	done := 0
	if useVectors && inner > 0 {
		_, _, _ = c[(rows-1)*strideC+cols-1], a[(rows-1)*strideA+inner-1], b[(inner-1)*strideB+cols-1]
		if done = cols - cols%lanes; done > 0 {
			product(&c[0], strideC, &a[0], strideA, &b[0], strideB, rows, inner, done)
		}
		if done == cols {
			return
		}
	}
	for i := range rows {
		row := c[i*strideC+done : i*strideC+cols]
		clear(row)
		for k, f := range a[i*strideA : i*strideA+inner] {
			for j, v := range b[k*strideB+done : k*strideB+cols] {
				row[j] += float32(f * v)
			}
		}
	}
}
