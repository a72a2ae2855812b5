package encode

import (
	"math"

	"github.com/treebeam/treebeam/parser/graph"
)

// Floats is the inverse of Quantize, up to rounding. A training can start from its
// result. Vectors of pieces are floats, even if m has Codes. The vector of the bank of
// m (Of) is added to Position, and Banks is nil. The vocabulary belongs to m;
// everything else is the caller's.
func (m *Model) Floats() (*Params, *Heads) {
	s := m.shape
	p := &Params{Shape: s, Pieces: m.pieces, Word: m.word.floats(), Position: m.position.floats(), Norm: m.norm.clone()}
	p.Name, p.Source, p.Licence, p.Notice = m.Provenance()
	if m.coarse != nil {
		p.Word = m.coarse.Floats()
	}
	for i := range p.Position {
		if m.bound.bank != nil {
			p.Position[i] += m.bound.bank[i%s.Width]
		}
	}
	for i := range m.layers {
		p.Layers = append(p.Layers, m.layers[i].floats(s))
	}
	h := m.heads.floats()
	h.Sizes.Width, h.Sizes.Levels, h.Mix, h.Scale = s.Width, len(m.mix), make([]float32, len(m.mix)), []float32{0}
	for _, share := range m.mix {
		h.Scale[0] += share
	}
	for i, share := range m.mix {
		h.Mix[i] = float32(graph.Log(max(1e-9, float64(share)/float64(h.Scale[0]))))
	}
	return p, h
}

// floats returns all rows in floats.
func (t *table) floats() []float32 {
	out := make([]float32, t.rows*t.width)
	for i := range t.rows {
		t.expand(out[i*t.width:(i+1)*t.width], i)
	}
	return out
}

func (y *linear) floats() Linear {
	return Linear{y.table.floats(), append([]float32(nil), y.bias...)}
}

func (y *layer) floats(s Shape) Layer {
	in, w := y.in.floats(), s.Width
	root := float32(math.Sqrt(float64(w / s.Heads)))
	for i := range in.Weight[:w*w] {
		in.Weight[i] *= root
	}
	for i := range in.Bias[:w] {
		in.Bias[i] *= root
	}
	part := func(k int) Linear {
		return Linear{in.Weight[k*w*w : (k+1)*w*w : (k+1)*w*w], in.Bias[k*w : (k+1)*w : (k+1)*w]}
	}
	return Layer{
		Query: part(0), Key: part(1), Value: part(2), Output: y.out.floats(), AttentionNorm: y.attentionNorm.clone(),
		Up: y.up.floats(), Down: y.down.floats(), FeedForwardNorm: y.feedForwardNorm.clone(),
	}
}

// floats is the inverse of quantizeHeads, without mix and scale.
func (y *heads) floats() *Heads {
	a, b, n := y.modifier.rows, y.labelModifier.rows, len(y.labels)
	h := &Heads{
		Sizes:       HeadSizes{Arc: a, Label: b, Tag: y.tag.rows},
		ArcModifier: y.modifier.floats(), ArcHead: y.head.floats(),
		LabelModifier: y.labelModifier.floats(), LabelHead: y.labelHead.floats(), Labels: append([]string(nil), y.labels...),
		Tag: y.tag.floats(),
	}
	arc := y.arc.floats()
	h.Arc, h.ArcBias = make([]float32, a*a), arc.Bias
	for i := range a {
		for j := range a {
			h.Arc[i*a+j] = arc.Weight[j*a+i]
		}
	}
	form := y.label.floats()
	h.Label = make([]float32, 0, n*(b+1)*(b+1))
	for l := range n {
		for i := range b + 1 {
			row := i*padded(n) + l
			h.Label = append(append(h.Label, form.Weight[row*b:(row+1)*b]...), form.Bias[row])
		}
	}
	all, t, at := y.classifier.floats(), y.tag.rows, 0
	for _, c := range y.classifiers {
		end := at + len(c.Values)
		c.Linear = Linear{all.Weight[at*t : end*t : end*t], all.Bias[at:end:end]}
		h.Classifiers, at = append(h.Classifiers, c), end
	}
	return h
}
