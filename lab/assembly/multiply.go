package assembly

import "fmt"

// A kind is a kind of micro-kernel.
type kind struct {
	name, comment string
	avx512        bool
	rows          []int  // heights of tiles, the highest first
	integers      bool   // never adds to C
	signs         bool   // keeps a vector of 0x80 in the last register, and begins with the vectors of start
	load          string // instruction that loads a vector of B; VMOVUPS if empty
	loads         int    // bytes that it reads; a vector if 0
	broadcast     func(w *writer, address string, to int)
	multiply      func(w *writer, b, a, sum int) // sum += a*b
}

var kinds = []kind{
	{
		name: "floatAVX512", avx512: true, rows: []int{12, 8, 4, 2, 1},
		comment:   "floatAVX512 multiplies float32.",
		broadcast: func(w *writer, address string, to int) { w.op("VBROADCASTSS %s, Z%d", address, to) },
		multiply:  func(w *writer, b, a, sum int) { w.op("VFMADD231PS Z%d, Z%d, Z%d", b, a, sum) },
	},
	{
		name: "halfAVX512", avx512: true, rows: []int{12, 8, 4, 2, 1},
		comment:   "halfAVX512 multiplies pairs of bfloat16.",
		broadcast: func(w *writer, address string, to int) { w.op("VPBROADCASTD %s, Z%d", address, to) },
		multiply:  func(w *writer, b, a, sum int) { w.evex("VDPBF16PS", prefixF3, 0x52, b, a, sum) },
	},
	{
		name: "floatAVX2", rows: []int{6, 4, 2, 1},
		comment:   "floatAVX2 multiplies float32.",
		broadcast: func(w *writer, address string, to int) { w.op("VBROADCASTSS %s, Y%d", address, to) },
		multiply:  func(w *writer, b, a, sum int) { w.op("VFMADD231PS Y%d, Y%d, Y%d", b, a, sum) },
	},
	{
		name: "intVNNI", avx512: true, rows: []int{12, 8, 4, 2, 1}, integers: true, signs: true,
		comment:   "intVNNI multiplies four int8: of A plus 128 as they are unsigned then, for which start makes up.",
		broadcast: func(w *writer, address string, to int) { w.op("VPXORD.BCST %s, Z31, Z%d", address, to) },
		multiply:  func(w *writer, b, a, sum int) { w.op("VPDPBUSD Z%d, Z%d, Z%d", b, a, sum) },
	},
	{
		name: "intAVX2", rows: []int{6, 4, 2, 1}, integers: true, load: "VPMOVSXBW", loads: 16,
		comment:   "intAVX2 multiplies pairs of int16 of A and int8 of B.",
		broadcast: func(w *writer, address string, to int) { w.op("VPBROADCASTD %s, Y%d", address, to) },
		multiply: func(w *writer, b, a, sum int) {
			w.op("VPMADDWD Y%d, Y%d, Y15", b, a)
			w.op("VPADDD Y15, Y%d, Y%d", sum, sum)
		},
	},
}

func multiplyFile() string {
	var w writer
	w.WriteString(header)
	for i := range kinds {
		k := &kinds[i]
		w.text(k.name, "(t *tile)", k.comment, 8)
		k.write(&w)
	}
	return w.String()
}

// vector returns the name of a register.
func (k *kind) vector(i int) string {
	if k.avx512 {
		return fmt.Sprintf("Z%d", i)
	}
	return fmt.Sprintf("Y%d", i)
}

func (k *kind) bytes() int {
	if k.avx512 {
		return 64
	}
	return 32
}

