package rerank

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
)

// randomLists makes lists of candidates with sparse indicators, some of which tell right trees
// from wrong ones.
func randomLists(rng *rand.Rand, sentences, indicators int) []List {
	lists := make([]List, sentences)
	for i := range lists {
		for range 2 + rng.IntN(6) {
			c := Candidate{Base: rng.NormFloat64(), Right: rng.IntN(6)}
			for range 1 + rng.IntN(6) {
				k := hash.Key(1 + rng.IntN(indicators))
				if rng.IntN(3) == 0 {
					k = hash.Key(1 + c.Right)
				}
				c.Features = append(c.Features, k)
			}
			slices.Sort(c.Features)
			c.Features = slices.Compact(c.Features)
			lists[i] = append(lists[i], c)
		}
	}
	return lists
}

// naiveBoost is Boost by the definitions: all sums anew in every round.
func naiveBoost(lists []List, rounds int, smoothing float64, each func(chosen hash.Key, by, loss float64)) {
	a := factor(lists, false)
	weights := map[hash.Key]float64{}
	var keys []hash.Key
	for k := range hash.Key(1000) {
		keys = append(keys, k)
	}
	score := func(c *Candidate) float64 {
		s := a * c.Base
		for _, k := range c.Features {
			s += weights[k]
		}
		return s
	}
	sums := func() (pro, anti map[hash.Key]float64, total float64) {
		pro, anti = map[hash.Key]float64{}, map[hash.Key]float64{}
		for _, l := range lists {
			best := &l[l.Best()]
			for j := range l {
				loss := float64(best.Right-l[j].Right) * math.Exp(score(&l[j])-score(best))
				total += loss
				for _, k := range best.Features {
					if !slices.Contains(l[j].Features, k) {
						pro[k] += loss
					}
				}
				for _, k := range l[j].Features {
					if !slices.Contains(best.Features, k) {
						anti[k] += loss
					}
				}
			}
		}
		return pro, anti, total
	}
	for range rounds {
		pro, anti, total := sums()
		var chosen hash.Key
		most := -1.0
		for _, k := range keys {
			if gain := math.Abs(math.Sqrt(pro[k]) - math.Sqrt(anti[k])); gain > most+1e-12 {
				chosen, most = k, gain
			}
		}
		by := math.Log((pro[chosen]+smoothing*total)/(anti[chosen]+smoothing*total)) / 2
		weights[chosen] += by
		_, _, total = sums()
		each(chosen, by, total)
	}
}

func TestBoostAgainstNaive(t *testing.T) {
	type step struct {
		chosen   hash.Key
		by, loss float64
	}
	for seed := range uint64(5) {
		lists := randomLists(rand.New(rand.NewPCG(seed, 1)), 60, 40)
		var got, want []step
		_, work := Boost(lists, BoostOptions{Rounds: 80, Smoothing: 0.002, Cutoff: 1, Step: func(_ int, k hash.Key, by, loss float64) { got = append(got, step{k, by, loss}) }})
		naiveBoost(lists, 80, 0.002, func(k hash.Key, by, loss float64) { want = append(want, step{k, by, loss}) })
		for i := range want {
			if i >= len(got) || got[i].chosen != want[i].chosen || math.Abs(got[i].by-want[i].by) > 1e-9 || math.Abs(got[i].loss-want[i].loss) > 1e-9*want[i].loss {
				t.Fatalf("seed %d, round %d: %+v, naive %+v", seed, i+1, got[i], want[i])
			}
			if i > 0 && got[i].loss > got[i-1].loss {
				t.Fatalf("seed %d: the loss rises in round %d", seed, i+1)
			}
		}
		naive := int64(0) // what 80 rounds over all pairs visit
		for _, l := range lists {
			best := &l[l.Best()]
			for j := range l {
				if l[j].Right < best.Right {
					naive += 80 * int64(differences(best.Features, l[j].Features)+differences(l[j].Features, best.Features))
				}
			}
		}
		if work == 0 || work > naive/3 {
			t.Errorf("seed %d: %d indicators visited, %d by the naive algorithm", seed, work, naive)
		}
	}
}

// differences counts what a has and b has not.
func differences(a, b []hash.Key) (n int) {
	for _, k := range a {
		if !slices.Contains(b, k) {
			n++
		}
	}
	return n
}

func TestBoostLearns(t *testing.T) {
	lists := randomLists(rand.New(rand.NewPCG(9, 9)), 400, 40)
	m, _ := Boost(lists, BoostOptions{Rounds: 300})
	base := &Linear{Factor: 1}
	before, after, oracle := 0, 0, 0
	for _, l := range randomLists(rand.New(rand.NewPCG(10, 10)), 400, 40) {
		before += l[base.Choose(l)].Right
		after += l[m.Choose(l)].Right
		oracle += l[l.Best()].Right
	}
	if after < before+(oracle-before)/3 {
		t.Errorf("%d right before, %d after, %d by the oracle", before, after, oracle)
	}
	for _, l := range lists { // without weights, the base score decides
		best := 0
		for j := range l {
			if l[j].Base > l[best].Base {
				best = j
			}
		}
		if (&Linear{Factor: m.Factor}).Choose(l) != best {
			t.Fatal("a model without weights changes the order")
		}
	}
}
