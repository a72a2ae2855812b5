package tensor

import (
	"cmp"
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/syntax"
)

// pairs are the sparse first-order templates that the tensor can start from:
// a feature of the head and one of the modifier (Lei et al. 2014), each
// without and with the distance. Beside them goes every pair of FEATS items.
var pairs = [...][2]int{
	{feature.WordFinesLeft, feature.WordFinesRight},
	{feature.WordFine, feature.WordFinesRight},
	{feature.WordFinesLeft, feature.WordFine},
	{feature.WordFineLeft, feature.WordFinesRight},
	{feature.WordFinesLeft, feature.WordFineRight},
	{feature.WordFinesRight, feature.WordFinesLeft},
	{feature.WordFine, feature.WordFinesLeft},
	{feature.WordFinesRight, feature.WordFine},
	{feature.WordFineRight, feature.WordFinesLeft},
	{feature.WordFinesRight, feature.WordFineLeft},
	{feature.WordFinesLeft, feature.WordFinesLeft},
	{feature.WordFinesRight, feature.WordFinesRight},
	{feature.WordLemmaFine, feature.WordLemmaFine},
	{feature.WordFine, feature.WordLemmaFine},
	{feature.WordLemmaFine, feature.WordFine},
	{feature.WordFine, feature.WordLemma},
	{feature.WordLemma, feature.WordFine},
	{feature.WordLemma, feature.WordLemma},
	{feature.WordForm, feature.WordForm},
	{feature.WordFine, feature.WordFine},
	{feature.WordCoarse, feature.WordCoarse},
	{feature.WordLemmaFine, feature.WordBias},
	{feature.WordBias, feature.WordLemmaFine},
	{feature.WordFine, feature.WordBias},
	{feature.WordBias, feature.WordFine},
	{feature.WordFormLeft, feature.WordBias},
	{feature.WordFormRight, feature.WordBias},
	{feature.WordBias, feature.WordFormLeft},
	{feature.WordBias, feature.WordFormRight},
	{feature.WordLemma, feature.WordMarker},
	{feature.WordCoarse, feature.WordMarker},
	{feature.WordLemma, feature.WordCase},
}

// A cell is one entry of the sparse array B: head row, modifier row, bin.
type cell struct {
	head, modifier int32
	bin            int32
	value          float64
}

// cells is the sparse array while it is learned: an open-addressed table.
type cells struct {
	ids     []uint64 // cell number plus 1, 0 is a free slot
	weight  []float32
	squares []float32 // sums of squared gradients
	used    int
	rows    uint64
}

func newCells(rows int) *cells {
	c := &cells{rows: uint64(rows)}
	c.resize(1 << 16)
	return c
}

func (c *cells) resize(size int) {
	old := *c
	c.ids, c.weight, c.squares = make([]uint64, size), make([]float32, size), make([]float32, size)
	for i, id := range old.ids {
		if id != 0 {
			j := c.slot(id)
			c.ids[j], c.weight[j], c.squares[j] = id, old.weight[i], old.squares[i]
		}
	}
}

func (c *cells) slot(id uint64) int {
	mask := uint64(len(c.ids) - 1)
	h := id * 0x9E3779B97F4A7C15
	i := (h ^ h>>32) & mask
	for c.ids[i] != 0 && c.ids[i] != id {
		i = (i + 1) & mask
	}
	return int(i)
}

// id numbers a cell, from 1.
func (c *cells) id(head, modifier int32, bin uint64) uint64 {
	return (uint64(head)*c.rows+uint64(modifier))*Bins + bin + 1
}

// add is an AdaGrad step on a cell; one that is not there is made if insert.
func (c *cells) add(id uint64, g float32, insert bool) {
	const eta = 0.05
	i := c.slot(id)
	if c.ids[i] == 0 {
		if !insert {
			return
		}
		if c.used*3 > len(c.ids)*2 {
			c.resize(2 * len(c.ids))
			i = c.slot(id)
		}
		c.ids[i] = id
		c.used++
	}
	c.squares[i] += float32(g * g)
	c.weight[i] += eta * g / float32(math.Sqrt(float64(c.squares[i]))+1e-3)
}

