package assembly

import (
	"maps"
	"slices"
)

// arm64 is the machine of arm64, whose vectors have four elements: groups are V0 to V15, or to
// V19, arguments of 32 bits V16 and so on, and constants come down from V31.
type arm64 struct {
	*writer
	registers map[string]int // of arguments
	steps     map[string]int // how many bytes of an argument every 16 elements have
	result    int
	constants []string
}

// vectorARM64 returns the functions of parser/vector for arm64.
func vectorARM64() string {
	w := &writer{}
	w.WriteString(vectorHeader)
	for _, f := range functions {
		list, result, size := f.frame()
		m := arm64{writer: w, registers: map[string]int{}, steps: map[string]int{}, result: result}
		f.header(w, size)
		register, lanes := 1, 16
		for _, a := range list {
			if a.lanes {
				w.op("FMOVS %s+%d(FP), F%d", a.name, a.offset, lanes)
				w.op("VDUP V%d.S[0], V%d.S4", lanes, lanes)
				m.registers[a.name] = lanes
				lanes++
				continue
			}
			w.op("MOVD %s+%d(FP), R%d", a.name, a.offset, register)
			m.registers[a.name] = register
			register++
		}
		f.body(&m)
	}
	return w.String()
}

func consecutive(first, n int) value {
	v := value{bits: 128}
	for i := range n {
		v.registers = append(v.registers, first+i)
	}
	return v
}

func (m *arm64) group(i int) value { return consecutive(4*i, 4) }

func (m *arm64) all(argument string) value { return consecutive(m.registers[argument], 1) }

func (m *arm64) need(constants []string) {
	m.constants = constants
	m.op("MOVD $%s, R0", address(constants[0]))
	for i := range constants {
		m.op("VLD1R.P 4(R0), %s", vectorList(31-i))
	}
}

func (m *arm64) loop(body func()) {
	m.label("loop")
	body()
	for _, a := range slices.Sorted(maps.Keys(m.steps)) {
		m.op("ADD $%d, R%d", m.steps[a], m.registers[a])
	}
	m.op("SUBS $16, R%d, R%d", m.registers["n"], m.registers["n"])
	m.op("BNE loop")
}

func (m *arm64) load(argument string, dst value) {
	m.steps[argument] = 64
	m.op("VLD1 (R%d), %s", m.registers[argument], vectorList(dst.registers...))
}

func (m *arm64) store(src value, argument string) {
	m.steps[argument] = 64
	m.op("VST1 %s, (R%d)", vectorList(src.registers...), m.registers[argument])
}

func (m *arm64) widen(argument string, dst value) {
	m.steps[argument] = 16
	spare := m.group(2)
	m.op("VLD1 (R%d), [V%d.B16]", m.registers[argument], spare.registers[0])
	m.of("bytesHigh", spare.part(0, 1), spare.part(1, 2))
	m.of("bytesLow", spare.part(0, 1), spare.part(0, 1))
	for k := range 2 {
		m.of("halvesLow", spare.part(k, k+1), dst.part(2*k, 2*k+1))
		m.of("halvesHigh", spare.part(k, k+1), dst.part(2*k+1, 2*k+2))
	}
}

func (m *arm64) narrow(src value, argument string) {
	m.steps[argument] = 16
	m.bytes(src)
	m.op("VST1 [V%d.B16], (R%d)", src.registers[0], m.registers[argument])
}

// bytes sets the first register of a group to its lowest bytes.
func (m *arm64) bytes(x value) {
	r := x.registers
	m.op("VUZP1 V%d.H8, V%d.H8, V%d.H8", r[1], r[0], r[0])
	m.op("VUZP1 V%d.H8, V%d.H8, V%d.H8", r[3], r[2], r[2])
	m.op("VUZP1 V%d.B16, V%d.B16, V%d.B16", r[2], r[0], r[0])
}

// opcodes are instructions on vectors that Go's assembler does not know (Arm ARM, C7.2).
var opcodes = map[string]int{
	"add":         0x4e20d400, // FADD
	"sub":         0x4ea0d400, // FSUB
	"mul":         0x6e20dc00, // FMUL
	"max":         0x4e20f400, // FMAX
	"min":         0x4ea0f400, // FMIN
	"equal":       0x4e20e400, // FCMEQ
	"multiplyAdd": 0x4ea09400, // MLA
	"abs":         0x4ea0f800, // FABS
	"float":       0x4e21d800, // SCVTF
	"round":       0x4e21a800, // FCVTNS: ties to even

	// The lower or the upper elements of a vector become twice as wide.
	"bytesLow":   0x0f08a400, // SXTL
	"bytesHigh":  0x4f08a400,
	"halvesLow":  0x0f10a400,
	"halvesHigh": 0x4f10a400,
}

// register returns the register of the part k of v, which may have one for all.
func (m *arm64) register(v value, k int) int {
	if v.constant != "" {
		return 31 - slices.Index(m.constants, v.constant)
	}
	return v.registers[k%len(v.registers)]
}

func (m *arm64) on(op string, a, b, dst value) {
	for k, d := range dst.registers {
		a, b := m.register(a, k), m.register(b, k)
		m.op("WORD $0x%08x // V%d = V%d %s V%d", opcodes[op]|b<<16|a<<5|d, d, a, op, b)
	}
}

