package assembly

import "fmt"

// Registers, as instructions of tiles number them.
const (
	rAX = 0
	rDX = 2
	rBX = 3
	r8  = 8
	r9  = 9
	r10 = 10
	r12 = 12
	r15 = 15
)

// A tileKernel is a kernel of AMX.
type tileKernel struct {
	name, comment string
	product       string // the instruction that multiplies and adds, its prefix and opcode
	prefix        int
	opcode        int
	adds          bool // tile.add counts
	panels        bool // tile.panels counts
}

var tileKernels = []tileKernel{
	{"intAMX", "multiplies blocks of 64 int8, for tile.panels panels of B one after another.",
		"TDPBSSD", prefixF2, 0x5e, false, true},
	{"halfAMX", "multiplies blocks of 32 bfloat16. A has rows of words; steps that are missing in the\n// last block are zeros.",
		"TDPBF16PS", prefixF3, 0x5c, true, false},
}

// tilesFile writes the kernels of AMX, whose instructions Go's assembler does not know. A
// tile register has 16 rows of 64 bytes. 0 to 3 hold 32 x 32 sums, 4 and 5 rows of A, 6 and
// 7 columns of B (Intel SDM, volume 1, chapter 18).
func tilesFile() string {
	var w writer
	w.WriteString(header)
	w.WriteString(`
// func permitTiles() int
// permitTiles asks Linux for tile registers: arch_prctl(ARCH_REQ_XCOMP_PERM, XTILEDATA).
TEXT ·permitTiles(SB), NOSPLIT, $0-8
	MOVQ $158, AX
	MOVQ $0x1023, DI
	MOVQ $18, SI
	SYSCALL
	MOVQ AX, ret+0(FP)
	RET
`)
	for _, k := range tileKernels {
		w.tileKernel(k)
	}
	return w.String()
}

func (w *writer) tileKernel(k tileKernel) {
	fmt.Fprintf(w, "\n// func %s(t *tile)\n// %s %s\nTEXT ·%s(SB), NOSPLIT, $64-8\n", k.name, k.name, k.comment, k.name)
	w.op("MOVQ t+0(FP), DI")
	for _, f := range [][2]string{{"c", "R8"}, {"cRow", "R9"}, {"a", "SI"}, {"aRow", "R10"}, {"b", "BX"},
		{"steps", "CX"}, {"rows", "DX"}, {"vectors", "R12"}} {
		w.op("MOVQ tile_%s(DI), %s", f[0], f[1])
	}
	if k.adds {
		w.op("MOVQ tile_add(DI), R13")
	}
	if k.panels {
		w.op("MOVQ tile_panels(DI), R13")
	}
	// The configuration: palette 1, tiles of 64 bytes a row, and their rows.
	w.op("MOVQ $1, AX")
	w.op("MOVQ AX, 0(SP)")
	w.op("XORQ AX, AX")
	for _, at := range []int{8, 32, 40, 56} {
		w.op("MOVQ AX, %d(SP)", at)
	}
	w.op("MOVQ $0x0040004000400040, AX")
	w.op("MOVQ AX, 16(SP)")
	w.op("MOVQ AX, 24(SP)")
	w.op("MOVQ $0x1010101010101010, AX")
	w.op("MOVQ AX, 48(SP)")
	w.op("SHLQ $6, R12") // bytes of a step of B
	w.op("ADDQ $15, CX")
	w.op("SHRQ $4, CX") // blocks
	w.op("CMPQ DX, $16")
	w.op("JGT tall")
	w.op("MOVB DX, 48(SP)")
	w.op("MOVB DX, 49(SP)")
	w.op("MOVB DX, 52(SP)")
	w.tileShapes(k, 1)
	w.label("tall")
	w.op("SUBQ $16, DX")
	w.op("MOVB DX, 50(SP)")
	w.op("MOVB DX, 51(SP)")
	w.op("MOVB DX, 53(SP)")
	w.op("MOVQ R10, R11")
	w.op("SHLQ $4, R11")
	w.op("ADDQ SI, R11")
	w.tileShapes(k, 2)
}

