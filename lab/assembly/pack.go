package assembly

import "fmt"

// packFile writes the functions that bring operands into panels.
func packFile() string {
	var w writer
	w.WriteString(header)
	w.WriteString(`
// Word 2j of a pair is word j of the even row, word 2j+1 word j of the odd one.
`)
	for i := range 16 {
		fmt.Fprintf(&w, "DATA interleave<>+%d(SB)/4, $0x%08x\n", 4*i, i|(16+i)<<16)
	}
	w.WriteString("GLOBL interleave<>(SB), RODATA|NOPTR, $64\n")

	w.text("transpose16", "(dst *uint32, src *float32, stride, step, blocks, rows int, lanes uint64)",
		"transpose16 turns rows of float32 into panels of 16 columns.", 56)
	transpose16(&w, false)
	w.text("transpose16Half", "(dst *uint32, src *float32, stride, step, blocks, rows int, lanes uint64)",
		"transpose16Half turns rows of float32 into panels of 16 columns of pairs.", 56)
	transpose16(&w, true)
	w.text("transpose8", "(dst *uint32, src *float32, stride, step, blocks, rows int)",
		"transpose8 turns rows of float32 into panels of 8 columns.", 48)
	transpose8(&w)
	w.text("pairRow", "(dst *uint32, src *float32, blocks int, lanes uint64)",
		"pairRow rounds a row to pairs.", 32)
	pairRow(&w)
	w.text("pairColumns", "(dst *uint32, src *float32, stride, step, pairs int, lanes, odd uint64)",
		"pairColumns rounds 16 columns to pairs along the rows.", 56)
	pairColumns(&w)
	w.text("widen", "(dst *int16, src *int8, blocks int)", "widen extends blocks of 16 int8.", 24)
	widen(&w)
	return w.String()
}

// widen writes the extension of 16 int8 at a time.
func widen(w *writer) {
	w.op("MOVQ dst+0(FP), DI")
	w.op("MOVQ src+8(FP), SI")
	w.op("MOVQ blocks+16(FP), CX")
	w.label("block")
	w.op("VPMOVSXBW (SI), Y0")
	w.op("VMOVDQU Y0, (DI)")
	w.op("ADDQ $16, SI")
	w.op("ADDQ $32, DI")
	w.op("DECQ CX")
	w.op("JNZ block")
	w.op("VZEROUPPER")
	w.op("RET")
}

// loadRows writes loads of count rows from SI on, R8 bytes apart; rows past R12
// are the last one again.
func loadRows(w *writer, count int, load func(i int)) {
	w.op("MOVQ SI, R9")
	w.op("MOVQ R12, R13")
	for i := range count {
		load(i)
		if i < count-1 {
			w.op("XORQ AX, AX")
			w.op("CMPQ R13, $1")
			w.op("CMOVQGT R8, AX")
			w.op("ADDQ AX, R9")
			w.op("DECQ R13")
		}
	}
}

// transpose16 writes the transposition of blocks of 16 x 16 words.
//
//	DI panel  SI rows  R8 bytes between rows  R10 bytes between steps of the panel  R11 blocks  R12 rows
func transpose16(w *writer, half bool) {
	for _, f := range [][2]string{{"dst+0", "DI"}, {"src+8", "SI"}, {"stride+16", "R8"}, {"step+24", "R10"},
		{"blocks+32", "R11"}, {"rows+40", "R12"}} {
		w.op("MOVQ %s(FP), %s", f[0], f[1])
	}
	w.op("MOVQ $-1, BX")
	w.op("MOVQ lanes+48(FP), CX")
	w.label("block") // the last block has the lanes it is told, the others all
	w.op("CMPQ R11, $1")
	w.op("CMOVQEQ CX, BX")
	w.op("KMOVW BX, K1")
	if half {
		w.op("MOVQ BX, R9")
		w.op("SHRQ $16, R9")
		w.op("KMOVW R9, K2")
	}
	loadRows(w, 16, func(i int) {
		if !half {
			w.op("VMOVUPS.Z (R9), K1, Z%d", i)
			return
		}
		w.op("VMOVUPS.Z (R9), K1, Z16")
		w.op("VMOVUPS.Z 64(R9), K2, Z17")
		w.evex("VCVTNE2PS2BF16", prefixF2, 0x72, 16, 17, i)
	})
	for i := 0; i < 16; i += 2 { // pairs of rows
		w.op("VUNPCKLPS Z%d, Z%d, Z%d", i+1, i, 16+i)
		w.op("VUNPCKHPS Z%d, Z%d, Z%d", i+1, i, 17+i)
	}
	for i := 0; i < 16; i += 4 { // register i+j: columns j, j+4, j+8, j+12 of four rows
		w.op("VUNPCKLPD Z%d, Z%d, Z%d", 18+i, 16+i, i)
		w.op("VUNPCKHPD Z%d, Z%d, Z%d", 18+i, 16+i, i+1)
		w.op("VUNPCKLPD Z%d, Z%d, Z%d", 19+i, 17+i, i+2)
		w.op("VUNPCKHPD Z%d, Z%d, Z%d", 19+i, 17+i, i+3)
	}
	for j := range 4 {
		for k, half := range []int{0x88, 0xdd} { // columns j, j+8 and then j+4, j+12
			w.op("VSHUFF32X4 $0x%02x, Z%d, Z%d, Z%d", half, j+4, j, 16+4*j+2*k)
			w.op("VSHUFF32X4 $0x%02x, Z%d, Z%d, Z%d", half, j+12, j+8, 17+4*j+2*k)
		}
	}
	for c := range 16 {
		from := 16 + 4*(c%4) + 2*(c/4%2)
		w.op("VSHUFF32X4 $0x%02x, Z%d, Z%d, Z0", []int{0x88, 0xdd}[c/8], from+1, from)
		w.op("VMOVUPS Z0, (DI)")
		w.op("ADDQ R10, DI")
	}
	w.op("ADDQ $%d, SI", map[bool]int{false: 64, true: 128}[half])
	w.op("DECQ R11")
	w.op("JNZ block")
	w.op("VZEROUPPER")
	w.op("RET")
}

