package score

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/pack"
)

// A table holds weights as they are learned.
type table struct{ *linear.Weights }

func newTable() table { return table{linear.NewWeights()} }

func (t table) compact(limit int) *Weights {
	return Compact(func(yield func(hash.Key, float32)) { t.Averaged(0, yield) }, limit)
}

func open(list []pack.Section) (*Weights, error) {
	w := new(Weights)
	return w, pack.Read(pack.NewView(list), "c", func(l *pack.Layout) { w.Layout(l, "w") })
}

// Len returns the number of features.
func (w *Weights) Len() int {
	n := 0
	for i := 0; i < len(w.lines); i += lineWords {
		free := bits.OnesCount64(zeros(w.lines[i])) + bits.OnesCount64(zeros(w.lines[i+1]))
		n += lineFeatures - free
	}
	return n
}

func filled(n int) (table, []uint64) {
	r := hash.Rand(1)
	t := newTable()
	var keys []uint64
	for i := 0; i < n; i++ {
		k := r.Next()
		keys = append(keys, k)
		t.Add(k, (float64(r.Below(2000))-1000)/4000, 1+i%7)
	}
	return t, keys
}

func TestWeightsAreTheQuantisedTable(t *testing.T) {
	table, keys := filled(3000)
	w := table.compact(1 << 20)
	step := 0.25 / (1<<(weightBits-1) - 1) * 2
	for _, k := range keys {
		got := float64(w.Sum([]uint64{k})) / Unit
		if want := table.Sum([]uint64{k}); math.Abs(got-want) > step {
			t.Fatalf("key %x: %v, want %v within %v", k, got, want, step)
		}
	}
	r, foreign := hash.Rand(99), 0
	for i := 0; i < 200000; i++ {
		if w.Sum([]uint64{r.Next()}) != 0 {
			foreign++
		}
	}
	if foreign > 20 {
		t.Errorf("%d of 200000 unknown keys met a weight", foreign)
	}
}

// SumParts gives the same sums as Sum of one part after another, even if parts are empty or
// lines of the table are full.
func TestSumPartsEqualsSum(t *testing.T) {
	table, keys := filled(3000)
	r := hash.Rand(7)
	for i := range keys { // many keys in few lines
		if k := keys[i]&(1<<32-1) | uint64(r.Below(9))<<40; i%4 == 0 {
			table.Add(k, 0.1, 1)
			keys[i] = k
		}
	}
	w := table.compact(1 << 20)
	for round := 0; round < 200; round++ {
		var all []uint64
		var ends []int32
		for range 1 + r.Below(12) {
			for range r.Below(40) {
				k := keys[r.Below(uint32(len(keys)))]
				if r.Below(3) == 0 {
					k = r.Next()
				}
				all = append(all, k)
			}
			ends = append(ends, int32(len(all)))
		}
		for name, scorer := range map[string]Scorer{"learned": Learned{Weights: table.Weights}, "weights": w,
			"changed": Learned{Weights: table.Weights, Base: w}} {
			sums := make([]int32, len(ends))
			scorer.SumParts(all, ends, sums)
			from := int32(0)
			for i, end := range ends {
				if want := scorer.Sum(all[from:end]); sums[i] != want {
					t.Fatalf("%s, part %d of %v: %d, alone %d", name, i, ends, sums[i], want)
				}
				from = end
			}
		}
	}
}

