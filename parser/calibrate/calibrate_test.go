package calibrate

import (
	"errors"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A world draws sentences with signals, and judgements that are right as often as
// the signals say.
type world struct {
	sentences []syntax.Sentence
	judged    []Judgement
}

// chance is the probability by which a world draws a head to be right: it is no
// straight line of log-odds, and the words before count.
func chance(marginal, before, margin float32) float64 {
	z := float64(oddsSteps(marginal))/nat/2 + float64(min(margin, 2)) - 0.5
	if before < 0.25 {
		z-- // exact to fuse
	}
	return sigmoid(z)
}

func made(n int, seed uint64) (w world) {
	r := rand.New(rand.NewPCG(seed, 2))
	for k := range n {
		var s syntax.Sentence
		var j Judgement
		c := &s.Confidence
		c.Restarts = int32(r.IntN(7))
		before := float32(1)
		j.Tree, j.Sentence = true, k
		for i := range 2 + r.IntN(20) {
			marginal, margin := float32(1+r.IntN(4095))/4096, float32(r.IntN(5*4096))/4096
			label, tag := float32(2048+r.IntN(2048))/4096, float32(2048+r.IntN(2049))/4096
			c.HeadMarginal, c.HeadMargin = append(c.HeadMarginal, marginal), append(c.HeadMargin, margin)
			c.LabelProb, s.TagProb = append(c.LabelProb, label), append(s.TagProb, tag)
			s.Words = append(s.Words, syntax.Word{Form: "w", UPOS: "X", Head: int32(i), Deprel: "a"})
			head := r.Float64() <= chance(marginal, before, margin)
			full := head && r.Float64() <= float64(label)
			j.Head, j.Deprel = append(j.Head, head), append(j.Deprel, full)
			j.LAS, j.UPOS = append(j.LAS, full || head && r.IntN(4) == 0), append(j.UPOS, r.Float64() <= float64(tag))
			j.Tree = j.Tree && full
			before = marginal
		}
		w.sentences, w.judged = append(w.sentences, s), append(w.judged, j)
	}
	return w
}

func (w *world) examples() (list []Example) {
	for k := range w.sentences {
		list = append(list, Example{&w.sentences[k], &w.judged[k], k / 10, "", 16})
	}
	return list
}

func fittedTo(t *testing.T, list []Example) *Model {
	t.Helper()
	m, err := Fit(list)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// fitOnce fits one model for all tests that only read it.
var fitOnce = sync.OnceValues(func() (*Model, error) {
	w := made(600, 1)
	return Fit(w.examples())
})

func fitted(t *testing.T) *Model {
	t.Helper()
	m, err := fitOnce()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// tenths sums predictions and outcomes by tenths of the prediction.
type tenths [10]struct{ said, was, n float64 }

func (b *tenths) add(p float32, right bool) {
	k := min(int(p*10), 9)
	b[k].said += float64(p)
	b[k].n++
	if right {
		b[k].was++
	}
}

func (b *tenths) check(t *testing.T, name string) {
	t.Helper()
	seen := 0
	for k, x := range b {
		if x.n < 100 {
			continue
		}
		seen++
		p := x.said / x.n
		if off := math.Abs(x.was/x.n - p); off > 0.02+3.5*math.Sqrt(p*(1-p)/x.n) {
			t.Errorf("%s, %d tenths: said %.3f, was %.3f, of %.0f", name, k, p, x.was/x.n, x.n)
		}
	}
	if seen == 0 {
		t.Errorf("%s: no bin was filled", name)
	}
}

// On data of the same kind that it was not fitted to, what is said to be right
// with 70 % is right in 70 %, and sums are what is expected of them.
func TestFitIsCalibrated(t *testing.T) {
	first := made(2500, 1)
	m := fittedTo(t, first.examples())
	w := made(2500, 9)
	var heads, deprels, upos, trees tenths
	var e syntax.Expected
	var right [3]int
	for k := range w.sentences {
		s, j := &w.sentences[k], &w.judged[k]
		m.Apply(s)
		for i := range s.Words {
			heads.add(s.Confidence.HeadConf[i], j.Head[i])
			deprels.add(s.Confidence.DeprelConf[i], j.Deprel[i])
			upos.add(s.Confidence.UPOSConf[i], j.UPOS[i])
			for q, ok := range [...]bool{j.UPOS[i], j.Head[i], j.LAS[i]} {
				if ok {
					right[q]++
				}
			}
		}
		trees.add(s.Confidence.TreeConf, j.Tree)
		e.Add(&s.Confidence.Expected)
	}
	heads.check(t, "heads")
	deprels.check(t, "deprels")
	upos.check(t, "upos")
	trees.check(t, "trees")
	for q, x := range [...]syntax.Estimate{e.UPOS, e.UAS, e.LAS} {
		off, deviation := float64(x.Right)/one-float64(right[q]), math.Sqrt(float64(x.Variance)/one)
		if math.Abs(off) > 6*deviation || deviation <= 0 || deviation > float64(e.Words)/50 {
			t.Errorf("quantity %d: %v too many are expected, with a deviation of %v", q, off, deviation)
		}
		// Both worlds were drawn: the error is sqrt 2 deviations. Words are independent.
		if m.overdispersion[q] < nat || m.overdispersion[q] > nat*13/10 {
			t.Errorf("quantity %d: an overdispersion of %d/%d", q, m.overdispersion[q], nat)
		}
	}
	if got := float64(m.subtypeShare) / one; math.Abs(got-0.25) > 0.03 {
		t.Errorf("LAS forgives %.3f, want a quarter", got)
	}
}

// The forest finds what no straight line sees: that the word before counts.
func TestForestLearnsFromNeighbours(t *testing.T) {
	m := fitted(t)
	s := made(1, 3).sentences[0]
	c := &s.Confidence
	for i := range s.Words {
		c.HeadMarginal[i], c.HeadMargin[i] = 0.5, 1
	}
	m.Apply(&s)
	high := c.HeadConf[1]
	c.HeadMarginal[0] = 0.125
	m.Apply(&s)
	if low := c.HeadConf[1]; low > high-0.08 {
		t.Errorf("behind a sure word %v, behind an unsure one %v", high, low)
	}
}

// Examples of a harder text move what is said; few of the same kind do not; and
// adapting an adapted calibrator is adapting the first.
func TestAdapt(t *testing.T) {
	m := fitted(t)
	hard, same, test := made(200, 11), made(100, 12), made(600, 13)
	r := rand.New(rand.NewPCG(1, 1))
	spoil := func(w *world) {
		for k := range w.judged {
			for i := range w.judged[k].Head {
				if r.IntN(3) == 0 {
					w.judged[k].Head[i], w.judged[k].LAS[i], w.judged[k].Deprel[i], w.judged[k].Tree = false, false, false, false
				}
			}
		}
	}
	spoil(&hard)
	spoil(&test)
	adapt := func(m *Model, w *world) *Model {
		out, err := m.Adapt(w.examples())
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	off := func(m *Model) float64 { // of the number of right heads, as a share
		var e syntax.Expected
		right := 0
		for k := range test.sentences {
			m.Apply(&test.sentences[k])
			e.Add(&test.sentences[k].Confidence.Expected)
			for _, ok := range test.judged[k].Head {
				if ok {
					right++
				}
			}
		}
		return (float64(e.UAS.Right)/one - float64(right)) / float64(e.Words)
	}
	adapted := adapt(m, &hard)
	if before, after := off(m), off(adapted); before < 0.15 || math.Abs(after) > before/4 {
		t.Errorf("%.3f too many before, %.3f after", before, after)
	}
	if x := adapt(m, &same); x.heads.slope < one*8/10 || x.heads.slope > one*12/10 || x.heads.offset > one/4 ||
		x.heads.offset < -one/4 {
		t.Errorf("text of the same kind moved heads by %d/%d, %d/%d", x.heads.slope, one, x.heads.offset, one)
	}
	if x := adapt(adapt(m, &same), &hard); x.heads.slope != adapted.heads.slope ||
		x.upos.offset != adapted.upos.offset || x.whole.offset != adapted.whole.offset {
		t.Error("an earlier adaptation counts")
	}
	few := made(20, 1)
	if _, err := m.Adapt(few.examples()); !errors.Is(err, ErrTooFew) {
		t.Errorf("20 sentences: %v", err)
	}
}

// Errors that come together widen what is expected of a sentence.
func TestSpread(t *testing.T) {
	w := made(600, 4)
	for k := range w.sentences { // all words of a sentence are right, or none
		for i := range w.judged[k].Head {
			w.judged[k].Head[i] = w.judged[k].Head[0]
		}
	}
	if m := fittedTo(t, w.examples()); m.overdispersion[1] < 3*nat {
		t.Errorf("%d/%d", m.overdispersion[1], nat)
	}

	// Copies of one sentence seem to vary less than independent words would.
	one := made(1, 4)
	for len(one.sentences) < 60 {
		j := one.judged[0]
		j.Sentence = len(one.judged)
		one.sentences, one.judged = append(one.sentences, one.sentences[0]), append(one.judged, j)
	}
	if m := fittedTo(t, one.examples()); m.overdispersion != [3]int32{nat, nat, nat} {
		t.Errorf("copies: %v/%d", m.overdispersion, nat)
	}
}

// Whatever the signals hold, values are in range, on the grid, and none is NaN.
func TestApplyOnAnySignals(t *testing.T) {
	m := fitted(t)
	odd := []float32{0, 1, 0.5, -1, 2, 64, 1e30, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)),
		1.0 / 4096, 4095.0 / 4096}
	forms := []string{"", "a", "É", "42", "\xff", "中", "."}
	r := rand.New(rand.NewPCG(3, 3))
	pick := func() float32 { return odd[r.IntN(len(odd))] }
	any32 := func() int32 { return int32(r.Uint32()) >> r.IntN(32) }
	for range 3000 {
		var s syntax.Sentence
		c := &s.Confidence
		for range 1 + r.IntN(30) {
			s.Words = append(s.Words, syntax.Word{Form: forms[r.IntN(len(forms))], UPOS: forms[r.IntN(2)], Head: any32() % 20})
			c.HeadMarginal, c.HeadMargin = append(c.HeadMarginal, pick()), append(c.HeadMargin, pick())
			c.LabelProb, s.TagProb, c.FirstOrder = append(c.LabelProb, pick()), append(s.TagProb, pick()),
				append(c.FirstOrder, pick())
			s.Candidates.Start, s.Candidates.Heads = append(s.Candidates.Start, any32()%40),
				append(s.Candidates.Heads, any32()%20)
			s.Candidates.LogOdds = append(s.Candidates.LogOdds, any32())
		}
		n := len(s.Words)
		s.Candidates.Start = append(s.Candidates.Start, int32(n))[:n+r.IntN(2)]
		c.LabelProb, s.TagProb, c.FirstOrder = c.LabelProb[:r.IntN(n+1)], s.TagProb[:r.IntN(n+1)], c.FirstOrder[:r.IntN(n+1)]
		s.Lexical, s.Unknown, c.Restarts, c.TreeMargin = any32(), any32(), any32(), pick()
		s.TagsGiven, s.Segmented = r.IntN(2) == 0, r.IntN(2) == 0
		m.Apply(&s)
		onGrid := func(p float32) bool {
			return p >= 0 && p <= 1 && p*4096 == float32(math.Trunc(float64(p*4096)))
		}
		if !c.HasTreeConf || !onGrid(c.TreeConf) {
			t.Fatalf("tree %v", c.TreeConf)
		}
		for i := range s.Words {
			if !onGrid(c.HeadConf[i]) || !onGrid(c.UPOSConf[i]) || !onGrid(c.DeprelConf[i]) ||
				c.DeprelConf[i] > c.HeadConf[i] || s.TagsGiven && c.UPOSConf[i] != 1 {
				t.Fatalf("head %v, deprel %v, UPOS %v of %+v", c.HeadConf[i], c.DeprelConf[i], c.UPOSConf[i], c)
			}
		}
		checkExpected(t, c, n)
	}
}

// checkExpected compares Expected with sums of the columns.
func checkExpected(t *testing.T, c *syntax.Confidence, n int) {
	t.Helper()
	sum := func(list []float32) (x int64) {
		for _, p := range list {
			x += int64(p * one)
		}
		return x
	}
	e := &c.Expected
	if e.Words != int64(n) || e.UPOS.Right != sum(c.UPOSConf) || e.UAS.Right != sum(c.HeadConf) ||
		e.LAS.Right < sum(c.DeprelConf) || e.LAS.Right > e.UAS.Right ||
		min(e.UPOS.Variance, e.UAS.Variance, e.LAS.Variance) < 0 {
		t.Fatalf("%+v of %+v", e, c)
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
	for _, s := range made(300, 4).sentences {
		m.Apply(&s)
		c := &s.Confidence
		for _, p := range slices.Concat(c.HeadConf, c.DeprelConf, c.UPOSConf, []float32{c.TreeConf}) {
			n := steps(float64(p))
			h.Write([]byte{byte(n), byte(n >> 8)})
		}
	}
	if got := h.Sum64(); got != bitsOfTest {
		t.Errorf("%#x", got)
	}
}

const bitsOfTest = 0x1fd8e581aa6881d8

func TestWithoutMarginals(t *testing.T) {
	m := fitted(t)
	s := made(1, 5).sentences[0]
	m.Apply(&s)
	s.Confidence.HeadMarginal = nil // over 512 words, or in windows
	m.Apply(&s)
	if c := &s.Confidence; c.HeadConf != nil || c.DeprelConf != nil || c.UPOSConf != nil || c.HasTreeConf ||
		c.TreeConf != 0 || c.Expected.Words != 0 {
		t.Errorf("%+v", c)
	}
	empty := syntax.Sentence{}
	if m.Apply(&empty); empty.Confidence.HasTreeConf {
		t.Error("a sentence without words has a tree")
	}
}

func TestGiven(t *testing.T) {
	m := fitted(t)
	s := made(1, 6).sentences[0]
	n := len(s.Words)
	heads, deprels := make([]bool, n), make([]bool, n)
	m.Apply(&s)
	free := s.Confidence.TreeConf
	heads[0], heads[1], deprels[1] = true, true, true
	m.ApplyGiven(&s, heads, deprels)
	c := &s.Confidence
	if c.HeadConf[0] != 1 || c.DeprelConf[0] >= 1 || c.HeadConf[1] != 1 || c.DeprelConf[1] != 1 || c.TreeConf < free ||
		c.TreeConf == 1 {
		t.Errorf("%v %v %v, without given ones %v", c.HeadConf[:2], c.DeprelConf[:2], c.TreeConf, free)
	}
	for i := range n {
		heads[i], deprels[i] = true, true
	}
	if m.ApplyGiven(&s, heads, deprels); c.TreeConf != 1 || c.Expected.LAS.Right != int64(n)*one ||
		c.Expected.LAS.Variance != 0 {
		t.Errorf("a tree that was given whole has %v, %+v", c.TreeConf, c.Expected)
	}
	s.TagsGiven = true
	if m.Apply(&s); slices.Min(c.UPOSConf) != 1 || c.Expected.UPOS.Variance != 0 {
		t.Errorf("given tags have %v", c.UPOSConf)
	}
}

// Where all is right, or all is wrong, values stay finite.
func TestOneSided(t *testing.T) {
	for _, right := range []bool{true, false} {
		w := made(60, 7)
		for k := range w.judged {
			j := &w.judged[k]
			j.Tree = right
			for i := range j.Head {
				j.Head[i], j.LAS[i], j.Deprel[i], j.UPOS[i] = right, right, right, right
			}
		}
		m := fittedTo(t, w.examples())
		s := &w.sentences[0]
		m.Apply(s)
		if p := s.Confidence.HeadConf[0]; (p < 0.9) == right || (p > 0.1) != right {
			t.Errorf("all right is %t: %v", right, p)
		}
	}
}

func TestFitRefuses(t *testing.T) {
	w := made(MinSentences, 8)
	list := w.examples()
	fittedTo(t, list)
	if _, err := Fit(list[1:]); !errors.Is(err, ErrTooFew) {
		t.Errorf("too few: %v", err)
	}
	twice := append(slices.Clone(list[1:]), list[1:]...)
	if _, err := Fit(twice); !errors.Is(err, ErrTooFew) {
		t.Errorf("the same ones twice: %v", err)
	}
	w.sentences[0].Confidence.HeadMarginal = nil
	if _, err := Fit(list); !errors.Is(err, ErrTooFew) {
		t.Errorf("one without marginals: %v", err)
	}
	w.judged[3].Head = w.judged[3].Head[1:]
	if _, err := Fit(list); err == nil || !strings.Contains(err.Error(), "judgements") {
		t.Errorf("judgements of another sentence: %v", err)
	}
}

// Apply allocates its three columns at once, and nothing else.
func TestAllocations(t *testing.T) {
	m := fitted(t)
	s := made(1, 5).sentences[0]
	m.Apply(&s)
	if n := testing.AllocsPerRun(100, func() { m.Apply(&s) }); n > 1 && !underRace {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkApply(b *testing.B) {
	w := made(600, 1)
	m, err := Fit(w.examples())
	if err != nil {
		b.Fatal(err)
	}
	words := 0
	for i := range w.sentences {
		words += len(w.sentences[i].Words)
	}
	for b.Loop() {
		for i := range w.sentences {
			m.Apply(&w.sentences[i])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*words), "ns/word")
}
