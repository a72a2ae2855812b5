package encode

import (
	"math"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

func quantized(t testing.TB, p *Params, h *Heads) *Model {
	t.Helper()
	m, err := Quantize(p, h)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func cosine(x []float32, y []float64) float64 {
	xy, xx, yy := 0.0, 0.0, 0.0
	for i := range x {
		xy, xx, yy = xy+float64(x[i])*y[i], xx+float64(x[i])*float64(x[i]), yy+y[i]*y[i]
	}
	return xy / math.Sqrt(xx*yy)
}

// Integers give nearly the vectors of floats.
func TestHiddenAgainstFloats(t *testing.T) {
	r := hash.Rand(1)
	for _, z := range []sizes{small, local, {Shape{384, 12, 1536, 64, 1e-12, 0}, 2, 40, 16, 8, 16},
		{Shape{48, 3, 40, 64, 1e-6, 0}, 4, 30, 16, 8, 16}} {
		p, h := random(z, 3)
		m := quantized(t, p, h)
		for _, n := range []int{2, 7, 17} {
			ids := make([]int32, n)
			for i := range ids {
				ids[i] = int32(r.Below(uint32(z.pieces)))
			}
			levels := p.levels(ids)
			got := m.Hidden(ids)
			for k, want := range levels[len(levels)-1] {
				if c := cosine(got[k*z.Width:(k+1)*z.Width], want); !(c > 0.995) {
					t.Errorf("width %d, token %d of %d: cosine %v", z.Width, k, n, c)
				}
			}
		}
	}
}

// The dense scores are nearly those of floats, in the order that was bound.
func TestDenseAgainstFloats(t *testing.T) {
	p, h := random(small, 4)
	labels := []string{"root", "unheard", "det", "acl"}
	tags := [][2]string{{"VERB", "UH"}, {"NOUN", ""}, {"X", "NN"}}
	feats := []string{"", "Case=Acc|Number=Sing", "Number=Dual", "Foo=Bar|Number=Plur"}
	m := quantized(t, p, h).Bind(labels, tags, feats)
	r := hash.Rand(2)
	worst := 0.0
	compare := func(what string, got int32, want float64) {
		d := math.Abs(float64(got)/unit - want)
		worst = max(worst, d)
		if !(d < 0.3) {
			t.Errorf("%s: %v, want %v", what, float64(got)/unit, want)
		}
	}
	value := func(h *Heads, name, v string, logs []float64) float64 {
		low := 0.0
		for _, c := range h.Classifiers {
			for i, known := range c.Values {
				if c.Name == name {
					low = min(low, logs[i])
					if known == v {
						return logs[i]
					}
				}
			}
		}
		return low
	}
	for range 4 {
		s := sentence(&r, 1+int(r.Below(9)), small.pieces, 3)
		n := len(s.Words)
		m.Encode([]*syntax.Sentence{s})
		m.Labels(s)
		v := wordVectors(p, h, s)
		d := &s.Dense
		if len(d.Arcs) != (n+1)*(n+1) || len(d.Labels) != n*len(labels) || len(d.Tags) != n*len(tags) ||
			len(d.Feats) != n*len(feats) {
			t.Fatalf("%d words: %d arcs, %d labels, %d tags, %d FEATS", n, len(d.Arcs), len(d.Labels), len(d.Tags), len(d.Feats))
		}
		arcs, relations := h.arcsOf(v), h.labelsOf(v, s)
		upos, xpos, kase, number := h.classOf(v, "upos"), h.classOf(v, "xpos"), h.classOf(v, "feats:Case"),
			h.classOf(v, "feats:Number")
		for i := range n {
			for k := range n + 1 {
				compare("arc", d.Arcs[k*(n+1)+i+1], arcs[i][k])
			}
			low := 0.0
			for _, x := range relations[i] {
				low = min(low, x)
			}
			for l, want := range []float64{relations[i][8], low, relations[i][4], relations[i][0]} {
				compare("label", d.Labels[i*len(labels)+l], want)
			}
			for k, tag := range tags {
				want := value(h, "upos", tag[0], upos[i])
				if tag[1] != "" {
					want += value(h, "xpos", tag[1], xpos[i])
				}
				compare("tag", d.Tags[i*len(tags)+k], want)
			}
			for k, pair := range [][2]string{{"", ""}, {"Acc", "Sing"}, {"", "Dual"}, {"", "Plur"}} {
				compare("FEATS", d.Feats[i*len(feats)+k],
					value(h, "feats:Case", pair[0], kase[i])+value(h, "feats:Number", pair[1], number[i]))
			}
		}
	}
	t.Logf("largest error %.3f nats", worst)
}

// Column 0 and the diagonal are at the floor; the others are a distribution.
func TestArcsSumToOne(t *testing.T) {
	p, h := random(small, 5)
	m := quantized(t, p, h)
	r := hash.Rand(9)
	for range 5 {
		s := sentence(&r, 1+int(r.Below(12)), small.pieces, 2)
		n := len(s.Words)
		m.Encode([]*syntax.Sentence{s})
		for mod := range n + 1 {
			sum := 0.0
			for head := range n + 1 {
				v := s.Dense.Arcs[head*(n+1)+mod]
				if v > 0 || v < least || (mod == 0 || head == mod) && v != least {
					t.Errorf("%d -> %d: %d", head, mod, v)
				}
				if mod > 0 {
					sum += math.Exp(float64(v) / unit)
				}
			}
			if mod > 0 && math.Abs(sum-1) > float64(n+1)/unit {
				t.Errorf("heads of word %d of %d sum to %v", mod, n, sum)
			}
		}
	}
}