// A few weights far above all others are cut, not wrapped, and leave the others
// their precision; without outliers nothing is cut.
func TestOutliersAreCut(t *testing.T) {
	for _, size := range []int{3, 500, 30_000} {
		for _, outliers := range []int{0, 1, size / 2500} {
			table, keys := filled(size)
			var far []uint64
			r := hash.Rand(11)
			for i := range outliers {
				k := r.Next()
				table.Add(k, []float64{5000, -1e6}[i%2], 1)
				far = append(far, k)
			}
			w := table.compact(1 << 20)
			if out := w.Len(); out < (size+outliers)*98/100 {
				t.Errorf("%d weights, %d outliers: %d left", size, outliers, out)
			}
			step := 8 * 0.25 / top * 2 // of the largest other weight, 0.25, at 8 times
			for _, k := range keys {
				got, want := float64(w.Sum([]uint64{k}))/Unit, table.Sum([]uint64{k})
				if math.Abs(got-want) > step {
					t.Fatalf("%d weights, %d outliers: %v became %v", size, outliers, want, got)
				}
			}
			for i, k := range far {
				got := float64(w.Sum([]uint64{k})) / Unit
				if want := table.Sum([]uint64{k}); got*want <= 0 || math.Abs(got) < 0.25 {
					t.Errorf("%d weights: outlier %d, %v, became %v", size, i, want, got)
				}
			}
		}
	}
}

// No weight changes its sign, however large all of them are.
func TestLargeWeightsDoNotWrap(t *testing.T) {
	table := newTable()
	r := hash.Rand(12)
	var keys []uint64
	for i := range 200 {
		k := r.Next()
		keys = append(keys, k)
		table.Add(k, (1900+10*float64(i))*float64(1-2*(i%2)), 1)
	}
	w := table.compact(1 << 20)
	for i, k := range keys {
		got, want := float64(w.Sum([]uint64{k}))/Unit, table.Sum([]uint64{k})
		if cut := max(-top, min(top, want)); got != cut {
			t.Errorf("weight %d: %v became %v, want %v", i, want, got, cut)
		}
	}
}

func TestCompactKeepsTheLargest(t *testing.T) {
	table, keys := filled(1000)
	w := table.compact(100)
	if n := w.Len(); n > 100 || n < 90 {
		t.Errorf("%d weights, want about 100", n)
	}
	smallestKept, largestDropped := math.Inf(1), 0.0
	for _, k := range keys {
		a := math.Abs(table.Sum([]uint64{k}))
		if w.Sum([]uint64{k}) != 0 {
			smallestKept = math.Min(smallestKept, a)
		} else {
			largestDropped = math.Max(largestDropped, a)
		}
	}
	if smallestKept < largestDropped {
		t.Errorf("kept %v and dropped %v", smallestKept, largestDropped)
	}
}

func TestSavedWeightsEqualFresh(t *testing.T) {
	table, keys := filled(500)
	w := table.compact(400)
	var b pack.Builder
	pack.Write(b.Sub("c"), func(l *pack.Layout) { w.Layout(l, "w") })
	opened, err := open(b.Sections)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		one := []uint64{k}
		if w.Sum(one) != opened.Sum(one) {
			t.Fatalf("key %x differs after save and load", k)
		}
	}
	for i := range b.Sections {
		broken := append([]pack.Section(nil), b.Sections...)
		broken[i].Data = broken[i].Data[:len(broken[i].Data)/2]
		if _, err := open(broken); err == nil && broken[i].Name == "c.w.scale" {
			t.Errorf("section %s cut in half: no error", broken[i].Name)
		}
	}
	full := make([]uint64, 64)
	for i := range full {
		full[i] = ones
	}
	var c pack.Builder
	pack.Put(c.Sub("c"), "w.lines", full)
	pack.Put(c.Sub("c"), "w.scale", []uint8{0, 0})
	if _, err := open(c.Sections); err == nil {
		t.Error("table without an empty slot: no error, and a look-up would never end")
	}
}

