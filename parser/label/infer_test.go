package label

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// enumerate calls visit with every labelling and its score.
func enumerate(m *Model, c *chart, visit func(choice []uint8, score int)) {
	n := c.n
	choice := make([]uint8, n+1)
	for {
		score := 0
		for i := int32(1); i <= int32(n); i++ {
			score += int(c.score[c.off[i]+int32(choice[i])])
			if h := c.head[i]; h > 0 {
				l := len(m.rel.names)
				row := m.pair[(int(c.ctx[i])*l+int(m.rel.set(c.set[h])[choice[h]]))*l:][:l]
				score += int(row[m.rel.set(c.set[i])[choice[i]]])
			}
		}
		visit(choice, score)
		if !next(choice, &c.layout) {
			return
		}
	}
}

func TestChartAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range sample(rng, 300, 5) {
		m := noisy(rng)
		c := m.charts.New().(*chart)
		m.prepare(c, &s)
		m.infer(c)
		best, total, top := math.MinInt, 0.0, 0
		enumerate(m, c, func(_ []uint8, score int) { best = max(best, score) })
		top = best
		sums := make([]float64, len(c.prob))
		enumerate(m, c, func(choice []uint8, score int) {
			p := math.Exp(float64(score-top) / unit)
			total += p
			same := true
			for i := int32(1); i < int32(len(choice)); i++ {
				sums[c.off[i]+int32(choice[i])] += p
				same = same && choice[i] == c.choice[i]
			}
			if same && score != best {
				t.Fatalf("the labelling found has score %d, the best %d", score, best)
			}
		})
		for i, p := range sums {
			if math.Abs(p/total-c.prob[i]) > 1e-6 {
				t.Fatalf("marginal %d is %g, by enumeration %g", i, c.prob[i], p/total)
			}
		}
	}
}

// TestMarginals: they are those of the labels that Label chooses, and add up to 1.
func TestMarginals(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	m := noisy(rng)
	for _, s := range sample(rng, 100, 9) {
		want := s
		want.Words = slices.Clone(s.Words)
		m.Label(&want, Help{})
		for i, list := range m.Marginals(&s) {
			sum, p := float32(0), list[slices.Index(m.Relations(), want.Words[i].Deprel)]
			for _, x := range list {
				sum += x
			}
			if p != want.Confidence.LabelProb[i] || math.Abs(float64(sum)-1) > 0.01 {
				t.Fatalf("word %d is %s with %v: %v of %v", i+1, want.Words[i].Deprel, want.Confidence.LabelProb[i], p, list)
			}
		}
	}
}

// TestTies: with all weights equal the lowest relation of each set wins.
func TestTies(t *testing.T) {
	m := *small()
	m.table = linear.Table{}
	m.pair = make([]int16, len(m.pair))
	m.derive()
	for _, s := range sample(rand.New(rand.NewPCG(5, 5)), 20, 9) {
		c := m.charts.New().(*chart)
		m.prepare(c, &s)
		m.infer(c)
		for i := range s.Words {
			if c.choice[i+1] != 0 {
				t.Fatalf("word %d has relation %d of its set, want 0", i+1, c.choice[i+1])
			}
		}
	}
}

// TestWide: a head with very many modifiers neither overflows nor loses its
// marginals, and the scratch stays linear.
func TestWide(t *testing.T) {
	m := noisy(rand.New(rand.NewPCG(8, 8)))
	s := syntax.Sentence{Words: make([]syntax.Word, syntax.MaxWords)}
	for i := range s.Words {
		s.Words[i] = lexicon[i%len(lexicon)]
		s.Words[i].Head = 5
	}
	s.Words[4].Head, s.Words[1].Head = 2, 0
	m.Label(&s, Help{})
	for i, w := range s.Words {
		if p := s.Confidence.LabelProb[i]; w.Deprel == "" || !(p >= 0 && p <= 1) {
			t.Fatalf("word %d: %q with probability %v", i+1, w.Deprel, p)
		}
	}
}

func TestLoose(t *testing.T) {
	m := small()
	for _, heads := range [][]int32{{}, {0}, {-1}, {1}, {7, 0}, {2, 1, 0}, {2, 3, 1, 3, 0}, {-1, -1}, {0, 0, 0}} {
		s := syntax.Sentence{}
		for i, h := range heads {
			w := lexicon[i%len(lexicon)]
			w.Head, w.Deprel = h, "old"
			s.Words = append(s.Words, w)
		}
		m.Label(&s, Help{})
		for i, w := range s.Words {
			known := heads[i] >= 0 && int(heads[i]) <= len(heads) && int(heads[i]) != i+1
			if (w.Deprel != "") != known || (w.Deprel == "root") != (heads[i] == 0) {
				t.Errorf("heads %v: word %d is %q", heads, i+1, w.Deprel)
			}
		}
	}
}

