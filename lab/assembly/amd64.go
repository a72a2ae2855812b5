package assembly

import "fmt"

// amd64 is the machine of amd64 with AVX2, or with AVX-512 if it is wide. A group of 16
// elements is in two registers of 256 bits, or in one of 512. Arguments of 32 bits come down
// from register 13, or 31, and AX counts elements. Constants come from memory: AVX2 needs
// them in register 15 first.
type amd64 struct {
	*writer
	wide      bool
	registers map[string]string // of arguments
	lanes     map[string]int
	result    int
}

// pointers are registers for arguments.
var pointers = []string{"DI", "SI", "DX", "CX", "BX", "R8", "R9", "R10", "R11"}

// vectorAMD64 returns the functions of parser/vector for amd64.
func vectorAMD64() string {
	w := &writer{}
	w.WriteString(vectorHeader)
	for _, f := range functions {
		list, result, size := f.frame()
		f.header(w, size)
		registers := map[string]string{}
		for _, a := range list {
			if !a.lanes {
				registers[a.name] = pointers[len(registers)]
				w.op("MOVQ %s+%d(FP), %s", a.name, a.offset, registers[a.name])
			}
		}
		w.op("XORQ AX, AX")
		w.op("CMPB ·useAVX512(SB), $0")
		w.op("JNE wide")
		for _, wide := range []bool{false, true} {
			m := amd64{w, wide, registers, map[string]int{}, result}
			if wide {
				w.label("wide")
			}
			for _, a := range list {
				if a.lanes {
					m.lanes[a.name] = 13 - len(m.lanes)
					if wide {
						m.lanes[a.name] += 18
					}
					w.op("VBROADCASTSS %s+%d(FP), %s", a.name, a.offset, m.names(m.all(a.name))[0])
				}
			}
			f.body(&m)
		}
	}
	return w.String()
}

// names returns the registers of v.
func (m *amd64) names(v value) (list []string) {
	for _, r := range v.registers {
		list = append(list, fmt.Sprintf("%c%d", map[int]rune{128: 'X', 256: 'Y', 512: 'Z'}[v.bits], r))
	}
	return list
}

func (m *amd64) group(i int) value {
	if m.wide {
		return value{registers: []int{i}, bits: 512}
	}
	return value{registers: []int{2 * i, 2*i + 1}, bits: 256}
}

func (m *amd64) all(argument string) value {
	v := m.group(0)
	return value{registers: []int{m.lanes[argument]}, bits: v.bits}
}

func (m *amd64) need([]string) {}

// name makes labels of the two machines differ.
func (m *amd64) name(label string) string {
	if m.wide {
		return label + "512"
	}
	return label
}

func (m *amd64) loop(body func()) {
	m.label("%s", m.name("loop"))
	body()
	m.op("ADDQ $16, AX")
	m.op("CMPQ AX, %s", m.registers["n"])
	m.op("JLT %s", m.name("loop"))
}

// move moves 16 elements of some bytes between registers and an argument.
func (m *amd64) move(instruction, argument string, bytes int, v value, store bool) {
	for k, r := range m.names(v) {
		memory := fmt.Sprintf("%d(%s)(AX*%d)", 16*bytes/len(v.registers)*k, m.registers[argument], bytes)
		if store {
			m.op("%s %s, %s", instruction, r, memory)
		} else {
			m.op("%s %s, %s", instruction, memory, r)
		}
	}
}

func (m *amd64) load(argument string, dst value)  { m.move("VMOVUPS", argument, 4, dst, false) }
func (m *amd64) store(src value, argument string) { m.move("VMOVUPS", argument, 4, src, true) }
func (m *amd64) widen(argument string, dst value) { m.move("VPMOVSXBD", argument, 1, dst, false) }

