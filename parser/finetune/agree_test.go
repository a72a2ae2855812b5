package finetune

import (
	"math"
	"testing"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/matrix"
	"github.com/treebeam/treebeam/parser/syntax"
)

// TestIntegersAgree tunes a small encoder and compares what it says in floats,
// here, with what it says in integers when the parser runs.
func TestIntegersAgree(t *testing.T) {
	trees := toyTrees(60)
	p, weights, err := Train(toy(2), trees, trees[:10], Options{Epochs: 5, Batch: 80, Rate: 3e-3, HeadRate: 3e-3})
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
		e := cut(p, &s)
		examples, guess = append(examples, &e), append(guess, &s)
	}
	b, h, network := join(examples), adopt(weights), newNetwork(p)
	levels := network.forward(b, stepOptions{})
	h.parse(b, levels, guess, stepOptions{})
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
	for s, sentence := range guess {
		n := len(sentence.Words)
		scores, _, _ := h.arcsOf(s, h.arcs.middle)
		for m := 1; m <= n; m++ {
			differ(sentence.Dense.Arcs, m, n+1, scores.Data[(m-1)*scores.Stride:][:n+1], m)
		}
		model.Labels(sentence)
	}
	word := 0
	h.labelBlocks(stepOptions{}, func(block []labelled, x matrix.Matrix) {
		for i := range block {
			s, m := wordAt(guess, word)
			differ(s.Dense.Labels, (m-1)*x.Cols, 1, x.Data[i*x.Stride:][:x.Cols], -1)
			word++
		}
	})
	columns := h.scoreColumns(stepOptions{})
	for s, sentence := range guess {
		for m := 1; m <= len(sentence.Words); m++ {
			row := columns.Data[(h.first[s]+m)*columns.Stride:][:2]
			if weights.Classifiers[h.upos].Values[0] == "NOUN" {
				row = []float32{row[1], row[0]}
			}
			differ(sentence.Dense.Tags, (m-1)*2, 1, row, -1)
		}
	}
	if all != 3*word || word == 0 {
		t.Fatalf("%d comparisons of %d words", all, word)
	}
	t.Logf("%d of %d choices agree; probabilities differ by %.4f at most", same, all, worst)
	if worst > 0.15 || same < all*99/100 {
		t.Errorf("%d of %d choices agree; probabilities differ by up to %.4f", same, all, worst)
	}
}

// wordAt returns the sentence of a word of many sentences, and its number.
func wordAt(list []*syntax.Sentence, word int) (*syntax.Sentence, int) {
	for _, s := range list {
		if word < len(s.Words) {
			return s, word + 1
		}
		word -= len(s.Words)
	}
	panic("there is no such word")
}
