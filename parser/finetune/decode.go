package finetune

import (
	"math"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/matrix"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Scores of arcs as integers: log-probabilities in 1/4096 nat, at least -30 nat.
const (
	arcUnit  = 4096
	arcFloor = -30
)

// parse sets Head, Deprel, UPOS, XPOS and Feats of the words of guess, which has the
// sentences of the batch in the same order. The tree has one root, and its arcs have
// the highest product of probabilities. The other columns get their most probable
// values. Columns without a classifier stay as they are.
func (h *heads) parse(t *tape, b *batch, levels []*array, guess []*syntax.Sentence) {
	x := h.forward(t, b, levels)
	linear.Parallel(len(guess), t.workers, func(_, s int) { tree(b.arcsOf(x.arcs.data, s), guess[s]) })
	var arcs []arc
	words := make([]*syntax.Word, len(b.rows)) // of rows; nil for roots
	for s, sentence := range guess {
		for m := range sentence.Words {
			row := b.first[s] + 1 + m
			words[row] = &sentence.Words[m]
			arcs = append(arcs, arc{row, b.first[s] + int(words[row].Head), -1})
		}
	}
	h.eachLabel(t, x, arcs, func(block []arc, scores *array) {
		for i, a := range block {
			w := words[a.modifier]
			if w.Deprel = syntax.RootDeprel; w.Head != syntax.Root {
				w.Deprel = h.p.Labels[best(scores.row(i), h.labels[syntax.RootDeprel])]
			}
		}
	})
	if len(h.columns) > 0 {
		scores := h.classify(t, x)
		for r, w := range words {
			if w != nil {
				h.readColumns(w, scores.row(r))
			}
		}
	}
}

// best returns the index of the highest number, not counting index skip.
func best(a []float32, skip int32) (at int) {
	at = -1
	for i, x := range a {
		if i != int(skip) && (at < 0 || x > a[at]) {
			at = i
		}
	}
	return at
}

// tree sets the heads of a sentence, given the scores of its arcs.
func tree(scores matrix.Matrix, s *syntax.Sentence) {
	n := scores.Rows
	arcs := graph.Arcs{Start: make([]int32, 1, n+1), Heads: make([]int32, 0, n*n), Score: make([]int32, 0, n*n)}
	for m := 1; m <= n; m++ {
		row := scores.Data[(m-1)*scores.Stride:][:n+1]
		top, sum := row[best(row, int32(m))], 0.0
		for i, x := range row {
			if i != m {
				sum += math.Exp(float64(x - top))
			}
		}
		for i, x := range row {
			if i != m {
				arcs.Heads = append(arcs.Heads, int32(i))
				p := max(float64(x-top)-math.Log(sum), arcFloor)
				arcs.Score = append(arcs.Score, int32(math.Round(p*arcUnit)))
			}
		}
		arcs.Start = append(arcs.Start, int32(len(arcs.Heads)))
	}
	heads := make([]int32, n+1)
	new(graph.Spanner).MaximumTree(&arcs, 0, heads) // there is a tree: all arcs are candidates
	for m := range s.Words {
		s.Words[m].Head = heads[m+1]
	}
}

// A tally counts the words that a parse gets right.
type tally struct {
	words, heads, labels, upos int // labels: with their heads, without subtypes, as in CoNLL 2018
	features                   int
}

// count adds the words of a guess to the tally.
func (t *tally) count(gold, guess *syntax.Sentence) {
	for i := range gold.Words {
		g, w := &gold.Words[i], &guess.Words[i]
		t.words++
		if g.UPOS == w.UPOS {
			t.upos++
		}
		if g.Feats == w.Feats {
			t.features++
		}
		if g.Head != w.Head {
			continue
		}
		t.heads++
		if syntax.Universal(g.Deprel) == syntax.Universal(w.Deprel) {
			t.labels++
		}
	}
}
