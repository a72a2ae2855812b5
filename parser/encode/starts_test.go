package encode

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Starts are what the network makes of pairs. They are the same in any batch, and stay with a
// model that is saved.
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
		t.Error("log-odds without a network")
	}
	w := m.shape.Width
	network := NewStartNetwork(w)
	for _, list := range [][]float32{network.Hidden, network.Bias, network.Sum} {
		for i := range list {
			list[i] = float32(r.Float() - 0.5)
		}
	}
	x := m.WithStarts(network)
	if !x.HasStarts() || m.HasStarts() {
		t.Fatal("WithStarts")
	}
	var want []int32
	for _, s := range windows { // one at a time
		m.Windows([]*syntax.Sentence{s}, func(vectors []float32) {
			if len(vectors) != (len(s.Words)+1)*w {
				t.Fatalf("%d numbers", len(vectors))
			}
			want = append(want, 0)
			for i := 1; i < len(s.Words); i++ {
				odds := network.Sum[StartUnits]
				for k := range StartUnits {
					hidden := float32(0)
					for at, v := range vectors[i*w : (i+2)*w] {
						hidden += float32(v * network.Hidden[at*StartUnits+k])
					}
					if hidden += network.Bias[k]; hidden < 0 {
						hidden *= 0.1
					}
					odds += float32(hidden * network.Sum[k])
				}
				want = append(want, int32(math.RoundToEven(max(-30*unit, min(30*unit, float64(odds*unit))))))
			}
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
	pack.Put(b.Sub("encode"), "starts", []float32{1})
	if _, err := Open(pack.NewView(b.Sections), "encode"); err == nil || !strings.Contains(err.Error(), "hidden units") {
		t.Error("weights without hidden units:", err)
	}
	if got := m.WithStartsOf(read).Starts(nil, windows); !slices.Equal(got, want) {
		t.Error("other log-odds with the network of another model")
	}
	if x.WithStarts(nil).HasStarts() {
		t.Error("the network stays")
	}
}
