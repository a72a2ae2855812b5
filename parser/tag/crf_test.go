package tag

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
)

// The gradients of the CRF's objective, without and with the regulariser, agree with
// finite differences of what enumeration of all label sequences gives.
func TestCRFGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	var ls labels // five labels of six parts, of which the first three are units
	for _, parts := range [][]uint16{{0, 3}, {1, 3, 4}, {1, 4}, {2, 5}, {2}} {
		ls.add(parts...)
	}
	ls.n, ls.units = 6, 3
	all := []uint16{0, 1, 2, 3, 4}
	for _, delta := range []float64{0, 0.35} {
		for range 8 {
			p := newProblem(&ls)
			for range 1 + rng.IntN(4) {
				var keys []hash.Key
				for _, k := range rng.Perm(7)[:1+rng.IntN(3)] {
					keys = append(keys, hash.Key(k+1)*0x9e3779b97f4a7c15)
				}
				allowed := all[rng.IntN(3):]
				p.add(keys, allowed, allowed[rng.IntN(len(allowed))])
			}
			p.endSequence(1)
			p.index.Cut(1)
			for _, k := range p.keys {
				p.ids = append(p.ids, p.index.ID(k))
			}
			l := &crfLearner{&CRF{Delta: delta}, p, 9, 1, 0, linear.NewRows(p.index.Len()), linear.NewDense(9), make([]crfWorker, 1)}
			weight, pair := make([]float64, p.index.Len()*ls.n), make([]float64, 9)
			for i := range weight {
				v := float32(rng.NormFloat64())
				l.rows.Add(int32(i/ls.n), uint16(i%ls.n), v, 1)
				weight[i] = float64(v)
			}
			for i := range pair {
				v := float32(rng.NormFloat64())
				l.pairs.W[i], pair[i] = v, float64(v)
			}
			var u crfUpdate
			l.visit(0, linear.At{Epoch: 1, Step: 1}, &u)
			byWeight, byPair := make([]float64, len(weight)), make([]float64, 9)
			for _, a := range u.asks {
				if a.word < 0 {
					byPair[a.part] += a.by
					continue
				}
				for _, id := range u.ids[u.start[a.word]:u.start[a.word+1]] {
					w := int(id)*ls.n + int(a.part)
					byWeight[w] += a.by - a.shrink*weight[w]
				}
			}
			if want := crfObjective(p, weight, pair, 0); math.Abs(u.loss+want) > 1e-6 {
				t.Fatalf("loss %g, by enumeration %g", u.loss, -want)
			}
			check := func(name string, x, got []float64) {
				const step = 1e-4
				for i := range x {
					before := x[i]
					x[i] = before + step
					up := crfObjective(p, weight, pair, delta)
					x[i] = before - step
					down := crfObjective(p, weight, pair, delta)
					x[i] = before
					if want := (up - down) / (2 * step); math.Abs(got[i]-want) > 2e-4*(1+math.Abs(want)) {
						t.Fatalf("delta %g, %s %d: gradient %g, by differences %g", delta, name, i, got[i], want)
					}
				}
			}
			check("weight", weight, byWeight)
			check("pair", pair, byPair)
		}
	}
}

// crfObjective returns the log-likelihood of the only sequence of p, less the
// regulariser, by enumeration.
func crfObjective(p *problem, weight, pair []float64, delta float64) float64 {
	ls, n := p.labels, len(p.gold)
	node := make([][]float64, n)
	unary := func(i int, x uint16) (sum, squares float64) {
		for _, id := range p.ids[p.idStart[i]:p.idStart[i+1]] {
			for _, part := range ls.of(x) {
				w := weight[int(id)*ls.n+int(part)]
				sum += w
				squares += w * w
			}
		}
		return sum, squares
	}
	total, gold := 0.0, 0.0
	path := make([]int, n)
	var each func(i int, sum float64)
	each = func(i int, sum float64) {
		if i == n {
			e := math.Exp(sum)
			total += e
			same := true
			for k, at := range path {
				node[k][at] += e
				same = same && p.allowed[k][at] == p.gold[k]
			}
			if same {
				gold = e
			}
			return
		}
		for at, x := range p.allowed[i] {
			path[i] = at
			s, _ := unary(i, x)
			if i > 0 {
				for _, a := range ls.of(p.allowed[i-1][path[i-1]]) {
					for _, b := range ls.of(x) {
						if int(a) < ls.units && int(b) < ls.units {
							s += pair[int(a)*ls.units+int(b)]
						}
					}
				}
			}
			each(i+1, sum+s)
		}
	}
	for i := range node {
		node[i] = make([]float64, len(p.allowed[i]))
	}
	each(0, 0)
	value := math.Log(gold / total)
	for i := range node {
		for at, x := range p.allowed[i] {
			_, squares := unary(i, x)
			m := node[i][at] / total
			value -= m * (1 - m) * delta / (1 - delta) * squares / 2
		}
	}
	return value
}
