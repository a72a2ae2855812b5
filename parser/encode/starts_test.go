package encode

import (
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Starts are the products of weights and pairs, which are the same in any batch, and stay
// with a model that is saved.
func TestStarts(t *testing.T) {
	p, h := Tiny(7, []string{"root", "dep"})
	m := quantized(t, p, h)
	r := hash.Rand(1)
	var windows []*syntax.Sentence
	for _, n := range []int{3, 64, 1, 40, 64, 64, 64, 64, 64, 64, 64, 64, 64} {
		s := &syntax.Sentence{}
		for range n {
			s.Words = append(s.Words, syntax.Word{Form: string([]byte{byte('a' + r.Below(26)), byte('a' + r.Below(26))})})
		}
		windows = append(windows, s)
	}
	if m.HasStarts() || len(m.Starts(nil, windows)) > 0 {
		t.Error("log-odds without weights")
	}
	w := m.shape.Width
	weights := make([]float32, 2*w+1)
	for i := range weights {
		weights[i] = float32(r.Float() - 0.5)
	}
	if _, err := m.WithStarts(weights[1:]); err == nil {
		t.Error("a weight is missing")
	}
	x, err := m.WithStarts(weights)
	if err != nil || !x.HasStarts() || m.HasStarts() {
		t.Fatal(err)
	}
	var want []int32
	for _, s := range windows { // one at a time
		var before []float32
		m.Pairs([]*syntax.Sentence{s}, func(first bool, pair []float32) {
			if first != (before == nil) || len(pair) != 2*w || !first && !slices.Equal(pair[:w], before) {
				t.Fatalf("first %v, %d numbers", first, len(pair))
			}
			before = slices.Clone(pair[w:])
			if first {
				want = append(want, 0)
				return
			}
			sum := float64(weights[2*w])
			for i, v := range pair {
				sum += float64(v) * float64(weights[i])
			}
			want = append(want, int32(math.RoundToEven(max(-30*unit, min(30*unit, sum*unit)))))
		})
	}
	if got := x.Starts([]int32{5}, windows); got[0] != 5 || !slices.Equal(got[1:], want) {
		t.Errorf("%v, want 5 and %v", got[:9], want[:8])
	}
	var b pack.Builder
	x.Pack(b.Sub("encode"))
	read, err := Open(pack.NewView(b.Sections), "encode")
	if err != nil {
		t.Fatal(err)
	}
	if got := read.Starts(nil, windows); !slices.Equal(got, want) {
		t.Error("other log-odds after saving")
	}
	if got := m.WithStartsOf(read).Starts(nil, windows); !slices.Equal(got, want) {
		t.Error("other log-odds with the weights of another model")
	}
	if none, err := x.WithStarts(nil); err != nil || none.HasStarts() {
		t.Error("the weights stay", err)
	}
}