func (m *amd64) narrow(src value, argument string) {
	if m.wide {
		m.move("VPMOVDB", argument, 1, src, true)
		return
	}
	low, high := src.registers[0], src.registers[1]
	m.op("VPACKSSDW Y%d, Y%d, Y%d", high, low, low)
	m.op("VPERMQ $0xD8, Y%d, Y%d", low, low)
	m.op("VEXTRACTI128 $1, Y%d, X%d", low, high)
	m.op("VPACKSSWB X%d, X%d, X%d", high, low, low)
	m.move("VMOVDQU", argument, 1, value{registers: src.registers[:1], bits: 128}, true)
}

var mnemonics = map[string]string{
	"add": "VADDPS", "sub": "VSUBPS", "mul": "VMULPS", "max": "VMAXPS", "min": "VMINPS",
	"float": "VCVTDQ2PS", "round": "VCVTPS2DQ",
}

func (m *amd64) on(op string, a, b, dst value) { m.each(mnemonics[op], a, b, dst) }

// each writes an instruction for each register of dst. a and b have as many registers, or one.
func (m *amd64) each(instruction string, a, b, dst value) {
	first, second := m.names(a), m.names(b)
	switch {
	case b.constant == "":
	case m.wide:
		instruction, second = instruction+".BCST", []string{address(b.constant)}
	default:
		m.op("VBROADCASTSS %s, Y15", address(b.constant))
		second = []string{"Y15"}
	}
	for k, d := range m.names(dst) {
		m.op("%s %s, %s, %s", instruction, second[k%len(second)], first[k%len(first)], d)
	}
}

func (m *amd64) of(op string, a, dst value) {
	first := m.names(a)
	for k, d := range m.names(dst) {
		if op == "abs" {
			m.op("VPSLLD $1, %s, %s", first[k], d)
			m.op("VPSRLD $1, %s, %s", d, d)
			continue
		}
		m.op("%s %s, %s", mnemonics[op], first[k], d)
	}
}

func (m *amd64) zero(dst value) {
	instruction := "VPXOR"
	if m.wide {
		instruction = "VPXORD"
	}
	m.each(instruction, dst, dst, dst)
}

func (m *amd64) multiplyAdd(a, b, sum value) {
	m.each("VPMULLD", a, b, a)
	m.each("VPADDD", sum, a, sum)
}

func (m *amd64) double(t, p value) {
	for _, r := range m.names(t) {
		m.op("VPSLLD $23, %s, %s", r, r)
	}
	m.each("VPADDD", p, t, p)
}

func (m *amd64) fold(values, spare []value, combine func(low, high []value)) {
	half := func(list []value, bits int) (out []value) {
		for _, v := range list {
			out = append(out, value{registers: v.registers[:1], bits: bits})
		}
		return out
	}
	low, high := half(values, 256), half(spare, 256)
	if m.wide {
		for i, v := range values {
			m.op("VEXTRACTF64X4 $1, %s, %s", m.names(v)[0], m.names(high[i])[0])
		}
		combine(low, high)
	} else {
		combine(low, parts(values, 1, 2))
	}
	for i, move := range []string{"VEXTRACTF128 $1, Y%[1]d, X%[2]d", "VMOVHLPS X%[1]d, X%[1]d, X%[2]d", "VMOVSHDUP X%[1]d, X%[2]d"} {
		if i == 0 {
			low, high = half(values, 128), half(spare, 128)
		}
		for i := range low {
			m.op(move, low[i].registers[0], high[i].registers[0])
		}
		combine(low, high)
	}
}

func (m *amd64) put(src value, argument string, element int) {
	m.op("VMOVSS X%d, %d(%s)", src.registers[0], 4*element, m.registers[argument])
}

func (m *amd64) end(result value) {
	m.op("VZEROUPPER")
	if len(result.registers) > 0 {
		m.op("MOVSS X%d, ret+%d(FP)", result.registers[0], m.result)
	}
	m.op("RET")
}

