package finetune

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A small network learns a toy language, with the same weights for any number of workers, and
// can be made integers of.
func TestSmall(t *testing.T) {
	trees := toyTrees(60)
	run := func(workers int) (*encode.Params, *encode.Heads) {
		others := toyHeads(t, toy(2), trees) // are not those of the network
		x, err := newTrainer(toy(2), trees, trees, Options{Small: true, Heads: others, Epochs: 5, Workers: workers, pace: pace{40, 2e-3, 2e-3}})
		if err != nil {
			t.Fatal(err)
		}
		if err := x.run(); err != nil {
			t.Fatal(err)
		}
		if words := x.measure().words; x.best.figure < 0.95*float64(words) {
			t.Errorf("%g of %d words are right of what it learned from", x.best.figure, words)
		}
		return x.network.p, x.heads.p
	}
	p, h := run(1)
	if again, heads := run(3); !slices.Equal(weightsOf(again, heads), weightsOf(p, h)) {
		t.Error("3 workers: other weights")
	}
	if p.Local != len(p.Layers) || p.Width != smallShape.Width {
		t.Errorf("%d of %d layers are local, width %d", p.Local, len(p.Layers), p.Width)
	}
}

// Words beyond the reach of a small network do not change what it says of a gap, but for their
// positions.
func TestReach(t *testing.T) {
	trees := toyTrees(20)
	p, h, err := Train(toy(2), trees, trees, Options{Small: true, Epochs: 1, pace: pace{40, 2e-3, 2e-3}})
	if err != nil {
		t.Fatal(err)
	}
	clear(p.Position)
	m, err := encode.Quantize(p, h)
	if err != nil {
		t.Fatal(err)
	}
	whole := &syntax.Sentence{}
	for i := range trees {
		whole.Words = append(whole.Words, trees[i].Words...)
	}
	m = m.WithStarts(LearnStarts(m, [][]syntax.Sentence{{*whole}}, func(w *syntax.Word) bool { return w.Head == 0 }, 1, func(string, ...any) {}))
	want, least := m.Starts(nil, []*syntax.Sentence{whole}), 0
	for i := 1; i < len(whole.Words); i++ {
		for around := 1; ; around++ {
			from := max(0, i-around)
			part := &syntax.Sentence{Words: whole.Words[from:min(len(whole.Words), i+around)]}
			if m.Starts(nil, []*syntax.Sentence{part})[i-from] == want[i] {
				least = max(least, around)
				break
			}
		}
	}
	if least != m.Reach()+1 {
		t.Errorf("gaps depend on %d words on either side, reach %d", least, m.Reach())
	}
}

// In all directions, the vectors of pieces keep their cosines; in some, they keep what they can:
// no other directions have a larger variance.
func TestPrincipal(t *testing.T) {
	const width = 12
	r := hash.Rand(3)
	p := randomParams(&r, width, 3, 1, 40)
	centred := make([][]float64, 40)
	mean := make([]float64, width)
	for i := range centred {
		row, sum, squares := make([]float64, width), 0.0, 0.0
		for j := range row {
			row[j] = float64(p.Word[i*width+j])
			sum += row[j] / width
		}
		for j := range row {
			row[j] -= sum
			squares += row[j] * row[j]
		}
		for j := range row {
			row[j] /= math.Sqrt(squares)
			mean[j] += row[j] / 40
		}
		centred[i] = row
	}
	dot := func(a, b []float64) (sum float64) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	for i := range centred {
		for j := range mean {
			centred[i][j] -= mean[j]
		}
	}
	all, few, wide := make([]float32, 40*width), make([]float32, 40*4), make([]float32, 40*20)
	if err := errors.Join(principal(all, width, p), principal(few, 4, p), principal(wide, 20, p)); err != nil {
		t.Fatal(err)
	}
	rows := func(list []float32, width int) (out [][]float64) {
		for row := range slices.Chunk(list, width) {
			x := make([]float64, width)
			for i, v := range row {
				x[i] = float64(v)
			}
			out = append(out, x)
		}
		return out
	}
	for name, got := range map[string][][]float64{"all": rows(all, width), "more": rows(wide, 20)} {
		factor := dot(got[0], got[0]) / dot(centred[0], centred[0])
		for i := range got {
			for k := range got {
				if want := factor * dot(centred[i], centred[k]); math.Abs(dot(got[i], got[k])-want) > 1e-3 {
					t.Fatalf("%s: the product of %d and %d is %g, want %g", name, i, k, dot(got[i], got[k]), want)
				}
			}
		}
	}
	// The variance in 4 directions, as a share of all, is at least that in any 4 others: here, of
	// the 4 coordinates with the most.
	kept, total := 0.0, 0.0
	full, part := rows(all, width), rows(few, 4)
	scale := 0.0 // few and all have other factors: compare by the last directions of all
	for i := range full {
		kept += dot(full[i][width-4:], full[i][width-4:])
		total += dot(full[i], full[i])
		scale += dot(part[i], part[i])
	}
	columns := make([]float64, width)
	sum := 0.0
	for i := range centred {
		for j, v := range centred[i] {
			columns[j] += v * v
			sum += v * v
		}
	}
	slices.Sort(columns)
	best := columns[width-1] + columns[width-2] + columns[width-3] + columns[width-4]
	if kept/total < best/sum-1e-6 {
		t.Errorf("4 directions keep %g of the variance, 4 coordinates %g", kept/total, best/sum)
	}
	for i := range full {
		for j := range 4 {
			if want := full[i][width-4+j] * math.Sqrt(scale/kept); math.Abs(part[i][j]-want) > 1e-4 {
				t.Fatalf("piece %d: number %d of 4 directions is %g, want %g", i, j, part[i][j], want)
			}
		}
	}
}

// Pieces that are all alike have no directions.
func TestPrincipalOfOneVector(t *testing.T) {
	p := toy(1)
	for i := range p.Word {
		p.Word[i] = p.Word[i%p.Width]
	}
	if _, err := newTrainer(p, toyTrees(5), nil, Options{Small: true}); !errors.Is(err, errAlike) {
		t.Errorf("%v", err)
	}
}
