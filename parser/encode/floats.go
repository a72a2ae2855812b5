package encode

import (
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
)

// Floats is the inverse of Quantize, up to rounding. A training can start from its
// result. The vocabulary and Coarse belong to m; everything else is the caller's.
func (m *Model) Floats() (*Params, *Heads) {
	s := m.shape
	p := &Params{Shape: s, Pieces: m.pieces, Word: m.word.floats(), Position: m.position.floats(),
		Norm: m.norm.clone(), Banks: slices.Clone(m.banks), Bank: slices.Clone(m.bank), Case: slices.Clone(m.cases)}
	if m.word.rows == 0 {
		p.Coarse = m.coarse
	} else if m.coarse != nil {
		p.Word = append(p.Word, m.coarse.Floats()...)
	}
	p.Name, p.Source, p.Licence, p.Notice = m.Provenance()
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

// Alone makes p an encoder of a single treebank, whose vectors of pieces can learn: those
// in Coarse become floats, and the vector of a bank, or of Anywhere if there is no such
// bank, is added to Position.
func (p *Params) Alone(bank string) {
	if p.Coarse != nil {
		p.Word, p.Coarse = p.Coarse.Floats(), nil
	}
	if n := len(p.Banks); n > 0 {
		i := slices.Index(p.Banks, bank)
		if i < 0 {
			i = n - 1
		}
		for k := range p.Position {
			p.Position[k] += p.Bank[i*p.Width+k%p.Width]
		}
	}
	p.Banks, p.Bank = nil, nil
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
	if y.in.rows == 0 {
		return Layer{Up: y.up.floats(), Down: y.down.floats(), FeedForwardNorm: y.feedForwardNorm.clone()}
	}
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
