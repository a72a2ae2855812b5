package finetune

import "github.com/treebeam/treebeam/parser/encode"

// A tensor is one array of weights and whether it decays.
type tensor struct {
	data   *[]float32
	decays bool
}

// layerTensors lists the weights of a layer. Those of query, key and value
// stand side by side, so that one product serves the three.
func layerTensors(l *encode.Layer) []tensor {
	return []tensor{
		{&l.Query.Weight, true}, {&l.Key.Weight, true}, {&l.Value.Weight, true},
		{&l.Query.Bias, false}, {&l.Key.Bias, false}, {&l.Value.Bias, false},
		{&l.Output.Weight, true}, {&l.Output.Bias, false},
		{&l.AttentionNorm.Gain, false}, {&l.AttentionNorm.Bias, false},
		{&l.Up.Weight, true}, {&l.Up.Bias, false}, {&l.Down.Weight, true}, {&l.Down.Bias, false},
		{&l.FeedForwardNorm.Gain, false}, {&l.FeedForwardNorm.Bias, false},
	}
}

// encoderTensors lists all weights of an encoder.
func encoderTensors(p *encode.Params) []tensor {
	list := []tensor{{&p.Word, true}, {&p.Position, true}, {&p.Norm.Gain, false}, {&p.Norm.Bias, false}}
	for i := range p.Layers {
		list = append(list, layerTensors(&p.Layers[i])...)
	}
	return list
}

// headTensors lists all weights of the heads, none of which decays.
func headTensors(h *encode.Heads) []tensor {
	list := []tensor{{&h.Mix, false}, {&h.Scale, false}}
	linear := func(l *encode.Linear) { list = append(list, tensor{&l.Weight, false}, tensor{&l.Bias, false}) }
	linear(&h.ArcModifier)
	linear(&h.ArcHead)
	list = append(list, tensor{&h.Arc, false}, tensor{&h.ArcBias, false})
	linear(&h.LabelModifier)
	linear(&h.LabelHead)
	list = append(list, tensor{&h.Label, false})
	linear(&h.Tag)
	for i := range h.Classifiers {
		linear(&h.Classifiers[i].Linear)
	}
	return list
}

// flatten moves tensors into one array, in their order, which it returns; the
// tensors are views of it from then on.
func flatten(list []tensor) []float32 {
	n := 0
	for _, t := range list {
		n += len(*t.data)
	}
	flat, at := make([]float32, n), 0
	for _, t := range list {
		to := flat[at : at+len(*t.data)]
		copy(to, *t.data)
		*t.data, at = to, at+len(to)
	}
	return flat
}

// sameShapes gives each tensor of to zeros of the length of that of from.
func sameShapes(to, from []tensor) {
	for i := range from {
		*to[i].data = make([]float32, len(*from[i].data))
	}
}