func (m *arm64) of(op string, a, dst value) {
	for k, d := range dst.registers {
		a := m.register(a, k)
		m.op("WORD $0x%08x // V%d = %s V%d", opcodes[op]|a<<5|d, d, op, a)
	}
}

func (m *arm64) zero(dst value) {
	for _, d := range dst.registers {
		m.op("VEOR V%d.B16, V%d.B16, V%d.B16", d, d, d)
	}
}

func (m *arm64) multiplyAdd(a, b, sum value) { m.on("multiplyAdd", a, b, sum) }

func (m *arm64) double(t, p value) {
	for k := range p.registers {
		m.op("VSHL $23, V%d.S4, V%d.S4", t.registers[k], t.registers[k])
		m.op("VADD V%d.S4, V%d.S4, V%d.S4", t.registers[k], p.registers[k], p.registers[k])
	}
}

func (m *arm64) fold(values, spare []value, combine func(low, high []value)) {
	combine(parts(values, 0, 2), parts(values, 2, 4))
	combine(parts(values, 0, 1), parts(values, 1, 2))
	low, high := parts(values, 0, 1), parts(spare, 0, 1)
	for _, move := range []string{"VEXT $8, V%[1]d.B16, V%[1]d.B16, V%[2]d.B16", "VDUP V%[1]d.S[1], V%[2]d.S4"} {
		for i := range values {
			m.op(move, low[i].registers[0], high[i].registers[0])
		}
		combine(low, high)
	}
}

func (m *arm64) put(src value, argument string, element int) {
	m.op("FMOVS F%d, %d(R%d)", src.registers[0], 4*element, m.registers[argument])
}

func (m *arm64) end(result value) {
	if len(result.registers) > 0 {
		m.op("FMOVS F%d, ret+%d(FP)", result.registers[0], m.result)
	}
	m.op("RET")
}

func (m *arm64) indexAbs() {
	x := m.group(0)
	m.op("MOVD ZR, R0")
	m.label("loop")
	m.op("VLD1.P 64(R%d), %s", m.registers["x"], vectorList(x.registers...))
	m.of("abs", x, x)
	m.on("equal", x, m.all("value"), x)
	m.bytes(x)
	for half := range 2 {
		m.op("VMOV V%d.D[%d], R10", x.registers[0], half)
		m.op("CBNZ R10, found")
		m.op("ADD $8, R0")
	}
	m.op("CMP R%d, R0", m.registers["n"])
	m.op("BLT loop")
	m.op("MOVD ZR, R0 // there is none")
	m.op("MOVD $1, R10")
	m.label("found")
	m.op("RBIT R10, R10")
	m.op("CLZ R10, R10")
	m.op("ADD R10>>3, R0, R0")
	m.op("MOVD R0, ret+%d(FP)", m.result)
	m.op("RET")
}

// product keeps a tile of four rows, or one, by 16 columns in registers.
//
//	R10 C  R11 B, of the tile  R0 columns left
//	R12 to R15 rows of A, then of C  R16 row of B  R17 steps left
func (m *arm64) product() {
	a := m.registers
	for _, stride := range []string{"sc", "sa", "sb"} {
		m.op("LSL $2, R%d", a[stride])
	}
	for _, rows := range []int{4, 1} {
		b, products := consecutive(16, 4), consecutive(24, 4)
		m.label("rows%d", rows)
		m.op("CMP $%d, R%d", rows, a["rows"])
		m.op("BLT less%d", rows)
		m.op("MOVD R%d, R10", a["c"])
		m.op("MOVD R%d, R11", a["b"])
		m.op("MOVD R%d, R0", a["cols"])
		m.label("column%d", rows)
		m.zero(consecutive(0, 4*rows))
		m.op("MOVD R%d, R12", a["a"])
		for i := 1; i < rows; i++ {
			m.op("ADD R%d, R%d, R%d", a["sa"], 11+i, 12+i)
		}
		m.op("MOVD R11, R16")
		m.op("MOVD R%d, R17", a["inner"])
		m.label("inner%d", rows)
		m.op("VLD1.P (R16)(R%d), %s", a["sb"], vectorList(b.registers...))
		for i := range rows {
			m.op("VLD1R.P 4(R%d), %s", 12+i, vectorList(20+i))
		}
		for i := range rows {
			m.on("mul", b, consecutive(20+i, 1), products)
			m.on("add", m.group(i), products, m.group(i))
		}
		m.op("SUBS $1, R17, R17")
		m.op("BNE inner%d", rows)
		m.op("MOVD R10, R12")
		for i := range rows {
			m.op("VST1 %s, (R12)", vectorList(m.group(i).registers...))
			m.op("ADD R%d, R12, R12", a["sc"])
		}
		m.op("ADD $64, R10")
		m.op("ADD $64, R11")
		m.op("SUBS $16, R0, R0")
		m.op("BNE column%d", rows)
		for range rows {
			m.op("ADD R%d, R%d, R%d", a["sc"], a["c"], a["c"])
			m.op("ADD R%d, R%d, R%d", a["sa"], a["a"], a["a"])
		}
		m.op("SUB $%d, R%d", rows, a["rows"])
		m.op("B rows%d", rows)
		m.label("less%d", rows)
	}
	m.op("RET")
}
