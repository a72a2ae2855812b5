package matrix

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// naive sets or adds in float64, and returns for every element the sum of
// absolute products, by which errors are measured.
func naive(p Product, c, a, b Matrix, round func(float32) float32) (want, scale []float64) {
	inner := a.Cols
	if p.TransposeA {
		inner = a.Rows
	}
	for i := range c.Rows {
		for j := range c.Cols {
			sum, size := 0.0, 0.0
			if p.Add {
				sum = float64(c.Data[i*c.Stride+j])
				size = math.Abs(sum)
			}
			for k := range inner {
				x, y := i*a.Stride+k, k*b.Stride+j
				if p.TransposeA {
					x = k*a.Stride + i
				}
				if p.TransposeB {
					y = j*b.Stride + k
				}
				z := float64(round(a.Data[x])) * float64(round(b.Data[y]))
				sum += z
				size += math.Abs(z)
			}
			want, scale = append(want, sum), append(scale, size)
		}
	}
	return want, scale
}

// bfloat rounds to the nearest bfloat16, ties to even.
func bfloat(x float32) float32 {
	bits := math.Float32bits(x)
	return math.Float32frombits((bits + 0x7fff + bits>>16&1) &^ 0xffff)
}

func same(x float32) float32 { return x }

// random returns a view of rows x cols within more columns.
func random(r *rand.Rand, rows, cols int) Matrix {
	m := Matrix{Rows: rows, Cols: cols, Stride: cols + r.IntN(3)*r.IntN(20)}
	m.Data = make([]float32, max(rows*m.Stride, 1))
	for i := range m.Data {
		m.Data[i] = r.Float32()*2 - 1
	}
	m.Data = m.Data[:max(len(m.Data)-m.Stride+cols, 0)]
	return m
}

// operands returns random operands of a product and its C.
func operands(r *rand.Rand, p Product, m, n, k int) (c, a, b Matrix) {
	a, b = random(r, m, k), random(r, k, n)
	if p.TransposeA {
		a = random(r, k, m)
	}
	if p.TransposeB {
		b = random(r, n, k)
	}
	return random(r, m, n), a, b
}

func TestProductIsTheNaiveOne(t *testing.T) {
	for _, k := range append(append([]*kernel(nil), kernels...), halves...) {
		t.Run(k.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			round, tolerance := same, 1e-5
			if k.half {
				round = bfloat
			}
			for trial := range 200 {
				p := Product{TransposeA: trial&1 > 0, TransposeB: trial&2 > 0, Add: trial&4 > 0, Workers: 1 + r.IntN(3)}
				m, n, inner := 1+r.IntN(60), 1+r.IntN(80), 1+r.IntN(70)
				switch {
				case trial%50 < 4: // several blocks of rows and of panels
					m, n, inner = 90+r.IntN(20), 120+r.IntN(40), 1+r.IntN(20)
				case trial%50 < 8: // and of steps
					m, n, inner = 1+r.IntN(20), 1+r.IntN(20), 2*maxSteps-20+r.IntN(40)
				}
				c, a, b := operands(r, p, m, n, inner)
				want, scale := naive(p, c, a, b, round)
				before := append([]float32(nil), c.Data...)
				k.product(p, c, a, b)
				for i := range c.Data {
					row, col := i/c.Stride, i%c.Stride
					if col >= n {
						if c.Data[i] != before[i] {
							t.Fatalf("%+v %dx%dx%d: element (%d,%d) past the columns was written", p, m, n, inner, row, col)
						}
						continue
					}
					if e := math.Abs(float64(c.Data[i]) - want[row*n+col]); !(e <= tolerance*(scale[row*n+col]+1e-30)) {
						t.Fatalf("%+v %dx%dx%d: element (%d,%d) is %v, want %v", p, m, n, inner, row, col, c.Data[i], want[row*n+col])
					}
				}
			}
		})
	}
}

// The same bits for any number of workers.
func TestWorkersChangeNoBit(t *testing.T) {
	for _, k := range append(append([]*kernel(nil), kernels...), halves...) {
		r := rand.New(rand.NewPCG(3, 4))
		for trial := range 4 {
			p := Product{TransposeA: trial&1 > 0, TransposeB: trial&2 > 0, Add: trial&4 > 0}
			c, a, b := operands(r, p, 201, 203, 101)
			first := append([]float32(nil), c.Data...)
			k.product(p, c, a, b)
			for workers := 2; workers < 6; workers++ {
				again := c
				again.Data = append([]float32(nil), first...)
				p.Workers = workers
				k.product(p, again, a, b)
				for i := range c.Data {
					if math.Float32bits(c.Data[i]) != math.Float32bits(again.Data[i]) {
						t.Fatalf("%s %+v: element %d is %v, by one worker %v", k.name, p, i, again.Data[i], c.Data[i])
					}
				}
			}
		}
	}
}

