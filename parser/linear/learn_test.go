package linear

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
)

func TestPassiveAggressive(t *testing.T) {
	for _, c := range []struct{ loss, norm, want float64 }{{1, 4, 0.25}, {4, 1, 0.5}, {-1, 4, 0}, {1, 0, 0}, {0, 0, 0},
		{math.NaN(), 1, 0}} {
		if got := PassiveAggressive(c.loss, c.norm, 0.5); got != c.want {
			t.Errorf("loss %g, norm %g: %g, want %g", c.loss, c.norm, got, c.want)
		}
	}
}

// A history is the sum of a weight's values after each step.
type history struct{ w, sum float64 }

// For all kinds of weights, the lazy average equals the average of the values after each
// step.
func TestAveragesAreNaive(t *testing.T) {
	const n, classes, steps = 300, 5, 400
	r := hash.Rand(3)
	naive := make([]history, n*classes)
	rows, weights, dense := NewRows(n), NewWeights(), NewDense(n*classes)
	for step := 1; step <= steps; step++ {
		for range r.Below(9) {
			id, class := r.Below(n), r.Below(classes)
			delta := math.Ldexp(float64(r.Below(200))-100, -6)
			i := id*classes + class
			naive[i].w += delta
			rows.Add(int32(id), uint16(class), float32(delta), step)
			weights.Add(hash.Mix(uint64(i)), delta, step)
			dense.Add(int(i), float32(delta), step)
		}
		for i := range naive {
			naive[i].sum += naive[i].w
		}
	}
	near := func(what string, i int, got float32) {
		t.Helper()
		if want := naive[i].sum / steps; math.Abs(float64(got)-want) > 1e-5 {
			t.Errorf("%s %d: %g, want %g", what, i, got, want)
		}
	}
	average := weights.Average(steps)
	averaged := map[hash.Key]float32{}
	weights.Averaged(steps, func(k hash.Key, w float32) { averaged[k] = w })
	for i, w := range dense.Averaged(steps) {
		k := hash.Mix(uint64(i))
		near("dense", i, w)
		near("weights", i, float32(average.Sum([]hash.Key{k})))
		near("weights", i, averaged[k])
		if got := weights.Sum([]hash.Key{k}); math.Abs(got-naive[i].w) > 1e-5 {
			t.Errorf("weight %d is %g, want %g", i, got, naive[i].w)
		}
	}
	rows.Averaged(steps)
	for id := range int32(n) {
		var acc [classes]float32
		rows.Sum(id, acc[:])
		for class, w := range acc {
			near("rows", int(id)*classes+class, w)
		}
	}
}

// All kinds of weights climb by the rule as it is in the paper.
func TestClimbIsAdaGrad(t *testing.T) {
	const n = 50
	rule := AdaGrad{Rate: 0.1, Floor: 0.01}
	r := hash.Rand(4)
	var w, square [n]float64
	rows, weights, dense := NewRows(n/5), NewWeights(), NewDense(n)
	for range 2000 {
		i, g := r.Below(n), r.Float()-0.5
		square[i] += g * g
		w[i] += 0.1 * g / (math.Sqrt(square[i]) + 0.01)
		rows.Climb(int32(i/5), uint16(i%5), float32(g), rule)
		weights.Climb(hash.Mix(uint64(i)), float32(g), rule, 1)
		dense.Climb(int(i), float32(g), rule)
	}
	for i, want := range w {
		var acc [5]float32
		rows.Sum(int32(i/5), acc[:])
		for _, got := range []float64{float64(acc[i%5]), weights.Sum([]hash.Key{hash.Mix(uint64(i))}), float64(dense.W[i])} {
			if math.Abs(got-want) > 1e-4 {
				t.Errorf("weight %d: %g, want %g", i, got, want)
			}
		}
	}
}

// Rows keep all their cells while they grow.
func TestRowsAreMaps(t *testing.T) {
	const n, classes = 40, 9000
	r := hash.Rand(5)
	rows := NewRows(n)
	var want [n]map[uint16]float32
	var order [n][]uint16
	for i := range 60000 {
		id, class := r.Below(n), uint16(r.Below(classes))
		id = min(id, r.Below(n)) // of very different sizes
		if want[id] == nil {
			want[id] = map[uint16]float32{}
		}
		if _, ok := want[id][class]; !ok {
			order[id] = append(order[id], class)
		}
		want[id][class] += float32(i%7) - 3
		rows.Add(int32(id), class, float32(i%7)-3, 1)
	}
	for id := range want {
		row := rows.rows[id]
		if len(row) != len(order[id]) {
			t.Fatalf("row %d has %d cells, want %d", id, len(row), len(order[id]))
		}
		for i, c := range row {
			if c.class != order[id][i] || c.weight != want[id][c.class] {
				t.Fatalf("row %d, cell %d: %+v, want class %d, %g", id, i, c, order[id][i], want[id][c.class])
			}
		}
	}
}

