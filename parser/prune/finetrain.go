package prune

import (
	"math"

	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A fineTrainer learns the fine model on top of the coarse scores as a
// distribution over single-root trees (Koo, Globerson, Carreras and Collins
// 2007, section 4.1): the gradient of a sentence is the gold arcs minus the
// marginals of all. Steps are AdaGrad's, weights are averaged over steps.
type fineTrainer struct {
	cells    []cell // open addressing, a power of two
	used     int
	shift    uint
	step     int
	marginal graph.Marginals
	p        []float64
	arcs     graph.Arcs // scores in 1/1024 nat
	gold     []int32    // index of the gold arc, by word minus 1
	keys     []feature.Key
	start    []int32 // keys of arc i: keys[start[i]:start[i+1]]
}

type cell struct {
	key   uint64 // 0 is an empty cell
	w, sq float32
	sum   float64 // sum over steps of step * increment
}

func newFineTrainer() *fineTrainer {
	return &fineTrainer{cells: make([]cell, 1<<18), shift: 64 - 18}
}

func (t *fineTrainer) find(key uint64) *cell {
	mask := len(t.cells) - 1
	i := int(key >> t.shift)
	for t.cells[i].key != 0 && t.cells[i].key != key {
		i = (i + 1) & mask
	}
	return &t.cells[i]
}

func (t *fineTrainer) add(key uint64, g float64) {
	const eta = 0.05
	c := t.find(key)
	if c.key == 0 {
		if t.used++; t.used*10 > len(t.cells)*7 {
			t.grow()
			c = t.find(key)
		}
		c.key = key
	}
	c.sq += float32(g * g)
	d := float32(eta * g / (math.Sqrt(float64(c.sq)) + 0.01))
	c.w += d
	c.sum += float64(t.step) * float64(d)
}

func (t *fineTrainer) grow() {
	old := t.cells
	t.cells, t.shift = make([]cell, 2*len(old)), t.shift-1
	for i := range old {
		if old[i].key != 0 {
			*t.find(old[i].key) = old[i]
		}
	}
}

// averaged returns the weights averaged over all steps.
func (t *fineTrainer) averaged() *score.Table {
	table := score.NewTable(64 - t.shift)
	for i := range t.cells {
		if c := &t.cells[i]; c.key != 0 {
			table.Add(c.key, float64(c.w)-c.sum/float64(t.step+1), 0)
		}
	}
	return table
}

// learn takes one step on a sentence whose shortlist is in x.
func (t *fineTrainer) learn(x *scratch, s *syntax.Sentence) {
	t.step++
	t.score(x, s)
	n := len(s.Words)
	t.p = resize(t.p, len(t.arcs.Heads))
	if n > marginalWords || !t.marginal.Compute(&t.arcs, 16, t.p) {
		softmax(&t.arcs, t.p)
	}
	for m := 1; m <= n; m++ {
		lo, hi := t.arcs.Span(m)
		for a := lo; a < hi; a++ {
			g := -t.p[a]
			if int32(a) == t.gold[m-1] {
				g++
			}
			if math.Abs(g) < 2e-3 {
				continue
			}
			for _, key := range t.keys[t.start[a]:t.start[a+1]] {
				t.add(key, g)
			}
		}
	}
}

// score fills t.arcs with the shortlist and the gold heads, with the scores
// of the present weights.
func (t *fineTrainer) score(x *scratch, s *syntax.Sentence) {
	a := &t.arcs
	a.Start, a.Heads, a.Score = append(a.Start[:0], 0), a.Heads[:0], a.Score[:0]
	t.keys, t.start, t.gold = t.keys[:0], append(t.start[:0], 0), t.gold[:0]
	add := func(h int32, m int, coarse int32) {
		from := len(t.keys)
		t.keys = x.codes.PruneArc(int(h), m, &x.guess, t.keys)
		sum := float64(coarse) / score.Unit
		for _, key := range t.keys[from:] {
			if c := t.find(key); c.key != 0 {
				sum += float64(c.w)
			}
		}
		a.Heads, a.Score = append(a.Heads, h), append(a.Score, int32(math.Round(sum*1024)))
		t.start = append(t.start, int32(len(t.keys)))
	}
	for m := 1; m <= len(s.Words); m++ {
		gold, placed := s.Words[m-1].Head, false
		lo, hi := x.arcs.Span(m)
		place := func(has bool, coarse int32) {
			if placed {
				return
			}
			placed = true
			t.gold = append(t.gold, int32(len(a.Heads)))
			if !has {
				add(gold, m, coarse)
			}
		}
		for i := lo; i < hi; i++ {
			if h := x.arcs.Heads[i]; h >= gold {
				place(h == gold, x.coarseScore(int(gold), m))
			}
			add(x.arcs.Heads[i], m, x.arcs.Score[i])
		}
		place(false, x.coarseScore(int(gold), m))
		a.Start = append(a.Start, int32(len(a.Heads)))
	}
}

// softmax writes into p the distribution over the heads of every word by itself.
func softmax(a *graph.Arcs, p []float64) {
	for m := 1; m <= a.N(); m++ {
		lo, hi := a.Span(m)
		best, sum := a.Score[lo], 0.0
		for i := lo; i < hi; i++ {
			best = max(best, a.Score[i])
		}
		for i := lo; i < hi; i++ {
			p[i] = graph.ExpMilli(best - a.Score[i])
			sum += p[i]
		}
		for i := lo; i < hi; i++ {
			p[i] /= sum
		}
	}
}
