package assembly

// functions are those of parser/vector, for every processor.
var functions = []function{
	{"maxAbsTwo", "x *float32, n int, found *float32", "", maxAbsTwo},
	{"indexAbs", "x *float32, n int, value float32", "int", machine.indexAbs},
	{"quantize", "dst *int8, x *float32, n int, inverse float32", "", quantize},
	{"dequantize", "dst *float32, sums *int32, n int, scale float32, scales *float32, bias *float32", "", dequantize},
	{"dequantizeWith", "dst *float32, sums *int32, n int, rest int32, scale float32, column *int8, scales *float32, bias *float32", "", dequantizeWith},
	{"expand", "dst *float32, q *int8, n int, scale float32", "", expand},
	{"multiply", "x *float32, n int, factor float32", "", multiply},
	{"addScaled", "x *float32, factor float32, y *float32, n int", "", addScaled},
	{"addSum", "x *float32, y *float32, n int", "float32", addSum},
	{"sumSquares", "x *float32, n int, mean float32", "float32", sumSquares},
	{"normalize", "x *float32, n int, mean float32, inverse float32, gain *float32, bias *float32", "", normalize},
	{"maximum", "x *float32, n int", "float32", maximum},
	{"expSum", "x *float32, n int, top float32", "float32", expSum},
	{"gelu", "x *float32, n int", "", gelu},
	{"geluSlope", "y *float32, x *float32, n int", "", geluSlope},
	{"product", "c *float32, sc int, a *float32, sa int, b *float32, sb int, rows int, inner int, cols int", "", machine.product},
}

// add returns what fold does for sums.
func add(m machine) func(low, high []value) {
	return func(low, high []value) { m.on("add", low[0], high[0], low[0]) }
}

func maxAbsTwo(m machine) {
	x, top, second, less := m.group(0), m.group(1), m.group(2), m.group(3)
	m.zero(top)
	m.zero(second)
	m.loop(func() {
		m.load("x", x)
		m.of("abs", x, x)
		m.on("min", top, x, less)
		m.on("max", top, x, top)
		m.on("max", second, less, second)
	})
	m.fold([]value{top, second}, []value{x, less}, func(low, high []value) {
		m.on("max", low[1], high[1], low[1])
		both := high[1] // read already
		m.on("min", low[0], high[0], both)
		m.on("max", low[0], high[0], low[0])
		m.on("max", low[1], both, low[1])
	})
	m.put(top, "found", 0)
	m.put(second, "found", 1)
	m.end(value{})
}

func quantize(m machine) {
	x := m.group(0)
	m.loop(func() {
		m.load("x", x)
		m.on("mul", x, m.all("inverse"), x)
		m.of("round", x, x)
		m.narrow(x, "dst")
	})
	m.end(value{})
}

// scaled writes what dequantize and dequantizeWith end with.
func scaled(m machine, x, y value) {
	m.of("float", x, x)
	m.on("mul", x, m.all("scale"), x)
	m.load("scales", y)
	m.on("mul", x, y, x)
	m.load("bias", y)
	m.on("add", x, y, x)
	m.store(x, "dst")
}

func dequantize(m machine) {
	x, y := m.group(0), m.group(1)
	m.loop(func() {
		m.load("sums", x)
		scaled(m, x, y)
	})
	m.end(value{})
}

func dequantizeWith(m machine) {
	x, y := m.group(0), m.group(1)
	m.loop(func() {
		m.load("sums", x)
		m.widen("column", y)
		m.multiplyAdd(y, m.all("rest"), x)
		scaled(m, x, y)
	})
	m.end(value{})
}

func expand(m machine) {
	x := m.group(0)
	m.loop(func() {
		m.widen("q", x)
		m.of("float", x, x)
		m.on("mul", x, m.all("scale"), x)
		m.store(x, "dst")
	})
	m.end(value{})
}

func multiply(m machine) {
	x := m.group(0)
	m.loop(func() {
		m.load("x", x)
		m.on("mul", x, m.all("factor"), x)
		m.store(x, "x")
	})
	m.end(value{})
}

func addScaled(m machine) {
	x, y := m.group(0), m.group(1)
	m.loop(func() {
		m.load("y", y)
		m.on("mul", y, m.all("factor"), y)
		m.load("x", x)
		m.on("add", x, y, x)
		m.store(x, "x")
	})
	m.end(value{})
}

func addSum(m machine) {
	x, y, sum := m.group(0), m.group(1), m.group(2)
	m.zero(sum)
	m.loop(func() {
		m.load("x", x)
		m.load("y", y)
		m.on("add", x, y, x)
		m.store(x, "x")
		m.on("add", sum, x, sum)
	})
	m.fold([]value{sum}, []value{x}, add(m))
	m.end(sum)
}

