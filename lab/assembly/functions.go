package assembly

import "slices"

// constants are the elements of the array of this name in parser/vector. The first ones are
// those of exponentials.
var constants = []string{
	"expLeast", "log2e", "magic", "ln2High", "ln2Low", "exp7", "exp6", "exp5", "exp4", "exp3", "exp2", "one",
	"geluP", "gelu5", "gelu4", "gelu3", "gelu2", "gelu1", "rootTwoPi", "minusHalf",
}

// constant returns the register of a constant.
func constant(name string) vectors { return vectors{31 - slices.Index(constants, name)} }

// load brings the constants up to the last one into their registers.
func (w *writer) load(last string) {
	w.op("MOVD $·constants(SB), R0")
	for i := range slices.Index(constants, last) + 1 {
		w.op("VLD1R.P 4(R0), %s", vectorList(31-i))
	}
}

// polynomial sets p to the polynomial of x, in Horner's scheme, without the last product.
func (w *writer) polynomial(x, p vectors, coefficients ...string) {
	for i, c := range coefficients {
		if i == 0 {
			w.on(fmul, x, constant(c), p)
			continue
		}
		if i > 1 {
			w.on(fmul, p, x, p)
		}
		w.on(fadd, p, constant(c), p)
	}
}

// exponential sets p to the exponentials of x; x and t are lost.
func (w *writer) exponential(x, t, p vectors) {
	w.on(fmax, x, constant("expLeast"), x)
	w.on(fmul, x, constant("log2e"), t)
	w.on(fadd, t, constant("magic"), t)
	for _, part := range []string{"ln2High", "ln2Low"} {
		w.on(fsub, t, constant("magic"), p)
		w.on(fmul, p, constant(part), p)
		w.on(fsub, x, p, x)
	}
	w.polynomial(x, p, "exp7", "exp6", "exp5", "exp4", "exp3", "exp2")
	w.on(fmul, p, x, p)
	w.on(fmul, p, x, p)
	w.on(fadd, p, x, p)
	w.on(fadd, p, constant("one"), p)
	for k := range p {
		w.op("VSHL $23, V%d.S4, V%d.S4", t[k], t[k])
		w.op("VADD V%d.S4, V%d.S4, V%d.S4", t[k], p[k], p[k])
	}
}

func expSum(w *writer) {
	a := w.begin("expSum", "x *float32, n int, top float32", "float32")
	x, t, p, sum := from(0, 4), from(4, 4), from(8, 4), from(12, 4)
	w.load("one")
	w.xor(sum, sum, sum)
	w.loop(a, 16, func() {
		w.peek(a["x"], x)
		w.on(fsub, x, a.all("top"), x)
		w.exponential(x, t, p)
		w.write(p, a["x"])
		w.on(fadd, sum, p, sum)
	})
	w.fold(fadd, sum, a)
}

// tails writes a function that sets v to the next elements of x, z to their absolute values,
// p to Φ(-z)/φ(z) and e to exp(-z²/2), and goes on with body; t and k are free.
func (w *writer) tails(a arguments, body func(v, z, p, e, t, k vectors)) {
	v, z, p, e, t, k := from(0, 2), from(2, 2), from(4, 2), from(6, 2), from(8, 2), from(10, 2)
	w.load("minusHalf")
	w.loop(a, 8, func() {
		w.peek(a["x"], v)
		w.of(fabs, v, z)
		w.on(fmul, z, constant("geluP"), t)
		w.on(fadd, t, constant("one"), t)
		w.on(fdiv, constant("one"), t, t)
		w.polynomial(t, p, "gelu5", "gelu4", "gelu3", "gelu2", "gelu1")
		w.on(fmul, p, t, p)
		w.on(fmul, z, constant("minusHalf"), t)
		w.on(fmul, t, z, t)
		w.exponential(t, k, e)
		body(v, z, p, e, t, k)
	})
	w.op("RET")
}

func gelu(w *writer) {
	a := w.begin("gelu", "x *float32, n int", "")
	w.tails(a, func(v, z, p, e, t, _ vectors) {
		w.on(fmul, p, constant("rootTwoPi"), p)
		w.on(fmul, p, e, p)
		w.on(fmul, z, p, z)
		w.xor(t, t, t)
		w.on(fmax, v, t, v)
		w.on(fsub, v, z, v)
		w.write(v, a["x"])
	})
}

func geluSlope(w *writer) {
	a := w.begin("geluSlope", "y *float32, x *float32, n int", "")
	w.tails(a, func(v, z, p, e, t, k vectors) {
		w.on(fmul, e, constant("rootTwoPi"), e) // the density
		w.on(fmul, p, e, p)                     // the tail
		w.on(fmul, z, p, z)
		w.xor(t, t, t)
		w.on(fmax, v, t, k)
		w.on(fsub, k, z, k)
		w.write(k, a["y"])
		w.on(fsub, t, constant("minusHalf"), t) // 1/2
		w.on(fsub, t, p, p)
		w.of(fabs, v, z)
		w.xor(v, z, z) // the sign
		w.xor(p, z, p)
		w.on(fadd, p, t, p)
		w.on(fmul, v, e, e)
		w.on(fadd, p, e, p)
		w.write(p, a["x"])
	})
}
