package search

import (
	"math"
	"testing"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// Where a tree has no parts but its arcs, the first-order model around the best
// tree is the whole model: HeadMarginal is a sum over all trees, times what the
// pruner has kept.
func TestMarginalsOfArcsAreExact(t *testing.T) {
	r := hash.Rand(71)
	m := newModel(noise(score.Unit/8), 0)
	spread := 0
	for range 150 {
		s := randomSentence(1+int(r.Below(5)), 2+int(r.Below(7)), &r)
		n := len(s.Words)
		for range n {
			s.Candidates.Lost = append(s.Candidates.Lost, float32(r.Below(65536))/65536)
		}
		if m.Parse(s, Options{}) != nil {
			continue // no tree among the candidates
		}
		x := &Search{}
		x.prepare(m, s)
		total, whole, first := 0.0, make([]float64, n), make([]float64, n)
		totalFirst := 0.0
		allTrees(s, func(head []int32) {
			odds := 0.0
			for w := 1; w <= n; w++ {
				odds += float64(s.Candidates.LogOdds[x.Scores.Arc(head[w], w)]) / 1024
			}
			p := math.Exp(float64(scratchScore(x, head))/score.Unit*unitNats/1024 + odds*oddsShare/1024)
			total, totalFirst = total+p, totalFirst+math.Exp(odds)
			for w := range n {
				if head[w+1] == s.Words[w].Head {
					whole[w], first[w] = whole[w]+p, first[w]+math.Exp(odds)
				}
			}
		})
		for w := range n {
			kept := 1 - float64(s.Candidates.Lost[w])
			for _, c := range []struct {
				name       string
				got, doubt float32
				want, tol  float64
			}{
				{"marginal", s.Confidence.HeadMarginal[w], s.Confidence.HeadDoubt[w], kept * whole[w] / total, 0.004}, // scores are in 1/1024 nat
				{"first-order marginal", s.Confidence.FirstOrder[w], s.Confidence.FirstDoubt[w], kept * first[w] / totalFirst, 0.00013},
			} {
				if math.Abs(float64(c.got)-c.want) > c.tol || math.Abs(float64(c.doubt+c.got)-1) > 0.00013 {
					t.Fatalf("%d words: %s of word %d is %v, its doubt %v, want %v", n, c.name, w+1, c.got, c.doubt, c.want)
				}
			}
			if q := whole[w] / total; q > 0.1 && q < 0.9 {
				spread++
			}
		}
	}
	if spread < 50 {
		t.Errorf("only %d words were uncertain", spread)
	}
}

// What a change of head gains in the first-order model is what it gains in the
// whole model; arcs from heads below the word, which no single change leads to,
// are in it too.
func TestLinearScoresAreGains(t *testing.T) {
	r := hash.Rand(72)
	moves, below := 0, 0
	for range 40 {
		s := randomSentence(2+int(r.Below(5)), 7, &r)
		x := newSearch(s, score.Unit/16, part.Standard)
		if !x.run(1, 3, 3) {
			continue
		}
		x.Tree.Set(&x.Scores.Arcs, x.best)
		x.linear = resize(x.linear, len(x.Pruned.Heads))
		at := x.total()
		for m := int32(1); int(m) <= x.Scores.N; m++ {
			x.linearize(m)
			lo, now := x.Scores.Arcs.Start[m-1], x.Tree.Arc[m]
			for i := lo; i < x.Scores.Arcs.Start[m]; i++ {
				h := x.Scores.Arcs.Heads[i]
				gain := int64(x.worth[i-lo]) - int64(x.worth[now-lo])
				if want := int32(gain*unitNats/score.Unit + int64(x.Pruned.Score[i])*oddsShare/1024); x.linear[i] != want {
					t.Fatalf("arc %d -> %d scores %d, want %d", h, m, x.linear[i], want)
				}
				if m == x.Tree.Root || h == 0 {
					continue
				}
				if x.Tree.Below(h, m) {
					below++
					continue
				}
				moved := append([]int32(nil), x.best[:x.Scores.N+1]...)
				if moved[m] = h; scratchWhole(x, moved)-at != gain {
					t.Fatalf("%v: word %d to %d gains %d, want %d", x.best, m, h, gain, scratchWhole(x, moved)-at)
				}
				moves++
			}
		}
	}
	if moves < 100 || below < 20 {
		t.Errorf("%d moves, %d heads below their word", moves, below)
	}
}

// scratchWhole is what Total returns of a tree: its parts and what else is in
// the scores of arcs.
func scratchWhole(x *Search, head []int32) int64 {
	var y part.Tree
	y.Set(&x.Scores.Arcs, head)
	return x.Scores.Total(&y)
}

// Beyond the length that marginals are computed for, every word's heads share
// its probability.
func TestMarginalsOfLongSentences(t *testing.T) {
	n := syntax.MaxMarginalWords + 1
	s := &syntax.Sentence{Words: make([]syntax.Word, n), Candidates: syntax.Candidates{Start: []int32{0}}}
	for m := 1; m <= n; m++ {
		s.Candidates.Heads = append(s.Candidates.Heads, int32(m-1))
		s.Candidates.LogOdds = append(s.Candidates.LogOdds, 0)
		if m > 2 {
			s.Candidates.Heads[len(s.Candidates.Heads)-1] = int32(m - 2)
			s.Candidates.Heads, s.Candidates.LogOdds = append(s.Candidates.Heads, int32(m-1)),
				append(s.Candidates.LogOdds, -1024)
		}
		s.Candidates.Start = append(s.Candidates.Start, int32(len(s.Candidates.Heads)))
	}
	if err := newModel(noise(0), 0).Parse(s, Options{}); err != nil {
		t.Fatal(err)
	}
	for m := 3; m <= n; m++ {
		p := graph.ExpOdds(1024)
		want := 1 / (1 + p)
		if int(s.Words[m-1].Head) == m-1 {
			want = p / (1 + p)
		}
		if got := s.Confidence.FirstOrder[m-1]; math.Abs(float64(got)-want) > 1e-3 {
			t.Fatalf("word %d: first-order %v, want %v", m, got, want)
		}
	}
	if s.Confidence.HeadMarginal[0] != 1 {
		t.Errorf("a word with one candidate has the marginal %v", s.Confidence.HeadMarginal[0])
	}
}

// The pruner's marginals are computed only where they are read: by restarts and
// by confidence, not in training, in forced decoding, nor for a score or a tree
// alone.
func TestPrunerMarginalsAreComputedWhereTheyAreRead(t *testing.T) {
	r := hash.Rand(19)
	s := randomSentence(12, 8, &r)
	for i := range s.Words {
		s.Words[i].Head = int32(i) // a chain
	}
	var o TrainOptions
	o.setDefaults()
	tr := newTrainer(word.Learn(nil), []syntax.Sentence{*s}, o)
	m := newModel(noise(400), part.Standard)
	once, often := Options{Restarts: 1, Exact: -1}, Options{Restarts: 10, Patience: 10, Exact: -1, Certify: -1,
		Budget: mostBudget}
	once.setDefaults(s)
	often.setDefaults(s)
	for _, c := range []struct {
		what string
		do   func(x *Search) bool // reports success
		want bool
	}{
		{"training", func(x *Search) bool { tr.learn(x, s, 1, new(update)); return x.gold != nil }, false},
		{"forced decoding", func(x *Search) bool {
			tr.load(x, s, 1)
			ok := tr.force(x, s, 1)
			return ok && cap(x.forced.marginal) == 0
		}, false},
		{"load", func(x *Search) bool {
			x.prepare(m, s)
			return x.load(s.Heads())
		}, false},
		{"find", func(x *Search) bool { return x.find(m, s, &once) }, false},
		{"find with restarts", func(x *Search) bool { return x.find(m, s, &often) }, true},
		{"parse", func(x *Search) bool { return x.parse(m, &syntax.Clone([]syntax.Sentence{*s})[0], &once) == nil }, true},
	} {
		x := &Search{}
		if !c.do(x) {
			t.Errorf("%s fails", c.what)
		}
		if got := cap(x.marginal) > 0; got != c.want {
			t.Errorf("%s: marginals computed: %v, want %v", c.what, got, c.want)
		}
	}
}