// An element's bits depend on its row and its column only, not on what is
// multiplied beside them.
func TestElementsAreAlone(t *testing.T) {
	for _, k := range append(append([]*kernel(nil), kernels...), halves...) {
		r := rand.New(rand.NewPCG(5, 6))
		a, b := random(r, 60, 100), random(r, 100, 70)
		c, part := random(r, 60, 70), random(r, 60, 70)
		k.product(Product{}, c, a, b)
		for range 50 {
			i, j := r.IntN(60), r.IntN(70)
			rows, cols := 1+r.IntN(60-i), 1+r.IntN(70-j)
			part.Rows, part.Cols = rows, cols
			k.product(Product{}, part, a.RowRange(i, i+rows), b.Columns(j, j+cols))
			for x := range rows {
				for y := range cols {
					if got, want := part.Data[x*part.Stride+y], c.Data[(i+x)*c.Stride+j+y]; got != want {
						t.Fatalf("%s: element (%d,%d) of %dx%d is %v, not %v", k.name, x, y, rows, cols, got, want)
					}
				}
			}
		}
	}
}

func TestProductAllocatesNothing(t *testing.T) {
	if underRace {
		t.Skip("the race detector drops what is pooled")
	}
	for _, k := range append(append([]*kernel(nil), kernels...), halves...) {
		r := rand.New(rand.NewPCG(7, 8))
		p := Product{TransposeA: true, Workers: 2}
		c, a, b := operands(r, p, 100, 100, 100)
		if n := testing.AllocsPerRun(50, func() { k.product(p, c, a, b) }); n > 0.5 {
			t.Errorf("%s: %v allocations a product", k.name, n)
		}
	}
}

func TestNothingToMultiply(t *testing.T) {
	c := Of([]float32{1, 2, 3, 4}, 2, 2)
	Product{Add: true}.Multiply(c, Of(nil, 2, 0), Of(nil, 0, 2))
	if c.Data[3] != 4 {
		t.Errorf("adding no products changed C: %v", c.Data)
	}
	Product{}.Multiply(c, Of(nil, 2, 0), Of(nil, 0, 2))
	if c.Data[0] != 0 || c.Data[3] != 0 {
		t.Errorf("the sums of no products are %v", c.Data)
	}
	Product{}.Multiply(Of(nil, 0, 2), Of(nil, 0, 2), Of(make([]float32, 4), 2, 2))
}

func TestShapesThatDoNotFit(t *testing.T) {
	floats := make([]float32, 100)
	for name, f := range map[string]func(){
		"inner":  func() { Product{}.Multiply(Of(floats, 3, 4), Of(floats, 3, 5), Of(floats, 6, 4)) },
		"rows":   func() { Product{TransposeA: true}.Multiply(Of(floats, 3, 4), Of(floats, 3, 5), Of(floats, 3, 4)) },
		"length": func() { Product{}.Multiply(Of(floats, 3, 4), Of(floats[:14], 3, 5), Of(floats, 5, 4)) },
		"stride": func() { Product{}.Multiply(Matrix{floats, 3, 4, 3}, Of(floats, 3, 5), Of(floats, 5, 4)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func BenchmarkProduct(b *testing.B) {
	for _, k := range append(append([]*kernel(nil), kernels...), halves...) {
		for _, s := range []struct {
			m, n, k int
			p       Product
		}{
			{600, 384, 1536, Product{TransposeB: true}},
			{600, 1536, 384, Product{TransposeB: true}},
			{600, 384, 384, Product{TransposeB: true}},
			{600, 384, 1536, Product{}},
			{1536, 384, 600, Product{TransposeA: true, Add: true}},
			{600, 384, 1536, Product{TransposeB: true, Workers: 2}},
			{40, 40, 32, Product{TransposeB: true}},
			{40, 32, 40, Product{}},
		} {
			name := fmt.Sprintf("%s/%dx%dx%d", k.name, s.m, s.n, s.k)
			if s.p.TransposeA {
				name += "-tA"
			}
			if s.p.TransposeB {
				name += "-tB"
			}
			if s.p.Workers > 1 {
				name += fmt.Sprintf("-%dworkers", s.p.Workers)
			}
			b.Run(name, func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 2))
				x, y, z := operands(r, s.p, s.m, s.n, s.k)
				for b.Loop() {
					k.product(s.p, x, y, z)
				}
				b.ReportMetric(float64(s.m*s.n*s.k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMAC/s")
			})
		}
	}
}

// Every kernel transposes as plain Go does, also parts of a matrix.
func TestTranspose(t *testing.T) {
	defer func(list []*kernel) { kernels = list }(kernels)
	for kernels = append([]*kernel(nil), kernels...); len(kernels) > 0; kernels = kernels[1:] {
		for _, size := range [][2]int{{1, 1}, {16, 32}, {29, 32}, {40, 13}, {7, 24}} {
			rows, cols, stride := size[0], size[1], 48
			m := Matrix{Data: make([]float32, rows*(cols+3)), Rows: rows, Cols: cols, Stride: cols + 3}
			for i := range m.Data {
				m.Data[i] = float32(i)
			}
			dst := make([]float32, 32*stride)
			m.Transpose(dst, stride)
			for i := range rows {
				for j := range cols {
					if got, want := dst[j*stride+i], m.Data[i*m.Stride+j]; got != want {
						t.Fatalf("%s, %d x %d: %v at %d, %d, not %v", kernels[0].name, rows, cols, got, i, j, want)
					}
				}
			}
		}
	}
}
