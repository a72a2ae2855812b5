package calibrate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/pack"
)

// A regression finds the coefficients that made the data.
func TestRegressionRecoversCoefficients(t *testing.T) {
	want := []float64{-0.5, 1.25, -2, 0.75}
	r := rand.New(rand.NewPCG(1, 1))
	var samples []sample
	for range 40_000 {
		x := []float64{1, r.NormFloat64(), r.Float64(), float64(r.IntN(2))}
		samples = append(samples, sample{x, r.Float64() < sigmoid(dot(want, x)), 1})
	}
	w := make([]float64, len(want))
	fit(w, samples, lineRidge)
	for i := range w {
		if math.Abs(w[i]-want[i]) > 0.12 {
			t.Errorf("%v, want %v", w, want)
		}
	}

	// At the minimum the gradient is 0, and twice the weight is twice the case.
	g := regression{samples, make([]float64, len(want)), lineRidge}
	if _, slope := g.slopes(w); math.Abs(slope[1]) > 0.1 {
		t.Errorf("slopes %v", slope)
	}
	doubled, heavy := slices.Concat(samples[:300], samples[:300]), slices.Clone(samples[:300])
	for i := range heavy {
		heavy[i].weight = 2
	}
	a, b := make([]float64, len(want)), make([]float64, len(want))
	fit(a, doubled, lineRidge)
	fit(b, heavy, lineRidge)
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-6 {
			t.Errorf("twice: %v, of weight 2: %v", a, b)
		}
	}
}

// A ridge holds what few cases speak for where it began.
func TestRidgeHolds(t *testing.T) {
	few := []sample{{[]float64{1, 1}, true, 1}, {[]float64{1, -1}, true, 1}}
	loose, tight := []float64{0.5, 1}, []float64{0.5, 1}
	fit(loose, few, 0.1)
	fit(tight, few, 100)
	if math.Abs(tight[0]-0.5) > 0.05 || loose[0] < 1 {
		t.Errorf("with a ridge of 100 %v, of 0.1 %v", tight, loose)
	}
}

// Sums of log-odds become the probability of the formula.
func TestProbability(t *testing.T) {
	before := int32(-1)
	for z := int32(-limit - 50); z <= limit+50; z += 7 {
		p := probability(z)
		want := 1 / (1 + math.Exp(-float64(min(max(z, -limit), limit))/one))
		if off := math.Abs(float64(p)/fine - want); off > 4e-6 {
			t.Fatalf("%d: %v, want %v", z, float64(p)/fine, want)
		}
		if p < before {
			t.Fatalf("%d: %d after %d", z, p, before)
		}
		before = p
	}
	if a, b := probability(math.MinInt32), probability(math.MaxInt32); toGrain(a) != 0 || toGrain(b) != one {
		t.Errorf("%d, %d", a, b)
	}
}

// Steps of logarithms and margins grow, and are logarithms at powers of 2.
func TestLogSteps(t *testing.T) {
	for x := uint32(1); x < 70_000; x++ {
		if logSteps(x+1) < logSteps(x) {
			t.Fatal(x)
		}
	}
	for k := range 32 {
		if got := logSteps(1 << k); got != int32(k*nat) {
			t.Errorf("2^%d: %d", k, got)
		}
	}
	if marginSteps(-1) != 0 || marginSteps(float32(math.NaN())) != 0 || marginSteps(1) != nat ||
		marginSteps(1e30) != most[margin] {
		t.Error("margins")
	}
}

// Small doubts become log-odds where rounded probabilities end, and are never less.
func TestDoubts(t *testing.T) {
	before := int32(1 << 20)
	for d := float32(1e-8); d < 1.0/64; d *= 1.003 {
		got, want := doubtAt([]float32{d}, 0, -1), min(math.Log(1/float64(d)-1), 16)
		if math.Abs(float64(got)/nat-want) > 0.012 || got > before || got > most[marginal] {
			t.Fatalf("%v: %v after %d, want %v", d, float64(got)/nat, before, want)
		}
		before = got
	}
	nan := float32(math.NaN())
	if doubtAt(nil, 0, 7) != 7 || doubtAt([]float32{nan}, 0, 7) != 7 || doubtAt([]float32{0.5}, 0, 7) != 7 ||
		doubtAt([]float32{-1}, 0, 7) > most[marginal] {
		t.Error("where doubts are missing, large or none")
	}
}

// Pooling gives the rising list of least squares: no other list of these levels
// is nearer, by brute force.
func TestRiseAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 200 {
		n := 1 + r.IntN(4)
		values := make([]int32, n)
		for i := range values {
			values[i] = int32(r.IntN(8)) * 12 // means of up to 4 are whole
		}
		got := slices.Clone(values)
		rise(got)
		distance := func(list []int32) (d int64) {
			for i := range list {
				d += int64(list[i]-values[i]) * int64(list[i]-values[i])
			}
			return d
		}
		if !slices.IsSorted(got) {
			t.Fatalf("%v became %v", values, got)
		}
		list := make([]int32, n)
		var try func(i int, least int32)
		try = func(i int, least int32) {
			if i == n {
				if distance(list) < distance(got) {
					t.Fatalf("%v became %v, nearer is %v", values, got, list)
				}
				return
			}
			for v := least; v <= 84; v++ {
				list[i] = v
				try(i+1, v)
			}
		}
		if n < 4 {
			try(0, 0)
		}
	}
}