func sumSquares(m machine) {
	x, sum := m.group(0), m.group(1)
	m.zero(sum)
	m.loop(func() {
		m.load("x", x)
		m.on("sub", x, m.all("mean"), x)
		m.on("mul", x, x, x)
		m.on("add", sum, x, sum)
	})
	m.fold([]value{sum}, []value{x}, add(m))
	m.end(sum)
}

func normalize(m machine) {
	x, y := m.group(0), m.group(1)
	m.loop(func() {
		m.load("x", x)
		m.on("sub", x, m.all("mean"), x)
		m.on("mul", x, m.all("inverse"), x)
		m.load("gain", y)
		m.on("mul", x, y, x)
		m.load("bias", y)
		m.on("add", x, y, x)
		m.store(x, "x")
	})
	m.end(value{})
}

func maximum(m machine) {
	x, top := m.group(0), m.group(1)
	m.load("x", top)
	m.loop(func() {
		m.load("x", x)
		m.on("max", top, x, top)
	})
	m.fold([]value{top}, []value{x}, func(low, high []value) { m.on("max", low[0], high[0], low[0]) })
	m.end(top)
}

// polynomial sets p to the polynomial of x with these coefficients, the last one first, by
// Horner's scheme.
func polynomial(m machine, x, p value, coefficients ...string) {
	for i, c := range coefficients {
		switch i {
		case 0:
			m.on("mul", x, value{constant: c}, p)
			continue
		case 1:
		default:
			m.on("mul", p, x, p)
		}
		m.on("add", p, value{constant: c}, p)
	}
}

func expSum(m machine) {
	x, t, p, sum := m.group(0), m.group(1), m.group(2), m.group(3)
	m.need(constants[:12])
	m.zero(sum)
	m.loop(func() {
		m.load("x", x)
		m.on("sub", x, m.all("top"), x)
		m.on("max", x, value{constant: "expLeast"}, x)
		m.on("mul", x, value{constant: "log2e"}, t)
		m.on("add", t, value{constant: "magic"}, t)
		for _, part := range []string{"ln2High", "ln2Low"} {
			m.on("sub", t, value{constant: "magic"}, p)
			m.on("mul", p, value{constant: part}, p)
			m.on("sub", x, p, x)
		}
		polynomial(m, x, p, "exp7", "exp6", "exp5", "exp4", "exp3", "exp2")
		m.on("mul", p, x, p)
		m.on("mul", p, x, p)
		m.on("add", p, x, p)
		m.on("add", p, value{constant: "one"}, p)
		m.double(t, p)
		m.store(p, "x")
		m.on("add", sum, p, sum)
	})
	m.fold([]value{sum}, []value{x}, add(m))
	m.end(sum)
}

// near sets u to x within the bounds of GELU, and s to the square of u.
func near(m machine, x, u, s value) {
	m.on("min", x, value{constant: "geluMost"}, u)
	m.on("max", u, value{constant: "geluLeast"}, u)
	m.on("mul", u, u, s)
}

func gelu(m machine) {
	x, u, s, p := m.group(0), m.group(1), m.group(2), m.group(3)
	m.need(constants[12:])
	m.loop(func() {
		m.load("x", x)
		near(m, x, u, s)
		polynomial(m, s, p, "gelu7", "gelu6", "gelu5", "gelu4", "gelu3", "gelu2", "gelu1", "gelu0")
		m.on("mul", p, u, p)
		m.on("add", p, value{constant: "half"}, p)
		m.on("mul", x, p, x)
		m.store(x, "x")
	})
	m.end(value{})
}

func geluSlope(m machine) {
	x, u, s, p, d := m.group(0), m.group(1), m.group(2), m.group(3), m.group(4)
	m.need(constants[12:])
	m.loop(func() {
		m.load("x", x)
		near(m, x, u, s)
		polynomial(m, s, p, "gelu7", "gelu6")
		for i, c := range []string{"gelu5", "gelu4", "gelu3", "gelu2", "gelu1", "gelu0"} {
			if i == 0 {
				m.on("mul", s, value{constant: "gelu7"}, d)
			} else {
				m.on("mul", d, s, d)
			}
			m.on("add", d, p, d)
			m.on("mul", p, s, p)
			m.on("add", p, value{constant: c}, p)
		}
		m.on("mul", d, s, d)
		m.on("add", d, p, d)
		m.on("mul", d, u, d)
		m.on("add", d, d, d)
		m.on("add", d, value{constant: "half"}, d)
		m.on("mul", p, u, p)
		m.on("add", p, value{constant: "half"}, p)
		m.on("mul", x, p, x)
		m.store(x, "y")
		m.store(d, "x")
	})
	m.end(value{})
}
