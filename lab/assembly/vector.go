package assembly

import (
	"fmt"
	"strings"
)

// vectorFile returns the functions of parser/vector for arm64. In all of them the arguments
// are where begin says, vectors V0 to V15 are free, and constants come down from V31.
func vectorFile() string {
	var w writer
	w.WriteString(strings.Replace(header, "#include \"go_asm.h\"\n", "", 1))
	maxAbsTwo(&w)
	indexAbs(&w)
	quantize(&w)
	dequantize(&w)
	dequantizeWith(&w)
	expand(&w)
	scale(&w)
	addScaled(&w)
	addSum(&w)
	sumSquares(&w)
	normalize(&w)
	maximum(&w)
	expSum(&w)
	gelu(&w)
	geluSlope(&w)
	product(&w)
	return w.String()
}

// vectors are the numbers of vector registers, each of four words. An instruction on several
// takes them one by one, and again from the first.
type vectors []int

// from returns n registers from the first.
func from(first, n int) (v vectors) {
	for i := range n {
		v = append(v, first+i)
	}
	return v
}

// arguments are the registers of the arguments of a function, by their names.
type arguments map[string]int

// all returns the register that has the argument in all lanes.
func (a arguments) all(name string) vectors { return vectors{a[name]} }

// begin begins a function. Its arguments of 64 bits come to R1, R2 and so on, and those of
// 32 bits to all lanes of V16, V17 and so on.
func (w *writer) begin(name, signature, result string) arguments {
	a, loads := arguments{}, []string(nil)
	offset, register, lanes := 0, 1, 16
	for _, argument := range strings.Split(signature, ", ") {
		name, kind, _ := strings.Cut(argument, " ")
		if strings.HasSuffix(kind, "32") && kind[0] != '*' {
			loads = append(loads, fmt.Sprintf("FMOVS %s+%d(FP), F%d", name, offset, lanes),
				fmt.Sprintf("VDUP V%d.S[0], V%d.S4", lanes, lanes))
			a[name], lanes, offset = lanes, lanes+1, offset+4
			continue
		}
		offset = (offset + 7) &^ 7
		loads = append(loads, fmt.Sprintf("MOVD %s+%d(FP), R%d", name, offset, register))
		a[name], register, offset = register, register+1, offset+8
	}
	size := offset
	if result != "" {
		a["ret"] = (offset + 7) &^ 7
		size = a["ret"] + map[string]int{"float32": 4, "int": 8}[result]
		signature += ") " + result
	} else {
		signature += ")"
	}
	fmt.Fprintf(w, "\n// func %s(%s\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", name, signature, name, size)
	for _, load := range loads {
		w.op("%s", load)
	}
	return a
}

// loop repeats the body for every step of n elements.
func (w *writer) loop(a arguments, step int, body func()) {
	w.label("loop")
	body()
	w.op("SUBS $%d, R%d, R%d", step, a["n"], a["n"])
	w.op("BNE loop")
}

func (w *writer) peek(register int, v vectors) { w.op("VLD1 (R%d), %s", register, vectorList(v...)) }

// read is peek, and moves the pointer behind what was read.
func (w *writer) read(register int, v vectors) {
	w.op("VLD1.P %d(R%d), %s", 16*len(v), register, vectorList(v...))
}

// write writes vectors and moves the pointer behind them.
func (w *writer) write(v vectors, register int) {
	w.op("VST1.P %s, %d(R%d)", vectorList(v...), 16*len(v), register)
}

// An instruction is one on vectors that Go's assembler does not know (Arm ARM, C7.2).
type instruction struct {
	name   string
	opcode int
}

