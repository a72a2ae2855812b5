package prune

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A constant added to the scores of all arcs changes nothing, and a strong
// score decides: also where it is that of a window.
func TestDenseScoresOfArcs(t *testing.T) {
	m, err := train(toy(60, 1), toy(20, 2), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{7, syntax.MaxWholeWords + 100} {
		s := syntax.Sentence{Words: make([]syntax.Word, n)}
		for i := range s.Words {
			s.Words[i] = syntax.Word{Form: fmt.Sprint("w", i%5), UPOS: []string{"NOUN", "VERB", "DET"}[i%3]}
		}
		m.Prune(&s)
		lost := s.Candidates.Lost
		s.Candidates.Lost = nil
		plain := fmt.Sprint(s.Candidates)
		s.Dense.Arcs = make([]int32, (n+1)*(n+1))
		for i := range s.Dense.Arcs {
			s.Dense.Arcs[i] = 77
		}
		m.Prune(&s)
		for i, p := range s.Candidates.Lost { // of scores in 1/1024 nat, to which 77 rounds otherwise
			if math.Abs(float64(p-lost[i])) > 0.01 {
				t.Errorf("word %d of %d: a constant changes what is lost, %v to %v", i+1, n, lost[i], p)
			}
		}
		if s.Candidates.Lost = nil; fmt.Sprint(s.Candidates) != plain {
			t.Errorf("%d words: a constant changes the candidates", n)
		}
		for _, c := range [][2]int32{{77 + 40*score.Unit, 77}, {0, math.MinInt32}, {math.MaxInt32, 0}, {math.MaxInt32, math.MinInt32}} {
			for i := range s.Dense.Arcs {
				s.Dense.Arcs[i] = c[1]
			}
			for mod := 1; mod <= n; mod++ { // a chain
				s.Dense.Arcs[(mod-1)*(n+1)+mod] = c[0]
			}
			m.Prune(&s)
			for mod := 1; mod <= n; mod++ {
				if got := s.Candidates.Of(mod); len(got) != 1 || int(got[0]) != mod-1 {
					t.Fatalf("%d words, scores %d: word %d has the heads %v, want %d", n, c, mod, got, mod-1)
				}
			}
		}
	}
}

// pairs returns the scores of all arcs of a sentence by both stages together, also
// of those that Prune would never look at: [h*(n+1)+m] is that of h -> m.
func pairs(m *Model, s *syntax.Sentence) []int32 {
	x := m.get()
	defer m.pool.Put(x)
	n := len(s.Words)
	x.encode(s)
	x.shortlist(s)
	out := make([]int32, (n+1)*(n+1))
	for mod := 1; mod <= n; mod++ {
		x.scoresOf(s, mod)
		for h := 0; h <= n; h++ {
			if h != mod {
				x.keys = x.keysOf(h, mod, x.keys[:0])
				out[h*(n+1)+mod] = x.row[h] + m.sparse.Sum(x.keys)
			}
		}
	}
	return out
}

// Candidates go by the sum of both stages and the dense scores, and so do their
// log-odds; the first stage leaves a word at most 8 heads of that sum.
func TestDenseScoresStayInLogOdds(t *testing.T) {
	m, err := train(toy(60, 1), toy(20, 2), Options{})
	if err != nil {
		t.Fatal(err)
	}
	m = m.WithCut(15)
	r, moved := hash.Rand(7), 0
	for _, s := range toy(30, 3) {
		m.Prune(&s)
		plain := s.Candidates
		n := len(s.Words)
		s.Dense.Arcs = make([]int32, (n+1)*(n+1))
		for i := range s.Dense.Arcs {
			s.Dense.Arcs[i] = int32(r.Below(score.Unit / 2))
		}
		pairs := pairs(m, &s)
		m.Prune(&s)
		for mod := 1; mod <= n; mod++ {
			lo, list := s.Candidates.Start[mod-1], s.Candidates.Of(mod)
			if len(list) > maxHeads+1 {
				t.Fatalf("word %d has %d heads", mod, len(list))
			}
			if at := plain.Start[mod-1]; len(list) == len(plain.Of(mod)) &&
				!slices.Equal(s.Candidates.LogOdds[lo:int(lo)+len(list)], plain.LogOdds[at:int(at)+len(list)]) {
				moved++
			}
		}
		for mod := 1; mod <= n; mod++ {
			lo, list, best := s.Candidates.Start[mod-1], s.Candidates.Of(mod), int32(math.MinInt32)
			for _, h := range list {
				best = max(best, pairs[int(h)*(n+1)+mod])
			}
			for k, h := range list {
				want := -int32((int64(best) - int64(pairs[int(h)*(n+1)+mod])) * 16 * 1024 / score.Unit / int64(m.temperature))
				if got := s.Candidates.LogOdds[int(lo)+k]; got != want {
					t.Fatalf("arc %d -> %d has log-odds %d, want %d", h, mod, got, want)
				}
			}
		}
	}
	if moved == 0 {
		t.Error("the dense scores move no log-odds")
	}
}

func TestCurveAgreesWithMeasure(t *testing.T) {
	m, err := train(toy(60, 1), toy(20, 2), Options{})
	if err != nil {
		t.Fatal(err)
	}
	dev := toy(40, 4)
	for i := range dev { // make it hard
		for w := range dev[i].Words {
			if w%3 == 0 {
				dev[i].Words[w].UPOS = "X"
			}
		}
	}
	cuts := []float64{0.5, 2, 5, 9}
	dense, curve := m.Curve(dev, cuts)
	for i, want := range curve {
		if got := m.WithCut(cuts[i]).Measure(dev); got != want {
			t.Errorf("cut %v: Curve %+v, Measure %+v", cuts[i], want, got)
		}
		if i > 0 && (want.Arcs < curve[i-1].Arcs || want.Kept < curve[i-1].Kept) {
			t.Errorf("a deeper cut leaves less: %+v after %+v", want, curve[i-1])
		}
	}
	if curve[0].Arcs == curve[3].Arcs || dense.Arcs < curve[3].Arcs || !math.IsInf(dense.Cut, 1) {
		t.Errorf("dense tables %+v, curve %+v", dense, curve)
	}
}
