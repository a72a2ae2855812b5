package search

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A space is all trees of a sentence, with what a sampler has to draw them by.
type space struct {
	x     *Search
	trees [][]int32
	index map[string]int
	p     []float64 // of the target
}

// spaceOf prepares sampling in a sentence. It returns nil if there is no tree.
func spaceOf(s *syntax.Sentence, on part.Families, projective bool, by Estimate) *space {
	c := &space{x: newSearch(s, score.Unit/12, on), index: map[string]int{}}
	x := c.x
	x.Projective = projective
	x.linear = resize(x.linear, len(x.Pruned.Heads))
	sum := 0.0
	allTrees(s, func(head []int32) {
		x.Tree.Set(&x.Scores.Arcs, head)
		for m := int32(1); int(m) <= x.Scores.N; m++ {
			if x.crossed(m, m) {
				return
			}
		}
		nats := float64(scratchWhole(x, head)) / score.Unit * unitNats / 1024
		for m := 1; m <= x.Scores.N; m++ {
			nats += float64(x.Pruned.Score[x.Scores.Arc(head[m], m)]) / 1024 * oddsShare / 1024
		}
		c.index[fmt.Sprint(head[1:])] = len(c.trees)
		c.trees = append(c.trees, slices.Clone(head))
		c.p = append(c.p, math.Exp(nats))
		sum += c.p[len(c.p)-1]
	})
	if len(c.trees) == 0 {
		return nil
	}
	best := 0
	for i := range c.p {
		if c.p[i] /= sum; c.p[i] > c.p[best] {
			best = i
		}
	}
	c.set(best)
	for m := int32(1); int(m) <= x.Scores.N; m++ {
		x.linearize(m)
	}
	x.posterior = resize(x.posterior, len(x.linear))
	x.chain.since = resize(x.chain.since, x.Scores.N+1)
	x.chain.estimate = by
	x.warm(unitNats, oddsShare)
	return c
}

// set makes tree i the present one.
func (c *space) set(i int) { c.x.Tree.Set(&c.x.Scores.Arcs, c.trees[i]) }

// at returns the number of the present tree.
func (c *space) at(t *testing.T) int {
	i, ok := c.index[fmt.Sprint(c.x.Tree.Head[1:c.x.Scores.N+1])]
	if !ok {
		t.Fatalf("%v is none of the trees", c.x.Tree.Head)
	}
	return i
}

// setups are what samplers are tested on.
var setups = []struct {
	on         part.Families
	projective bool
}{{part.Standard, false}, {part.Full, false}, {part.Standard, true}}

// The chains have the distribution of the model as their stationary one: counts
// of all trees after many sweeps pass a test of chi-square, at 1 in 10,000 for each
// of the sentences.
func TestSamplersAreStationary(t *testing.T) {
	r := hash.Rand(81)
	for _, by := range []Estimate{Mixed, Heads, Blocks} {
		for _, setup := range setups {
			if by == Heads && setup.projective {
				continue // single heads do not lead from any projective tree to any other
			}
			draws := 5000
			if setup.on.Any(part.Globals) { // which cost time
				draws = 1500
			}
			for tried := 0; tried < 4; {
				s := randomSentence(3+tried%3, 7, &r)
				if by == Heads { // which keeps the root
					s = oneRoot(s)
				}
				c := spaceOf(s, setup.on, setup.projective, by)
				if c == nil {
					continue
				}
				tried++
				const gap = 4
				counts := make([]float64, len(c.trees))
				for range draws {
					for range gap {
						c.x.sweep(&r)
					}
					counts[c.at(t)]++
				}
				checkTree(t, c.x)
				chi, cells, of := 0.0, 0, float64(draws)
				rest, restP := 0.0, 0.0 // trees that are too rare for a cell of their own
				add := func(n, p float64) {
					chi += (n - of*p) * (n - of*p) / (of * p)
					cells++
				}
				for i, p := range c.p {
					if of*p < 10 {
						rest, restP = rest+counts[i], restP+p
						continue
					}
					add(counts[i], p)
				}
				if of*restP >= 10 {
					add(rest, restP)
				}
				// Neighbouring draws are not quite independent: a third more.
				if limit := chiSquare(cells - 1); cells > 1 && chi > 1.33*limit {
					t.Errorf("estimate %d, families %v: chi-square %.1f of %d cells, limit %.1f", by, setup.on, chi, cells, limit)
				}
			}
		}
	}
}