var (
	fadd   = instruction{"FADD S4", 0x4e20d400}
	fsub   = instruction{"FSUB S4", 0x4ea0d400}
	fmul   = instruction{"FMUL S4", 0x6e20dc00}
	fdiv   = instruction{"FDIV S4", 0x6e20fc00}
	fmax   = instruction{"FMAX S4", 0x4e20f400}
	fmin   = instruction{"FMIN S4", 0x4ea0f400}
	fcmeq  = instruction{"FCMEQ S4", 0x4e20e400}
	mla    = instruction{"MLA S4", 0x4ea09400}
	fabs   = instruction{"FABS S4", 0x4ea0f800}
	scvtf  = instruction{"SCVTF S4", 0x4e21d800}
	fcvtns = instruction{"FCVTNS S4", 0x4e21a800} // ties to even

	// The lower or the upper elements of a vector become twice as wide.
	bytesLow   = instruction{"SXTL B8, H8", 0x0f08a400}
	bytesHigh  = instruction{"SXTL2 B16, H8", 0x4f08a400}
	halvesLow  = instruction{"SXTL H4, S4", 0x0f10a400}
	halvesHigh = instruction{"SXTL2 H8, S4", 0x4f10a400}
)

// on sets dst to a op b, vector by vector.
func (w *writer) on(i instruction, a, b, dst vectors) {
	for k, d := range dst {
		a, b := a[k%len(a)], b[k%len(b)]
		w.op("WORD $0x%08x // V%d = %s of V%d, V%d", i.opcode|b<<16|a<<5|d, d, i.name, a, b)
	}
}

// of sets dst to op a.
func (w *writer) of(i instruction, a, dst vectors) {
	for k, d := range dst {
		a := a[k%len(a)]
		w.op("WORD $0x%08x // V%d = %s of V%d", i.opcode|a<<5|d, d, i.name, a)
	}
}

// xor sets dst to the bits in which a and b differ; of a and a, to zero.
func (w *writer) xor(a, b, dst vectors) {
	for k, d := range dst {
		w.op("VEOR V%d.B16, V%d.B16, V%d.B16", b[k], a[k], d)
	}
}

// narrow sets the vector to the lowest bytes of the 16 words of four.
func (w *writer) narrow(x vectors) {
	w.op("VUZP1 V%d.H8, V%d.H8, V%d.H8", x[1], x[0], x[0])
	w.op("VUZP1 V%d.H8, V%d.H8, V%d.H8", x[3], x[2], x[2])
	w.op("VUZP1 V%d.B16, V%d.B16, V%d.B16", x[2], x[0], x[0])
}

// widen reads 16 bytes with signs as words, to four vectors.
func (w *writer) widen(register int, x, spare vectors) {
	w.op("VLD1.P 16(R%d), [V%d.B16]", register, spare[0])
	w.of(bytesHigh, spare[:1], spare[1:2])
	w.of(bytesLow, spare[:1], spare[:1])
	for k := range 2 {
		w.of(halvesLow, spare[k:k+1], x[2*k:2*k+1])
		w.of(halvesHigh, spare[k:k+1], x[2*k+1:2*k+2])
	}
}

// fold combines the lanes of four vectors in the order of the package and returns them from
// the function.
func (w *writer) fold(i instruction, x vectors, a arguments) {
	w.on(i, x[:2], x[2:], x[:2])
	w.on(i, x[:1], x[1:2], x[:1])
	w.op("VEXT $8, V%d.B16, V%d.B16, V%d.B16", x[0], x[0], x[1])
	w.on(i, x[:1], x[1:2], x[:1])
	w.op("VDUP V%d.S[1], V%d.S4", x[0], x[1])
	w.on(i, x[:1], x[1:2], x[:1])
	w.op("FMOVS F%d, ret+%d(FP)", x[0], a["ret"])
	w.op("RET")
}

func maxAbsTwo(w *writer) {
	a := w.begin("maxAbsTwo", "x *float32, n int, found *float32", "")
	x, top, second, less := from(0, 4), from(4, 2), from(6, 2), from(8, 2)
	w.xor(top, top, top)
	w.xor(second, second, second)
	w.loop(a, 16, func() {
		w.read(a["x"], x)
		w.of(fabs, x, x)
		for _, x := range []vectors{x[:2], x[2:]} {
			w.on(fmin, top, x, less)
			w.on(fmax, top, x, top)
			w.on(fmax, second, less, second)
		}
	})
	w.write(top, a["found"])
	w.write(second, a["found"])
	w.op("RET")
}