// A curve undoes what is said too boldly, and keeps what is right.
func TestFitCurve(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	const n = 30_000
	points := make([]point, n)
	truth := func(z int32) float64 { // half as bold above even
		x := float64(z) / one
		return min(x, x/2)
	}
	for i := range points {
		z := int32(r.NormFloat64() * 2 * one)
		points[i] = point{z, r.Float64() < sigmoid(truth(z)), weightOne}
	}
	c := fitCurve(points)
	before := int32(math.MinInt32)
	for x := int32(-3 * one); x < 3*one; x += 99 {
		got := c.at(x)
		if off := float64(got)/one - truth(x); math.Abs(off) > 0.25 || got < before {
			t.Fatalf("at %v: %v after %v, want %v", float64(x)/one, float64(got)/one, float64(before)/one, truth(x))
		}
		before = got
	}
	if c := fitCurve(nil); c.at(77) != 77 {
		t.Error("without cases a curve is the diagonal")
	}
	if c := fitCurve([]point{{5, true, weightOne}, {5, false, weightOne}}); c.at(77) != 77 {
		t.Error("with one value a curve is the diagonal")
	}
}

// someCases are random ones; what is right follows features 3 and 5.
func someCases(n int, seed uint64) (list []instance) {
	r := rand.New(rand.NewPCG(seed, seed))
	for range n {
		x := new(row)
		for k := range numFeatures {
			x[k] = int32(r.IntN(9))
		}
		z := float64(x[3]) / 4
		if x[5] > 4 {
			z = -z
		}
		list = append(list, instance{x: x, right: r.Float64() < sigmoid(z), weight: int32(1 + r.IntN(16))})
	}
	return list
}

func (b *booster) loss() (sum float64) {
	for i, z := range b.z {
		x := float64(z) / one
		if b.cases[i].right {
			x = -x
		}
		sum += float64(b.cases[i].weight) * math.Log1p(math.Exp(x))
	}
	return sum
}

// The split that is chosen is the best of all, by brute force, at every
// level; a tree makes the loss less; and its sum is what its splits say.
func TestBoostingAgainstBruteForce(t *testing.T) {
	features := []uint8{1, 3, 5, 7}
	for seed := range uint64(20) {
		c := someCases(80, seed+1)
		b := newBooster(c, features, make([]int32, len(c)), plan{rate: 128, ridge: 1, sample: 1})
		before := b.loss()
		b.differentiate()
		var f forest
		for level := range depth {
			feature, cut := b.split([]int{0, 1, 2, 3}, level)
			worth := func(feature, cut int) (sum float64) {
				parts := map[int]node{}
				for i, bin := range b.columns[feature] {
					at := int(b.leaf[i]) << 1
					if int(bin) > cut {
						at++
					}
					n := parts[at]
					parts[at] = node{n.g + int64(b.g[i]), n.h + int64(b.h[i])}
				}
				for _, n := range parts {
					sum += n.worth(ridgeUnit)
				}
				return sum
			}
			got := worth(feature, cut)
			for k := range features {
				for cut := range b.cuts[k] {
					if w := worth(k, cut); w > got*(1+1e-9) {
						t.Fatalf("seed %d, level %d: split %d, %d is worth %v, chosen was one worth %v", seed, level, k, cut, w, got)
					}
				}
			}
			f.features, f.bounds = append(f.features, features[feature]), append(f.bounds, b.cuts[feature][cut])
			for i, bin := range b.columns[feature] {
				if int(bin) > cut {
					b.leaf[i] |= 1 << level
				}
			}
		}
		f.leaves = b.step()
		if after := b.loss(); after >= before {
			t.Errorf("seed %d: loss %v after %v", seed, after, before)
		}
		for i := range c {
			x := c[i].x
			leaf := 0
			for level := range depth {
				if x[f.features[level]] > f.bounds[level] {
					leaf += 1 << level
				}
			}
			if got := f.sum(x); got != f.leaves[leaf] || got != b.z[i] {
				t.Fatalf("case %d: %d, leaf %d has %d, in training %d", i, got, leaf, f.leaves[leaf], b.z[i])
			}
		}
	}
}

// A forest that is grown sums in use to what it summed in training.
func TestForestAppliesAsItLearned(t *testing.T) {
	c := someCases(500, 7)
	z := make([]int32, len(c))
	b := newBooster(c, wordFeatures, z, plan{trees: 40, rate: 64, ridge: 5, sample: 3, seed: 1})
	before := b.loss()
	f := b.grow()
	if f.trees() != 40 || b.loss() > before*8/10 {
		t.Fatalf("%d trees, loss %v of %v", f.trees(), b.loss(), before)
	}
	for i := range z {
		if got := f.sum(c[i].x); got != z[i] {
			t.Fatalf("case %d: %d, in training %d", i, got, z[i])
		}
	}
}

