package prune

import (
	"math"
	"testing"
)

func TestRowsSumToCells(t *testing.T) {
	m, err := Train(toy(60, 1), toy(20, 2), Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := m.get()
	nonzero := 0
	for _, s := range toy(30, 3) {
		s.Words[1].Form, s.Words[1].Lemma = "unseen", "unseen"
		x.encode(&s)
		n := len(s.Words)
		for mod := 1; mod <= n; mod++ {
			for h := 0; h <= n; h++ {
				if h == mod {
					continue
				}
				want := int32(0)
				for _, c := range x.context.cellsOf(&x.codes, h, mod, nil) {
					want += int32(m.coarse[c])
				}
				if got := x.context.score(&x.codes, m.coarse, h, mod); got != want {
					t.Fatalf("arc %d -> %d of %d words: %d from rows, %d from single weights", h, mod, n, got, want)
				}
				if want != 0 {
					nonzero++
				}
			}
		}
	}
	if nonzero == 0 {
		t.Error("all scores are 0")
	}
}

func TestCurveAgreesWithMeasure(t *testing.T) {
	m, err := Train(toy(60, 1), toy(20, 2), Options{})
	if err != nil {
		t.Fatal(err)
	}
	dev := toy(40, 4)
	for i := range dev { // make it hard
		for w := range dev[i].Words {
			if w%3 == 0 {
				dev[i].Words[w].UPOS = "X"
			}
		}
	}
	cuts := []float64{0.5, 2, 5, 9}
	coarse, curve := m.Curve(dev, cuts)
	for i, want := range curve {
		if got := m.WithCut(cuts[i]).Measure(dev); got != want {
			t.Errorf("cut %v: Curve %+v, Measure %+v", cuts[i], want, got)
		}
		if i > 0 && (want.Arcs < curve[i-1].Arcs || want.Kept < curve[i-1].Kept) {
			t.Errorf("a deeper cut leaves less: %+v after %+v", want, curve[i-1])
		}
	}
	if curve[0].Arcs == curve[3].Arcs || coarse.Arcs < curve[3].Arcs || !math.IsInf(coarse.Cut, 1) {
		t.Errorf("coarse %+v, curve %+v", coarse, curve)
	}
}
