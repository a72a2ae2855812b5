package tag

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// TestPosteriorIsThatOfAllPaths compares the probabilities of candidates with
// sums over all paths, also where paths are far apart.
func TestPosteriorIsThatOfAllPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var p posterior
	for trial := range 600 {
		spread := int32(1) << (trial % 5 * 4)
		heat := []int32{HeatUnit / 2, HeatUnit, 3 * HeatUnit}[trial%3]
		ls := randomLabels(rng, 5)
		pairs := randomInts(rng, 36)
		for i := range pairs {
			pairs[i] *= spread
		}
		var lat lattice[int32]
		lat.reset()
		n := 1 + rng.IntN(5)
		for range n {
			allowed := []uint16{0, 1, 2, 3, 4}[rng.IntN(5):]
			emit := randomInts(rng, len(allowed))
			for i := range emit {
				emit[i] *= spread
			}
			lat.push(allowed, emit, 1+rng.IntN(4), 0)
		}
		want, total := make([]float64, len(lat.emit)), 0.0
		found := lat.score(ls, pairs, slices.Clone(lat.search(ls, pairs)))
		path := make([]int32, n)
		for more := true; more; more = next(path, &lat) {
			var labels []uint16
			for i, c := range path {
				labels = append(labels, lat.label[lat.start[i]+c])
			}
			w := math.Exp(2 * float64(lat.score(ls, pairs, labels)-found) / scoreUnit * HeatUnit / float64(heat))
			total += w
			for i, c := range path {
				want[lat.start[i]+c] += w
			}
		}
		p.compute(&lat, ls, pairs, heat)
		for i := range n {
			for k, got := range p.of(&lat, i) {
				// Scores are rounded to 1/1024 nat, those of a path word by word.
				if w := want[int(lat.start[i])+k] / total; math.Abs(got-w) > 0.01*min(w, 1-w)+1e-9 {
					t.Fatalf("trial %d: word %d, candidate %d has probability %v, want %v", trial, i, k, got, w)
				}
			}
		}
	}
}

// A long sentence whose paths all have the same score, or scores as far apart as
// they can be, has probabilities nevertheless.
func TestPosteriorOfLongSentences(t *testing.T) {
	ls := &labels{}
	for i := range uint16(5) {
		ls.add(i)
	}
	ls.n, ls.units = 5, 5
	pairs := make([]int32, 25)
	for _, far := range []int32{0, 1 << 18} {
		var lat lattice[int32]
		lat.reset()
		for range 2000 {
			lat.push([]uint16{0, 1, 2, 3, 4}, []int32{0, -far, -far, -far, -far}, 5, 0)
		}
		lat.search(ls, pairs)
		var p posterior
		p.compute(&lat, ls, pairs, HeatUnit)
		want := []float64{1, 0, 0, 0, 0}
		if far == 0 {
			want = []float64{0.2, 0.2, 0.2, 0.2, 0.2}
		}
		for i := range 2000 {
			for k, got := range p.of(&lat, i) {
				if math.Abs(got-want[k]) > 1e-12 {
					t.Fatalf("scores %d apart: word %d, candidate %d has probability %v, want %v", far, i, k, got, want[k])
				}
			}
		}
	}
}

// A label that the search does not see counts against a word, unless it has the
// UPOS of the best one.
func TestLead(t *testing.T) {
	m := newModel()
	m.upos = []string{"ADJ", "NOUN", "NOUN", "VERB"}
	m.finish()
	for _, c := range []struct {
		emit []int32
		beam int
		want int64
	}{
		{[]int32{0, 9, 8, 3}, 1, 6},
		{[]int32{0, 9, 8, 3}, 3, 9},
		{[]int32{0, 9, 8, 3}, 4, noRival},
		{[]int32{5, 9, 8, 5}, 3, 4}, // VERB is as good as ADJ, which came first
		{[]int32{9, 9, 8, 9}, 1, 0},
		{[]int32{-5, 9, 9, -4}, 2, 13},
	} {
		var lat lattice[int32]
		lat.reset()
		lat.push(m.all, c.emit, c.beam, 0)
		if got := m.lead(&lat, m.all, c.emit); got != c.want {
			t.Errorf("%v, %d candidates: lead %d, want %d", c.emit, c.beam, got, c.want)
		}
	}
	var lat lattice[int32]
	lat.reset()
	lat.push(m.all[1:3], []int32{9, 3}, 1, 0)
	if got := m.lead(&lat, m.all[1:3], []int32{9, 3}); got != noRival {
		t.Errorf("all labels are NOUN: lead %d", got)
	}
}

