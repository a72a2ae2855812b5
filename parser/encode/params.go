// Package encode runs a pretrained encoder of the BERT kind (Devlin and others
// 2019) over sentences, in integers, and turns what it says of arcs, labels and
// tags into dense scores.
package encode

import "github.com/treebeam/treebeam/parser/piece"

// Shape is the shape of an encoder.
type Shape struct {
	Width, Heads, FeedForward int     // 384, 12, 1536 in multilingual-e5-small
	Positions                 int     // of a window, marks included: 512
	Epsilon                   float32 // of the layer norms
}

// Params are the weights of an encoder in floats, as they are imported and
// learned.
type Params struct {
	Shape
	Pieces   *piece.Vocabulary
	Word     []float32 // pieces x Width
	Position []float32 // Positions x Width; what is the same for every piece (the segment) is added in
	Norm     Norm      // of the sum of both
	Layers   []Layer

	// Provenance: where the encoder comes from and under which licence.
	Name, Source, Licence, Notice string
}

// Norm is a layer norm: (x - mean) / sqrt(variance + Epsilon) * Gain + Bias.
type Norm struct{ Gain, Bias []float32 }

// Linear is y = Weight·x + Bias.
type Linear struct {
	Weight []float32 // outputs x inputs, row by row
	Bias   []float32 // outputs
}

// Layer is one layer: attention and a feed-forward with GELU (by the error
// function), each added to its input and normalised afterwards.
type Layer struct {
	Query, Key, Value, Output Linear
	AttentionNorm             Norm
	Up, Down                  Linear
	FeedForwardNorm           Norm
}

// Heads turn vectors of words into scores. The vector of a word is the mean
// over its pieces of Scale times the sum of all levels, the embedding and every
// layer, weighted by the softmax of Mix. The root's is that of the first mark.
//
// An MLP is a Linear and then a leaky ReLU of slope 0.1.
type Heads struct {
	Mix   []float32 // levels: 1 + layers
	Scale []float32 // 1

	// Arcs (Dozat and Manning 2017): score(h, m) = modifierᵀ·Arc·head +
	// ArcBias·head; of the heads of m a softmax over 0..n without m.
	ArcModifier, ArcHead Linear    // MLPs, A x Width
	Arc                  []float32 // A x A
	ArcBias              []float32 // A

	// Labels: score(l) = [modifier; 1]ᵀ·Label_l·[head; 1], for the word and its
	// head; a softmax over the labels.
	LabelModifier, LabelHead Linear    // MLPs, B x Width
	Label                    []float32 // labels x (B+1) x (B+1)
	Labels                   []string

	// Tag is the MLP before all classifiers, T x Width.
	Tag         Linear
	Classifiers []Classifier
}

// A Classifier is a softmax over values of one column of a word. Its Name is
// "upos", "xpos" or "feats:" and an attribute; the value "" is that
// of words without it.
type Classifier struct {
	Name   string
	Values []string
	Linear // values x T
}
