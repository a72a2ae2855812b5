package assembly

import (
	"fmt"
	"strings"
)

// neonRows are the heights of tiles of the kernels for arm64.
var neonRows = []int{8, 4, 2, 1}

// neonFile returns the micro-kernels for arm64, whose vectors have four lanes.
func neonFile() string {
	var w writer
	w.WriteString(header)
	w.text("floatNEON", "(t *tile)", "floatNEON multiplies float32.", 8)
	neon(&w, false, func(b, a, sum int) { w.op("VFMLA V%d.S4, V%d.S4, V%d.S4", b, a, sum) })
	w.text("intDot", "(t *tile)", "intDot multiplies four int8.", 8)
	neon(&w, true, func(b, a, sum int) {
		// Go's assembler does not know it (Arm ARM, C7.2, SDOT of vectors).
		w.op("WORD $0x%08x // SDOT V%d.B16, V%d.B16, V%d.S4", 0x4e809400|b<<16|a<<5|sum, b, a, sum)
	})
	return w.String()
}

// neon writes a kernel: it loads the fields of the tile and jumps to the
// variant of its rows and vectors.
//
//	R0 tile  R1 C  R2 bytes between rows of C  R6 B  R7 steps
//	R9 to R16 rows of A  R4 bytes between them  R5 bytes between steps
func neon(w *writer, integers bool, multiply func(b, a, sum int)) {
	w.op("MOVD t+0(FP), R0")
	for i, field := range []string{"c", "cRow", "a", "aRow", "aStep", "b", "steps", "rows"} {
		w.op("MOVD tile_%s(R0), R%d", field, i+1)
	}
	w.op("MOVD R3, R9")
	for i := 10; i <= 16; i++ {
		w.op("ADD R4, R%d, R%d", i-1, i)
	}
	w.op("MOVD tile_add(R0), R3")
	w.op("MOVD tile_vectors(R0), R0")
	w.op("CMP $1, R0")
	w.op("BEQ narrow")
	for vectors := 2; vectors >= 1; vectors-- {
		if vectors == 1 {
			w.label("narrow")
		}
		for _, rows := range neonRows[:len(neonRows)-1] {
			w.op("CMP $%d, R8", rows)
			w.op("BEQ rows%dx%d", rows, vectors)
		}
		for i := range neonRows {
			neonVariant(w, neonRows[len(neonRows)-1-i], vectors, integers, multiply)
		}
	}
}

// neonVariant writes the kernel for a number of rows and vectors: sums in V0 to
// V15, B in V16 and V17, A in V18 to V25.
func neonVariant(w *writer, rows, vectors int, integers bool, multiply func(b, a, sum int)) {
	pair := func(first int) string {
		if vectors == 1 {
			return vectorList(first)
		}
		return vectorList(first, first+1)
	}
	w.label("rows%dx%d", rows, vectors)
	for i := range rows * vectors {
		w.op("VEOR V%d.B16, V%d.B16, V%d.B16", i, i, i)
	}
	w.label("loop%dx%d", rows, vectors)
	w.op("VLD1.P %d(R6), %s", 16*vectors, pair(16))
	for i := range rows {
		w.op("VLD1R.P (R%d)(R5), %s", 9+i, vectorList(18+i))
	}
	for i := range rows {
		for v := range vectors {
			multiply(16+v, 18+i, i*vectors+v)
		}
	}
	w.op("SUBS $1, R7, R7")
	w.op("BNE loop%dx%d", rows, vectors)
	if !integers {
		w.op("CBZ R3, store%dx%d", rows, vectors)
		w.op("FMOVS $1.0, F18") // to add is to add the product with one
		w.op("VDUP V18.S[0], V18.S4")
		w.op("MOVD R1, R9")
		for i := range rows {
			w.op("VLD1 (R9), %s", pair(16))
			w.op("ADD R2, R9, R9")
			for v := range vectors {
				multiply(16+v, 18, i*vectors+v)
			}
		}
		w.label("store%dx%d", rows, vectors)
	}
	for i := range rows {
		w.op("VST1 %s, (R1)", pair(i*vectors))
		w.op("ADD R2, R1, R1")
	}
	w.op("RET")
}

// vectorList returns registers of four words as a list.
func vectorList(registers ...int) string {
	var names []string
	for _, r := range registers {
		names = append(names, fmt.Sprintf("V%d.S4", r))
	}
	return "[" + strings.Join(names, ", ") + "]"
}
