package score

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
	"gonum.org/v1/gonum/floats"
)

// sentences makes random sentences of few forms, each word on the one before
// it or behind it by its tag, with all heads as candidates.
func sentences(count int, seed uint64) []syntax.Sentence {
	r := hash.Rand(seed)
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

// learner returns a Learner with random factors, and one sentence projected.
func learner(t testing.TB, rank int) (*TensorLearner, *word.Sentence, *Projection) {
	train := sentences(40, 3)
	vocabulary := word.Learn(train)
	l := NewTensorLearner(train, vocabulary, rank, 0, t.Logf)
	r := hash.Rand(1)
	fillRandom(l.now, 0.2, &r)
	l.total = slices.Clone(l.now)
	s := &train[0]
	c, p := word.NewEncoder(vocabulary).Encode(s), new(Projection)
	l.Project(c, p)
	return l, c, p
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
func naive(l *TensorLearner, p *Projection, h, m int) float64 {
	phi := func(pos int) map[int32]float64 {
		x := make(map[int32]float64)
		for _, row := range p.rows[p.start[pos]:p.start[pos+1]] {
			x[row]++
		}
		return x
	}
	sum := 0.0
	for r := range l.rank {
		u, v := 0.0, 0.0
		for row, x := range phi(h) {
			u += x * l.line(2 * int(row))[r]
		}
		for row, x := range phi(m) {
			v += x * l.line(2*int(row) + 1)[r]
		}
		sum += u * v * (l.bin(0)[r] + l.bin(int(word.Distance(h, m)))[r])
	}
	return sum
}

func difference(l *TensorLearner, p *Projection, gold, other []int32) float64 {
	sum := 0.0
	for m := 1; m < len(gold); m++ {
		sum += naive(l, p, int(gold[m]), m) - naive(l, p, int(other[m]), m)
	}
	return sum
}

func TestArcIsTheDefinition(t *testing.T) {
	l, c, p := learner(t, 5)
	for m := 1; m <= c.Len(); m++ {
		for h := 0; h <= c.Len(); h++ {
			want := naive(l, p, h, m)
			if got := l.score(p, h, m); math.Abs(got-want) > 1e-12 {
				t.Fatalf("t(%d,%d) = %g, by the definition %g", h, m, got, want)
			}
			if got := float64(l.Arc(p, h, m)) / Unit; math.Abs(got-(1-Gamma)*want) > 1.0/Unit {
				t.Fatalf("Arc(%d,%d) = %g, want %g", h, m, got, (1-Gamma)*want)
			}
		}
	}
}

// Every entry of dU, dV and dW equals the finite difference.
func TestGradientIsTheFiniteDifference(t *testing.T) {
	l, c, p := learner(t, 3)
	gold, other := trees(c.Len())
	g := l.Gradient(p, gold, other)
	whole := make([]float64, len(l.now))
	spread(l, g, 1, whole)
	const e = 1e-4
	moved := 0
	for i, old := range l.now {
		l.now[i] = old + e
		up := difference(l, p, gold, other)
		l.now[i] = old - e
		down := difference(l, p, gold, other)
		l.now[i] = old
		if d := (up - down) / (2 * e); math.Abs(d-whole[i]) > 1e-8 {
			t.Fatalf("derivative %g, finite difference %g", whole[i], d)
		} else if d != 0 {
			moved++
		}
	}
	if moved < 100 {
		t.Errorf("only %d derivatives are not zero", moved)
	}
}

// spread adds x times a gradient to all lines.
func spread(l *TensorLearner, g *Gradient, x float64, to []float64) {
	for i, row := range g.rows {
		floats.AddScaled(to[2*int(row)*l.rank:][:2*l.rank], x, g.d[2*i*l.rank:][:2*l.rank])
	}
	w := g.d[2*len(g.rows)*l.rank:]
	floats.AddScaled(to[len(to)-len(w):], x, w)
}

// A small step gains its length times the length of the gradient.
func TestSmallStepsGain(t *testing.T) {
	l, c, p := learner(t, 4)
	gold, other := trees(c.Len())
	before := difference(l, p, gold, other)
	g := l.Gradient(p, gold, other)
	const alpha = 1e-6
	want := alpha * l.StepNorm(g) / (1 - Gamma)
	l.Add(g, alpha, 1)
	l.Project(c, p)
	if got := difference(l, p, gold, other) - before; math.Abs(got-want) > 1e-3*want {
		t.Errorf("a step gained %g, want %g", got, want)
	}
}

// A gradient that would lead far away is followed for a short step only, in
// its direction.
func TestStepsAreBounded(t *testing.T) {
	l, c, p := learner(t, 4)
	gold, other := trees(c.Len())
	step := slices.Clone(l.now)
	g := l.Gradient(p, gold, other)
	l.Add(g, 1e6, 1)
	floats.SubTo(step, l.now, step)
	if got := floats.Norm(step, 2); math.Abs(got-l.reach) > 1e-9 || !(got < 0.1*floats.Norm(l.now, 2)) {
		t.Errorf("a step of length %g, want %g; all together %g long", got, l.reach, floats.Norm(l.now, 2))
	}
	spread(l, g, -l.reach/floats.Norm(g.d, 2), step)
	if floats.Norm(step, 2) > 1e-9 {
		t.Fatal("a cut step has another direction")
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e30} {
		if y := toUnits(x); y < -maxArc || y > maxArc {
			t.Errorf("a score of %g is %d units", x, y)
		}
	}
}

func TestAverageIsThatOfAllSteps(t *testing.T) {
	l, c, p := learner(t, 3)
	gold, other := trees(c.Len())
	const steps = 7
	sum := make([]float64, len(l.now))
	for step := 1; step <= steps; step++ {
		if step != 4 { // a step without an update counts, too
			l.Add(l.Gradient(p, gold, other), 0.01*float64(step), step)
			gold, other = other, gold
			l.Project(c, p)
		}
		floats.Add(sum, l.now)
	}
	floats.Scale(1./steps, sum)
	avg := l.averaged(steps)
	if !floats.EqualApprox(sum, avg, 1e-12) {
		t.Fatal("the average is not that of all steps")
	}
	if floats.EqualApprox(l.now, avg, 1e-12) {
		t.Error("the average is the last value")
	}
}

func TestStateComesBack(t *testing.T) {
	l, c, p := learner(t, 3)
	gold, other := trees(c.Len())
	l.Add(l.Gradient(p, gold, other), 0.1, 1)
	var b pack.Builder
	pack.Write(b.Sub("t"), l.Layout)
	read := func(rank int) (*TensorLearner, error) {
		back, _, _ := learner(t, rank)
		return back, pack.Read(pack.NewView(b.Sections), "t", back.Layout)
	}
	back, err := read(3)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(l.now, back.now) || !reflect.DeepEqual(l.total, back.total) ||
		!reflect.DeepEqual(l.features, back.features) || l.reach != back.reach {
		t.Error("a checkpoint changes the tensor")
	}
	if _, err := read(4); err == nil {
		t.Error("a checkpoint of another rank was taken")
	}
}

func TestRankIsChecked(t *testing.T) {
	for rank, ok := range map[int]bool{-1: false, 0: false, 1: true, maxRank: true, maxRank + 1: false} {
		if err := CheckRank(rank); (err == nil) != ok {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}