// TestLabelAllocatesOnlyItsOutput: one allocation, LabelProb.
func TestLabelAllocatesOnlyItsOutput(t *testing.T) {
	if underRace {
		t.Skip("allocations cannot be counted under the race detector")
	}
	m := small()
	s := &sample(rand.New(rand.NewPCG(2, 2)), 1, 40)[0]
	m.Label(s, Help{})
	if n := testing.AllocsPerRun(100, func() { m.Label(s, Help{}) }); n > 1 {
		t.Errorf("%v allocations a sentence", n)
	}
}

func BenchmarkLabel(b *testing.B) {
	m := small()
	sents := sample(rand.New(rand.NewPCG(2, 2)), 64, 40)
	words := 0
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s := &sents[i%len(sents)]
		m.Label(s, Help{})
		words += len(s.Words)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(words), "ns/word")
}

// TestDense: dense scores are added to those of the model, so that the same
// number everywhere changes nothing, and a large one decides.
func TestDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	m := noisy(rng)
	for _, s := range sample(rng, 50, 9) {
		m.Label(&s, Help{})
		want := s
		want.Words = slices.Clone(s.Words)
		dense := slices.Repeat([]int32{-3 * score.Unit}, len(s.Words)*len(m.rel.names))
		s.Dense.Labels = dense
		m.Label(&s, Help{})
		if !reflect.DeepEqual(s.Words, want.Words) || !slices.Equal(s.Confidence.LabelProb, want.Confidence.LabelProb) {
			t.Fatalf("a constant changes %+v to %+v", want, s)
		}
		c := m.charts.New().(*chart)
		m.prepare(c, &s)
		m.infer(c)
		for i := range s.Words {
			set := m.rel.set(c.set[i+1])
			l := int(set[rng.IntN(len(set))])
			dense[i*len(m.rel.names)+l] += 1000 * score.Unit
			want.Words[i].Deprel = m.rel.names[l]
		}
		m.LabelFreely(&s)
		for i, w := range s.Words {
			if w.Deprel != want.Words[i].Deprel || s.Confidence.LabelProb[i] != 1 {
				t.Fatalf("word %d is %q with probability %v, the dense scores say %q", i+1, w.Deprel, s.Confidence.LabelProb[i],
					want.Words[i].Deprel)
			}
		}
	}
}

// A relation for which dense scores lead has no features of its arc. All others have.
func TestDenseLead(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 14))
	m := noisy(rng)
	scores := func(s *syntax.Sentence) (*chart, []int32) {
		c := m.charts.New().(*chart)
		m.prepare(c, s)
		return c, c.score
	}
	n, sure, unsure := len(m.rel.names), 0, 0
	for _, s := range sample(rng, 30, 9) {
		_, plain := scores(&s)
		s.Dense.Labels = make([]int32, len(s.Words)*n)
		for i := range s.Dense.Labels {
			s.Dense.Labels[i] = -rng.Int32N(6*score.Unit) / (score.Unit / unit) * (score.Unit / unit)
		}
		c, got := scores(&s)
		for i := range s.Words {
			set := m.rel.set(c.set[i+1])
			lo := int(c.off[i+1])
			leads := len(set) > 1 && syntax.Lead(set, s.Dense.Labels[i*n:]) >= denseLead
			for j, l := range set {
				dense := s.Dense.Labels[i*n+int(l)] / (score.Unit / unit)
				want := plain[lo+j] + dense
				if leads {
					want = dense
					sure++
				} else {
					unsure++
				}
				if got[lo+j] != want {
					t.Fatalf("word %d: %d, want %d", i+1, got[lo+j], want)
				}
			}
		}
	}
	if sure == 0 || unsure == 0 {
		t.Errorf("%d sure scores and %d others: the test needs both", sure, unsure)
	}
}

// The keys are part of every model file: a model trained before a change of a
// template would read the weights of other features. If this test fails and
// the change is meant, put in the new hash and raise pack.Templates.
func TestTemplatesAreStable(t *testing.T) {
	const want = 0x4d09e04856d2c964
	h := uint64(0)
	c := small().charts.New().(*chart)
	for _, s := range sample(rand.New(rand.NewPCG(4, 2)), 10, 9) {
		c.read(&s)
		for m := 1; m <= len(s.Words); m++ {
			for _, k := range c.tree.keys(m, nil) {
				h = hash.Pair(h, k)
			}
		}
	}
	if h != want {
		t.Errorf("the keys hash to %#016x, want %#016x", h, uint64(want))
	}
}
