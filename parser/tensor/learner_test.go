package tensor

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// sentences makes random sentences of few forms, each word on the one before
// it or behind it by its tag, with all heads as candidates.
func sentences(count int, seed uint64) []syntax.Sentence {
	r := graph.Rand(seed)
	tags := []string{"NOUN", "DET", "VERB", "ADP"}
	list := make([]syntax.Sentence, count)
	for i := range list {
		s := &list[i]
		n := 3 + int(r.Below(6))
		s.Candidates.Start = []int32{0}
		for m := 1; m <= n; m++ {
			tag := tags[r.Below(4)]
			w := syntax.Word{Form: fmt.Sprint(tag[:1], r.Below(5)), UPOS: tag, Head: int32(m - 1)}
			if r.Below(2) == 0 {
				w.Feats = "Case=Nom|Number=Sing"
			}
			if tag == "DET" && m < n {
				w.Head = int32(m + 1)
			}
			s.Words = append(s.Words, w)
			for h := 0; h <= n; h++ {
				if h != m {
					s.Candidates.Heads = append(s.Candidates.Heads, int32(h))
				}
			}
			s.Candidates.Start = append(s.Candidates.Start, int32(len(s.Candidates.Heads)))
		}
	}
	return list
}

func vectors(t testing.TB) *Vectors {
	v, err := NewVectors([]string{"", "n1", "D2", "V3", "V3"}, []float32{1, 2, 3, -1, .5, 0, 2, 2, 0, 0, 1, 1, 9, 9, 9}, 3)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// learner returns a Learner with random factors, and one sentence projected.
func learner(t testing.TB, o Options) (*Learner, *feature.Codes, *syntax.Sentence, *Projection) {
	train := sentences(40, 3)
	vocabulary := feature.Learn(train)
	if o.Start == "" {
		o.Start = StartRandom
	}
	l, err := NewLearner(train, vocabulary, o)
	if err != nil {
		t.Fatal(err)
	}
	s := &train[0]
	c, p := new(feature.Codes), new(Projection)
	vocabulary.Encode(s, c)
	l.Project(c, s, p)
	return l, c, s, p
}

// trees returns two head lists over n words that differ in most heads.
func trees(n int) (gold, other []int32) {
	gold, other = make([]int32, n+1), make([]int32, n+1)
	for m := 1; m <= n; m++ {
		gold[m] = int32(m - 1)
		other[m] = int32((m + 1) % (n + 1))
	}
	other[1] = gold[1]
	return gold, other
}

// naive scores an arc by the definition.
func naive(l *Learner, p *Projection, h, m int) float64 {
	phi := func(pos int) map[int32]float64 {
		x := make(map[int32]float64)
		for _, t := range p.terms[p.start[pos]:p.start[pos+1]] {
			x[t.row] += float64(t.value)
		}
		return x
	}
	sum := 0.0
	for r := range l.rank {
		u, v := 0.0, 0.0
		for row, x := range phi(h) {
			u += x * l.U[int(row)*l.rank+r]
		}
		for row, x := range phi(m) {
			v += x * l.V[int(row)*l.rank+r]
		}
		sum += u * v * (l.W[r] + l.W[int(feature.Distance(h, m))*l.rank+r])
	}
	return sum
}

func difference(l *Learner, p *Projection, gold, other []int32) float64 {
	sum := 0.0
	for m := 1; m < len(gold); m++ {
		sum += naive(l, p, int(gold[m]), m) - naive(l, p, int(other[m]), m)
	}
	return sum
}

func TestArcIsTheDefinition(t *testing.T) {
	l, c, _, p := learner(t, Options{Rank: 5, Gamma: 0.4, Vectors: vectors(t)})
	for m := 1; m <= c.N; m++ {
		for h := 0; h <= c.N; h++ {
			want := naive(l, p, h, m)
			if got := l.score(p, h, m); math.Abs(got-want) > 1e-12 {
				t.Fatalf("t(%d,%d) = %g, by the definition %g", h, m, got, want)
			}
			if got := float64(l.Arc(p, h, m)) / score.Unit; math.Abs(got-0.6*want) > 1.0/score.Unit {
				t.Fatalf("Arc(%d,%d) = %g, want %g", h, m, got, 0.6*want)
			}
		}
	}
}

// Every entry of dU, dV and dW equals the finite difference.
func TestGradientIsTheFiniteDifference(t *testing.T) {
	l, c, _, p := learner(t, Options{Rank: 3, Vectors: vectors(t)})
	gold, other := trees(c.N)
	g := l.Gradient(p, gold, other, 0)
	whole := newFactors(l.rank, l.rows())
	for i, row := range g.rows {
		copy(whole.U[int(row)*l.rank:][:l.rank], g.u[i*l.rank:])
		copy(whole.V[int(row)*l.rank:][:l.rank], g.v[i*l.rank:])
	}
	copy(whole.W, g.w)
	const e = 1e-4
	moved := 0
	for _, a := range []struct{ x, d []float64 }{{l.U, whole.U}, {l.V, whole.V}, {l.W, whole.W}} {
		for i := range a.x {
			old := a.x[i]
			a.x[i] = old + e
			up := difference(l, p, gold, other)
			a.x[i] = old - e
			down := difference(l, p, gold, other)
			a.x[i] = old
			if d := (up - down) / (2 * e); math.Abs(d-a.d[i]) > 1e-8 {
				t.Fatalf("derivative %g, finite difference %g", a.d[i], d)
			} else if d != 0 {
				moved++
			}
		}
	}
	if moved < 100 {
		t.Errorf("only %d derivatives are not zero", moved)
	}
}

// An uncapped step on one of U, V and W, with the sparse score absent, closes
// the loss exactly.
func TestStepInTurnMeetsTheLoss(t *testing.T) {
	for turn := range 3 {
		l, c, s, p := learner(t, Options{Rank: 4, Gamma: 0.3, Turns: true, Reach: -1})
		gold, other := trees(c.N)
		const err = 5
		at := func() float64 { return (1 - l.o.Gamma) * difference(l, p, gold, other) }
		g := l.Gradient(p, gold, other, turn)
		alpha := (err - at()) / l.StepNorm(g)
		l.Add(g, alpha, 1)
		l.Project(c, s, p)
		if got := at(); math.Abs(got-err) > 1e-9 {
			t.Errorf("turn %d: S(gold)-S(other) = %g after the step, want %d", turn, got, err)
		}
	}
}

// A gradient that would lead far away is followed for a short step only, in
// its direction.
func TestStepsAreBounded(t *testing.T) {
	l, c, _, p := learner(t, Options{Rank: 4})
	gold, other := trees(c.N)
	before := l.factors.clone()
	g := l.Gradient(p, gold, other, 0)
	l.Add(g, 1e6, 1)
	for _, a := range [][2][]float64{{l.U, before.U}, {l.V, before.V}, {l.W, before.W}} {
		axpy(-1, a[0], a[1])
	}
	if got := before.length(); math.Abs(got-l.reach) > 1e-9 || !(got < 0.1*l.length()) {
		t.Errorf("a step of length %g, want %g; all together %g long", got, l.reach, l.length())
	}
	axpy(l.reach/math.Sqrt(g.norm()), g.w, before.W)
	for _, x := range before.W {
		if math.Abs(x) > 1e-9 {
			t.Fatal("a cut step has another direction")
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e30} {
		if y := toUnits(x); y < -maxScore || y > maxScore {
			t.Errorf("a score of %g is %d units", x, y)
		}
	}
}

func TestAverageIsThatOfAllSteps(t *testing.T) {
	l, c, s, p := learner(t, Options{Rank: 3})
	gold, other := trees(c.N)
	const steps = 7
	sum := newFactors(l.rank, l.rows())
	for step := 1; step <= steps; step++ {
		if step != 4 { // a step without an update counts, too
			g := l.Gradient(p, gold, other, step)
			l.Add(g, 0.01*float64(step), step)
			gold, other = other, gold
			l.Project(c, s, p)
		}
		axpy(1, l.U, sum.U)
		axpy(1, l.V, sum.V)
		axpy(1, l.W, sum.W)
	}
	avg := l.averaged(steps)
	for _, a := range [][2][]float64{{sum.U, avg.U}, {sum.V, avg.V}, {sum.W, avg.W}} {
		for i := range a[0] {
			if math.Abs(a[0][i]/steps-a[1][i]) > 1e-12 {
				t.Fatalf("average %g, of all steps %g", a[1][i], a[0][i]/steps)
			}
		}
	}
	if reflect.DeepEqual(avg.W, l.W) {
		t.Error("the average is the last value")
	}
}

func TestStateComesBack(t *testing.T) {
	o := Options{Rank: 3, Vectors: vectors(t)}
	l, c, _, p := learner(t, o)
	gold, other := trees(c.N)
	l.Add(l.Gradient(p, gold, other, 0), 0.1, 1)
	back, err := FromState(l.State(), o)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(l.factors, back.factors) || !reflect.DeepEqual(l.total, back.total) || !reflect.DeepEqual(l.dict, back.dict) {
		t.Error("a checkpoint changes the tensor")
	}
	o.Rank = 4
	if _, err := FromState(l.State(), o); err == nil {
		t.Error("a checkpoint of another rank was taken")
	}
}

func TestOptionsAreChecked(t *testing.T) {
	train := sentences(5, 1)
	for _, o := range []Options{{Rank: maxRank + 1}, {Gamma: 1.5}, {Gamma: -1}, {Start: "warm"}} {
		if _, err := NewLearner(train, feature.Learn(train), o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}
