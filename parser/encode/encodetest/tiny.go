// Package encodetest has an encoder for tests: tiny, quick, and made by chance.
package encodetest

import (
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/piece"
)

// Tiny returns an encoder of two layers and heads for the labels and
// classifiers, whose values are its Names and Values: all weights are drawn by
// the seed. Its pieces are the letters from a to z, and of other characters it
// knows nothing.
func Tiny(seed uint64, labels []string, classifiers ...encode.Classifier) (*encode.Params, *encode.Heads) {
	const width, wide, mlp = 16, 32, 8
	r := hash.Rand(seed)
	draw := func(n int, size float64) []float32 {
		list := make([]float32, n)
		for i := range list {
			list[i] = float32((2*r.Float() - 1) * size)
		}
		return list
	}
	linear := func(outputs, inputs int) encode.Linear {
		return encode.Linear{Weight: draw(outputs*inputs, 0.8), Bias: draw(outputs, 0.2)}
	}
	norm := func() encode.Norm {
		n := encode.Norm{Gain: draw(width, 0.2), Bias: draw(width, 0.2)}
		for i := range n.Gain {
			n.Gain[i]++
		}
		return n
	}
	pieces := &piece.Vocabulary{Pieces: []string{"<s>", "</s>", "<unk>", "\u2581"}, Scores: []float32{0, 0, -20, -2}, Begin: 0, End: 1, Unknown: 2}
	for c := 'a'; c <= 'z'; c++ {
		pieces.Pieces, pieces.Scores = append(pieces.Pieces, string(c)), append(pieces.Scores, -3)
	}
	p := &encode.Params{
		Shape:  encode.Shape{Width: width, Heads: 2, FeedForward: wide, Positions: 64, Epsilon: 1e-12},
		Pieces: pieces, Word: draw(len(pieces.Pieces)*width, 1), Position: draw(64*width, 0.3), Norm: norm(),
		Name: "tiny", Source: "a test", Licence: "MIT", Notice: "Copyright (c) nobody",
	}
	for range 2 {
		p.Layers = append(p.Layers, encode.Layer{
			Query: linear(width, width), Key: linear(width, width), Value: linear(width, width), Output: linear(width, width), AttentionNorm: norm(),
			Up: linear(wide, width), Down: linear(width, wide), FeedForwardNorm: norm(),
		})
	}
	h := &encode.Heads{
		Mix: draw(3, 0.3), Scale: []float32{1},
		ArcModifier: linear(mlp, width), ArcHead: linear(mlp, width), Arc: draw(mlp*mlp, 1), ArcBias: draw(mlp, 1),
		LabelModifier: linear(mlp, width), LabelHead: linear(mlp, width), Label: draw(len(labels)*(mlp+1)*(mlp+1), 1), Labels: labels,
		Tag: linear(mlp, width),
	}
	for _, c := range classifiers {
		c.Linear = linear(len(c.Values), mlp)
		h.Classifiers = append(h.Classifiers, c)
	}
	return p, h
}
