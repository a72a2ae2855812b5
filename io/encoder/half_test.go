package encoder

import (
	"math"
	"testing"
)

func TestHalf(t *testing.T) {
	for _, x := range []struct {
		bits uint16
		want float64
	}{{0, 0}, {0x3C00, 1}, {0xC000, -2}, {0x7BFF, 65504}, {0x0400, math.Ldexp(1, -14)}, {0x0001, math.Ldexp(1, -24)},
		{0x83FF, -math.Ldexp(1023, -24)}, {0x3555, 0.333251953125}, {0x7C00, math.Inf(1)}, {0xFC00, math.Inf(-1)}} {
		if got := float64(float32FromHalf(x.bits)); got != x.want {
			t.Errorf("%#x: got %v, want %v", x.bits, got, x.want)
		}
	}
	if x := float32FromHalf(0x7C01); x == x {
		t.Errorf("got %v, want no number", x)
	}
	if x := float32FromHalf(0x8000); math.Float32bits(x) != 1<<31 {
		t.Errorf("got %v, want -0", x)
	}
}
