package encode

import (
	"math"
	"reflect"
	"testing"
)

// What a model has in floats is what it was made of, but for its rounding. Alone, it has the
// vector of a bank in the positions.
func TestFloats(t *testing.T) {
	want, heads := random(small, 3)
	m := quantized(t, want, heads)
	p, h := m.Floats()
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	if err := h.check(); err != nil {
		t.Fatal(err)
	}
	near := func(name string, got, want []float32, least float32) {
		t.Helper()
		size := least
		for _, x := range want {
			size = max(size, x, -x)
		}
		for i := range want {
			if d := float64(got[i] - want[i]); !(math.Abs(d) <= float64(size)/126) {
				t.Errorf("%s: %v at %d, want %v", name, got[i], i, want[i])
				return
			}
		}
	}
	compare := func(got, want []Tensor) {
		t.Helper()
		if len(got) != len(want) {
			t.Fatalf("%d tensors, want %d", len(got), len(want))
		}
		for i := range want {
			if want[i].Name == "mix" {
				near("mix", shares(*got[i].Data, 1), shares(*want[i].Data, 1), 0)
				continue
			}
			if !reflect.DeepEqual(got[i].Shape, want[i].Shape) {
				t.Fatalf("%s has the shape %v, want %v", want[i].Name, got[i].Shape, want[i].Shape)
			}
			near(want[i].Name, *got[i].Data, *want[i].Data, 0)
		}
	}
	compare(p.Tensors(), want.Tensors())
	compare(h.Tensors(), heads.Tensors())
	again, headsAgain := quantized(t, p, h).Floats() // rounded numbers are rounded to themselves
	compare(again.Tensors(), p.Tensors())
	compare(headsAgain.Tensors(), h.Tensors())

	banked, heads := random(small, 4)
	banked.Banks, banked.Bank = []string{"xa", Anywhere}, make([]float32, 2*banked.Width)
	for i := range banked.Bank {
		banked.Bank[i] = float32(i)
	}
	banked.Coarse, banked.Word = NewCodes(banked.Word, banked.Width, 5), nil
	for k, code := range []string{"xa", "xx"} {
		p, _ := quantized(t, banked, heads).Floats()
		if !reflect.DeepEqual(p.Banks, banked.Banks) || !reflect.DeepEqual(p.Bank, banked.Bank) || p.Coarse == nil {
			t.Error("banks or coarse vectors are gone")
		}
		p.Alone(code)
		if p.Banks != nil || p.Coarse != nil || len(p.Word) != len(p.Pieces.Pieces)*p.Width {
			t.Error("banks or coarse vectors are left")
		}
		sum := make([]float32, len(banked.Position))
		for i, x := range banked.Position {
			sum[i] = x + banked.Bank[k*banked.Width+i%banked.Width]
		}
		near("position", p.Position, sum, 1)
	}
}
