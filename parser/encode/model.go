package encode

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/piece"
	"github.com/treebeam/treebeam/parser/score"
)

const (
	unit  = score.Unit
	least = -30 * unit // no log-probability is lower
)

// A Model is an encoder and its heads in integers: the component "encode" of a model
// file. It is read-only and safe for concurrent use.
//
// Its results are the same on every processor and for every batch: products are exact,
// and package vector does the rest.
type Model struct {
	shape      Shape
	pieces     *piece.Vocabulary
	word       table  // of the first pieces, x Width
	coarse     *Codes // of the other pieces, x Width; nil if there are none
	banks      []string
	bank       []float32 // banks x Width
	cases      []float32 // piece.Cases x Width; nil if the pieces have case
	position   table     // Positions x Width
	norm       Norm
	layers     []layer
	mix        []float32 // of a level in the vector of a word, times Heads.Scale
	heads      heads
	starts     *StartNetwork // nil if there is none
	provenance []string      // Name, Source, Licence, Notice

	bound binding
	pool  *sync.Pool // of *scratch
}

// A layer is a Layer. The outputs of in are the queries, divided by the root of
// a head's width, then the keys, then the values.
type layer struct {
	in, out                        linear // of a local layer, empty
	attentionNorm, feedForwardNorm Norm
	up, down                       linear
}

// Quantize rounds an encoder and its heads to integers. Without heads (nil), Encode sets
// nothing, and only Hidden is useful. Quantize copies what it needs.
func Quantize(p *Params, h *Heads) (*Model, error) {
	if err := p.Check(); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	w, levels := p.Width, 1+len(p.Layers)
	if h == nil {
		h = &Heads{Sizes: HeadSizes{Width: w, Levels: levels}, Mix: make([]float32, levels), Scale: []float32{1}}
	}
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	if h.Sizes.Width != w || h.Sizes.Levels != levels {
		return nil, fmt.Errorf("encode: the heads are for a width of %d and %d levels, the encoder has %d and %d",
			h.Sizes.Width, h.Sizes.Levels, w, levels)
	}
	m := &Model{
		shape: p.Shape, pieces: p.Pieces, provenance: []string{p.Name, p.Source, p.Licence, p.Notice}, pool: new(sync.Pool),
		word: newTable(p.Word, p.wordRows(), w), coarse: p.Coarse, banks: slices.Clone(p.Banks), bank: slices.Clone(p.Bank), cases: slices.Clone(p.Case), position: newTable(p.Position, p.Positions, w), norm: p.Norm.clone(),
		mix: shares(h.Mix, h.Scale[0]), heads: quantizeHeads(h),
	}
	for i := range p.Layers {
		m.layers = append(m.layers, quantizeLayer(&p.Layers[i], p.Shape, i < p.Local))
	}
	m.bound = m.bind(h.Labels, nil, nil)
	return m.Of(Anywhere), nil
}

func (n Norm) clone() Norm { return Norm{slices.Clone(n.Gain), slices.Clone(n.Bias)} }

func quantizeLayer(l *Layer, s Shape, local bool) layer {
	if local {
		return layer{up: newLinear(l.Up, 3*s.Width), down: newLinear(l.Down, s.FeedForward), feedForwardNorm: l.FeedForwardNorm.clone()}
	}
	in := Linear{slices.Concat(l.Query.Weight, l.Key.Weight, l.Value.Weight),
		slices.Concat(l.Query.Bias, l.Key.Bias, l.Value.Bias)}
	y := layer{
		in: newLinear(in, s.Width), out: newLinear(l.Output, s.Width), attentionNorm: l.AttentionNorm.clone(),
		up: newLinear(l.Up, s.Width), down: newLinear(l.Down, s.FeedForward), feedForwardNorm: l.FeedForwardNorm.clone(),
	}
	root := float32(1 / math.Sqrt(float64(s.Width/s.Heads)))
	for o := range s.Width {
		y.in.scales[o] *= root
		y.in.bias[o] *= root
	}
	return y
}

