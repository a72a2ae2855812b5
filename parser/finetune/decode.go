package finetune

import (
	"math"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/matrix"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Scores of arcs as integers: log-probabilities in 1/4096 nat, not under -30
// nat.
const (
	arcUnit  = 4096
	arcFloor = -30
)

// parse sets Head, Deprel, UPOS, XPOS and Feats of the words of guess, which
// are of a batch's sentences, in the same order: the tree with one root whose
// arcs have the highest product of probabilities, and of all else the value
// that is most probable. Columns without a classifier stay as they are.
func (h *heads) parse(b *batch, levels []matrix.Matrix, guess []*syntax.Sentence, o stepOptions) {
	o.seed = 0
	h.forward(b, levels, o)
	linear.Parallel(len(b.sents), o.workers, func(_, s int) {
		scores, _, _ := h.arcsOf(s, h.arcs.middle)
		tree(scores, guess[s])
	})
	h.label.list = h.label.list[:0]
	for s, sentence := range guess {
		for m := range sentence.Words {
			h.label.list = append(h.label.list, labelled{h.first[s] + 1 + m, h.first[s] + int(sentence.Words[m].Head), -1})
		}
	}
	at, words := 0, wordsOf(guess)
	h.labelBlocks(o, func(block []labelled, scores matrix.Matrix) {
		for i := range block {
			w := words[at]
			w.Deprel = rootLabel
			if w.Head != syntax.Root {
				w.Deprel = h.p.Labels[best(scores.Data[i*scores.Stride:][:scores.Cols], h.labels[rootLabel])]
			}
			at++
		}
	})
	if len(h.p.Classifiers) > 0 {
		h.readColumns(h.scoreColumns(o), guess)
	}
}

func wordsOf(list []*syntax.Sentence) (words []*syntax.Word) {
	for _, s := range list {
		for m := range s.Words {
			words = append(words, &s.Words[m])
		}
	}
	return words
}

// best returns the index of the highest number but that of index skip.
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

// readColumns sets the columns of the words of guess to the values with the
// highest scores.
func (h *heads) readColumns(scores matrix.Matrix, guess []*syntax.Sentence) {
	for s, sentence := range guess {
		for m := range sentence.Words {
			row, w := scores.Data[(h.first[s]+1+m)*scores.Stride:][:scores.Cols], &sentence.Words[m]
			at := 0
			var feats []string
			for i := range h.p.Classifiers {
				c := &h.p.Classifiers[i]
				value := c.Values[best(row[at:at+len(c.Values)], -1)]
				at += len(c.Values)
				switch {
				case i == h.upos:
					w.UPOS = value
				case i == h.xpos:
					w.XPOS = value
				case strings.HasPrefix(c.Name, featPrefix) && value != "":
					feats = append(feats, c.Name[len(featPrefix):]+"="+value)
				}
			}
			if len(h.attributes) > 0 {
				w.Feats = joinFeatures(feats)
			}
		}
	}
}

// joinFeatures writes a FEATS column: sorted by lower-cased attribute.
func joinFeatures(feats []string) string {
	slices.SortFunc(feats, func(a, b string) int {
		x, _, _ := strings.Cut(a, "=")
		y, _, _ := strings.Cut(b, "=")
		return strings.Compare(strings.ToLower(x), strings.ToLower(y))
	})
	return strings.Join(feats, "|")
}

// A tally counts words that a parse has right.
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
