package train

import (
	"fmt"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/piece"
)

// A tuned encoder, in floats, is kept as the result of its phase: hours of
// work, from which the integers of the model are made in seconds.
type tuned struct {
	*encode.Params
	*encode.Heads
}

// maxLayers, maxClassifiers bound what a kept phase may claim.
const (
	maxLayers      = 256
	maxClassifiers = 1 << 12
)

// layout names all arrays of an encoder and its heads. It leaves their lengths
// to whoever uses them: what a phase keeps has a sum, and came from here.
func (t *tuned) layout(l *pack.Layout) {
	p, h := t.Params, t.Heads
	shape := []int32{int32(p.Width), int32(p.Shape.Heads), int32(p.FeedForward), int32(p.Positions), int32(len(p.Layers)), int32(len(h.Classifiers))}
	pack.Array(l, "shape", &shape)
	l.Check("shape", len(shape) == 6 && shape[4] >= 0 && shape[4] <= maxLayers && shape[5] >= 0 && shape[5] <= maxClassifiers, "is no encoder's")
	pack.Value(l, "epsilon", &p.Epsilon)
	about := []string{p.Name, p.Source, p.Licence, p.Notice}
	l.Strings("about", &about)
	l.Check("about", len(about) == 4, "has not four entries")
	if l.Reading() {
		p.Width, p.Shape.Heads, p.FeedForward, p.Positions = int(shape[0]), int(shape[1]), int(shape[2]), int(shape[3])
		p.Layers, h.Classifiers = make([]encode.Layer, shape[4]), make([]encode.Classifier, shape[5])
		p.Name, p.Source, p.Licence, p.Notice = about[0], about[1], about[2], about[3]
	}
	if p.Pieces == nil {
		p.Pieces = new(piece.Vocabulary)
	}
	p.Pieces.Layout(l, "pieces")
	pack.Array(l, "word", &p.Word)
	pack.Array(l, "position", &p.Position)
	layoutNorm(l, "norm", &p.Norm)
	for i := range p.Layers {
		l.Nested(fmt.Sprint("layer", i), func(l *pack.Layout) { layoutLayer(l, &p.Layers[i]) })
	}
	l.Nested("heads", func(l *pack.Layout) { layoutHeads(l, h) })
}

func layoutNorm(l *pack.Layout, name string, n *encode.Norm) {
	pack.Array(l, name+".gain", &n.Gain)
	pack.Array(l, name+".bias", &n.Bias)
}

func layoutLinear(l *pack.Layout, name string, x *encode.Linear) {
	pack.Array(l, name+".weight", &x.Weight)
	pack.Array(l, name+".bias", &x.Bias)
}

func layoutLayer(l *pack.Layout, x *encode.Layer) {
	layoutLinear(l, "query", &x.Query)
	layoutLinear(l, "key", &x.Key)
	layoutLinear(l, "value", &x.Value)
	layoutLinear(l, "output", &x.Output)
	layoutNorm(l, "attentionnorm", &x.AttentionNorm)
	layoutLinear(l, "up", &x.Up)
	layoutLinear(l, "down", &x.Down)
	layoutNorm(l, "feedforwardnorm", &x.FeedForwardNorm)
}

func layoutHeads(l *pack.Layout, h *encode.Heads) {
	pack.Array(l, "mix", &h.Mix)
	pack.Array(l, "scale", &h.Scale)
	layoutLinear(l, "arcmodifier", &h.ArcModifier)
	layoutLinear(l, "archead", &h.ArcHead)
	pack.Array(l, "arc", &h.Arc)
	pack.Array(l, "arcbias", &h.ArcBias)
	layoutLinear(l, "labelmodifier", &h.LabelModifier)
	layoutLinear(l, "labelhead", &h.LabelHead)
	pack.Array(l, "label", &h.Label)
	l.Strings("labels", &h.Labels)
	layoutLinear(l, "tag", &h.Tag)
	for i := range h.Classifiers {
		c := &h.Classifiers[i]
		l.Nested(fmt.Sprint("classifier", i), func(l *pack.Layout) {
			name := []string{c.Name}
			l.Strings("name", &name)
			l.Check("name", len(name) == 1, "is not one name")
			if l.Reading() {
				c.Name = name[0]
			}
			l.Strings("values", &c.Values)
			layoutLinear(l, "linear", &c.Linear)
		})
	}
}

func openTuned(sections []pack.Section) (*tuned, error) {
	t := &tuned{new(encode.Params), new(encode.Heads)}
	return t, pack.Read(pack.NewView(sections), "tuned", t.layout)
}