func (m *amd64) indexAbs() {
	x, wanted := m.group(0), m.all("value")
	m.label("%s", m.name("loop"))
	m.load("x", x)
	m.of("abs", x, x)
	if m.wide {
		m.op("VCMPPS $0, %s, %s, K1", m.names(wanted)[0], m.names(x)[0])
		m.op("KMOVW K1, R9")
		m.op("TESTL R9, R9")
	} else {
		for k, r := range m.names(x) {
			m.op("VCMPPS $0, %s, %s, %s", m.names(wanted)[0], r, r)
			m.op("VMOVMSKPS %s, R%d", r, 8+k)
		}
		m.op("SHLQ $8, R9")
		m.op("ORQ R8, R9")
	}
	m.op("JNZ %s", m.name("found"))
	m.op("ADDQ $16, AX")
	m.op("CMPQ AX, %s", m.registers["n"])
	m.op("JLT %s", m.name("loop"))
	m.op("XORQ AX, AX // there is none")
	m.op("MOVQ $1, R9")
	m.label("%s", m.name("found"))
	m.op("BSFQ R9, R9")
	m.op("ADDQ R9, AX")
	m.op("MOVQ AX, ret+%d(FP)", m.result)
	m.end(value{})
}

// product keeps a tile of four rows, or one, by 16 columns in registers.
//
//	DI C  SI its stride  DX A  CX its stride  BX B  R8 its stride, in bytes
//	AX rows of A, 1 and 2  R9 rows 3 and 4  R10 row of B  R11 steps left
//	R12 columns done, in bytes  R13 rows of C, of the tile
func (m *amd64) product() {
	for _, stride := range []string{"SI", "CX", "R8"} {
		m.op("SHLQ $2, %s", stride)
	}
	b, products := m.names(m.group(4)), m.names(m.group(5))
	factor := m.names(value{registers: []int{14}, bits: m.group(0).bits})[0]
	for _, rows := range []int{4, 1} {
		name := func(label string) string { return fmt.Sprintf("%s%d", m.name(label), rows) }
		m.label("%s", name("rows"))
		m.op("CMPQ rows+48(FP), $%d", rows)
		m.op("JLT %s", name("less"))
		m.op("XORQ R12, R12")
		m.label("%s", name("column"))
		for i := range rows {
			m.zero(m.group(i))
		}
		m.op("MOVQ DX, AX")
		m.op("LEAQ (DX)(CX*2), R9")
		m.op("LEAQ (BX)(R12*1), R10")
		m.op("MOVQ inner+56(FP), R11")
		m.label("%s", name("inner"))
		for k, r := range b {
			m.op("VMOVUPS %d(R10), %s", 32*k, r)
		}
		for i, from := range []string{"(AX)", "(AX)(CX*1)", "(R9)", "(R9)(CX*1)"}[:rows] {
			m.op("VBROADCASTSS %s, %s", from, factor)
			for k, sum := range m.names(m.group(i)) {
				m.op("VMULPS %s, %s, %s", b[k], factor, products[k])
				m.op("VADDPS %s, %s, %s", products[k], sum, sum)
			}
		}
		m.op("ADDQ $4, AX")
		m.op("ADDQ $4, R9")
		m.op("ADDQ R8, R10")
		m.op("DECQ R11")
		m.op("JNZ %s", name("inner"))
		m.op("LEAQ (DI)(R12*1), R13")
		for i := range rows {
			for k, sum := range m.names(m.group(i)) {
				m.op("VMOVUPS %s, %d(R13)", sum, 32*k)
			}
			m.op("ADDQ SI, R13")
		}
		m.op("ADDQ $64, R12")
		m.op("MOVQ cols+64(FP), AX")
		m.op("SHLQ $2, AX")
		m.op("CMPQ R12, AX")
		m.op("JLT %s", name("column"))
		for range rows {
			m.op("ADDQ SI, DI")
			m.op("ADDQ CX, DX")
		}
		m.op("SUBQ $%d, rows+48(FP)", rows)
		m.op("JMP %s", name("rows"))
		m.label("%s", name("less"))
	}
	m.end(value{})
}