// Cuts part every two values where there are few, and are fewer than bins.
func TestCuts(t *testing.T) {
	if got := cutsOf([]int32{3, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}); !slices.Equal(got, []int32{1, 2}) {
		t.Error(got)
	}
	if got := cutsOf([]int32{5, 5, 5}); len(got) != 0 {
		t.Error(got)
	}
	var many []int32
	for k := range int32(1000) {
		many = append(many, k*k)
	}
	if got := cutsOf(many); len(got) < bins-2 || len(got) >= bins || !slices.IsSorted(got) {
		t.Error(got)
	}
	if got := cutsOf(nil); got != nil {
		t.Error(got)
	}
}

func packed(m *Model) *pack.View {
	var b pack.Builder
	m.Pack(b.Sub("x"))
	return pack.NewView(b.Sections)
}

// What is opened again is the same to the bit.
func TestPack(t *testing.T) {
	m := fitted(t)
	v := packed(m)
	if !Has(v, "x") || Has(v, "y") {
		t.Error("a component that is there or not")
	}
	got, err := Open(v, "x")
	if err != nil {
		t.Fatal(err)
	}
	a, b := made(30, 2), made(30, 2)
	for k := range a.sentences {
		m.Apply(&a.sentences[k])
		got.Apply(&b.sentences[k])
		x, y := &a.sentences[k].Confidence, &b.sentences[k].Confidence
		if !slices.Equal(x.HeadConf, y.HeadConf) || !slices.Equal(x.DeprelConf, y.DeprelConf) ||
			!slices.Equal(x.UPOSConf, y.UPOSConf) || x.TreeConf != y.TreeConf || x.Expected != y.Expected {
			t.Fatalf("%+v, %+v", x, y)
		}
	}
}

// replacedBy returns the sections of m with one replaced.
func replacedBy(m *Model, name string, list any) *pack.View {
	var b, out pack.Builder
	m.Pack(b.Sub("x"))
	for _, s := range b.Sections {
		if s.Name != "x."+name {
			out.Sections = append(out.Sections, s)
		}
	}
	switch list := list.(type) {
	case []int32:
		pack.Put(out.Sub("x"), name, list)
	case []uint32:
		pack.Put(out.Sub("x"), name, list)
	case []uint8:
		pack.Put(out.Sub("x"), name, list)
	}
	return pack.NewView(out.Sections)
}

// A calibrator of another version is none; a damaged one is an error.
func TestHostileCalibrators(t *testing.T) {
	m := fitted(t)
	if v := replacedBy(m, "version", []uint32{version + 1}); Has(v, "x") {
		t.Error("another version")
	}
	if v := replacedBy(m, "version", nil); Has(v, "x") {
		t.Error("no version, as in the first layout")
	}
	forest := func(n int) []int32 { return make([]int32, n) }
	trees := m.heads.forest.trees()
	far := forest(trees * depth)
	far[0] = mostValue + 1
	strong := forest(trees << depth)
	strong[3] = -mostLeaf - 1
	beyond := slices.Clone(m.heads.forest.features)
	beyond[1] = width
	falling := slices.Clone(m.heads.curve.values)
	falling[0] = falling[len(falling)-1] + 1
	for _, bad := range []struct {
		name string
		list any
	}{
		{"heads.linear", []int32{1}}, {"heads.linear", make([]int32, len(headLinear)+2)}, {"whole.linear", []uint32{1}},
		{"heads.forest.features", []uint8{1, 2}}, {"heads.forest.features", beyond}, {"heads.forest.bounds", far},
		{"heads.forest.leaves", strong},
		{"heads.forest.leaves", forest(trees<<depth - 1)}, {"upos.forest.leaves", forest((mostTrees + 1) << depth)},
		{"labels.tag-codes", []int32{}}, {"labels.label-codes", forest(99)}, {"upos.head-codes", []int32{mostValue + 1, 0}},
		{"upos.reach", []int32{1, 1}}, {"upos.reach", []int32{limit + 1}}, {"heads.curve.knots", []int32{1}},
		{"heads.curve.knots", slices.Repeat([]int32{5}, len(m.heads.curve.knots))},
		{"heads.curve.values", []int32{2}}, {"heads.curve.values", falling}, {"whole.curve.knots", forest(mostKnots + 1)},
		{"whole.line", []int32{1}},
		{"heads.line", []int32{-1, 0}}, {"labels.line", []int32{one, limit + 1}}, {"lenient", []int32{one + 1}},
		{"lenient", []int32{-1}},
		{"spread", []int32{1, 2}}, {"spread", []int32{1, 2, mostOverdispersion + 1}}, {"spread", nil},
		{"tags.off", []uint32{0, 500}},
	} {
		if _, err := Open(replacedBy(m, bad.name, bad.list), "x"); err == nil {
			t.Errorf("%s %v was opened", bad.name, bad.list)
		}
	}
}
