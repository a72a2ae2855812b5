package finetune

import (
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
)

// TestMoveIsAdam compares every path with the formulas in float64, and with
// each other, bit by bit.
func TestMoveIsAdam(t *testing.T) {
	r := hash.Rand(1)
	draw := func(n int) (list []float32) {
		for range n {
			list = append(list, float32(r.Float()*2-1))
		}
		return list
	}
	for n := range 35 {
		w, g, m, v := draw(n), draw(n), draw(n), draw(n)
		for i := range v {
			v[i] *= v[i]
		}
		u := update{
			scale: 0.7, rate: 1e-3, second: 1.3, keep: 0.99, epsilon: 1e-8,
			firstDecay: 0.9, firstGain: 1 - 0.9, secondDecay: 0.98, secondGain: 1 - 0.98,
		}
		// One weight at a time never takes the fast path.
		slow := [][]float32{slices.Clone(w), slices.Clone(m), slices.Clone(v)}
		for i := range w {
			u.move(slow[0][i:i+1], g[i:i+1], slow[1][i:i+1], slow[2][i:i+1])
		}
		for i := range w {
			d := float64(g[i]) * 0.7
			first := 0.9*float64(m[i]) + 0.1*d
			second := 0.98*float64(v[i]) + 0.02*d*d
			want := float64(w[i])*0.99 - 1e-3*first/(math.Sqrt(second*1.3)+1e-8)
			if math.Abs(float64(slow[0][i])-want) > 1e-6 || math.Abs(float64(slow[1][i])-first) > 1e-6 ||
				math.Abs(float64(slow[2][i])-second) > 1e-6 {
				t.Fatalf("weight %d of %d: %v, %v, %v, want %v, %v, %v", i, n, slow[0][i], slow[1][i], slow[2][i], want, first, second)
			}
		}
		u.move(w, g, m, v)
		if !slices.Equal(w, slow[0]) || !slices.Equal(m, slow[1]) || !slices.Equal(v, slow[2]) {
			t.Errorf("the paths differ for %d weights", n)
		}
	}
}

func BenchmarkMove(b *testing.B) {
	const n = 1 << 20
	w, g, m, v := make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range g {
		g[i] = float32(i%7) - 3
	}
	u := update{scale: 1, rate: 1e-3, second: 1, keep: 1, epsilon: 1e-8, firstDecay: 0.9, firstGain: 0.1,
		secondDecay: 0.98, secondGain: 0.02}
	b.SetBytes(28 * n)
	for b.Loop() {
		u.move(w, g, m, v)
	}
}