// write writes a kernel: it loads the fields of the tile and jumps to the
// variant of its rows and vectors.
//
//	DI tile  R8 C  R9 bytes between rows of C
//	SI, R13, AX rows 0, 4 and 8 of A  R10 bytes between rows of A  R11 three times that  R12 bytes between steps
//	BX B  CX steps
func (k *kind) write(w *writer) {
	w.op("MOVQ t+0(FP), DI")
	for _, f := range [][2]string{{"c", "R8"}, {"cRow", "R9"}, {"a", "SI"}, {"aRow", "R10"}, {"aStep", "R12"},
		{"b", "BX"}, {"steps", "CX"}, {"rows", "DX"}} {
		w.op("MOVQ tile_%s(DI), %s", f[0], f[1])
	}
	if k.signs {
		w.op("MOVL $0x80808080, AX")
		w.op("VPBROADCASTD AX, Z31")
	}
	w.op("LEAQ (R10)(R10*2), R11")
	w.op("LEAQ (SI)(R10*4), R13")
	w.op("LEAQ (R13)(R10*4), AX")
	w.op("CMPQ tile_vectors(DI), $1")
	w.op("JEQ narrow")
	for vectors := 2; vectors >= 1; vectors-- {
		if vectors == 1 {
			w.label("narrow")
		}
		for _, rows := range k.rows[:len(k.rows)-1] {
			w.op("CMPQ DX, $%d", rows)
			w.op("JEQ rows%dx%d", rows, vectors)
		}
		for i := range k.rows {
			k.variant(w, k.rows[len(k.rows)-1-i], vectors)
		}
	}
}

// variant writes the kernel for a number of rows and vectors.
func (k *kind) variant(w *writer, rows, vectors int) {
	b := 2 * k.rows[0] // registers of B
	a := b + 2         // and of A, in turns
	spare := 1         // so many
	if k.avx512 {
		spare = 5
	}
	load, bytes := k.load, k.loads
	if load == "" {
		load, bytes = "VMOVUPS", k.bytes()
	}
	w.label("rows%dx%d", rows, vectors)
	if k.signs {
		w.op("MOVQ tile_start(DI), DX")
	}
	for i := range rows * vectors {
		switch {
		case k.signs && i < vectors:
			w.op("VMOVDQU32 %d(DX), Z%d", i*64, i)
		case k.signs:
			w.op("VMOVDQA32 Z%d, Z%d", i%vectors, i)
		case k.avx512:
			w.op("VPXORD Z%d, Z%d, Z%d", i, i, i)
		default:
			w.op("VXORPS Y%d, Y%d, Y%d", i, i, i)
		}
	}
	w.label("loop%dx%d", rows, vectors)
	for v := range vectors {
		w.op("%s %d(BX), %s", load, v*bytes, k.vector(b+v))
	}
	for i := range rows {
		to := a + i%spare
		address := "(" + []string{"SI", "R13", "AX"}[i/4] + ")" + []string{"", "(R10*1)", "(R10*2)", "(R11*1)"}[i%4]
		k.broadcast(w, address, to)
		for v := range vectors {
			k.multiply(w, b+v, to, i*vectors+v)
		}
	}
	for _, base := range []string{"SI", "R13", "AX"}[:(rows+3)/4] {
		w.op("ADDQ R12, %s", base)
	}
	w.op("ADDQ $%d, BX", vectors*bytes)
	w.op("DECQ CX")
	w.op("JNZ loop%dx%d", rows, vectors)
	k.store(w, rows, vectors)
}

// store writes the tile, added to C where that is said: with AVX-512 those
// lanes of the last vector that the tile has, otherwise all.
func (k *kind) store(w *writer, rows, vectors int) {
	spare := 2*k.rows[0] + 2
	at := func(base string, v int) (address, mask string) {
		if k.avx512 && v == vectors-1 {
			mask = "K1, "
		}
		return fmt.Sprintf("%d(%s)", v*k.bytes(), base), mask
	}
	if k.avx512 {
		w.op("KMOVW tile_lanes(DI), K1")
	}
	if !k.integers {
		w.op("CMPQ tile_add(DI), $0")
		w.op("JEQ store%dx%d", rows, vectors)
		w.op("MOVQ R8, SI")
		for i := range rows {
			for v := range vectors {
				sum := k.vector(i*vectors + v)
				address, mask := at("SI", v)
				if mask == "" {
					w.op("VADDPS %s, %s, %s", address, sum, sum)
				} else {
					w.op("VMOVUPS.Z %s, %s%s", address, mask, k.vector(spare))
					w.op("VADDPS %s, %s, %s", k.vector(spare), sum, sum)
				}
			}
			w.op("ADDQ R9, SI")
		}
		w.label("store%dx%d", rows, vectors)
	}
	for i := range rows {
		for v := range vectors {
			address, mask := at("R8", v)
			w.op("VMOVUPS %s, %s%s", k.vector(i*vectors+v), mask, address)
		}
		if i < rows-1 {
			w.op("ADDQ R9, R8")
		}
	}
	w.op("VZEROUPPER")
	w.op("RET")
}
