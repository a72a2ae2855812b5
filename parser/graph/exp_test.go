package graph

import (
	"math"
	"testing"
)

func TestExp(t *testing.T) {
	for x := -699.99; x < 700; x += 0.0371 {
		if got, want := Exp(x), math.Exp(x); math.Abs(got-want) > 3e-13*want {
			t.Fatalf("Exp(%g) = %g, want %g", x, got, want)
		}
	}
	if Exp(0) != 1 || Exp(-800) != 0 {
		t.Error("Exp is wrong at 0 or far below")
	}
}

func TestLog(t *testing.T) {
	for x := 1e-12; x < 1e12; x *= 1.01 {
		if got, want := Log(x), math.Log(x); math.Abs(got-want) > 1e-13*max(1, math.Abs(want)) {
			t.Fatalf("log %g is %g, want %g", x, got, want)
		}
	}
}
