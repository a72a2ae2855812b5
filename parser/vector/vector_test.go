package vector

import (
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
)

func random(r *hash.Rand, n int, spread float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		sum := -6.0
		for range 12 {
			sum += r.Float()
		}
		x[i] = float32(sum * spread)
	}
	return x
}

func TestExp(t *testing.T) {
	worst := 0.0
	for x := float32(0); x > -86.9; x -= 0.00137 {
		want := math.Exp(float64(x))
		worst = max(worst, math.Abs(float64(exp(x))-want)/want)
	}
	if !(worst < 2e-7) {
		t.Errorf("relative error %g", worst)
	}
	if exp(0) != 1 || exp(-1e30) != exp(-87) {
		t.Errorf("e^0 is %v, e^-1e30 %v", exp(0), exp(-1e30))
	}
}

func TestLog(t *testing.T) {
	worst := 0.0
	for x := 1e-12; x < 1e12; x *= 1.00137 {
		worst = max(worst, math.Abs(Log(x)-math.Log(x)))
	}
	if !(worst < 1e-14*40) {
		t.Errorf("error %g", worst)
	}
}

func TestGELU(t *testing.T) {
	worst := 0.0
	for v := -30.0; v < 30; v += 0.00137 {
		x := []float32{float32(v)}
		GELU(x)
		y := float64(float32(v))
		want := y * 0.5 * math.Erfc(-y/math.Sqrt2)
		worst = max(worst, math.Abs(float64(x[0])-want)/max(1, math.Abs(y)))
	}
	if !(worst < 6e-5) {
		t.Errorf("error %g", worst)
	}
}

func TestQuantize(t *testing.T) {
	r := hash.Rand(5)
	for _, n := range []int{1, 7, 16, 48, 384} {
		x, q := random(&r, n, 3), make([]int8, n)
		scale := Quantize(q, x)
		top := 0.0
		for i, v := range x {
			top = max(top, math.Abs(float64(v)))
			if d := math.Abs(float64(v) - float64(q[i])*float64(scale)); d > 0.5001*float64(scale) {
				t.Errorf("%d of %d: %v became %d times %v", i, n, v, q[i], scale)
			}
		}
		if math.Abs(float64(scale)*127-top) > 1e-6*top {
			t.Errorf("scale %v for values up to %v", scale, top)
		}
	}
	x, q := []float32{127, 0.5, 1.5, 2.5, -0.5, -1.5, -127, 126.5}, make([]int8, 8)
	if scale := Quantize(q, x); scale != 1 || [8]int8(q) != [8]int8{127, 0, 2, 2, 0, -2, -127, 126} {
		t.Errorf("ties went to %v, scale %v", q, scale)
	}
	q[0] = 9
	if scale := Quantize(q[:2], []float32{0, 1e-35}); scale != 0 || q[0] != 0 || q[1] != 0 {
		t.Errorf("zeros became %v, scale %v", q[:2], scale)
	}
}

// One element may be far larger than the others, which keep their digits.
func TestQuantizeButOne(t *testing.T) {
	r := hash.Rand(15)
	for _, n := range []int{1, 2, 7, 16, 48, 384} {
		for _, factor := range []float32{1, -20, 5000} {
			x, q := random(&r, n, 3), make([]int8, n)
			big := int(r.Below(uint32(n)))
			x[big] *= factor
			scale, at, rest := QuantizeButOne(q, x)
			second := 0.0
			for i, v := range x {
				if i != at {
					second = max(second, math.Abs(float64(v)))
				}
				if math.Abs(float64(v)) > math.Abs(float64(x[at])) {
					t.Errorf("%d of %d is larger than %d", i, n, at)
				}
			}
			if want := max(second, math.Abs(float64(x[at]))/64) / 127; math.Abs(float64(scale)-want) > 1e-6*want {
				t.Errorf("%d elements, one times %v: scale %v, want %v", n, factor, scale, want)
			}
			for i, v := range x {
				whole := float64(q[i])
				if i == at {
					whole += float64(rest)
				}
				if d := math.Abs(float64(v) - whole*float64(scale)); d > 0.501*float64(scale) || q[i] == -128 {
					t.Errorf("%d of %d: %v became %v times %v", i, n, v, whole, scale)
				}
			}
		}
	}
	q := []int8{9, 9}
	if scale, at, rest := QuantizeButOne(q, []float32{0, -1e-35}); scale != 0 || at != 0 || rest != 0 || q[0] != 0 || q[1] != 0 {
		t.Errorf("zeros became %v, scale %v", q, scale)
	}
	if scale, at, rest := QuantizeButOne(q, []float32{-254, 127}); scale != 1 || at != 0 || rest != -127 ||
		q[0] != -127 || q[1] != 127 {
		t.Errorf("-254 and 127 became %v, scale %v, rest %d", q, scale, rest)
	}
}

func TestAddNorm(t *testing.T) {
	r := hash.Rand(6)
	for _, n := range []int{1, 5, 16, 40, 384} {
		x, y, gain, bias := random(&r, n, 2), random(&r, n, 1), random(&r, n, 1), random(&r, n, 1)
		z, mean, variance := make([]float64, n), 0.0, 0.0
		for i := range z {
			z[i] = float64(x[i]) + float64(y[i])
			mean += z[i] / float64(n)
		}
		for _, v := range z {
			variance += (v - mean) * (v - mean) / float64(n)
		}
		AddNorm(x, y, 1e-3, gain, bias)
		for i, v := range z {
			want := (v-mean)/math.Sqrt(variance+1e-3)*float64(gain[i]) + float64(bias[i])
			if math.Abs(float64(x[i])-want) > 1e-4 {
				t.Errorf("%d of %d: %v, want %v", i, n, x[i], want)
			}
		}
	}
}