// transpose8 writes the transposition of blocks of 8 x 8 words, in the
// registers of transpose16.
func transpose8(w *writer) {
	for _, f := range [][2]string{{"dst+0", "DI"}, {"src+8", "SI"}, {"stride+16", "R8"}, {"step+24", "R10"},
		{"blocks+32", "R11"}, {"rows+40", "R12"}} {
		w.op("MOVQ %s(FP), %s", f[0], f[1])
	}
	w.label("block")
	loadRows(w, 8, func(i int) { w.op("VMOVUPS (R9), Y%d", i) })
	for i := 0; i < 8; i += 2 {
		w.op("VUNPCKLPS Y%d, Y%d, Y%d", i+1, i, 8+i)
		w.op("VUNPCKHPS Y%d, Y%d, Y%d", i+1, i, 9+i)
	}
	for i := 0; i < 8; i += 4 { // register i+j: columns j and j+4 of four rows
		w.op("VUNPCKLPD Y%d, Y%d, Y%d", 10+i, 8+i, i)
		w.op("VUNPCKHPD Y%d, Y%d, Y%d", 10+i, 8+i, i+1)
		w.op("VUNPCKLPD Y%d, Y%d, Y%d", 11+i, 9+i, i+2)
		w.op("VUNPCKHPD Y%d, Y%d, Y%d", 11+i, 9+i, i+3)
	}
	for c := range 8 {
		w.op("VPERM2F128 $0x%02x, Y%d, Y%d, Y8", []int{0x20, 0x31}[c/4], c%4+4, c%4)
		w.op("VMOVUPS Y8, (DI)")
		w.op("ADDQ R10, DI")
	}
	w.op("ADDQ $32, SI")
	w.op("DECQ R11")
	w.op("JNZ block")
	w.op("VZEROUPPER")
	w.op("RET")
}

// pairRow writes the rounding of a row, 32 floats at a time.
func pairRow(w *writer) {
	w.op("MOVQ dst+0(FP), DI")
	w.op("MOVQ src+8(FP), SI")
	w.op("MOVQ blocks+16(FP), R11")
	w.op("MOVQ lanes+24(FP), CX")
	w.op("MOVQ $-1, BX")
	w.label("block")
	w.op("CMPQ R11, $1")
	w.op("CMOVQEQ CX, BX")
	w.op("KMOVW BX, K1")
	w.op("MOVQ BX, R9")
	w.op("SHRQ $16, R9")
	w.op("KMOVW R9, K2")
	w.op("VMOVUPS.Z (SI), K1, Z0")
	w.op("VMOVUPS.Z 64(SI), K2, Z1")
	w.evex("VCVTNE2PS2BF16", prefixF2, 0x72, 0, 1, 2)
	w.op("VMOVUPS Z2, (DI)")
	w.op("ADDQ $128, SI")
	w.op("ADDQ $64, DI")
	w.op("DECQ R11")
	w.op("JNZ block")
	w.op("VZEROUPPER")
	w.op("RET")
}

// pairColumns writes the rounding of two rows at a time.
func pairColumns(w *writer) {
	for _, f := range [][2]string{{"dst+0", "DI"}, {"src+8", "SI"}, {"stride+16", "R8"}, {"step+24", "R10"},
		{"pairs+32", "R11"}, {"lanes+40", "CX"}, {"odd+48", "R9"}} {
		w.op("MOVQ %s(FP), %s", f[0], f[1])
	}
	w.op("KMOVW CX, K1")
	w.op("KMOVW CX, K2")
	w.op("VMOVDQU32 interleave<>(SB), Z3")
	w.label("pair")
	w.op("CMPQ R11, $1")
	w.op("JNE load")
	w.op("NOTQ R9") // of an odd number of rows the last pair has one
	w.op("ANDQ R9, CX")
	w.op("KMOVW CX, K2")
	w.label("load")
	w.op("VMOVUPS.Z (SI), K1, Z0")
	w.op("VMOVUPS.Z (SI)(R8*1), K2, Z1")
	w.evex("VCVTNE2PS2BF16", prefixF2, 0x72, 0, 1, 2)
	w.op("VPERMW Z2, Z3, Z2")
	w.op("VMOVDQU32 Z2, K1, (DI)")
	w.op("LEAQ (SI)(R8*2), SI")
	w.op("ADDQ R10, DI")
	w.op("DECQ R11")
	w.op("JNZ pair")
	w.op("VZEROUPPER")
	w.op("RET")
}
