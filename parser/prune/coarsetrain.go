package prune

import (
	"cmp"
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/syntax"
)

// learnLexicon returns the slots of the words that are commonest in train,
// at most two thirds of them full.
func learnLexicon(v *feature.Vocabulary, train []syntax.Sentence, c *feature.Codes) []uint32 {
	count := make(map[uint32]int)
	for i := range train {
		v.Encode(&train[i], c)
		for p := 0; p <= c.N; p++ {
			count[uint32(c.Lemma[p+1]>>32)|1]++
			count[uint32((c.Form[p+1]^formSalt)>>32)|1]++
		}
	}
	type entry struct {
		hash  uint32
		count int
	}
	var list []entry
	for h, n := range count {
		if n >= 8 {
			list = append(list, entry{h, n})
		}
	}
	slices.SortFunc(list, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.hash, b.hash))
	})
	list = list[:min(len(list), lexicon*2/3)]
	words := make([]uint32, lexicon)
	for _, e := range list {
		i := e.hash * 0x9E3779B1 >> (32 - 12)
		for words[i] != 0 {
			i = (i + 1) & (lexicon - 1)
		}
		words[i] = e.hash
	}
	return words
}

// A coarseTrainer learns the tables as a softmax over the heads of a word,
// by AdaGrad, one sentence after another.
type coarseTrainer struct {
	w, sq []float32
	cells []int32 // of the arcs into the word at hand
	p     []float64
}

const coarseParts = 2*int(contexts) + 3

func newCoarseTrainer() *coarseTrainer {
	return &coarseTrainer{w: make([]float32, tableSize), sq: make([]float32, tableSize)}
}

// cellsOf returns the indices of all weights of the arc h -> m.
func (x *context) cellsOf(c *feature.Codes, h, m int, cells []int32) []int32 {
	p := x.pair(c, h, m)
	for i := range contexts {
		a, b := p.tag, p.modTag
		if i >= tagContexts {
			a, b = p.far, p.far
		}
		ht, mt := headTables[i], modifierTables[i]
		cells = append(cells,
			int32(ht.at+int(x.rows[h][i])*ht.width+a),
			int32(mt.at+int(x.rows[m][i])*mt.width+b))
	}
	return append(cells, int32(p.distance), int32(p.fine), int32(p.betweenRow))
}

func (t *coarseTrainer) learn(c *feature.Codes, x *context, heads []int32) {
	const eta = 0.15
	n := c.N
	t.p = resize(t.p, n+1)
	p := t.p
	for m := 1; m <= n; m++ {
		best := math.Inf(-1)
		t.cells = t.cells[:0]
		for h := 0; h <= n; h++ {
			if h == m {
				continue
			}
			from := len(t.cells)
			t.cells = x.cellsOf(c, h, m, t.cells)
			sum := float32(0)
			for _, i := range t.cells[from:] {
				sum += t.w[i]
			}
			p[h] = float64(sum)
			best = max(best, p[h])
		}
		sum := 0.0
		for h := 0; h <= n; h++ {
			if h != m {
				p[h] = math.Exp(p[h] - best)
				sum += p[h]
			}
		}
		at := 0
		for h := 0; h <= n; h++ {
			if h == m {
				continue
			}
			cells := t.cells[at : at+coarseParts]
			at += coarseParts
			g := float32(-p[h] / sum)
			if int32(h) == heads[m] {
				g++
			}
			if g < 1e-3 && g > -1e-3 {
				continue
			}
			for _, i := range cells {
				t.sq[i] += g * g
				t.w[i] += eta * g / (float32(math.Sqrt(float64(t.sq[i]))) + 1)
			}
		}
	}
}

// quantised returns the tables in 1/coarseUnit nat.
func (t *coarseTrainer) quantised() []int8 {
	q := make([]int8, tableSize)
	for i, w := range t.w {
		q[i] = int8(math.Round(math.Max(math.MinInt8, math.Min(math.MaxInt8, float64(w)*coarseUnit))))
	}
	return q
}
