package calibrate

import (
	"errors"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// chance is the probability by which made draws a head to be right.
func chance(marginal, margin float32) float64 {
	z := 0.5*odds(marginal) + log(1+float64(margin)) - 0.5 // exact to fuse
	return sigmoid(z)
}

// made draws sentences with signals, and gold trees that are right as often as
// the signals say.
func made(n int, seed uint64) (gold, parsed []syntax.Sentence) {
	r := rand.New(rand.NewPCG(seed, 2))
	for range n {
		var g, s syntax.Sentence
		c := &s.Confidence
		c.Restarts = int32(r.IntN(7))
		for i := range 2 + r.IntN(20) {
			marginal, margin := float32(1+r.IntN(4095))/4096, float32(r.IntN(5*4096))/4096
			label := float32(2048+r.IntN(2048)) / 4096
			c.HeadMarginal = append(c.HeadMarginal, marginal)
			c.HeadMargin = append(c.HeadMargin, margin)
			c.HeadAgreement = append(c.HeadAgreement, 1)
			c.LabelProb = append(c.LabelProb, label)
			w := syntax.Word{Form: "w", Head: int32(i), Deprel: "a"}
			s.Words = append(s.Words, w)
			if r.Float64() > chance(marginal, margin) {
				w.Head += 5
			}
			if r.Float64() > float64(label) {
				w.Deprel = "b"
			}
			g.Words = append(g.Words, w)
		}
		gold, parsed = append(gold, g), append(parsed, s)
	}
	return gold, parsed
}

func fitted(t *testing.T) *Model {
	t.Helper()
	m, err := Fit(made(1500, 1))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// bins sums predictions and outcomes by tenths of the prediction.
type bins [10]struct{ said, was, n float64 }

func (b *bins) add(p float32, right bool) {
	k := min(int(p*10), 9)
	b[k].said += float64(p)
	b[k].n++
	if right {
		b[k].was++
	}
}

func (b *bins) check(t *testing.T, name string) {
	t.Helper()
	for k, x := range b {
		if x.n < 100 {
			continue
		}
		p := x.said / x.n
		if off := math.Abs(x.was/x.n - p); off > 0.015+3.5*math.Sqrt(p*(1-p)/x.n) {
			t.Errorf("%s, %d tenths: said %.3f, was %.3f, of %.0f", name, k, p, x.was/x.n, x.n)
		}
	}
}

// On data of the same kind that it was not fitted to, what is said to be right
// with 70 % is right in 70 %.
func TestFitIsCalibrated(t *testing.T) {
	m := fitted(t)
	gold, parsed := made(1500, 9)
	var heads, deprels, trees bins
	for k := range parsed {
		s := &parsed[k]
		m.Apply(s)
		for i, w := range s.Words {
			g := gold[k].Words[i]
			heads.add(s.Confidence.HeadConf[i], w.Head == g.Head)
			deprels.add(s.Confidence.DeprelConf[i], w.Head == g.Head && w.Deprel == g.Deprel)
		}
		trees.add(s.Confidence.TreeConf, sameTree(gold[k].Words, s.Words))
	}
	heads.check(t, "heads")
	deprels.check(t, "deprels")
	trees.check(t, "trees")
}

// Whatever the signals hold, values are in range, on the grid, and none is NaN.
func TestApplyOnAnySignals(t *testing.T) {
	m := fitted(t)
	odd := []float32{0, 1, 0.5, -1, 2, 64, 1e30, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1.0 / 4096, 4095.0 / 4096}
	r := rand.New(rand.NewPCG(3, 3))
	pick := func() float32 { return odd[r.IntN(len(odd))] }
	for range 3000 {
		var s syntax.Sentence
		c := &s.Confidence
		for range 1 + r.IntN(30) {
			s.Words = append(s.Words, syntax.Word{Head: int32(r.IntN(3))})
			c.HeadMarginal, c.HeadMargin = append(c.HeadMarginal, pick()), append(c.HeadMargin, pick())
			c.HeadAgreement, c.LabelProb = append(c.HeadAgreement, pick()), append(c.LabelProb, pick())
		}
		c.LabelProb = c.LabelProb[:r.IntN(len(c.LabelProb)+1)]
		m.Apply(&s)
		onGrid := func(p float32) bool {
			return p >= 0 && p <= 1 && p*4096 == float32(math.Trunc(float64(p*4096)))
		}
		if !c.HasTreeConf || !onGrid(c.TreeConf) {
			t.Fatalf("tree %v", c.TreeConf)
		}
		for i := range s.Words {
			if !onGrid(c.HeadConf[i]) || !onGrid(c.DeprelConf[i]) || c.DeprelConf[i] > c.HeadConf[i] {
				t.Fatalf("head %v, deprel %v of %+v", c.HeadConf[i], c.DeprelConf[i], c)
			}
		}
	}
}

// Every machine makes these bits: fused multiplications would change them.
func TestBits(t *testing.T) {
	m := fitted(t)
	h := fnv.New64a()
	var b pack.Builder
	m.Pack(b.Sub("x"))
	for _, s := range b.Sections {
		h.Write(s.Data)
	}
	_, parsed := made(300, 4)
	for k := range parsed {
		m.Apply(&parsed[k])
		c := &parsed[k].Confidence
		for _, p := range append(append(c.HeadConf, c.DeprelConf...), c.TreeConf) {
			n := steps(float64(p))
			h.Write([]byte{byte(n), byte(n >> 8)})
		}
	}
	if got := h.Sum64(); got != bitsOfTest {
		t.Errorf("%#x", got)
	}
}

const bitsOfTest = 0x36db039463050d15

func TestWithoutMarginals(t *testing.T) {
	m := fitted(t)
	_, parsed := made(1, 5)
	s := &parsed[0]
	m.Apply(s)
	s.Confidence.HeadMarginal = nil // over 512 words, or in windows
	m.Apply(s)
	if c := &s.Confidence; c.HeadConf != nil || c.DeprelConf != nil || c.HasTreeConf || c.TreeConf != 0 {
		t.Errorf("%+v", c)
	}
	empty := syntax.Sentence{}
	if m.Apply(&empty); empty.Confidence.HasTreeConf {
		t.Error("a sentence without words has a tree")
	}
}

func TestGiven(t *testing.T) {
	m := fitted(t)
	_, parsed := made(1, 6)
	s := &parsed[0]
	n := len(s.Words)
	heads, deprels := make([]bool, n), make([]bool, n)
	m.Apply(s)
	free := s.Confidence.TreeConf
	heads[0], heads[1], deprels[1] = true, true, true
	m.ApplyGiven(s, heads, deprels)
	c := &s.Confidence
	if c.HeadConf[0] != 1 || c.DeprelConf[0] >= 1 || c.HeadConf[1] != 1 || c.DeprelConf[1] != 1 || c.TreeConf < free || c.TreeConf == 1 {
		t.Errorf("%v %v %v, without given ones %v", c.HeadConf[:2], c.DeprelConf[:2], c.TreeConf, free)
	}
	for i := range n {
		heads[i], deprels[i] = true, true
	}
	if m.ApplyGiven(s, heads, deprels); c.TreeConf != 1 {
		t.Errorf("a tree that was given whole has %v", c.TreeConf)
	}
}

// Where all is right, or all is wrong, coefficients stay finite.
func TestOneSided(t *testing.T) {
	for _, wrong := range []int32{0, 7} {
		gold, parsed := made(60, 7)
		for k := range gold {
			for i := range gold[k].Words {
				gold[k].Words[i] = parsed[k].Words[i]
				gold[k].Words[i].Head += wrong
			}
		}
		m, err := Fit(gold, parsed)
		if err != nil {
			t.Fatal(err)
		}
		m.Apply(&parsed[0])
		if p := parsed[0].Confidence.HeadConf[0]; (p < 0.9) != (wrong != 0) || (p > 0.1) != (wrong == 0) {
			t.Errorf("heads are off by %d: %v", wrong, p)
		}
	}
}

func TestFitRefuses(t *testing.T) {
	gold, parsed := made(MinSentences, 8)
	if _, err := Fit(gold, parsed); err != nil {
		t.Error(err)
	}
	if _, err := Fit(gold[1:], parsed[1:]); !errors.Is(err, ErrTooFew) {
		t.Errorf("too few: %v", err)
	}
	if _, err := Fit(gold[1:], parsed); err == nil {
		t.Error("lists of two lengths")
	}
	parsed[3].Words = parsed[3].Words[1:]
	if _, err := Fit(gold, parsed); err == nil || !strings.Contains(err.Error(), "sentence 4") {
		t.Errorf("words of another sentence: %v", err)
	}
	gold, parsed = made(MinSentences, 8)
	parsed[0].Confidence.HeadMarginal = nil
	if _, err := Fit(gold, parsed); !errors.Is(err, ErrTooFew) {
		t.Errorf("one without marginals: %v", err)
	}
}

func TestPack(t *testing.T) {
	m := fitted(t)
	var b pack.Builder
	m.Pack(b.Sub("x"))
	v := pack.NewView(b.Sections)
	if !Has(v, "x") || Has(v, "y") {
		t.Error("a component that is there or not")
	}
	got, err := Open(v, "x")
	if err != nil || *got != *m {
		t.Fatalf("%v, want %v (%v)", got, m, err)
	}
	for name, data := range map[string]any{
		"head": []int32{1}, "tree": []int32{1, 2, most*scale + 1}, "deprel": []uint32{1, 2},
	} {
		var bad pack.Builder
		sub := bad.Sub("x")
		for _, s := range b.Sections {
			if s.Name != "x."+name {
				bad.Sections = append(bad.Sections, s)
			}
		}
		switch list := data.(type) {
		case []int32:
			pack.Put(sub, name, list)
		case []uint32:
			pack.Put(sub, name, list)
		}
		if _, err := Open(pack.NewView(bad.Sections), "x"); err == nil {
			t.Errorf("a damaged section %s was opened", name)
		}
	}
}

// Apply allocates its two columns at once, and nothing else.
func TestAllocations(t *testing.T) {
	m := fitted(t)
	_, parsed := made(1, 5)
	if n := testing.AllocsPerRun(100, func() { m.Apply(&parsed[0]) }); n != 1 {
		t.Errorf("%v allocations", n)
	}
}

func TestFunctions(t *testing.T) {
	for i := range 100000 {
		x := float64(i-50000) / 200
		if got, want := exp(x), math.Exp(x); math.Abs(got-want) > 1e-12*want {
			t.Fatalf("e^%v: %v, want %v", x, got, want)
		}
		y := math.Exp(float64(i-50000) / 100)
		if got, want := log(y), math.Log(y); math.Abs(got-want) > 1e-12*max(1, math.Abs(want)) {
			t.Fatalf("log %v: %v, want %v", y, got, want)
		}
		z := float64(i-50000) / 500
		if got, want := sigmoid(z), 1/(1+math.Exp(-z)); math.Abs(got-want) > 1e-8 {
			t.Fatalf("sigmoid %v: %v, want %v", z, got, want)
		}
	}
}

func BenchmarkApply(b *testing.B) {
	m, err := Fit(made(1500, 1))
	if err != nil {
		b.Fatal(err)
	}
	_, parsed := made(100, 5)
	words := 0
	for i := range parsed {
		words += len(parsed[i].Words)
	}
	for b.Loop() {
		for i := range parsed {
			m.Apply(&parsed[i])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*words), "ns/word")
}
