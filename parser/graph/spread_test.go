package graph

import (
	"math"
	"math/big"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
)

// spreadArcs is randomArcs with scores of about normal distribution and so
// many nats of standard deviation.
func spreadArcs(n, keep int, sd float64, r *hash.Rand) Arcs {
	a := randomArcs(n, keep, 1, r)
	for i := range a.Score {
		x := -6.0
		for range 12 {
			x += float64(r.Next()>>11) / (1 << 53)
		}
		a.Score[i] = int32(x * sd * 1024)
	}
	return a
}

// logMarginals sums over all trees in log space.
func logMarginals(a *Arcs) []float64 {
	best := math.Inf(-1)
	weight := func(arcs []int) float64 {
		sum := 0.0
		for _, i := range arcs {
			sum += float64(a.Score[i]) / 1024
		}
		return sum
	}
	trees(a, func(arcs []int) { best = max(best, weight(arcs)) })
	p, z := make([]float64, len(a.Heads)), 0.0
	trees(a, func(arcs []int) {
		w := math.Exp(weight(arcs) - best)
		z += w
		for _, i := range arcs {
			p[i] += w
		}
	})
	for i := range p {
		p[i] /= z
	}
	return p
}

func TestMarginalsAtAnySpread(t *testing.T) {
	r := hash.Rand(23)
	var g Marginals
	for _, sd := range []float64{1, 10, 50, 100} {
		worst := 0.0
		for k := 0; k < 300; k++ {
			a := spreadArcs(1+int(r.Below(5)), 1+int(r.Below(8)), sd, &r)
			want, got := logMarginals(&a), make([]float64, len(a.Heads))
			if !g.Compute(&a, got) {
				t.Fatalf("sd %v: no marginals", sd)
			}
			for i := range want {
				worst = max(worst, math.Abs(want[i]-got[i]))
			}
		}
		if !(worst < 1e-11) {
			t.Errorf("sd %v: marginals off by %v", sd, worst)
		}
	}
}

// bigMarginals inverts the Laplacian with the root weights in its first row
// (Koo et al. 2007) in 4,000 bits.
func bigMarginals(a *Arcs) []float64 {
	const bits = 4000
	n := a.N()
	zero := func() *big.Float { return new(big.Float).SetPrec(bits) }
	l := make([][]*big.Float, n)
	for i := range l {
		l[i] = make([]*big.Float, 2*n)
		for j := range l[i] {
			l[i][j] = zero()
		}
		l[i][n+i].SetInt64(1)
	}
	weight := make([]*big.Float, len(a.Heads))
	for m := 1; m <= n; m++ {
		lo, hi := a.Span(m)
		for i := lo; i < hi; i++ {
			w := zero().SetFloat64(math.Exp(float64(a.Score[i]%1024) / 1024))
			e := zero().SetFloat64(math.E)
			for k := a.Score[i] / 1024; k < 0; k++ {
				w.Quo(w, e)
			}
			for k := a.Score[i] / 1024; k > 0; k-- {
				w.Mul(w, e)
			}
			weight[i] = w
			h := int(a.Heads[i])
			if h == 0 {
				l[0][m-1].Set(w)
				continue
			}
			if h != 1 {
				l[h-1][m-1].Neg(w)
			}
			if m != 1 {
				l[m-1][m-1].Add(l[m-1][m-1], w)
			}
		}
	}
	for c := range l { // Gauss-Jordan
		pivot := c
		for r := c + 1; r < n; r++ {
			if zero().Abs(l[r][c]).Cmp(zero().Abs(l[pivot][c])) > 0 {
				pivot = r
			}
		}
		l[c], l[pivot] = l[pivot], l[c]
		d := zero().Set(l[c][c])
		for j := range l[c] {
			l[c][j].Quo(l[c][j], d)
		}
		for r := range l {
			if f := zero().Set(l[r][c]); r != c && f.Sign() != 0 {
				for j := range l[r] {
					l[r][j].Sub(l[r][j], zero().Mul(f, l[c][j]))
				}
			}
		}
	}
	p := make([]float64, len(a.Heads))
	for m := 1; m <= n; m++ {
		lo, hi := a.Span(m)
		for i := lo; i < hi; i++ {
			h, x := int(a.Heads[i]), zero()
			if h == 0 {
				x.Set(l[m-1][n])
			} else {
				if m != 1 {
					x.Set(l[m-1][n+m-1])
				}
				if h != 1 {
					x.Sub(x, l[m-1][n+h-1])
				}
			}
			p[i], _ = x.Mul(x, weight[i]).Float64()
		}
	}
	return p
}

