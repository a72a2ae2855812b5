package encode

import (
	"fmt"
	"math"
	"slices"
	"strings"
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

// Limits of a shape.
const (
	maxWidth       = 4096
	maxFeedForward = 1 << 14
	minPositions   = piece.MaxPieces + 2 // a word and the marks
	maxPositions   = 4096
	maxLayers      = 64
	maxVocabulary  = 1 << 20
	maxHead        = 2048 // outputs of an MLP of the heads
	maxLabels      = 4096
	maxClassifiers = 1024
	maxValues      = 1 << 16 // of all classifiers
)

// A Model is an encoder and its heads in integers. It is the component
// "encode" of a model, read-only and safe for concurrent use.
//
// What it computes is the same on every processor and for every batch: see
// package vector for the arithmetic between the products, which are exact.
type Model struct {
	shape      Shape
	pieces     *piece.Vocabulary
	word       table // pieces x Width
	position   table // Positions x Width
	norm       Norm
	layers     []layer
	mix        []float32 // of a level in the vector of a word, times Heads.Scale
	heads      heads
	provenance []string // Name, Source, Licence, Notice

	bound binding
	pool  *sync.Pool // of *scratch
}

// A layer is a Layer. The outputs of in are the queries, divided by the root of
// a head's width, then the keys, then the values.
type layer struct {
	in, out                        linear
	attentionNorm, feedForwardNorm Norm
	up, down                       linear
}

// Quantize rounds an encoder and its heads to integers. Without heads (nil),
// Encode sets nothing, and only Hidden is of use. It copies what it needs.
func Quantize(p *Params, h *Heads) (*Model, error) {
	m := &Model{shape: p.Shape, pieces: p.Pieces, provenance: []string{p.Name, p.Source, p.Licence, p.Notice}, pool: new(sync.Pool)}
	if err := p.Shape.Check(len(p.Layers)); err != nil {
		return nil, err
	}
	if p.Pieces == nil || len(p.Pieces.Pieces) == 0 || len(p.Pieces.Pieces) > maxVocabulary {
		return nil, fmt.Errorf("encode: the encoder has no vocabulary, or one of more than %d pieces", maxVocabulary)
	}
	if h == nil {
		h = &Heads{Mix: make([]float32, 1+len(p.Layers)), Scale: []float32{1}}
	}
	w := p.Width
	q := &quantizer{}
	m.word = q.table("the word embedding", p.Word, len(p.Pieces.Pieces), w)
	m.position = q.table("the position embedding", p.Position, p.Positions, w)
	m.norm = q.norm("the norm of the embedding", p.Norm, w)
	for i := range p.Layers {
		m.layers = append(m.layers, q.layer(i, &p.Layers[i], p.Shape))
	}
	m.mix = q.mix(h, len(p.Layers))
	m.heads = q.heads(h, w)
	if q.err != nil {
		return nil, q.err
	}
	m.bound = m.bind(h.Labels, nil, nil)
	return m, nil
}

// Check reports a shape, and a number of layers, beyond the limits: no such
// encoder can parse.
func (s *Shape) Check(layers int) error {
	switch {
	case s.Width < 1 || s.Width > maxWidth || s.Heads < 1 || s.Width%s.Heads != 0:
		return fmt.Errorf("encode: a width of %d in %d heads: the limit is %d, and the heads must divide it", s.Width, s.Heads, maxWidth)
	case s.FeedForward < 1 || s.FeedForward > maxFeedForward:
		return fmt.Errorf("encode: a feed-forward width of %d, not 1 to %d", s.FeedForward, maxFeedForward)
	case s.Positions < minPositions || s.Positions > maxPositions:
		return fmt.Errorf("encode: %d positions, not %d to %d", s.Positions, minPositions, maxPositions)
	case layers > maxLayers:
		return fmt.Errorf("encode: %d layers, more than %d", layers, maxLayers)
	case !(s.Epsilon >= 1e-12 && s.Epsilon <= 1):
		return fmt.Errorf("encode: an epsilon of %v, not 1e-12 to 1", s.Epsilon)
	}
	return nil
}

// A quantizer keeps the first error, which names the array.
type quantizer struct{ err error }

func (q *quantizer) fail(what string, err error) {
	if err != nil && q.err == nil {
		q.err = fmt.Errorf("encode: %s %w", what, err)
	}
}

func (q *quantizer) table(what string, floats []float32, rows, width int) table {
	t, err := newTable(floats, rows, width)
	q.fail(what, err)
	return t
}

func (q *quantizer) linear(what string, f Linear, outputs, inputs int) linear {
	y, err := newLinear(f, outputs, inputs)
	q.fail(what, err)
	return y
}

func (q *quantizer) norm(what string, n Norm, width int) Norm {
	if len(n.Gain) != width || len(n.Bias) != width {
		q.fail(what, fmt.Errorf("has %d gains and %d biases, want %d", len(n.Gain), len(n.Bias), width))
	}
	q.fail(what, bounded(n.Gain))
	q.fail(what, bounded(n.Bias))
	return Norm{slices.Clone(n.Gain), slices.Clone(n.Bias)}
}

func (q *quantizer) layer(i int, l *Layer, s Shape) layer {
	name := func(part string) string { return fmt.Sprintf("%s of layer %d", part, i+1) }
	w := s.Width
	for k, f := range []Linear{l.Query, l.Key, l.Value} {
		if len(f.Weight) != w*w || len(f.Bias) != w {
			q.fail(name([]string{"the query", "the key", "the value"}[k]), fmt.Errorf("has %d weights and %d biases, want %d and %d", len(f.Weight), len(f.Bias), w*w, w))
		}
	}
	if q.err != nil {
		return layer{}
	}
	in := Linear{slices.Concat(l.Query.Weight, l.Key.Weight, l.Value.Weight), slices.Concat(l.Query.Bias, l.Key.Bias, l.Value.Bias)}
	y := layer{
		in:              q.linear(name("attention"), in, 3*w, w),
		out:             q.linear(name("the output of attention"), l.Output, w, w),
		attentionNorm:   q.norm(name("the norm of attention"), l.AttentionNorm, w),
		up:              q.linear(name("the feed-forward"), l.Up, s.FeedForward, w),
		down:            q.linear(name("the output of the feed-forward"), l.Down, w, s.FeedForward),
		feedForwardNorm: q.norm(name("the norm of the feed-forward"), l.FeedForwardNorm, w),
	}
	if q.err == nil {
		root := float32(1 / math.Sqrt(float64(w/s.Heads)))
		for o := range w {
			y.in.scales[o] *= root
			y.in.bias[o] *= root
		}
	}
	return y
}

// mix returns the softmax of the mix times the scale.
func (q *quantizer) mix(h *Heads, layers int) []float32 {
	if len(h.Mix) != 1+layers || len(h.Scale) != 1 {
		q.fail("the mix of levels", fmt.Errorf("has %d weights and %d scales, want %d and 1", len(h.Mix), len(h.Scale), 1+layers))
		return nil
	}
	if err := bounded(slices.Concat(h.Mix, h.Scale)); err != nil {
		q.fail("the mix of levels, or its scale,", err)
		return nil
	}
	top, sum, e := slices.Max(h.Mix), 0.0, make([]float64, len(h.Mix))
	for i, x := range h.Mix {
		e[i] = graph.Exp(max(-600, float64(x)-float64(top)))
		sum += e[i]
	}
	mix := make([]float32, len(e))
	for i := range e {
		mix[i] = float32(e[i] / sum * float64(h.Scale[0]))
	}
	return mix
}

// Provenance returns the name of the pretrained encoder, where it comes from,
// its licence and its notice.
func (m *Model) Provenance() (name, source, licence, notice string) {
	p := m.provenance
	return p[0], p[1], p[2], p[3]
}

// Pack stores m.
func (m *Model) Pack(to *pack.Sub) { pack.Write(to, m.layout) }

// Has reports whether a model file has the component.
func Has(v *pack.View, name string) bool { return v.Has(name, "shape") }

// Open is the inverse of Pack: of the component name, "encode". Labels are in
// the order of the heads; Bind gives another.
func Open(v *pack.View, name string) (*Model, error) {
	m := &Model{pool: new(sync.Pool)}
	if err := pack.Read(v, name, m.layout); err != nil {
		return nil, err
	}
	m.bound = m.bind(m.heads.labels, nil, nil)
	return m, nil
}

func (m *Model) layout(l *pack.Layout) {
	s := &m.shape
	numbers := []uint32{uint32(s.Width), uint32(s.Heads), uint32(s.FeedForward), uint32(s.Positions), uint32(len(m.layers))}
	pack.Array(l, "shape", &numbers)
	l.Check("shape", len(numbers) == 5, "has another number of numbers")
	pack.Value(l, "epsilon", &s.Epsilon)
	if l.Reading() {
		s.Width, s.Heads, s.FeedForward, s.Positions = int(numbers[0]), int(numbers[1]), int(numbers[2]), int(numbers[3])
		if err := s.Check(int(numbers[4])); err != nil {
			l.Check("shape", false, "is beyond the limits ("+strings.TrimPrefix(err.Error(), "encode: ")+")")
			return
		}
		m.layers = make([]layer, numbers[4])
	}
	l.Strings("provenance", &m.provenance)
	l.Check("provenance", len(m.provenance) == 4, "has another number of texts")
	if m.pieces == nil {
		m.pieces = new(piece.Vocabulary)
	}
	m.pieces.Layout(l, "pieces")
	l.Nested("word", func(l *pack.Layout) { m.word.layout(l, len(m.pieces.Pieces), s.Width) })
	l.Nested("position", func(l *pack.Layout) { m.position.layout(l, s.Positions, s.Width) })
	layoutNorm(l, "norm", &m.norm, s.Width)
	for i := range m.layers {
		l.Nested(fmt.Sprintf("layer%d", i+1), func(l *pack.Layout) { m.layers[i].layout(l, s) })
	}
	floats(l, "mix", &m.mix, 1+len(m.layers))
	l.Nested("heads", func(l *pack.Layout) { m.heads.layout(l, s.Width) })
}

func layoutNorm(l *pack.Layout, name string, n *Norm, width int) {
	l.Nested(name, func(l *pack.Layout) {
		floats(l, "gain", &n.Gain, width)
		floats(l, "bias", &n.Bias, width)
	})
}

func (y *layer) layout(l *pack.Layout, s *Shape) {
	l.Nested("in", func(l *pack.Layout) { y.in.layout(l, 3*s.Width, s.Width) })
	l.Nested("out", func(l *pack.Layout) { y.out.layout(l, s.Width, s.Width) })
	layoutNorm(l, "attention", &y.attentionNorm, s.Width)
	l.Nested("up", func(l *pack.Layout) { y.up.layout(l, s.FeedForward, s.Width) })
	l.Nested("down", func(l *pack.Layout) { y.down.layout(l, s.Width, s.FeedForward) })
	layoutNorm(l, "feedforward", &y.feedForwardNorm, s.Width)
}