func TestSoftmax(t *testing.T) {
	r := hash.Rand(7)
	for _, n := range []int{1, 5, 16, 40, 384} {
		x := random(&r, n, 5)
		was, want := append([]float32(nil), x...), 0.0
		top, sum := Softmax(x)
		for _, v := range was {
			want += math.Exp(float64(v - top))
		}
		if math.Abs(float64(sum)-want) > 1e-5*want {
			t.Errorf("%d values: sum %v, want %v", n, sum, want)
		}
		for i, v := range was {
			if p := math.Exp(float64(v - top)); v > top || math.Abs(float64(x[i])-p) > 1e-6 {
				t.Errorf("%d of %d: %v, want %v", i, n, x[i], p)
			}
		}
	}
}

func TestProduct(t *testing.T) {
	r := hash.Rand(8)
	for _, shape := range [][3]int{{1, 1, 1}, {3, 5, 7}, {4, 32, 16}, {5, 8, 48}, {9, 3, 50}, {13, 0, 16}} {
		rows, inner, cols := shape[0], shape[1], shape[2]
		sa, sb, sc := inner+3, cols+1, cols+2
		a, b, c := random(&r, rows*sa+1, 1), random(&r, inner*sb+1, 1), random(&r, rows*sc+1, 1)
		was := append([]float32(nil), c...)
		Product(c, sc, a, sa, b, sb, rows, inner, cols)
		for i := range rows {
			for j := range sc {
				want := was[i*sc+j]
				if j < cols {
					want = 0
					for k := range inner {
						want += float32(a[i*sa+k] * b[k*sb+j])
					}
				}
				if c[i*sc+j] != want {
					t.Errorf("%v: (%d, %d) is %v, want %v", shape, i, j, c[i*sc+j], want)
				}
			}
		}
	}
}

// Vector instructions give the bits of plain Go.
func TestSameBits(t *testing.T) {
	if !useVectors {
		t.Skip("this processor has no vector instructions that are used")
	}
	r := hash.Rand(99)
	run := func(n int, x, y, gain, bias []float32, sums []int32) (out [][]float32, q []int8) {
		keep := func(x []float32) { out = append(out, x) }
		q = make([]int8, n)
		keep([]float32{Quantize(q, x)})
		z := make([]float32, n)
		Dequantize(z, sums, 1.7e-3, gain, bias)
		keep(z)
		two := make([]int8, n)
		scale, at, rest := QuantizeButOne(two, x)
		z = make([]float32, n, n+3)
		DequantizeWith(z, sums, rest, two, scale, gain, bias)
		keep(append(z, scale, float32(at), float32(rest)))
		q = append(q, two...)
		z = make([]float32, n)
		Expand(z, two, scale)
		Scale(z, 0.37)
		keep(z)
		z = slices.Clone(x)
		AddScaled(z, 0.37, y)
		keep(z)
		z = slices.Clone(x)
		AddNorm(z, y, 1e-12, gain, bias)
		keep(z)
		z = slices.Clone(x)
		if n > 0 {
			z[n-1] = -1e30 // as the encoder pads
		}
		top, sum := Softmax(z)
		keep(append(z, top, sum))
		z = slices.Clone(x)
		GELU(z)
		keep(z)
		z, slopes := make([]float32, n), slices.Clone(x)
		GELUSlope(z, slopes)
		keep(append(z, slopes...))
		for rows := range 10 {
			z = make([]float32, 10*n)
			Product(z, n, y, 3, x, n/8, rows, 5, n/2)
			keep(z)
		}
		return out, q
	}
	lengths := []int{384, 1536}
	for n := range 71 {
		lengths = append(lengths, n)
	}
	for round := range 9 * len(lengths) {
		n := lengths[round%len(lengths)]
		spread := math.Pow(10, float64(round%9)-4)
		x, y, gain, bias := random(&r, n, spread), random(&r, max(n, 40), spread), random(&r, n, 1), random(&r, n, 1)
		sums := make([]int32, n)
		for i := range sums {
			sums[i] = int32(r.Next()) >> (r.Below(16))
		}
		switch round % 5 {
		case 0:
			copy(x, []float32{0, float32(math.Copysign(0, -1)), 1e-40, -1e-40})
		case 1: // quantised, half of these are ties
			for i := range x {
				x[i] = float32(i%509-254) / 2
			}
		}
		a, qa := run(n, x, y, gain, bias, sums)
		useVectors = false
		b, qb := run(n, x, y, gain, bias, sums)
		useVectors = true
		if !slices.Equal(qa, qb) {
			t.Errorf("%d elements: quantised to %v, in plain Go to %v", n, qa, qb)
		}
		for i := range a {
			for j := range a[i] {
				if math.Float32bits(a[i][j]) != math.Float32bits(b[i][j]) {
					t.Fatalf("%d elements, result %d, %d: %v, in plain Go %v", n, i, j, a[i][j], b[i][j])
				}
			}
		}
	}
}

// The values and slopes of GELU agree with the error function.
func TestGELUSlope(t *testing.T) {
	worst := 0.0
	for v := -30.0; v < 30; v += 0.00137 {
		y, x := []float32{0}, []float32{float32(v)}
		GELUSlope(y, x)
		u := float64(float32(v))
		share := 0.5 * math.Erfc(-u/math.Sqrt2)
		worst = max(worst, math.Abs(float64(y[0])-u*share)/max(1, math.Abs(u)))
		worst = max(worst, math.Abs(float64(x[0])-share-u*math.Exp(-u*u/2)/math.Sqrt(2*math.Pi)))
	}
	if !(worst < 1e-3) {
		t.Errorf("error %g", worst)
	}
}
