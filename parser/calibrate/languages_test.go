package calibrate

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/pack"
)

// tongue draws examples in a language. A share of the heads that are right is made wrong in
// every second sentence, which the segmenter has found.
func tongue(code string, seed uint64, share float64) (list []Example) {
	w := made(400, seed)
	r := rand.New(rand.NewPCG(seed, 5))
	for k := range w.sentences {
		s, j := &w.sentences[k], &w.judged[k]
		s.Segmented = k%2 == 0
		for i := range j.Head {
			if s.Segmented && r.Float64() < share {
				j.Head[i], j.LAS[i], j.Deprel[i], j.Tree = false, false, false, false
			}
		}
	}
	list = w.examples()
	for k := range list {
		list[k].Language = code
	}
	return list
}

// off returns how far the mean of HeadConf is from the share of right heads, in text of the
// segmenter or of given words.
func off(m *Model, list []Example, segmented bool) float64 {
	sum, n := 0.0, 0
	for _, e := range list {
		if e.Sentence.Segmented != segmented {
			continue
		}
		m.Apply(e.Sentence)
		for i, p := range e.Sentence.Confidence.HeadConf {
			sum += float64(p)
			if n++; e.Right.Head[i] {
				sum--
			}
		}
	}
	return sum / float64(n)
}

// In a calibrator of two languages, words of the segmenter are as often right as it says in
// both, and so are given words.
func TestLanguages(t *testing.T) {
	easy, hard := tongue("aa", 21, 0), tongue("bb", 22, 0.3)
	m := fittedTo(t, slices.Concat(easy, hard))
	for code, list := range map[string][]Example{"aa": tongue("aa", 23, 0), "bb": tongue("bb", 24, 0.3)} {
		for _, segmented := range []bool{true, false} {
			if x := off(m.Of(code), list, segmented); math.Abs(x) > 0.03 {
				t.Errorf("%s, segmented %v: off by %.3f", code, segmented, x)
			}
		}
		if x := off(m, list, true); math.Abs(x) < 0.06 {
			t.Errorf("%s without its line is off by %.3f only", code, x)
		}
	}
	if m.Of("zz") != m || fitted(t).Of("aa") != fitted(t) {
		t.Error("a language that is not known has a calibrator of its own")
	}
	adapted, err := m.Of("bb").Adapt(hard)
	if err != nil || math.Abs(off(adapted, hard, true)) > 0.03 || adapted.heads.language != m.Of("bb").heads.language {
		t.Errorf("adapted: %+v, %v", adapted, err)
	}
	for _, x := range []*Model{m, adapted} {
		var b pack.Builder
		x.Pack(b.Sub("c"))
		y, err := Open(pack.NewView(b.Sections), "c")
		if err != nil || !slices.Equal(x.lines, y.lines) || x.heads.language != y.heads.language ||
			!reflect.DeepEqual(x.languages, y.languages) {
			t.Errorf("read back: %v, %+v", err, y)
		}
	}
	m.lines = m.lines[1:]
	var b pack.Builder
	m.Pack(b.Sub("c"))
	if _, err := Open(pack.NewView(b.Sections), "c"); err == nil {
		t.Error("a calibrator was read that lacks a line")
	}
}

// A few cases against all others do not turn certain into doubtful.
func TestLinesKeepTheOrder(t *testing.T) {
	m := &Model{languages: newInventory([]string{"aa", "bb"}), lines: make([]line, 2*functions)}
	x := m.newLineFit(0)
	for i := range 1000 {
		right := i%2 == 0
		x.samples[1] = append(x.samples[1], sample{[]float64{1, map[bool]float64{true: -3, false: 3}[right], 0}, right, 1})
	}
	if x.fit(); m.lines[0].slope != -one || m.lines[0].at(3*one, false) < m.lines[0].at(-3*one, false) {
		t.Errorf("%+v", m.lines[0])
	}
}

// What the segmenter is unsure of is less often right.
func TestSegmenterCounts(t *testing.T) {
	draw := func(seed uint64) []Example {
		list := tongue("", seed, 0)
		r := rand.New(rand.NewPCG(seed, 7))
		for _, e := range list {
			e.Sentence.Segmented, e.Sentence.EndOdds = true, 2000
			for i := range e.Right.Head {
				sure := r.IntN(2) == 0
				e.Sentence.WordOdds = append(e.Sentence.WordOdds, map[bool]int32{true: 1500, false: 100}[sure])
				if !sure && r.IntN(2) == 0 {
					e.Right.Head[i], e.Right.LAS[i], e.Right.Deprel[i], e.Right.Tree = false, false, false, false
				}
			}
		}
		return list
	}
	m := fittedTo(t, draw(31))
	var sums [2]struct{ said, was, n float64 }
	for _, e := range draw(32) {
		m.Apply(e.Sentence)
		for i, p := range e.Sentence.Confidence.HeadConf {
			x := &sums[0]
			if e.Sentence.WordOdds[i] > 1000 {
				x = &sums[1]
			}
			x.said += float64(p)
			if x.n++; e.Right.Head[i] {
				x.was++
			}
		}
	}
	for k, x := range sums {
		if math.Abs(x.said-x.was)/x.n > 0.04 {
			t.Errorf("sure %d: said %.3f, was %.3f", k, x.said/x.n, x.was/x.n)
		}
	}
}
