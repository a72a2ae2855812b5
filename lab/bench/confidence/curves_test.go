package confidence

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/syntax"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// permutations calls do with every order of n things.
func permutations(n int, do func([]int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var place func(k int)
	place = func(k int) {
		if k == n {
			do(order)
		}
		for i := k; i < n; i++ {
			order[k], order[i] = order[i], order[k]
			place(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	place(0)
}

// byEnumeration returns the mean number of right ones among the first k, over all
// orders that have what was said falling.
func byEnumeration(list []judged) []float64 {
	sums, orders := make([]float64, len(list)+1), 0.0
	permutations(len(list), func(order []int) {
		for i := 1; i < len(order); i++ {
			if list[order[i]].said > list[order[i-1]].said {
				return
			}
		}
		orders++
		right := 0.0
		for k, i := range order {
			if list[i].right {
				right++
			}
			sums[k+1] += right
		}
	})
	for k := range sums {
		sums[k] /= orders
	}
	return sums
}

// small makes a list of up to 6 cases with many ties.
func small(r *rand.Rand) []judged {
	list := make([]judged, r.IntN(7))
	for i := range list {
		list[i] = judged{float64(r.IntN(5)) / 4, r.IntN(2) == 0}
	}
	return list
}

func TestRankingByEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		list := small(r)
		n, k := float64(len(list)), rank(list)
		want := byEnumeration(list)
		area, smallest := 0.0, math.Inf(1)
		for i := 1; i < len(want); i++ {
			if !near(k.right[i], want[i]) {
				t.Fatalf("%v: %v right among the first %d, want %v", list, k.right[i], i, want[i])
			}
			area += 1 - want[i]/float64(i)
		}
		permutations(len(list), func(order []int) { // the best order of all, whatever was said
			sum, wrong := 0.0, 0.0
			for i, at := range order {
				if !list[at].right {
					wrong++
				}
				sum += wrong / float64(i+1)
			}
			smallest = min(smallest, sum)
		})
		if len(list) == 0 {
			smallest = 0
		}
		if !near(k.aurc(), ratio(area, n)) || !near(k.best(), ratio(smallest, n)) {
			t.Fatalf("%v: AURC %v, best %v, want %v and %v", list, k.aurc(), k.best(), ratio(area, n), ratio(smallest, n))
		}
	}
}

func TestFiguresByBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		list := small(r)
		k := rank(list)
		won, pairs := 0.0, 0.0
		for _, a := range list {
			for _, b := range list {
				if a.right && !b.right {
					pairs++
					switch {
					case a.said > b.said:
						won++
					case a.said == b.said:
						won += 0.5
					}
				}
			}
		}
		if !near(k.auc(), ratio(won, pairs)) {
			t.Fatalf("%v: AUC %v, want %v", list, k.auc(), ratio(won, pairs))
		}
		for _, least := range []float64{0, .25, .3, 1} {
			kept, right := 0.0, 0.0
			for _, j := range list {
				if j.said >= least {
					kept++
					if j.right {
						right++
					}
				}
			}
			a, b := k.above(least)
			if !near(a, ratio(kept, float64(len(list)))) || !near(b, ratio(right, kept)) {
				t.Fatalf("%v from %v: %v kept, %v right, want %v of %d, %v", list, least, a, b, kept, len(list), right)
			}
		}
		// All outcomes, each with its probability.
		chance := 0.0
		for outcome := range 1 << len(list) {
			p, distance := 1.0, [binCount]float64{}
			for i, j := range list {
				b := &distance[min(int(j.said*binCount), binCount-1)]
				if *b += j.said; outcome>>i&1 == 1 {
					p *= j.said
					*b--
				} else {
					p *= 1 - j.said
				}
			}
			for _, d := range distance {
				chance += p * math.Abs(d)
			}
		}
		if !near(k.chance(), ratio(chance, float64(len(list)))) {
			t.Fatalf("%v: ECE by chance %v, want %v", list, k.chance(), ratio(chance, float64(len(list))))
		}
	}
	if k := rank(nil); k.surest(.5) != 0 || k.mean() != 0 || k.ece() != 0 {
		t.Error("figures of nothing")
	}
	k := rank([]judged{{1, true}, {.5, false}, {.5, true}, {.25, false}})
	if got := [...]float64{k.surest(.25), k.surest(.5), k.surest(1), k.surest(0)}; got != [...]float64{1, .75, .5, 1} {
		t.Errorf("surest %v", got)
	}
}

// Where deviation no longer adds up all outcomes, it hardly differs from that.
func TestDeviationOfMany(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	p := make([]float64, exactCases+1)
	for i := range p {
		p[i] = 0.9 + r.Float64()/10
	}
	exact, many := deviation(p[1:]), deviation(p)
	if math.Abs(many/exact-1) > 0.01 {
		t.Errorf("%v of %d cases, %v of one more", exact, exactCases, many)
	}
}

// The figures that treebeam eval prints, too, are the same.
func TestAsEval(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var gold, system []syntax.Sentence
	for range 50 {
		var g, s syntax.Sentence
		c := &s.Confidence
		for i := range 8 {
			w := syntax.Word{Form: "w", Head: int32(max(i-r.IntN(2), 0)), Deprel: "x"}
			g.Words = append(g.Words, w)
			if w.Head > 0 && r.IntN(3) == 0 {
				w.Head--
			}
			s.Words = append(s.Words, w)
			p := float32(r.IntN(20)+1) / 20
			c.HeadMarginal, c.HeadMargin, c.LabelProb = append(c.HeadMarginal, p), append(c.HeadMargin, 1), append(c.LabelProb, p)
			c.HeadConf, c.DeprelConf = append(c.HeadConf, p), append(c.DeprelConf, p/2)
		}
		c.TreeConf, c.HasTreeConf = float32(r.IntN(20))/40, true
		gold, system = append(gold, g), append(system, s)
	}
	judgements, err := eval.Judge(gold, system)
	if err != nil {
		t.Fatal(err)
	}
	list, err := eval.Reliabilities(gold, system)
	if err != nil {
		t.Fatal(err)
	}
	columns, found := columnsOf(system, judgements), 0
	for _, want := range list {
		if want.Of != map[string]string{"head_conf": "head", "deprel_conf": "head+deprel", "tree_conf": "tree", "head_marginal": "head"}[want.Column] {
			continue
		}
		for _, c := range columns {
			if c.name != want.Column {
				continue
			}
			found++
			k := rank(c.list)
			if len(k.list) != want.Cases || k.total() != float64(want.Right) || !near(k.mean(), want.Mean) || !near(k.ece(), want.ECE) || !near(k.aurc(), want.AURC) ||
				want.AUC == nil || !near(k.auc(), *want.AUC) || !near(k.surest(.8), want.Surest80) || !near(k.surest(.5), want.Surest50) {
				t.Errorf("%s: %d cases, %v right, mean %v, ECE %v, AURC %v, want %+v", c.name, len(k.list), k.total(), k.mean(), k.ece(), k.aurc(), want)
			}
		}
	}
	if found != 4 {
		t.Errorf("%d columns compared, want 4 of %+v", found, list)
	}
}
