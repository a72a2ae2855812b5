package score

import (
	"math"
	"testing"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// stepped returns a Learner after some steps, its Model and the vocabulary.
func stepped(t testing.TB, rank int) (*TensorLearner, *Tensor, *word.Vocabulary, []syntax.Sentence) {
	train := sentences(60, 3)
	v := word.Learn(train)
	l := NewTensorLearner(train, v, rank, 0, t.Logf)
	encoder := word.NewEncoder(v)
	var p Projection
	const steps = 30
	for i := range steps {
		c := encoder.Encode(&train[i])
		l.Project(c, &p)
		gold, other := trees(c.Len())
		g := l.Gradient(&p, gold, other)
		l.Add(g, min(0.01, 1/l.StepNorm(g)), i+1)
	}
	return l, l.Averaged(steps), v, train
}

func TestIntegersFollowFloats(t *testing.T) {
	for _, rank := range []int{8, 16} {
		l, m, v, train := stepped(t, rank)
		l.now = l.averaged(30)
		encoder := word.NewEncoder(v)
		var p, q Projection
		largest, sum, squares, n := 0.0, 0.0, 0.0, 0.0
		for i := range train {
			s := &train[i]
			c := encoder.Encode(s)
			if l.Project(c, &p) != m.Project(c, &q) {
				t.Error("the two count different look-ups")
			}
			for mod := 1; mod <= c.Len(); mod++ {
				for h := 0; h <= c.Len(); h++ {
					if h == mod {
						continue
					}
					want, got := (1-Gamma)*l.score(&p, h, mod), float64(m.Arc(&q, h, mod))/Unit
					largest = max(largest, math.Abs(got-want))
					sum, squares, n = sum+math.Abs(got-want), squares+want*want, n+1
				}
			}
		}
		deviation := math.Sqrt(squares / n)
		if mean := sum / n; !(mean < 0.02*deviation && largest < 0.15*deviation) {
			t.Errorf("integers differ from floats by %.5f in the mean, %.5f at most; scores are %.4f", mean, largest, deviation)
		}
	}
}

func TestSavedModelScoresAlike(t *testing.T) {
	_, m, v, train := stepped(t, 8)
	var b pack.Builder
	pack.Write(b.Sub("p"), m.Layout)
	opened := new(Tensor)
	if err := pack.Read(pack.NewView(b.Sections), "p", opened.Layout); err != nil {
		t.Fatal(err)
	}
	encoder := word.NewEncoder(v)
	var p, q Projection
	for i := range train {
		c := encoder.Encode(&train[i])
		m.Project(c, &p)
		opened.Project(c, &q)
		for mod := 1; mod <= c.Len(); mod++ {
			for h := 0; h <= c.Len(); h++ {
				if m.Arc(&p, h, mod) != opened.Arc(&q, h, mod) {
					t.Fatal("a saved and a fresh tensor differ")
				}
			}
		}
	}
	for i := range b.Sections { // a section cut short must be refused
		cut := append([]pack.Section(nil), b.Sections...)
		if len(cut[i].Data) < 8 {
			continue
		}
		cut[i].Data = cut[i].Data[:len(cut[i].Data)/2&^7]
		if err := pack.Read(pack.NewView(cut), "p", new(Tensor).Layout); err == nil {
			t.Errorf("%s cut in half: no error", cut[i].Name)
		}
	}
}

func TestProjectDoesNotAllocate(t *testing.T) {
	_, m, v, train := stepped(t, 8)
	encoder := word.NewEncoder(v)
	var p Projection
	sum := int32(0)
	run := func() {
		for i := range train {
			c := encoder.Encode(&train[i])
			m.Project(c, &p)
			sum += m.Arc(&p, 0, 1)
		}
	}
	run()
	if a := testing.AllocsPerRun(5, run); a != 0 {
		t.Errorf("%.1f allocations", a)
	}
}

// No input makes Arc overflow: bounds hold at the largest values.
func TestArcBounds(t *testing.T) {
	const R = maxRank
	m := &Tensor{rank: R, w: make([]int32, bins*R)}
	p := &Projection{fixed: make([]int32, 4*R)}
	for i := range p.fixed {
		p.fixed[i] = maxProjected
	}
	for i := range m.w {
		m.w[i] = maxW
	}
	if got := m.Arc(p, 0, 1); got != 1<<24 {
		t.Errorf("largest score %d", got)
	}
	for i := range m.w {
		m.w[i] = -maxW
	}
	if got := m.Arc(p, 0, 1); got != -1<<24 {
		t.Errorf("smallest score %d", got)
	}
}

// Features seen too rarely, or on nearly everywhere, have no row.
func TestFeaturesLeaveOutWhatSaysNothing(t *testing.T) {
	train := sentences(50, 7)
	for i := range train {
		for j := range train[i].Words {
			train[i].Words[j].UPOS, train[i].Words[j].Feats = "", ""
		}
	}
	train[3].Words[1].Form = "once"
	v := word.Learn(train)
	d := learnFeatures(train, v, 1000)
	encoder := word.NewEncoder(v)
	c := encoder.Encode(&train[3])
	keys := wordKeys(c, 2, nil)
	for kind, want := range map[int]bool{wordBias: true, wordForm: false, wordCoarse: false,
		wordCase: false, wordFormLeft: true} {
		if got := d.Has(keys[kind]); got != want {
			t.Errorf("feature of kind %d has a row: %t, want %t", kind, got, want)
		}
	}
	if small := learnFeatures(train, v, 5); d.Len() < 12 || small.Len() != 8 {
		t.Errorf("%d and %d rows", d.Len(), small.Len())
	}
}