func TestMarginalsAgainstManyDigits(t *testing.T) {
	r := hash.Rand(29)
	var g Marginals
	for k, sd := range []float64{1, 15, 30, 50, 50, 50, 80} {
		a := spreadArcs(10+k, 2+k%7, sd, &r)
		want, got := bigMarginals(&a), make([]float64, len(a.Heads))
		if !g.Compute(&a, got) {
			t.Fatalf("sd %v: no marginals", sd)
		}
		for i := range want {
			if d := math.Abs(want[i] - got[i]); !(d < 1e-11) {
				t.Errorf("sd %v arc %d: %v, want %v", sd, i, got[i], want[i])
			}
		}
	}
}

func TestMarginalsSumToOne(t *testing.T) {
	r := hash.Rand(31)
	var g Marginals
	for k := 0; k < 200; k++ {
		n := 2 + int(r.Below(40))
		a := spreadArcs(n, 1+int(r.Below(3)), 50, &r)
		p := make([]float64, len(a.Heads))
		if !g.Compute(&a, p) {
			t.Fatal("no marginals")
		}
		root := 0.0
		for m := 1; m <= n; m++ {
			lo, hi := a.Span(m)
			sum := 0.0
			for i := lo; i < hi; i++ {
				if !(p[i] >= 0 && p[i] <= 1) {
					t.Fatalf("case %d: a marginal of %v", k, p[i])
				}
				sum += p[i]
				if a.Heads[i] == 0 {
					root += p[i]
				}
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Errorf("case %d of %d words: heads of word %d sum to %v", k, n, m, sum)
			}
		}
		if math.Abs(root-1) > 1e-9 {
			t.Errorf("case %d of %d words: roots sum to %v", k, n, root)
		}
	}
}

// The one tree is a path of unlikely arcs from 0 to the last word and down to the first:
// every other arc closes a cycle with it.
func TestMarginalsOfAnUnlikelyPath(t *testing.T) {
	var g Marginals
	for _, c := range []struct{ words, nats int32 }{{64, 12}, {70, 12}, {200, 4}} {
		a := Arcs{Start: []int32{0, 1}, Heads: []int32{2}, Score: []int32{0}}
		for m := int32(2); m < c.words; m++ {
			a.Heads, a.Score = append(a.Heads, 1, m+1), append(a.Score, 0, -1024*c.nats)
			a.Start = append(a.Start, int32(len(a.Heads)))
		}
		a.Heads, a.Score = append(a.Heads, 0, 1), append(a.Score, 0, 0)
		a.Start = append(a.Start, int32(len(a.Heads)))
		p := make([]float64, len(a.Heads))
		if !g.Compute(&a, p) {
			t.Fatalf("%d words: no marginals", c.words)
		}
		for i, h := range a.Heads {
			want := 1.0
			if h == 1 {
				want = 0
			}
			if !(math.Abs(p[i]-want) < 1e-11) {
				t.Fatalf("%d words: the marginal of arc %d is %v, want %v", c.words, i, p[i], want)
			}
		}
	}
}

func TestMarginalsWithoutATree(t *testing.T) {
	var g Marginals
	a := Arcs{Start: []int32{0, 1, 2, 3}, Heads: []int32{0, 0, 1}, Score: []int32{0, 0, 0}} // two roots
	if g.Compute(&a, make([]float64, 3)) {
		t.Error("two roots have marginals")
	}
	a = Arcs{Start: []int32{0, 1, 2, 3}, Heads: []int32{0, 3, 2}, Score: []int32{0, 0, 0}} // a cycle
	if g.Compute(&a, make([]float64, 3)) {
		t.Error("a cycle has marginals")
	}
}
