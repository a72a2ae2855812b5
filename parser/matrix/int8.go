package matrix

// An Int8 is a matrix of weights in [-127, 127], outputs x inputs, laid out
// for Multiply. It is read-only and safe for concurrent use.
type Int8 struct {
	Outputs, Inputs int
	weights         []int8 // row by row
}

// NewInt8 lays weights out, outputs x inputs row by row; it keeps no
// reference to them, or aliases them. inputs is at most 1<<15, so that sums fit
// into 32 bits.
func NewInt8(weights []int8, outputs, inputs int) *Int8 {
	return &Int8{outputs, inputs, weights}
}

// Multiply sets dst, tokens x Outputs, to the products of the rows of a, tokens
// x Inputs with values in [-127, 127], and the rows of the weights. Sums are
// exact: every path on every processor gives the same.
func (m *Int8) Multiply(dst []int32, a []int8, tokens int) {
	for t := range tokens {
		for o := range m.Outputs {
			var sum int32
			for i := range m.Inputs {
				sum += int32(a[t*m.Inputs+i]) * int32(m.weights[o*m.Inputs+i])
			}
			dst[t*m.Outputs+o] = sum
		}
	}
}
