package finetune

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// The network finds weights that tell examples apart, however far the numbers are from 0
// and whatever their scale.
func TestFitPairs(t *testing.T) {
	r := hash.Rand(3)
	truth := []float32{2, -1, 0.01, 0}
	example := func() (row []float32, starts bool) {
		sum := float32(0)
		for i, w := range truth {
			x := float32(r.Float()*2 - 1)
			sum += 8 * w * x
			row = append(row, 5+x*[]float32{1, 100, 1, 0.01}[i])
		}
		return row, sum > 2
	}
	var p pairs
	for range 4000 {
		row, starts := example()
		p.rows, p.starts = append(p.rows, row), append(p.starts, starts)
	}
	network := p.fit(1, func(string, ...any) {})
	wrong, units := 0, make([]float32, encode.StartUnits)
	for range 1000 {
		row, starts := example()
		if network.Odds(nil, units, row, len(row), 1)[0] > 0 != starts {
			wrong++
		}
	}
	if wrong > 60 { // dropped numbers blur what four of them say
		t.Errorf("%d of 1000 are wrong", wrong)
	}
}

// A network that few gaps teach, or gaps that are all alike, can be stored.
func TestFewGaps(t *testing.T) {
	m, err := encode.Quantize(encode.Tiny(1, nil))
	if err != nil {
		t.Fatal(err)
	}
	window := syntax.Sentence{Words: []syntax.Word{{Form: "ab"}, {Form: "c"}}}
	for n := 1; n <= 3; n++ {
		starts := LearnStarts(m, [][]syntax.Sentence{slices.Repeat([]syntax.Sentence{window}, n)},
			func(*syntax.Word) bool { return true }, 1, func(string, ...any) {})
		var b pack.Builder
		m.WithStarts(starts).Pack(b.Sub("encode"))
		if _, err := encode.Open(pack.NewView(b.Sections), "encode"); err != nil {
			t.Errorf("%d gaps: %v", n, err)
		}
	}
}

func TestSomeWindows(t *testing.T) {
	var list []syntax.Sentence
	for range 8000 {
		list = append(list, syntax.Sentence{Words: make([]syntax.Word, 50)})
	}
	got := some(list, mostPairs)
	if n := len(got) * 50; n > mostPairs || n < mostPairs-100 || got[len(got)-1] != &list[7999] && got[len(got)-1] != &list[7998] {
		t.Errorf("%d words", n)
	}
	if got := some(list[:100], mostPairs); len(got) != 100 {
		t.Errorf("%d of 100 windows", len(got))
	}
}
