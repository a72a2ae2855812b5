package assembly

import (
	"fmt"
	"slices"
	"strings"
)

// A machine writes functions on rows of 16 elements of 32 bits for a processor.
type machine interface {
	// group returns the registers i of 16 elements. Functions may use the first four, and those
	// without arguments of 32 bits a fifth.
	group(i int) value
	// all returns an argument of 32 bits in all lanes.
	all(argument string) value
	// need brings constants into registers, if the processor wants them there.
	need(constants []string)

	// loop repeats the body for every 16 of n elements.
	loop(body func())
	// load, widen and store move the 16 elements of an argument that the loop has come to;
	// widen makes words of bytes, narrow bytes of words, and both may spoil groups 2 and 3.
	load(argument string, dst value)
	widen(argument string, dst value)
	store(src value, argument string)
	narrow(src value, argument string)

	// on sets dst to a op b, of sets it to op a, and zero to 0.
	on(op string, a, b, dst value)
	of(op string, a, dst value)
	zero(dst value)
	// multiplyAdd adds a·b to sum, as integers; a may be lost.
	multiplyAdd(a, b, sum value)
	// double multiplies p by the powers of two whose exponents are the low bits of t, which is
	// lost.
	double(t, p value)

	// fold combines the upper with the lower half of values, and so on until one element is
	// left. The upper halves come to the registers of spare.
	fold(values, spare []value, combine func(low, high []value))
	// put stores the first element of src as an element of an argument.
	put(src value, argument string, element int)
	// end returns from the function, with the first element of result unless it is empty.
	end(result value)

	// indexAbs and product are the functions of these names.
	indexAbs()
	product()
}

// A value is elements in registers of some bits each, or a constant.
type value struct {
	registers []int
	bits      int
	constant  string
}

// like returns as many registers of v as w has, with as many bits.
func (v value) like(w value) value {
	return value{registers: v.registers[:len(w.registers)], bits: w.bits}
}

// part returns some registers of v.
func (v value) part(from, to int) value { return value{registers: v.registers[from:to], bits: v.bits} }

// parts are part of several.
func parts(list []value, from, to int) (out []value) {
	for _, v := range list {
		out = append(out, v.part(from, to))
	}
	return out
}

// constants are the elements of the array of this name in parser/vector.
var constants = []string{
	"expLeast", "log2e", "magic", "ln2High", "ln2Low", "exp7", "exp6", "exp5", "exp4", "exp3", "exp2", "one",
	"half", "geluMost", "geluLeast",
	"gelu0", "gelu1", "gelu2", "gelu3", "gelu4", "gelu5", "gelu6", "gelu7",
}

// address is that of a constant.
func address(constant string) string {
	return fmt.Sprintf("·constants+%d(SB)", 4*slices.Index(constants, constant))
}

// A function is one of parser/vector, with its arguments and result in Go.
type function struct {
	name, signature, result string
	body                    func(m machine)
}

// An argument has a name and an offset from FP.
type argument struct {
	name   string
	offset int
	lanes  bool // has 32 bits, and goes to all lanes of a vector
}

// frame returns the arguments of a function, where its result is, and the size of all.
func (f function) frame() (list []argument, result, size int) {
	for part := range strings.SplitSeq(f.signature, ", ") {
		name, kind, _ := strings.Cut(part, " ")
		a := argument{name: name, lanes: kind == "float32" || kind == "int32"}
		width := 8
		if a.lanes {
			width = 4
		}
		a.offset = (size + width - 1) / width * width
		size = a.offset + width
		list = append(list, a)
	}
	if f.result == "" {
		return list, 0, size
	}
	result = (size + 7) / 8 * 8
	return list, result, result + map[string]int{"float32": 4, "int": 8}[f.result]
}

// header writes how a function begins.
func (f function) header(w *writer, size int) {
	fmt.Fprintf(w, "\n// func %s(%s)", f.name, f.signature)
	if f.result != "" {
		fmt.Fprintf(w, " %s", f.result)
	}
	fmt.Fprintf(w, "\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", f.name, size)
}