func indexAbs(w *writer) {
	a := w.begin("indexAbs", "x *float32, n int, value float32", "int")
	x := from(0, 4)
	w.op("MOVD ZR, R0")
	w.label("loop")
	w.read(a["x"], x)
	w.of(fabs, x, x)
	w.on(fcmeq, x, a.all("value"), x)
	w.narrow(x)
	for half := range 2 {
		w.op("VMOV V%d.D[%d], R10", x[0], half)
		w.op("CBNZ R10, found")
		w.op("ADD $8, R0")
	}
	w.op("CMP R%d, R0", a["n"])
	w.op("BLT loop")
	w.op("MOVD ZR, R0 // there is none")
	w.op("MOVD $1, R10")
	w.label("found")
	w.op("RBIT R10, R10")
	w.op("CLZ R10, R10")
	w.op("ADD R10>>3, R0, R0")
	w.op("MOVD R0, ret+%d(FP)", a["ret"])
	w.op("RET")
}

func quantize(w *writer) {
	a := w.begin("quantize", "dst *int8, x *float32, n int, inverse float32", "")
	x := from(0, 4)
	w.loop(a, 16, func() {
		w.read(a["x"], x)
		w.on(fmul, x, a.all("inverse"), x)
		w.of(fcvtns, x, x)
		w.narrow(x)
		w.write(x[:1], a["dst"])
	})
	w.op("RET")
}

// scaled writes what dequantize and dequantizeWith end with.
func (w *writer) scaled(a arguments, x, y vectors) {
	w.of(scvtf, x, x)
	w.on(fmul, x, a.all("scale"), x)
	w.read(a["scales"], y)
	w.on(fmul, x, y, x)
	w.read(a["bias"], y)
	w.on(fadd, x, y, x)
	w.write(x, a["dst"])
}

func dequantize(w *writer) {
	a := w.begin("dequantize", "dst *float32, sums *int32, n int, scale float32, scales *float32, bias *float32", "")
	x := from(0, 4)
	w.loop(a, 16, func() {
		w.read(a["sums"], x)
		w.scaled(a, x, from(4, 4))
	})
	w.op("RET")
}

func dequantizeWith(w *writer) {
	a := w.begin("dequantizeWith", "dst *float32, sums *int32, n int, rest int32, scale float32, column *int8, scales *float32, bias *float32", "")
	x, y := from(0, 4), from(4, 4)
	w.loop(a, 16, func() {
		w.read(a["sums"], x)
		w.widen(a["column"], y, from(8, 2))
		w.on(mla, y, a.all("rest"), x)
		w.scaled(a, x, y)
	})
	w.op("RET")
}

func expand(w *writer) {
	a := w.begin("expand", "dst *float32, q *int8, n int, scale float32", "")
	x := from(0, 4)
	w.loop(a, 16, func() {
		w.widen(a["q"], x, from(4, 2))
		w.of(scvtf, x, x)
		w.on(fmul, x, a.all("scale"), x)
		w.write(x, a["dst"])
	})
	w.op("RET")
}

func scale(w *writer) {
	a := w.begin("multiply", "x *float32, n int, factor float32", "")
	x := from(0, 4)
	w.loop(a, 16, func() {
		w.peek(a["x"], x)
		w.on(fmul, x, a.all("factor"), x)
		w.write(x, a["x"])
	})
	w.op("RET")
}

func addScaled(w *writer) {
	a := w.begin("addScaled", "x *float32, factor float32, y *float32, n int", "")
	x, y := from(0, 4), from(4, 4)
	w.loop(a, 16, func() {
		w.peek(a["x"], x)
		w.read(a["y"], y)
		w.on(fmul, y, a.all("factor"), y)
		w.on(fadd, x, y, x)
		w.write(x, a["x"])
	})
	w.op("RET")
}

func addSum(w *writer) {
	a := w.begin("addSum", "x *float32, y *float32, n int", "float32")
	x, y, sum := from(0, 4), from(4, 4), from(8, 4)
	w.xor(sum, sum, sum)
	w.loop(a, 16, func() {
		w.peek(a["x"], x)
		w.read(a["y"], y)
		w.on(fadd, x, y, x)
		w.write(x, a["x"])
		w.on(fadd, sum, x, sum)
	})
	w.fold(fadd, sum, a)
}