// Unknown keys weigh nothing, and growth loses none.
func TestWeightsAreAMap(t *testing.T) {
	r := hash.Rand(6)
	w := NewWeights()
	want := map[hash.Key]float64{}
	var keys []hash.Key
	for i := range 200000 {
		k := hash.Mix(uint64(r.Below(150000)))
		if _, ok := want[k]; !ok {
			keys = append(keys, k)
		}
		want[k] += float64(i % 5)
		w.Add(k, float64(i%5), i)
	}
	if w.Len() != len(want) {
		t.Errorf("%d features, want %d", w.Len(), len(want))
	}
	total := 0.0
	for _, k := range keys {
		total += want[k]
		if got := w.Sum([]hash.Key{k}); got != want[k] {
			t.Fatalf("%#x weighs %g, want %g", k, got, want[k])
		}
	}
	if got := w.Sum(keys); got != total {
		t.Errorf("the sum is %g, want %g", got, total)
	}
	for i := range 100000 {
		if k := hash.Mix(uint64(1<<40 + i)); w.Sum([]hash.Key{k}) != 0 {
			t.Fatalf("foreign key %#x has a weight", k)
		}
	}
	n := testing.AllocsPerRun(10, func() { w.Sum(keys[:1000]) })
	if n != 0 {
		t.Errorf("Sum allocates %g times", n)
	}
}

func sections(layout func(*pack.Layout)) []pack.Section {
	var b pack.Builder
	pack.Write(b.Sub("c"), layout)
	for i := range b.Sections {
		b.Sections[i].Data = slices.Clone(b.Sections[i].Data)
	}
	return b.Sections
}

// Every damaged section of a checkpoint is an error or gives weights that can
// go on.
func TestDamagedCheckpoints(t *testing.T) {
	weights := NewWeights()
	for i := range 9 {
		weights.Climb(hash.Mix(uint64(i)), 1, AdaGrad{1, 1}, 1)
	}
	good := sections(func(l *pack.Layout) { weights.Layout(l, "w") })
	for i, s := range good {
		for _, data := range [][]byte{nil, s.Data[:len(s.Data)/2/8*8], append(slices.Clone(s.Data), make([]byte, 8)...)} {
			list := slices.Clone(good)
			list[i].Data = data
			w := NewWeights()
			if err := pack.Read(pack.NewView(list), "c", func(l *pack.Layout) { w.Layout(l, "w") }); err != nil {
				continue
			}
			w.Climb(hash.Mix(3), 1, AdaGrad{1, 1}, 2)
			if !strings.HasSuffix(s.Name, ".square") { // which may be missing
				t.Errorf("%d bytes of %s were accepted", len(data), s.Name)
			}
		}
	}
	one := NewWeights()
	for i := range one.shards {
		one.shards[i] = newShard(1) // which cannot grow by half
	}
	list := sections(func(l *pack.Layout) { one.Layout(l, "w") })
	if pack.Read(pack.NewView(list), "c", func(l *pack.Layout) { one.Layout(l, "w") }) == nil {
		t.Error("shards of one place were accepted")
	}
}

func TestLogisticSeparates(t *testing.T) {
	l := Logistic{Epochs: 5, Rate: 0.5, Least: 1, Examples: func(yield func([]hash.Key, bool, float32)) {
		r := hash.Rand(3)
		for range 500 {
			x := uint64(r.Below(10))
			yield([]hash.Key{hash.Key1(1, x), hash.Key1(2, 0)}, x < 3, 1)
		}
	}}
	w := Pack(l.Fit(1).Each, Packing{Unit: 512})
	for x := range uint64(10) {
		if got := w.Score([]hash.Key{hash.Key1(1, x), hash.Key1(2, 0)}) > 0; got != (x < 3) {
			t.Errorf("%d is %v", x, got)
		}
	}
}