// tileShapes writes the kernel for 1 or 2 tiles of rows, and for 2 vectors and 1.
func (w *writer) tileShapes(k tileKernel, tall int) {
	w.vex("LDTILECFG (SP)", 0, 0x49, 0, 0x04, 0x24)
	w.op("CMPQ R12, $64")
	w.op("JEQ narrow%d", tall)
	w.tileLoop(k, tall, 2)
	w.label("narrow%d", tall)
	w.tileLoop(k, tall, 1)
}

func (w *writer) tileLoop(k tileKernel, tall, wide int) {
	each := func(do func(row, column int)) {
		for row := range tall {
			for column := range wide {
				do(row, column)
			}
		}
	}
	if k.adds {
		w.op("TESTQ R13, R13")
		w.op("JZ zero%dx%d", tall, wide)
		each(func(row, column int) {
			w.tileSum("TILELOADD C", prefixF2, row, column)
		})
		w.op("JMP loop%dx%d", tall, wide)
	}
	w.label("zero%dx%d", tall, wide)
	each(func(row, column int) { // TILEZERO
		w.vex("TILEZERO", prefixF2, 0x49, 0, 3<<6|(2*row+column)<<3)
	})
	w.label("loop%dx%d", tall, wide)
	w.op("MOVQ CX, R14")
	w.op("MOVQ SI, R15")
	if tall == 2 {
		w.op("MOVQ R11, DX")
	}
	w.label("step%dx%d", tall, wide)
	w.tileMove("TILELOADD A", prefixF2, 4, r15, r10)
	if tall == 2 {
		w.tileMove("TILELOADD A", prefixF2, 5, rDX, r10)
	}
	w.tileMove("TILELOADD B", prefixF2, 6, rBX, r12)
	if wide == 2 {
		w.op("LEAQ 64(BX), AX")
		w.tileMove("TILELOADD B", prefixF2, 7, rAX, r12)
	}
	each(func(row, column int) {
		w.vex(k.product, k.prefix, k.opcode, 6+column, 3<<6|(2*row+column)<<3|(4+row))
	})
	w.op("ADDQ $64, R15")
	if tall == 2 {
		w.op("ADDQ $64, DX")
	}
	w.op("ADDQ $%d, BX", 16*64*wide)
	w.op("DECQ R14")
	w.op("JNZ step%dx%d", tall, wide)
	each(func(row, column int) {
		w.tileSum("TILESTORED", prefixF3, row, column)
	})
	if k.panels {
		w.op("ADDQ $%d, R8", 64*wide)
		w.op("DECQ R13")
		w.op("JNZ zero%dx%d", tall, wide)
	}
	w.vex("TILERELEASE", 0, 0x49, 0, 0xc0)
	w.op("RET")
}

// tileSum writes a load or store of a tile of sums.
func (w *writer) tileSum(name string, prefix, row, column int) {
	w.op("MOVQ R8, AX")
	if row > 0 {
		w.op("MOVQ R9, AX")
		w.op("SHLQ $4, AX")
		w.op("ADDQ R8, AX")
	}
	if column > 0 {
		w.op("ADDQ $64, AX")
	}
	w.tileMove(name, prefix, 2*row+column, rAX, r9)
}

// tileMove writes a load or store of a tile: rows from base on, stride bytes apart.
func (w *writer) tileMove(name string, prefix, tile, base, stride int) {
	w.vexWide(name, prefix, 0x4b, 0, stride>>3, base>>3, tile<<3|4, stride&7<<3|base&7)
}

func (w *writer) vex(name string, prefix, opcode, vvvv int, rest ...int) {
	w.vexWide(name, prefix, opcode, vvvv, 0, 0, rest...)
}

// vexWide writes an instruction of the map 0F38: index and base are the fourth bits of
// these registers, rest the bytes behind the opcode.
func (w *writer) vexWide(name string, prefix, opcode, vvvv, index, base int, rest ...int) {
	bytes := append([]int{0xc4, 0x82 | (index^1)<<6 | (base^1)<<5, (^vvvv&15)<<3 | prefix, opcode}, rest...)
	for i, b := range bytes {
		if i > 0 {
			w.WriteString("; ")
		} else {
			w.WriteString("\t")
		}
		fmt.Fprintf(w, "BYTE $0x%02x", b)
	}
	w.WriteString(" // " + name + "\n")
}
