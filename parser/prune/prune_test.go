package prune

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/prune/dense"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// train is Train with a vocabulary of its own.
func train(list, dev []syntax.Sentence, o Options) (*Model, error) {
	return Train(word.Learn(list), list, dev, o)
}

// Measure prunes copies of the sentences and compares with their heads.
func (m *Model) Measure(list []syntax.Sentence) Report {
	r := Report{Cut: m.Cut()}
	for i := range list {
		s := list[i]
		m.Prune(&s)
		r.add(&s)
	}
	return r
}

// toy makes sentences of a small grammar: DET ADJ* NOUN VERB DET NOUN PUNCT,
// words under the verb, determiners and adjectives under their noun.
func toy(count int, seed uint64) []syntax.Sentence {
	r := hash.Rand(seed)
	var list []syntax.Sentence
	for i := 0; i < count; i++ {
		var s syntax.Sentence
		if i%10 == 0 {
			s.Comments = []string{"# newdoc"}
		}
		add := func(upos string, head int) {
			w := fmt.Sprintf("%s%d", upos, r.Below(9))
			s.Words = append(s.Words, syntax.Word{Form: w, Lemma: w, UPOS: upos, Head: int32(head)})
		}
		phrase := func(verb int) {
			k := int(r.Below(3))
			noun := len(s.Words) + k + 2
			add("DET", noun)
			for ; k > 0; k-- {
				add("ADJ", noun)
			}
			if verb == 0 {
				verb = noun + 1
			}
			add("NOUN", verb)
		}
		phrase(0)
		verb := len(s.Words) + 1
		add("VERB", 0)
		phrase(verb)
		add("PUNCT", verb)
		list = append(list, s)
	}
	return list
}