// chiSquare returns about the value that chi-square with so many degrees of
// freedom exceeds once in 10,000 times (Wilson and Hilferty 1931).
func chiSquare(k int) float64 {
	if k < 1 {
		return 0
	}
	v := 2.0 / (9 * float64(k))
	return float64(k) * math.Pow(1-v+3.719*math.Sqrt(v), 3)
}

// oneRoot takes 0 from the candidates of all words but the first that has it.
func oneRoot(s *syntax.Sentence) *syntax.Sentence {
	var c syntax.Candidates
	c.Start = []int32{0}
	found := false
	for m := 1; m <= len(s.Words); m++ {
		for k, h := range s.Candidates.Of(m) {
			if h == 0 && found && len(s.Candidates.Of(m)) > 1 {
				continue
			}
			found = found || h == 0
			c.Heads = append(c.Heads, h)
			c.LogOdds = append(c.LogOdds, s.Candidates.LogOdds[int(s.Candidates.Start[m-1])+k])
		}
		c.Start = append(c.Start, int32(len(c.Heads)))
	}
	s.Candidates = c
	return s
}

// The distribution that a head is drawn from is in detailed balance with the
// model's, exactly: for all trees and words.
func TestHeadsAreInDetailedBalance(t *testing.T) {
	r := hash.Rand(84)
	pairs := 0
	for k := range 60 {
		setup := setups[k%len(setups)]
		c := spaceOf(randomSentence(3+k%2, 7, &r), setup.on, setup.projective, Heads)
		if c == nil {
			continue
		}
		x := c.x
		for i, tree := range c.trees {
			for _, m := range x.chain.free {
				c.set(i)
				clear(x.posterior)
				x.moveHead(m, &r)
				for at := x.Pruned.Start[m-1]; at < x.Pruned.Start[m]; at++ {
					moved := slices.Clone(tree)
					moved[m] = x.Pruned.Heads[at]
					j, reachable := c.index[fmt.Sprint(moved[1:])]
					p := x.posterior[at]
					if !reachable {
						if p != 0 {
							t.Fatalf("%v to %v, no tree, has the probability %v", tree, moved, p)
						}
						continue
					}
					// The other way leads from the same distribution: p depends on the other heads alone.
					if want := c.p[j] / (c.p[i] + c.p[j]); i != j {
						if got := p / (p + x.posterior[x.Scores.Arc(tree[m], int(m))]); math.Abs(got-want) > 1e-8 {
							t.Fatalf("%v to %v: %v of the two, want %v", tree, moved, got, want)
						}
						pairs++
					}
				}
			}
		}
	}
	if pairs < 1000 {
		t.Errorf("only %d pairs of trees", pairs)
	}
}

// A draw of a block has the distribution of the products of weights among the
// trees with the other heads.
func TestRedrawIsExact(t *testing.T) {
	r := hash.Rand(82)
	moved := 0
	for k := range 40 {
		s := randomSentence(3+k%2, 7, &r)
		c := spaceOf(s, 0, false, Mixed)
		if c == nil {
			continue
		}
		x := c.x
		from := c.trees[r.Below(uint32(len(c.trees)))]
		x.drawBlock(&r)
		block := slices.Clone(x.chain.block)
		linear := x.linearArcs()
		want, total := make([]float64, len(c.trees)), 0.0
		for i, tree := range c.trees {
			p := 1.0
			for m := 1; m <= x.Scores.N; m++ {
				if slices.Contains(block, int32(m)) {
					p *= x.chain.blocks.Weight(&linear, m, x.Scores.Arc(tree[m], m))
				} else if tree[m] != from[m] {
					p = 0
				}
			}
			want[i] = p
			total += p
		}
		const draws = 4000
		counts := make([]float64, len(c.trees))
		head := make([]int32, x.Scores.N+1)
		got := 0.0
		for range draws {
			copy(head, from)
			if x.chain.blocks.Redraw(&linear, block, head, &r) {
				counts[c.index[fmt.Sprint(head[1:])]]++
				got++
			}
		}
		if got < draws/2 {
			t.Errorf("%d of %d draws", int(got), draws)
		}
		chi, cells := 0.0, 0
		for i, p := range want {
			if p /= total; p*got >= 10 {
				chi += (counts[i] - got*p) * (counts[i] - got*p) / (got * p)
				cells++
			} else if p == 0 && counts[i] > 0 {
				t.Fatalf("%v was drawn from %v with the block %v", c.trees[i], from, block)
			}
		}
		if cells > 1 {
			moved++
		}
		if limit := chiSquare(cells); cells > 1 && chi > limit {
			t.Errorf("chi-square %.1f of %d cells, limit %.1f", chi, cells, limit)
		}
	}
	if moved < 20 {
		t.Errorf("only %d blocks had a choice", moved)
	}
}

