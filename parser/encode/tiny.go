package encode

import (
	"strings"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/piece"
)

// Tiny returns a random encoder of two layers for tests, and heads for the labels and
// for classifiers with the given Names and Values. All weights are drawn by the seed.
// The pieces are the letters a to z; other characters are unknown.
func Tiny(seed uint64, labels []string, classifiers ...Classifier) (*Params, *Heads) {
	pieces := &piece.Vocabulary{Pieces: []string{"<s>", "</s>", "<unk>", "\u2581"}, Scores: []float32{0, 0, -20, -2},
		Begin: 0, End: 1, Unknown: 2}
	for c := 'a'; c <= 'z'; c++ {
		pieces.Pieces, pieces.Scores = append(pieces.Pieces, string(c)), append(pieces.Scores, -3)
	}
	p := &Params{
		Shape:  Shape{Width: 16, Heads: 2, FeedForward: 32, Positions: 64, Epsilon: 1e-12},
		Pieces: pieces, Layers: make([]Layer, 2),
		Name: "tiny", Source: "a test", Licence: "MIT", Notice: "Copyright (c) nobody",
	}
	h := &Heads{Sizes: HeadSizes{Width: 16, Levels: 3, Arc: 8, Label: 8, Tag: 8}, Labels: labels, Classifiers: classifiers}
	r := hash.Rand(seed)
	for _, t := range append(p.Tensors(), h.Tensors()...) {
		size := 0.8
		if len(t.Shape) == 1 {
			size = 0.2
		}
		Flatten([]Tensor{t})
		for i := range *t.Data {
			if (*t.Data)[i] = float32((2*r.Float() - 1) * size); strings.HasSuffix(t.Name, "gain") {
				(*t.Data)[i]++
			}
		}
	}
	h.Scale[0] = 1
	return p, h
}
