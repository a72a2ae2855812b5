//go:build !amd64 && !arm64

package vector

// useVectors says whether vector instructions are used. No result depends on it.
var useVectors = false

const none = "vector: no vector instructions"

func quantize(dst *int8, x *float32, n int, inverse float32)            { panic(none) }
func expand(dst *float32, q *int8, n int, scale float32)                { panic(none) }
func multiply(x *float32, n int, factor float32)                        { panic(none) }
func addScaled(x *float32, factor float32, y *float32, n int)           { panic(none) }
func addSum(x, y *float32, n int) float32                               { panic(none) }
func sumSquares(x *float32, n int, mean float32) float32                { panic(none) }
func normalize(x *float32, n int, mean, inverse float32, g, b *float32) { panic(none) }
func maximum(x *float32, n int) float32                                 { panic(none) }
func expSum(x *float32, n int, top float32) float32                     { panic(none) }
func gelu(x *float32, n int)                                            { panic(none) }
func geluSlope(y, x *float32, n int)                                    { panic(none) }

func dequantize(dst *float32, sums *int32, n int, scale float32, scales, bias *float32) { panic(none) }

func indexAbs(x *float32, n int, value float32) int { panic(none) }

func maxAbsTwo(x *float32, n int, found *float32) { panic(none) }

func dequantizeWith(dst *float32, sums *int32, n int, rest int32, scale float32, column *int8, scales, bias *float32) {
	panic(none)
}

func product(c *float32, sc int, a *float32, sa int, b *float32, sb, rows, inner, cols int) {
	panic(none)
}