// list returns the limit largest cells, by id.
func (c *cells) list(limit int) []cell {
	order := make([]int, 0, c.used)
	for i, id := range c.ids {
		if id != 0 && c.weight[i] != 0 {
			order = append(order, i)
		}
	}
	if len(order) > limit {
		slices.SortFunc(order, func(a, b int) int {
			x, y := math.Abs(float64(c.weight[a])), math.Abs(float64(c.weight[b]))
			return cmp.Or(cmp.Compare(y, x), cmp.Compare(c.ids[a], c.ids[b]))
		})
		order = order[:limit]
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(c.ids[a], c.ids[b]) })
	out := make([]cell, len(order))
	for i, at := range order {
		id := c.ids[at] - 1
		out[i] = cell{int32(id / Bins / c.rows), int32(id / Bins % c.rows), int32(id % Bins), float64(c.weight[at])}
	}
	return out
}

// A firstOrder learns the sparse array from candidate heads.
type firstOrder struct {
	l     *Learner
	cells *cells
	codes feature.Codes
	keys  []feature.Key
	rows  []int32 // of all positions, -1 unknown
	start []int32 // of position p: rows[start[p]:start[p+1]]
	ids   [][]uint64
	p     []float64
}

// pretrain makes one pass over the sentences with a log-linear model of the
// head of a word among its candidates, and returns its weights. Departure
// from Lei et al. (2014): there it is a margin over whole trees. Only
// features of gold arcs have weights, as there.
func (l *Learner) pretrain(train []syntax.Sentence, v *feature.Vocabulary) *cells {
	x := &firstOrder{l: l, cells: newCells(l.dict.n)}
	for _, i := range prune.Shuffled(len(train), l.o.Seed+0x5D0) {
		s := &train[i]
		if len(s.Words) == 0 || len(s.Words) > syntax.MaxWholeWords || len(s.Candidates.Start) != len(s.Words)+1 {
			continue
		}
		v.Encode(s, &x.codes)
		x.encode()
		for m := 1; m <= x.codes.N; m++ {
			x.learn(m, s.Candidates.Of(m), s.Words[m-1].Head)
		}
	}
	return x.cells
}

func (x *firstOrder) encode() {
	x.rows, x.start = x.rows[:0], append(x.start[:0], 0)
	for p := 0; p <= x.codes.N; p++ {
		x.keys = x.codes.Word(p, x.keys[:0])
		for _, k := range x.keys {
			x.rows = append(x.rows, x.l.dict.row(k))
		}
		x.start = append(x.start, int32(len(x.rows)))
	}
}

// arc appends the cells of h -> m.
func (x *firstOrder) arc(h, m int, ids []uint64) []uint64 {
	bin := feature.Distance(h, m)
	a, b := x.rows[x.start[h]:x.start[h+1]], x.rows[x.start[m]:x.start[m+1]]
	put := func(i, j int32) {
		if i >= 0 && j >= 0 {
			ids = append(ids, x.cells.id(i, j, 0), x.cells.id(i, j, bin))
		}
	}
	for _, k := range pairs {
		put(a[k[0]], b[k[1]])
	}
	for i := feature.WordKinds; i < len(a); i += 2 { // items of FEATS stand at every other place
		for j := feature.WordKinds; j < len(b); j += 2 {
			put(a[i], b[j])
		}
	}
	return ids
}

// learn takes one step for word m.
func (x *firstOrder) learn(m int, heads []int32, gold int32) {
	if !slices.Contains(heads, gold) {
		return
	}
	x.ids, x.p = resize(x.ids, len(heads)), x.p[:0]
	best := math.Inf(-1)
	for i, h := range heads {
		x.ids[i] = x.arc(int(h), m, x.ids[i][:0])
		sum := x.cells.sum(x.ids[i])
		x.p = append(x.p, sum)
		best = max(best, sum)
	}
	total := 0.0
	for i := range x.p {
		x.p[i] = math.Exp(x.p[i] - best)
		total += x.p[i]
	}
	for i, h := range heads {
		g := -x.p[i] / total
		if h == gold {
			g++
		}
		if math.Abs(g) < 2e-3 {
			continue
		}
		for _, id := range x.ids[i] {
			x.cells.add(id, float32(g), h == gold)
		}
	}
}

// sum returns the weight of an arc's cells.
func (c *cells) sum(ids []uint64) float64 {
	sum := 0.0
	for _, id := range ids {
		if i := c.slot(id); c.ids[i] != 0 {
			sum += float64(c.weight[i])
		}
	}
	return sum
}