func TestPrunerKeepsGoldAndATree(t *testing.T) {
	list, dev := toy(200, 1), toy(50, 2)
	m, err := train(list, dev, Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	r := m.Measure(dev)
	if r.Recall() < 0.99 || r.HeadsPerWord() > 3 {
		t.Errorf("recall %.3f at %.2f heads a word", r.Recall(), r.HeadsPerWord())
	}
	var spanner graph.Spanner
	for i := range dev {
		s := dev[i]
		m.Prune(&s)
		a := graph.Of(&s.Candidates)
		if !spanner.MaximumTree(&a, 0, make([]int32, len(s.Words)+1)) {
			t.Fatalf("sentence %d: no single-root tree left", i)
		}
		for w := 1; w <= len(s.Words); w++ {
			heads := s.Candidates.Of(w)
			if len(heads) == 0 || len(heads) > maxHeads+1 {
				t.Fatalf("word %d has %d heads", w, len(heads))
			}
			if !slices.IsSorted(heads) || len(slices.Compact(slices.Clone(heads))) < len(heads) {
				t.Fatalf("heads of word %d do not increase: %v", w, heads)
			}
		}
	}
}

func TestSavedPrunerEqualsFresh(t *testing.T) {
	list := toy(60, 3)
	m, _ := train(list, toy(20, 4), Options{})
	var b pack.Builder
	m.Pack(b.Sub("pruner"))
	opened, err := Open(pack.NewView(b.Sections), "pruner", m.vocabulary)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range toy(20, 5) {
		x, y := s, s
		m.Prune(&x)
		opened.Prune(&y)
		if fmt.Sprint(x.Candidates) != fmt.Sprint(y.Candidates) {
			t.Fatalf("differs after save and load: %v and %v", x.Candidates, y.Candidates)
		}
	}
}

// A section that does not fit is an error that names it.
func TestDamagedPruner(t *testing.T) {
	for section, damage := range map[string]func(m *Model){
		"p.dense":       func(m *Model) { m.first = dense.Tables{} },
		"p.temperature": func(m *Model) { m.temperature = maxTemperature + 1 },
	} {
		m, err := train(toy(20, 3), nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		damage(m)
		var b pack.Builder
		m.Pack(b.Sub("p"))
		if _, err := Open(pack.NewView(b.Sections), "p", m.vocabulary); err == nil ||
			!strings.Contains(err.Error(), section) {
			t.Errorf("%s: %v", section, err)
		}
	}
}

// Folds copy the sentences of the others while these get their candidates. For
// the race detector, which forgets an access after some steps, learning is
// left out.
func TestFoldsDoNotRace(t *testing.T) {
	list := toy(64, 6)
	m, err := train(list[:8], nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		pruneFolds(list, linear.Folds(list, 16), 4, func(rest []syntax.Sentence) *Model {
			if len(rest) < 56 || len(rest) >= 64 {
				t.Errorf("%d sentences are beside a fold", len(rest))
			}
			return m
		})
		for i := range list {
			if len(list[i].Candidates.Start) == 0 {
				t.Errorf("sentence %d is in no fold", i)
			}
			list[i].Candidates = syntax.Candidates{}
		}
	}
}

// The smallest treebanks are trained on, and jackknifed by pruners of what
// there is.
func TestTinyTreebanks(t *testing.T) {
	for _, n := range []int{1, 2} {
		list := toy(n, 6)
		m, err := train(list, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Jackknife(list, 10, m, Options{})
		if err != nil || r.Sentences != n {
			t.Fatalf("%d sentences: %+v, %v", n, r, err)
		}
	}
}

func TestPruneOddSentences(t *testing.T) {
	m, _ := train(toy(40, 8), toy(10, 9), Options{})
	for _, n := range []int{1, 2, syntax.MaxWholeWords + 700} {
		s := syntax.Sentence{Words: make([]syntax.Word, n)}
		for i := range s.Words {
			s.Words[i] = syntax.Word{Form: "x", UPOS: "PUNCT"}
		}
		m.Prune(&s)
		if len(s.Candidates.Start) != n+1 || int(s.Candidates.Start[n]) != len(s.Candidates.Heads) ||
			len(s.Candidates.LogOdds) != len(s.Candidates.Heads) {
			t.Fatalf("n=%d: candidates do not fit", n)
		}
	}
}

// Beyond the candidates that it returns, pruning allocates nothing.
func TestPruneAllocatesItsOutputOnly(t *testing.T) {
	if underRace {
		t.Skip("allocations cannot be counted under the race detector")
	}
	m, err := train(toy(60, 3), toy(20, 4), Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := toy(1, 9)[0]
	m.Prune(&s)
	if n := testing.AllocsPerRun(100, func() { m.Prune(&s) }); n > 4 {
		t.Errorf("%.1f allocations a sentence, want 4: starts, heads, log-odds and what is lost", n)
	}
}

func TestTheParserLearnsUnderALargerCut(t *testing.T) {
	list, dev := toy(100, 8), toy(20, 9)
	m, err := train(list, dev, Options{Cut: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	if m.Cut() != 0.5 || m.TrainCut() < 1 || m.TrainCut() > maxTrainCut {
		t.Fatalf("cuts %v and %v", m.Cut(), m.TrainCut())
	}
	m.trainCut = inParts(6)
	r, err := Jackknife(list, 4, m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if parse, train := m.Measure(dev), m.WithCut(m.TrainCut()).Measure(dev); r.HeadsPerWord() < parse.HeadsPerWord()+
		(train.HeadsPerWord()-parse.HeadsPerWord())/2 {
		t.Errorf("%.2f heads a word in training, %.2f and %.2f under the two cuts", r.HeadsPerWord(),
			parse.HeadsPerWord(), train.HeadsPerWord())
	}
}

// The probabilities of the heads of a word, those that were lost among them, are
// those of the first stage under the distribution of the second: the wider the
// cut, the less is lost, and the tables alone say what no cut leaves.
func TestLostIsWhatTheCutTakes(t *testing.T) {
	m, err := train(toy(60, 3), toy(20, 4), Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := m.get()
	cuts := 0
	for _, s := range toy(20, 9) {
		x.encode(&s)
		x.shortlist(&s)
		arcs, dropped := slices.Clone(x.arcs.Start), make([]float64, len(s.Words))
		for i := range dropped {
			x.scoresOf(&s, i+1)
			all, left := 0.0, 0.0
			for h := range x.row {
				if h != i+1 {
					p := math.Exp(float64(x.row[h]-x.row[x.guess.head[i+1]]) / score.Unit)
					if all += p; slices.Contains(x.arcs.Heads[arcs[i]:arcs[i+1]], int32(h)) {
						left += p
					}
				}
			}
			dropped[i] = 1 - left/all
		}
		var before []float32
		for _, cut := range []float64{0.5, 2, 4, 600} {
			m.WithCut(cut).Prune(&s)
			for i, p := range s.Candidates.Lost {
				switch {
				case !(p >= 0 && p < 1):
					t.Fatalf("word %d lost %v", i+1, p)
				case before != nil && p > before[i]:
					t.Errorf("word %d loses %v behind a wider cut, %v before", i+1, p, before[i])
				case cut == 600 && math.Abs(float64(p)-dropped[i]) > 1e-3: // scores are in 1/1024 nat
					t.Errorf("word %d lost %v, want %v", i+1, p, dropped[i])
				case float64(p) > 1.01*dropped[i]+1e-6:
					cuts++
				}
			}
			before = s.Candidates.Lost
		}
	}
	if cuts < 50 {
		t.Errorf("the cuts took something from %d words only", cuts)
	}
}
