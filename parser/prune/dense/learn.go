package dense

import (
	"bytes"
	"maps"
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// LearnLexicon returns the commonest lemmas of train and, with salted keys, its
// commonest forms. Each has at least 8 words.
func LearnLexicon(train []syntax.Sentence, e *word.Encoder) hash.Set {
	count := make(map[uint64]int)
	for i := range train {
		s := e.Encode(&train[i])
		for p := 0; p <= s.Len(); p++ {
			count[s.At(p).Lemma]++
			count[s.At(p).Form^formSalt]++
		}
	}
	maps.DeleteFunc(count, func(_ uint64, n int) bool { return n < 8 })
	list := syntax.ByCount(count)
	set, _ := hash.NewSet(list[:min(len(list), maxLexicon)], false)
	return set
}

// An update is what one sentence does to the tables: the gradients of some
// arcs, and the places of their weights, cellsOfArc each.
type update struct {
	gradients []float32
	cells     []int32
}

// Learn learns tables as a softmax over the heads of each word. It ignores words
// without a head.
func Learn(v *word.Vocabulary, lexicon hash.Set, train []syntax.Sentence, seed uint64) Tables {
	const least = 1e-3 // of a gradient that moves weights
	rule := linear.AdaGrad{Rate: 0.12, Floor: 1}
	t := Tables{lexicon: lexicon, at: placesOf(lexicon)}
	w := linear.NewDense(t.at.size)
	var g Scorer
	var sums, row []float32
	var p []float64
	e := word.NewEncoder(v)
	learn := func(_ int, at linear.At, u *update) {
		s := &train[at.Example]
		g.read(e.Encode(s), lexicon)
		sums, row, p = g.sumsOf(w.W, sums), resize(row, len(s.Words)+1), resize(p, len(s.Words)+1)
		u.gradients, u.cells = u.gradients[:0], u.cells[:0]
		for mod := 1; mod <= len(s.Words); mod++ {
			if s.Words[mod-1].Head == syntax.NoHead {
				continue // any head will do: the gradient is 0
			}
			scores(&g, mod, &t.at, sums, w.W, row)
			row[mod] = float32(math.Inf(-1))
			best, sum := float64(slices.Max(row)), 0.0
			for h, x := range row {
				p[h] = graph.Exp(max(float64(x)-best, -600))
				sum += p[h]
			}
			for h := range p {
				gradient := float32(-p[h] / sum)
				if h == int(s.Words[mod-1].Head) {
					gradient++
				}
				gradient *= s.Step()
				if gradient >= least || gradient <= -least {
					u.gradients, u.cells = append(u.gradients, gradient), g.cells(h, mod, &t.at, u.cells)
				}
			}
		}
	}
	apply := func(_ linear.At, u *update) {
		for a, gradient := range u.gradients {
			for _, c := range u.cells[a*cellsOfArc:][:cellsOfArc] {
				w.Climb(int(c), gradient, rule)
			}
		}
	}
	task := linear.Task[update]{Learn: learn, Apply: apply, Keep: func(int, int) {}}
	if err := linear.Run(linear.Loop{Examples: len(train), Epochs: 2, Seed: seed}, task); err != nil {
		panic(err) // it cannot fail without checkpoints
	}
	t.weights = bytes.Repeat([]byte{zero}, len(w.W))
	for i, x := range w.W {
		if x != 0 { // few are of a small treebank
			t.weights[i] = uint8(math.Round(max(math.MinInt8, min(math.MaxInt8, float64(x)*unit))) + zero)
		}
	}
	return t
}

// sumsOf returns the sums of the contexts' rows of weights.
func (g *Scorer) sumsOf(weights, sums []float32) []float32 {
	sums = resize(sums, both*len(g.contexts))
	clear(sums)
	for p := range g.contexts {
		to := sums[p*both:][:both]
		for _, c := range g.contexts[p] {
			for i, x := range weights[int(c)*both:][:both] {
				to[i] += x
			}
		}
	}
	return sums
}
