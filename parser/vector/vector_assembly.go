//go:build amd64 || arm64

package vector

// All functions need a positive n or cols that is a multiple of 16, and a positive inner.

// constants are those of functions.go, in the order of lab/assembly.
//
//lint:ignore U1000 the assembly reads them
var constants = [...]float32{
	expLeast, log2e, magic, ln2High, ln2Low, exp7, exp6, exp5, exp4, exp3, exp2, 1,
	half, geluMost, geluLeast, gelu0, gelu1, gelu2, gelu3, gelu4, gelu5, gelu6, gelu7,
}

// maxAbsTwo sets found, 2 floats, to the largest absolute value and the largest of the rest.
//
//go:noescape
func maxAbsTwo(x *float32, n int, found *float32)

// indexAbs returns the first index of the absolute value. x must have it.
//
//go:noescape
func indexAbs(x *float32, n int, value float32) int

//go:noescape
func quantize(dst *int8, x *float32, n int, inverse float32)

//go:noescape
func dequantize(dst *float32, sums *int32, n int, scale float32, scales, bias *float32)

//go:noescape
func dequantizeWith(dst *float32, sums *int32, n int, rest int32, scale float32, column *int8, scales, bias *float32)

//go:noescape
func expand(dst *float32, q *int8, n int, scale float32)

//go:noescape
func multiply(x *float32, n int, factor float32)

//go:noescape
func addScaled(x *float32, factor float32, y *float32, n int)

// addSum adds y to x and returns the sum of x.
//
//go:noescape
func addSum(x, y *float32, n int) float32

// sumSquares returns the sum of (x-mean)².
//
//go:noescape
func sumSquares(x *float32, n int, mean float32) float32

//go:noescape
func normalize(x *float32, n int, mean, inverse float32, gain, bias *float32)

//go:noescape
func maximum(x *float32, n int) float32

// expSum sets x to the exponentials of x-top and returns their sum.
//
//go:noescape
func expSum(x *float32, n int, top float32) float32

//go:noescape
func gelu(x *float32, n int)

//go:noescape
func geluSlope(y, x *float32, n int)

//go:noescape
func product(c *float32, sc int, a *float32, sa int, b *float32, sb, rows, inner, cols int)
