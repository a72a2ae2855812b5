package finetune

import (
	"math"
	"testing"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/piece"
	"github.com/treebeam/treebeam/parser/syntax"
)

// TestIntegersAgree tunes a small encoder and compares what it says in floats,
// here, with what it says in integers when the parser runs.
func TestIntegersAgree(t *testing.T) {
	integersAgree(t, toy(2), toyTrees(60), 5)
}

// The same for pieces in lowercase, where capitals alone tell the two kinds of words apart.
func TestIntegersAgreeOnCase(t *testing.T) {
	p, trees := toy(2), toyTrees(60)
	p.Pieces.Lower, p.Case = true, make([]float32, int(piece.Cases)*p.Width)
	for i := range trees {
		for k := range trees[i].Words {
			if w := &trees[i].Words[k]; w.UPOS == "VERB" {
				w.Form = "W7"
			} else {
				w.Form = "w7"
			}
		}
	}
	if right := integersAgree(t, p, trees, 25); right < 0.95 {
		t.Errorf("%.2f of the tags were learned", right)
	}
}

// tagsRight returns the share of tags that are as in trees.
func tagsRight(guess []*syntax.Sentence, trees []syntax.Sentence) float64 {
	right := 0
	for i := range trees {
		for k := range trees[i].Words {
			if guess[i].Words[k].UPOS == trees[i].Words[k].UPOS {
				right++
			}
		}
	}
	return float64(right) / float64(syntax.CountWords(trees))
}

// integersAgree returns the share of tags that are right.
func integersAgree(t *testing.T, from *encode.Params, trees []syntax.Sentence, epochs int) float64 {
	t.Helper()
	p, weights, err := Train(from, trees, trees[:10], Options{Epochs: epochs, pace: pace{80, 3e-3, 3e-3}})
	if err != nil {
		t.Fatal(err)
	}
	model, err := encode.Quantize(p, weights)
	if err != nil {
		t.Fatal(err)
	}
	tags := [][2]string{{"VERB", ""}, {"NOUN", ""}}
	model = model.Bind(weights.Labels, tags, nil)

	var examples []*example
	var guess []*syntax.Sentence
	for _, s := range syntax.Clone(trees) {
		e := cut(p.Pieces, &s)
		examples, guess = append(examples, &e), append(guess, &s)
	}
	b, h, o := join(examples, nil), newHeads(weights), new(tape)
	h.parse(o, b, newNetwork(p, nil).forward(o, b), guess)
	right := tagsRight(guess, trees)
	model.Encode(guess)

	// differ compares the log-probabilities at from, from+step ... with scores.
	worst, same, all := 0.0, 0, 0
	differ := func(dense []int32, from, step int, scores []float32, skip int) {
		sum := 0.0
		for i, x := range scores {
			if i != skip {
				sum += math.Exp(float64(x))
			}
		}
		top, densest := best(scores, int32(skip)), -1
		for i, x := range scores {
			if i == skip {
				continue
			}
			at := from + i*step
			got, want := math.Exp(float64(dense[at])/4096), math.Exp(float64(x))/sum
			worst = max(worst, math.Abs(got-want))
			if densest < 0 || dense[at] > dense[from+densest*step] {
				densest = i
			}
		}
		if all++; densest == top {
			same++
		}
	}
	o.begin(0, false)
	scores := h.forward(o, b, newNetwork(p, nil).forward(o, b))
	words, place := make(map[int]*syntax.Sentence), make(map[int]int) // of rows
	var arcs []arc
	for s, sentence := range guess {
		n, matrix := len(sentence.Words), b.arcsOf(scores.arcs.data, s)
		for m := 1; m <= n; m++ {
			differ(sentence.Dense.Arcs, m, n+1, matrix.Data[(m-1)*matrix.Stride:][:n+1], m)
			row := b.first[s] + m
			words[row], place[row] = sentence, m-1
			arcs = append(arcs, arc{row, b.first[s] + int(sentence.Words[m-1].Head), -1})
		}
		model.Labels(sentence)
	}
	columns := h.classify(o, scores)
	h.eachLabel(o, scores, arcs, func(block []arc, x *array) {
		for i, a := range block {
			s, m := words[a.modifier], place[a.modifier]
			differ(s.Dense.Labels, m*x.cols, 1, x.row(i), -1)
			row := columns.row(a.modifier)[:2]
			if weights.Classifiers[0].Values[0] == "NOUN" {
				row = []float32{row[1], row[0]}
			}
			differ(s.Dense.Tags, m*2, 1, row, -1)
		}
	})
	word := len(arcs)
	if all != 3*word || word == 0 {
		t.Fatalf("%d comparisons of %d words", all, word)
	}
	t.Logf("%d of %d choices agree; probabilities differ by %.4f at most", same, all, worst)
	if worst > 0.15 || same < all*99/100 {
		t.Errorf("%d of %d choices agree; probabilities differ by up to %.4f", same, all, worst)
	}
	return right
}