// shares returns the softmax of a mix times the scale.
func shares(list []float32, scale float32) []float32 {
	top, sum, e := slices.Max(list), 0.0, make([]float64, len(list))
	for i, x := range list {
		e[i] = graph.Exp(max(-600, float64(x)-float64(top)))
		sum += e[i]
	}
	mix := make([]float32, len(e))
	for i := range e {
		mix[i] = float32(e[i] / sum * float64(scale))
	}
	return mix
}

// Provenance returns the name of the pretrained encoder, where it comes from,
// its licence and its notice.
func (m *Model) Provenance() (name, source, licence, notice string) {
	p := m.provenance
	return p[0], p[1], p[2], p[3]
}

// Pack stores the model.
func (m *Model) Pack(to *pack.Sub) { pack.Write(to, m.layout) }

// Has reports whether a model file has an encoder under that name.
func Has(v *pack.View, name string) bool { return v.Has(name, "shape") }

// Open is the inverse of Pack. name is the name of the component, "encode". Dense has
// the order of the heads until Bind changes it.
func Open(v *pack.View, name string) (*Model, error) {
	m := &Model{pieces: new(piece.Vocabulary), pool: new(sync.Pool)}
	if err := pack.Read(v, name, m.layout); err != nil {
		return nil, err
	}
	m.bound = m.bind(m.heads.labels, nil, nil)
	return m.Of(Anywhere), nil
}

func (m *Model) layout(l *pack.Layout) {
	s, layers := &m.shape, len(m.layers)
	s.layout(l, &layers)
	if l.Reading() {
		m.layers = make([]layer, layers)
	}
	l.Strings("provenance", &m.provenance)
	l.Check("provenance", len(m.provenance) == 4, "has another number of texts")
	m.pieces.Layout(l, "pieces")
	layoutBanks(l, &m.banks)
	if len(m.banks) > 0 {
		floats(l, "bank", &m.bank, len(m.banks)*s.Width)
	}
	if m.pieces.Lower {
		floats(l, "case", &m.cases, int(piece.Cases)*s.Width)
	}
	rows := uint32(m.word.rows)
	if l.Optional("exact", m.coarse != nil && rows > 0) {
		pack.Value(l, "exact", &rows)
		l.Check("exact", 0 < rows && int(rows) < len(m.pieces.Pieces), "is not a part of the pieces")
	}
	layoutCodes(l, &m.coarse, len(m.pieces.Pieces)-int(rows), s.Width)
	if m.coarse == nil {
		rows = uint32(len(m.pieces.Pieces))
	}
	if rows > 0 {
		l.Nested("word", func(l *pack.Layout) { m.word.layout(l, int(rows), s.Width) })
	}
	l.Nested("position", func(l *pack.Layout) { m.position.layout(l, s.Positions, s.Width) })
	m.norm.layout(l, "norm", s.Width)
	for i := range m.layers {
		y := &m.layers[i]
		l.Nested(fmt.Sprintf("layer%d", i+1), func(l *pack.Layout) {
			reads := s.Width
			if i < s.Local {
				reads *= 3
			} else {
				y.in.layout(l, "in", 3*s.Width, s.Width)
				y.out.layout(l, "out", s.Width, s.Width)
				y.attentionNorm.layout(l, "attention", s.Width)
			}
			y.up.layout(l, "up", s.FeedForward, reads)
			y.down.layout(l, "down", s.Width, s.FeedForward)
			y.feedForwardNorm.layout(l, "feedforward", s.Width)
		})
	}
	floats(l, "mix", &m.mix, 1+len(m.layers))
	l.Nested("heads", func(l *pack.Layout) { m.heads.layout(l, s.Width) })
	l.Check("starts", !l.Optional("starts", false), "is of a treebeam before hidden units")
	if l.Optional("starts.hidden", m.HasStarts()) {
		if l.Reading() {
			m.starts = new(StartNetwork)
		}
		l.Nested("starts", func(l *pack.Layout) { m.starts.layout(l, s.Width) })
	}
}

func (n *Norm) layout(l *pack.Layout, name string, width int) {
	l.Nested(name, func(l *pack.Layout) {
		floats(l, "gain", &n.Gain, width)
		floats(l, "bias", &n.Bias, width)
	})
}
