// Package matrix multiplies matrices: of 8-bit integers, exactly, where the
// parser runs; of 32-bit floats where it learns.
//
// Integer products are the same on every processor and by every path, for the
// sums are exact. Float products are the same for any number of workers, but
// not between kinds of processors, whose kernels add in another order.
package matrix

// A Matrix is a view of floats: element (i, j) is Data[i*Stride+j], for i <
// Rows and j < Cols.
type Matrix struct {
	Data               []float32
	Rows, Cols, Stride int
}

// Of returns a view of rows*cols floats, row by row.
func Of(data []float32, rows, cols int) Matrix {
	return Matrix{Data: data, Rows: rows, Cols: cols, Stride: cols}
}

// Columns returns a view of columns [lo, hi).
func (m Matrix) Columns(lo, hi int) Matrix {
	return Matrix{Data: m.Data[lo:], Rows: m.Rows, Cols: hi - lo, Stride: m.Stride}
}

// RowRange returns a view of rows [lo, hi).
func (m Matrix) RowRange(lo, hi int) Matrix {
	return Matrix{Data: m.Data[lo*m.Stride:], Rows: hi - lo, Cols: m.Cols, Stride: m.Stride}
}

// A Product says what is multiplied: C = A·B, of the transposed A or B where
// that is said, and with Add C += A·B. The shapes must fit and C must overlap
// neither A nor B. (Attention learns with Workers 1, layers with many.)
type Product struct {
	TransposeA, TransposeB, Add bool
	Workers                     int // goroutines, changes no bit; 0 and 1 are the caller alone
}

// Multiply sets c, or adds to it.
func (p Product) Multiply(c, a, b Matrix) {
	inner := a.Cols
	if p.TransposeA {
		inner = a.Rows
	}
	for i := range c.Rows {
		for j := range c.Cols {
			var sum float32
			for k := range inner {
				x, y := i*a.Stride+k, k*b.Stride+j
				if p.TransposeA {
					x = k*a.Stride + i
				}
				if p.TransposeB {
					y = j*b.Stride + k
				}
				sum += a.Data[x] * b.Data[y]
			}
			if p.Add {
				sum += c.Data[i*c.Stride+j]
			}
			c.Data[i*c.Stride+j] = sum
		}
	}
}