func TestTagProb(t *testing.T) {
	m := trainToy(t)
	words := func(forms ...string) (s syntax.Sentence) {
		for _, f := range forms {
			s.Words = append(s.Words, syntax.Word{Form: f})
		}
		return s
	}
	s := words("the", "dog", "zork", "the", "walks", ".")
	m.Tag(&s, false)
	if len(s.TagProb) != 6 || s.TagsGiven {
		t.Fatalf("probabilities %v, given %v", s.TagProb, s.TagsGiven)
	}
	if s.TagProb[0] != sureProb {
		t.Errorf("the only tag of a frequent form has probability %v, want %v", s.TagProb[0], sureProb)
	}
	for i, p := range s.TagProb {
		if p <= 0 || p >= 1 || p*probGrain != float32(int(p*probGrain)) {
			t.Errorf("word %d: probability %v", i+1, p)
		}
	}
	if s.TagProb[2] >= s.TagProb[1] {
		t.Errorf("an unknown form has probability %v, a known one %v", s.TagProb[2], s.TagProb[1])
	}
	first := s.TagProb
	for _, m := range []*Model{m, trainToy(t)} { // with used scratch, and with fresh
		s := words("the", "dog", "zork", "the", "walks", ".")
		m.Tag(&s, true)
		if !reflect.DeepEqual(s.TagProb, first) {
			t.Errorf("probabilities %v, and then %v", first, s.TagProb)
		}
	}
	hot := words("the", "dog", "zork", "the", "walks", ".")
	m.TagAt(&hot, true, 4*HeatUnit)
	if hot.TagProb[2] >= first[2] || !slices.EqualFunc(hot.Words, s.Words, func(a, b syntax.Word) bool { return a == b }) {
		t.Errorf("at a higher temperature probability %v of %v, at the lower one %v of %v", hot.TagProb[2], hot.Words, first[2], s.Words)
	}
}

func TestTagProbOfGivenTags(t *testing.T) {
	m := trainToy(t)
	s := syntax.Sentence{Words: []syntax.Word{{Form: "the", UPOS: "DET"}, {Form: "walks", UPOS: "VERB"}, {Form: "zork"}, {Form: "dog", XPOS: "NN"}}}
	m.Tag(&s, false)
	if p := s.TagProb; p[0] != 1 || p[1] != 1 || p[2] >= 1 || p[3] >= 1 || s.TagsGiven {
		t.Errorf("two of four UPOS are given: probabilities %v, all given: %v", p, s.TagsGiven)
	}
	m.Tag(&s, false)
	if !s.TagsGiven || slices.Min(s.TagProb) != 1 {
		t.Errorf("all UPOS are given: probabilities %v, all given: %v", s.TagProb, s.TagsGiven)
	}
	m.Tag(&s, true)
	if s.TagsGiven || slices.Max(s.TagProb) >= 1 {
		t.Errorf("tagged again: probabilities %v, all given: %v", s.TagProb, s.TagsGiven)
	}
}

// Dense scores that leave no doubt do so to the probabilities, and those for
// other tags raise doubts.
func TestTagProbOfDenseScores(t *testing.T) {
	m := trainToy(t)
	tag := func(bonus int32) syntax.Sentence {
		s := syntax.Sentence{Words: slices.Clone(toyTreebank()[0].Words)}
		s.Dense.Tags = make([]int32, len(s.Words)*m.NumTags())
		for i := range s.Words {
			for l := range m.NumTags() {
				if upos, _ := m.TagName(l); upos == "NOUN" {
					s.Dense.Tags[i*m.NumTags()+l] = bonus
				}
			}
		}
		m.Tag(&s, true)
		return s
	}
	plain, doubt, strong := tag(0), tag(scoreUnit/4), tag(1<<20)
	for i := range plain.Words {
		if strong.Words[i].UPOS != "NOUN" || strong.TagProb[i] < 0.999 {
			t.Errorf("word %d is %s with probability %v, the dense scores say NOUN", i+1, strong.Words[i].UPOS, strong.TagProb[i])
		}
		p, q := plain.TagProb[i], doubt.TagProb[i]
		if w := plain.Words[i].UPOS; w != doubt.Words[i].UPOS || w == "NOUN" && q < p || w != "NOUN" && q > p || p < 0.99 && p == q {
			t.Errorf("word %d is %s with probability %v; with scores for NOUN it is %s with probability %v", i+1, w, p, doubt.Words[i].UPOS, q)
		}
	}
}