// likelihood is the exponential function.
func TestLikelihood(t *testing.T) {
	r := hash.Rand(83)
	for range 10_000 {
		loss := int64(r.Next() % (100 * nat))
		want := math.Exp(-float64(loss) / nat)
		if got := likelihood(loss); math.Abs(got-want) > 1e-12*want {
			t.Fatalf("exp(-%d/2^26) is %v, want %v", loss, got, want)
		}
	}
	if likelihood(0) != 1 || likelihood(math.MaxInt64) != 0 || graph.ExpOdds(0) != 1 {
		t.Error("the ends")
	}
}

// Estimates from many sweeps are the marginals of the model, but for those around
// samples, which are nearer to them than those around the best tree alone.
func TestSampledMarginals(t *testing.T) {
	r := hash.Rand(85)
	var off [4]float64 // mean distance, by Estimate
	alone, words := 0.0, 0.0
	for range 25 {
		s := randomSentence(5, 4, &r)
		c := spaceOf(s, part.Standard, false, Mixed)
		if c == nil {
			continue
		}
		want := make([]float64, len(c.x.Pruned.Heads))
		for i, tree := range c.trees {
			for m := 1; m <= c.x.Scores.N; m++ {
				want[c.x.Scores.Arc(tree[m], m)] += c.p[i]
			}
		}
		start, linear := slices.Clone(c.x.Tree.Head), slices.Clone(c.x.linear)
		away := func() (sum float64) {
			for i, p := range want {
				sum += math.Abs(p - c.x.posterior[i])
			}
			return sum
		}
		words += float64(c.x.Scores.N)
		for by := range off {
			c.x.Tree.Set(&c.x.Scores.Arcs, start[:c.x.Scores.N+1])
			copy(c.x.linear, linear)
			c.x.around(c.x.posterior)
			if by == 0 {
				alone += away()
			}
			c.x.chain.estimate = Estimate(by)
			c.x.sample(1500, &r)
			off[by] += away()
		}
	}
	for by, sum := range off {
		if e := Estimate(by); e == Around && sum > 0.8*alone || (e == Mixed || e == Blocks) && sum > 0.05*words {
			t.Errorf("estimate %d is off by %.3f a word, around the best tree by %.3f", by, sum/words, alone/words)
		}
	}
}

// Sampling allocates nothing once it has its room, and ends when the budget does.
func TestSamplingHasBounds(t *testing.T) {
	r := hash.Rand(86)
	c := spaceOf(randomSentence(5, 7, &r), part.Full, false, Around)
	for by := Around; by <= Blocks; by++ {
		c.x.chain.estimate = by
		round := func() { c.x.sample(3, &r) }
		round()
		if n := testing.AllocsPerRun(20, round); n != 0 {
			t.Errorf("estimate %d: %.1f allocations", by, n)
		}
		before := c.x.Scores.Count.Gains
		c.x.limit, c.x.cut = before+50, false
		c.x.sample(1_000_000, &r)
		if spent := c.x.Scores.Count.Gains - before; !c.x.cut || spent > 200 {
			t.Errorf("estimate %d: %d gains with 50 left", by, spent)
		}
		c.x.limit, c.x.cut = math.MaxInt64, false
	}
}

// Samples are part of a parse: they change marginals and no tree, in the same way
// every time.
func TestParseWithSamples(t *testing.T) {
	r := hash.Rand(87)
	m := newModel(noise(score.Unit/24), part.Standard)
	changed := 0
	for range 10 {
		s := randomSentence(9, 4, &r)
		var seen []string
		for _, samples := range []int{0, 4, 4} {
			if err := m.Parse(s, Options{Samples: samples}); err != nil {
				t.Fatal(err)
			}
			for i, p := range s.Confidence.HeadMarginal {
				if !(p >= 0 && p <= 1) || math.Abs(float64(p+s.Confidence.HeadDoubt[i]-1)) > 0.0002 {
					t.Fatalf("marginal %v, doubt %v", p, s.Confidence.HeadDoubt[i])
				}
			}
			heads := fmt.Sprint(s.Words, s.Confidence.HeadMargin, s.Confidence.FirstOrder)
			seen = append(seen, heads, fmt.Sprint(s.Confidence.HeadMarginal))
		}
		if seen[0] != seen[2] || seen[2] != seen[4] || seen[3] != seen[5] {
			t.Fatalf("samples change the tree, or differ: %v", seen)
		}
		if seen[1] != seen[3] {
			changed++
		}
	}
	if changed < 5 {
		t.Errorf("samples changed the marginals of %d sentences only", changed)
	}
}