func sumSquares(w *writer) {
	a := w.begin("sumSquares", "x *float32, n int, mean float32", "float32")
	x, sum := from(0, 4), from(4, 4)
	w.xor(sum, sum, sum)
	w.loop(a, 16, func() {
		w.read(a["x"], x)
		w.on(fsub, x, a.all("mean"), x)
		w.on(fmul, x, x, x)
		w.on(fadd, sum, x, sum)
	})
	w.fold(fadd, sum, a)
}

func normalize(w *writer) {
	a := w.begin("normalize", "x *float32, n int, mean float32, inverse float32, gain *float32, bias *float32", "")
	x, y := from(0, 4), from(4, 4)
	w.loop(a, 16, func() {
		w.peek(a["x"], x)
		w.on(fsub, x, a.all("mean"), x)
		w.on(fmul, x, a.all("inverse"), x)
		w.read(a["gain"], y)
		w.on(fmul, x, y, x)
		w.read(a["bias"], y)
		w.on(fadd, x, y, x)
		w.write(x, a["x"])
	})
	w.op("RET")
}

func maximum(w *writer) {
	a := w.begin("maximum", "x *float32, n int", "float32")
	x, top := from(0, 4), from(4, 4)
	w.peek(a["x"], top)
	w.loop(a, 16, func() {
		w.read(a["x"], x)
		w.on(fmax, top, x, top)
	})
	w.fold(fmax, top, a)
}

// product keeps a tile of four rows, or one, by 16 columns in registers.
//
//	R10 C  R11 B, of the tile  R0 columns left
//	R12 to R15 rows of A, then of C  R16 row of B  R17 steps left
func product(w *writer) {
	a := w.begin("product", "c *float32, sc int, a *float32, sa int, b *float32, sb int, rows int, inner int, cols int", "")
	for _, stride := range []string{"sc", "sa", "sb"} {
		w.op("LSL $2, R%d", a[stride])
	}
	for _, rows := range []int{4, 1} {
		sums, b, products := from(0, 4*rows), from(16, 4), from(24, 4)
		w.label("rows%d", rows)
		w.op("CMP $%d, R%d", rows, a["rows"])
		w.op("BLT less%d", rows)
		w.op("MOVD R%d, R10", a["c"])
		w.op("MOVD R%d, R11", a["b"])
		w.op("MOVD R%d, R0", a["cols"])
		w.label("column%d", rows)
		w.xor(sums, sums, sums)
		w.op("MOVD R%d, R12", a["a"])
		for i := 1; i < rows; i++ {
			w.op("ADD R%d, R%d, R%d", a["sa"], 11+i, 12+i)
		}
		w.op("MOVD R11, R16")
		w.op("MOVD R%d, R17", a["inner"])
		w.label("inner%d", rows)
		w.op("VLD1.P (R16)(R%d), %s", a["sb"], vectorList(b...))
		for i := range rows {
			w.op("VLD1R.P 4(R%d), %s", 12+i, vectorList(20+i))
		}
		for i := range rows {
			sum := sums[4*i : 4*i+4]
			w.on(fmul, b, vectors{20 + i}, products)
			w.on(fadd, sum, products, sum)
		}
		w.op("SUBS $1, R17, R17")
		w.op("BNE inner%d", rows)
		w.op("MOVD R10, R12")
		for i := range rows {
			w.op("VST1 %s, (R12)", vectorList(sums[4*i:4*i+4]...))
			w.op("ADD R%d, R12, R12", a["sc"])
		}
		w.op("ADD $64, R10")
		w.op("ADD $64, R11")
		w.op("SUBS $16, R0, R0")
		w.op("BNE column%d", rows)
		for range rows {
			w.op("ADD R%d, R%d, R%d", a["sc"], a["c"], a["c"])
			w.op("ADD R%d, R%d, R%d", a["sa"], a["a"], a["a"])
		}
		w.op("SUB $%d, R%d", rows, a["rows"])
		w.op("B rows%d", rows)
		w.label("less%d", rows)
	}
	w.op("RET")
}
