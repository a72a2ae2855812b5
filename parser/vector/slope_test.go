package vector

import (
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
)

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
	if !(worst < 2e-6) {
		t.Errorf("error %g", worst)
	}
	r := hash.Rand(3)
	x := random(&r, 160, 3)
	y := make([]float32, 160)
	var slopes, values []float32
	for i := range x { // one by one: in plain Go
		one := []float32{x[i]}
		GELUSlope(y[i:i+1], one)
		slopes, values = append(slopes, one[0]), append(values, y[i])
	}
	GELUSlope(y, x)
	if !slices.Equal(x, slopes) || !slices.Equal(y, values) {
		t.Error("vector instructions give other bits")
	}
}
