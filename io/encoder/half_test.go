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

func TestHalfFromFloat32(t *testing.T) {
	for h := range 1 << 16 {
		x := float32FromHalf(uint16(h))
		if x != x {
			continue
		}
		if got := halfFromFloat32(x); got != uint16(h) {
			t.Fatalf("%#x becomes %v, then %#x", h, x, got)
		}
		// What lies between two neighbours becomes the nearer one.
		next := float32FromHalf(uint16(h + 1))
		if h&0x7FFF >= 0x7BFF {
			continue
		}
		middle := x + (next-x)/2
		even := uint16(h + h&1)
		for _, y := range []struct {
			x    float32
			want uint16
		}{{math.Nextafter32(middle, x), uint16(h)}, {middle, even}, {math.Nextafter32(middle, next), uint16(h + 1)}} {
			if got := halfFromFloat32(y.x); got != y.want {
				t.Fatalf("%v between %#x and %#x becomes %#x, want %#x", y.x, h, h+1, got, y.want)
			}
		}
	}
	for _, x := range []float32{65520, float32(math.Inf(1)), 1e30} {
		if got := halfFromFloat32(-x); got != 0xFC00 {
			t.Errorf("%v becomes %#x", -x, got)
		}
	}
	if got := halfFromFloat32(65519.996); got != 0x7BFF {
		t.Errorf("got %#x", got)
	}
	if x := float32FromHalf(halfFromFloat32(float32(math.NaN()))); x == x {
		t.Errorf("got %v", x)
	}
}