// Whatever a damaged file has in its lines, what is opened ends every
// look-up, also with gaps in a line and with a single place to end at.
func TestDamagedLinesEndLookUps(t *testing.T) {
	r := hash.Rand(5)
	opened := 0
	for range 300 {
		lines := make([]uint64, lineWords*(1+int(r.Below(6))))
		for i := range lines {
			lines[i] = r.Next() | ones // all full
		}
		for range r.Below(4) { // but for a gap somewhere
			i := int(r.Below(uint32(len(lines)))) &^ (lineWords - 1)
			lines[i+int(r.Below(2))] &^= 0xff << (8 * r.Below(8))
			if r.Below(2) == 0 { // at the end, where look-ups stop
				lines[i+1] &^= 0xff << 56
			}
		}
		var b pack.Builder
		pack.Put(b.Sub("c"), "w.lines", lines)
		pack.Put(b.Sub("c"), "w.scale", []uint8{uint8(r.Below(13)), uint8(r.Below(13))})
		w, err := open(b.Sections)
		if err != nil {
			continue
		}
		opened++
		keys := make([]uint64, 500)
		for i := range keys {
			keys[i] = r.Next()
		}
		sums := make([]int32, 3)
		w.SumParts(keys, []int32{0, 250, 500}, sums)
		if want := w.Sum(keys[250:]); sums[0] != 0 || sums[2] != want {
			t.Fatalf("sums %v, the last alone %d", sums, want)
		}
	}
	if opened < 20 || opened > 280 {
		t.Errorf("%d of 300 damaged tables were opened: the test sees too little of one kind", opened)
	}
}

// A table of the size of a model's, keys as a parser asks for them: every
// other one unknown, none met before.
func BenchmarkSum(b *testing.B) {
	table, keys := filled(2 << 20)
	w := table.compact(2 << 20)
	for i := range keys {
		if i%2 == 0 {
			keys[i] *= 0x9E3779B97F4A7C15
		}
	}
	at := 0
	for b.Loop() {
		w.Sum(keys[at : at+100])
		if at += 100; at > len(keys)-200 {
			at = 0
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/look-up")
}

// Changed weights are the old ones and a share of the changes, as far as steps and their
// range allow; the others stay. The order of the changes does not matter.
func TestWeightsWithChanges(t *testing.T) {
	table, keys := filled(3000)
	w := table.compact(1 << 20)
	changes := newTable()
	r := hash.Rand(3)
	for i := 0; i < 500; i++ {
		changes.Add(keys[i], (float64(r.Below(2000))-1000)/8000, 1)
		changes.Add(r.Next(), 0.125, 1)
	}
	var list []hash.Key
	features := func(yield func(hash.Key, float32)) {
		list = list[:0]
		changes.Averaged(0, func(k hash.Key, x float32) { list = append(list, k); yield(k, x) })
	}
	backwards := func(yield func(hash.Key, float32)) {
		for i := len(list) - 1; i >= 0; i-- {
			yield(list[i], float32(changes.Sum(list[i:i+1])))
		}
	}
	got := w.with(features, 0.5)
	if again := w.with(backwards, 0.5); !slices.Equal(got.lines, again.lines) {
		t.Error("the order of the changes matters")
	}
	sum := func(w *Weights, k hash.Key) float64 { return float64(w.Sum([]hash.Key{k})) / Unit }
	const step = 0.25 / (1<<(weightBits-1) - 1) * 2
	for _, k := range append(list, keys...) {
		limit := float64(top) * step
		if want := max(-limit, min(limit, sum(w, k)+changes.Sum([]hash.Key{k})/2)); math.Abs(sum(got, k)-want) > 2*step {
			t.Fatalf("key %x: %v, want %v", k, sum(got, k), want)
		}
	}
	if same := w.with(func(func(hash.Key, float32)) {}, 1); !slices.Equal(same.lines, w.lines) || len(list) < 900 {
		t.Errorf("%d changes; without any, weights differ", len(list))
	}
}

// However many changes there are, a table stays one in which every search ends.
func TestWeightsWithManyChanges(t *testing.T) {
	table, _ := filled(100)
	w := table.compact(1 << 20)
	many, _ := filled(5000)
	got := w.with(func(yield func(hash.Key, float32)) { many.Averaged(0, yield) }, 1)
	if endless(got.lines) || got.Len() <= w.Len() {
		t.Errorf("%d features of %d places", got.Len(), len(got.lines)*lineFeatures/lineWords)
	}
}
