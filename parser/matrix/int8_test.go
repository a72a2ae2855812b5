package matrix

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// integerPaths are all ways to multiply int8 here; nil is plain Go.
func integerPaths() []*integerKernel { return append(append([]*integerKernel(nil), integers...), nil) }

func (k *integerKernel) String() string {
	if k == nil {
		return "plain"
	}
	return k.name
}

// bytes returns random values in [-127, 127], or of the ends only.
func bytes(r *rand.Rand, n int, ends bool) []int8 {
	list := make([]int8, n)
	for i := range list {
		list[i] = int8(r.IntN(255) - 127)
		if ends {
			list[i] = int8(r.IntN(2)*254 - 127)
		}
	}
	return list
}

func TestInt8IsExact(t *testing.T) {
	for _, k := range integerPaths() {
		t.Run(k.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for trial := range 300 {
				tokens, outputs, inputs := 1+r.IntN(30), 1+r.IntN(80), 1+r.IntN(100)
				switch {
				case trial%50 == 0:
					tokens = tokenBlock + r.IntN(20)
				case trial%50 == 1:
					inputs = 1500 + r.IntN(40)
				}
				a, weights := bytes(r, tokens*inputs, trial%3 == 0), bytes(r, outputs*inputs, trial%3 == 0)
				if trial%9 == 0 { // the greatest sums
					for i := range a {
						a[i] = 127
					}
					for i := range weights {
						weights[i] = int8(127 - 254*(trial/9%2))
					}
				}
				dst := make([]int32, tokens*outputs+5)
				for i := range dst {
					dst[i] = 42
				}
				newInt8(k, weights, outputs, inputs).Multiply(dst, a, tokens)
				for i := range dst {
					want := int32(42)
					if i < tokens*outputs {
						want = 0
						for x := range inputs {
							want += int32(a[i/outputs*inputs+x]) * int32(weights[i%outputs*inputs+x])
						}
					}
					if dst[i] != want {
						t.Fatalf("%d tokens, %d outputs, %d inputs: element %d is %d, want %d", tokens, outputs, inputs, i, dst[i], want)
					}
				}
			}
		})
	}
}

func TestInt8OfTheMostInputs(t *testing.T) {
	const inputs = 1 << 15
	a, weights := make([]int8, 2*inputs), make([]int8, 5*inputs)
	for i := range a {
		a[i] = 127
	}
	for i := range weights {
		weights[i] = -127
	}
	for _, k := range integerPaths() {
		dst := make([]int32, 10)
		newInt8(k, weights, 5, inputs).Multiply(dst, a, 2)
		for i, x := range dst {
			if x != -127*127*inputs {
				t.Errorf("%v: element %d is %d, want %d", k, i, x, -127*127*inputs)
			}
		}
	}
}

func TestInt8AllocatesNothing(t *testing.T) {
	if underRace {
		t.Skip("the race detector drops what is pooled")
	}
	for _, k := range integerPaths() {
		r := rand.New(rand.NewPCG(3, 4))
		m := newInt8(k, bytes(r, 40*67, false), 40, 67)
		dst, a := make([]int32, 40*20), bytes(r, 20*67, false)
		if n := testing.AllocsPerRun(50, func() { m.Multiply(dst, a, 20) }); n > 0.5 {
			t.Errorf("%v: %v allocations a product", k, n)
		}
	}
}

func BenchmarkInt8(b *testing.B) {
	for _, k := range integerPaths() {
		for _, s := range [][3]int{{600, 384, 384}, {600, 1536, 384}, {600, 384, 1536}, {40, 1536, 384}, {1, 384, 384}} {
			b.Run(fmt.Sprintf("%v/%dx%dx%d", k, s[0], s[1], s[2]), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 2))
				m := newInt8(k, bytes(r, s[1]*s[2], false), s[1], s[2])
				a, dst := bytes(r, s[0]*s[2], false), make([]int32, s[0]*s[1])
				for b.Loop() {
					m.Multiply(dst, a, s[0])
				}
				b.ReportMetric(float64(s[0]*s[1]*s[2])*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMAC/s")
			})
		}
	}
}
