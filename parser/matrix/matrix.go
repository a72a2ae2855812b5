// Package matrix multiplies matrices: of 8-bit integers, exactly, when the parser runs
// (Int8), and of 32-bit floats when it learns (Product).
//
// Integer products are the same on every processor, because their sums are exact. Float
// products are the same for any number of workers, but may differ between kinds of
// processors: some have fused operations, some bfloat16.
//
// Products of floats follow Goto and van de Geijn (2008, "Anatomy of High-Performance
// Matrix Multiplication"): B is packed into panels as wide as a tile of C, in the order
// in which the micro-kernel reads them. A is packed too, unless it already has this
// order. The micro-kernel keeps a tile of C in registers. A unit of work is the product
// of a block of rows of A, which stays in the second-level cache, and some panels.
// Every element of C is one chain of sums along the inner dimension, in blocks of steps
// that depend only on that dimension. So its bits do not depend on the neighbouring
// rows and columns either.
//
// The package lab/assembly generates the micro-kernels for amd64 and arm64.
package matrix

import "unsafe"

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

// Transpose sets column i of dst, whose rows are stride apart, to row i of m. stride must
// be at least Rows up to a multiple of 16, and dst hold stride times Cols up to a multiple
// of 16. Beyond the columns and rows that m has, dst is undefined.
func (m Matrix) Transpose(dst []float32, stride int) {
	m.check()
	if stride < ceil(m.Rows, 16)*16 {
		panic("matrix: no room to transpose")
	}
	dst = dst[:ceil(m.Cols, 16)*16*stride]
	words := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(dst))), len(dst))
	kernels[0].transposed(words, m, stride)
}

// A Product says how to multiply: C = A·B, with A or B transposed if set, and C += A·B
// with Add. The shapes must fit, and C must overlap neither A nor B.
//
// Half rounds the elements of A and B to bfloat16 (to nearest, ties to even; Kalamkar and
// others 2019) if the processor multiplies bfloat16 faster (AVX512_BF16). On other
// processors it changes nothing. Sums are float32 in either case. An element has eight
// significant bits, so the relative error of a product is at most 2^-8. Numbers below
// 2^-126 count as zero.
type Product struct {
	TransposeA, TransposeB, Add, Half bool
	Workers                           int // goroutines; the bits are the same for any number; 0 and 1: only the caller's
}

// Multiply sets c to the product of a and b, or adds it to c. It panics if the shapes
// do not fit. It is safe for concurrent use.
func (p Product) Multiply(c, a, b Matrix) {
	if p.Half && len(halves) > 0 {
		halves[0].product(p, c, a, b)
		return
	}
	kernels[0].product(p, c, a, b)
}
