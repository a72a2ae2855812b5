package prune

import (
	"math"

	"github.com/treebeam/treebeam/parser/feature"
)

// The coarse pruner scores every pair of words by a few dense tables over
// tags: no hashing, no words. It leaves the fine one at most coarseHeads.
const (
	coarseHeads  = 12
	coarseMargin = 9 * coarseUnit // heads this far below the best are dropped
	coarseUnit   = 256            // integer value of one nat
)

const k = feature.CoarseTags

// Sizes and bounds of the dense tables, one after another.
const (
	tabDistance = 0                    // coarse h, coarse m, distance bin
	tabFine     = tabDistance + k*k*15 // fine h, fine m, direction
	tabHeadL    = tabFine + 256*256*2  // coarse h-1, h, m, direction
	tabHeadR    = tabHeadL + k*k*k*2   // coarse h, h+1, m, direction
	tabModL     = tabHeadR + k*k*k*2   // coarse h, m-1, m, direction
	tabModR     = tabModL + k*k*k*2    // coarse h, m, m+1, direction
	tabBetween  = tabModR + k*k*k*2    // coarse h, m, verbs, commas, nouns between, direction
	tableSize   = tabBetween + k*k*18*2
	coarseParts = 7
)

// A context holds the running counts that tabBetween needs.
type context struct {
	verbs, commas, nouns []int32
}

func (x *context) fill(c *feature.Codes) {
	n := c.N
	x.verbs = append(x.verbs[:0], 0)
	x.commas = append(x.commas[:0], 0)
	x.nouns = append(x.nouns[:0], 0)
	for m := 1; m <= n; m++ {
		v, p, w := c.Clause(m)
		x.verbs = append(x.verbs, x.verbs[m-1]+v)
		x.commas = append(x.commas, x.commas[m-1]+p)
		x.nouns = append(x.nouns, x.nouns[m-1]+w)
	}
}

// cells returns the indices of the table cells of the arc h -> m.
func (x *context) cells(c *feature.Codes, h, m int) [coarseParts]int32 {
	i, j := h+1, m+1
	dir := 0
	lo, hi := m, h-1
	if h < m {
		dir = 1
		lo, hi = h, m-1
	}
	ch, cm := int(c.Coarse[i]), int(c.Coarse[j])
	pair := ch*k + cm
	between := int(min(x.verbs[hi]-x.verbs[lo], 2))*6 + int(min(x.commas[hi]-x.commas[lo], 2))*2 + int(min(x.nouns[hi]-x.nouns[lo], 1))
	return [coarseParts]int32{
		int32(tabDistance + pair*15 + int(feature.Distance(h, m))),
		int32(tabFine + (int(c.Fine[i])*256+int(c.Fine[j]))*2 + dir),
		int32(tabHeadL + (int(c.Coarse[i-1])*k*k+pair)*2 + dir),
		int32(tabHeadR + (int(c.Coarse[i+1])*k*k+pair)*2 + dir),
		int32(tabModL + (int(c.Coarse[j-1])*k*k+pair)*2 + dir),
		int32(tabModR + (int(c.Coarse[j+1])*k*k+pair)*2 + dir),
		int32(tabBetween + (pair*18+between)*2 + dir),
	}
}

// A coarseTrainer learns the tables as a softmax over the heads of a word,
// by AdaGrad, one sentence after another.
type coarseTrainer struct {
	w, sq []float64
}

func newCoarseTrainer() *coarseTrainer {
	return &coarseTrainer{make([]float64, tableSize), make([]float64, tableSize)}
}

func (t *coarseTrainer) learn(c *feature.Codes, x *context, heads []int32, scratch *[]float64) {
	const eta = 0.2
	n := c.N
	if cap(*scratch) < n+1 {
		*scratch = make([]float64, 2*n+2)
	}
	p := (*scratch)[:n+1]
	for m := 1; m <= n; m++ {
		best := math.Inf(-1)
		for h := 0; h <= n; h++ {
			if h == m {
				continue
			}
			p[h] = 0
			for _, i := range x.cells(c, h, m) {
				p[h] += t.w[i]
			}
			best = max(best, p[h])
		}
		sum := 0.0
		for h := 0; h <= n; h++ {
			if h != m {
				p[h] = math.Exp(p[h] - best)
				sum += p[h]
			}
		}
		for h := 0; h <= n; h++ {
			if h == m {
				continue
			}
			g := -p[h] / sum
			if int32(h) == heads[m] {
				g++
			}
			if math.Abs(g) < 1e-3 {
				continue
			}
			for _, i := range x.cells(c, h, m) {
				t.sq[i] += g * g
				t.w[i] += eta * g / (math.Sqrt(t.sq[i]) + 0.1)
			}
		}
	}
}

// quantised returns the tables in 1/coarseUnit nat.
func (t *coarseTrainer) quantised() []int16 {
	q := make([]int16, tableSize)
	for i, w := range t.w {
		q[i] = int16(math.Round(math.Max(-8000, math.Min(8000, w*coarseUnit))))
	}
	return q
}
