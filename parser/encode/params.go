// Package encode runs a pretrained encoder of the BERT kind (Devlin and others 2019),
// and the heads above it, over sentences in integers (Model.Encode). The results are
// dense scores of arcs, labels and tags. Params and Heads are the same weights in
// floats.
package encode

import (
	"errors"
	"fmt"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/piece"
)

// Shape has the sizes of an encoder.
type Shape struct {
	Width, Heads, FeedForward int     // 384, 12, 1536 in multilingual-e5-small
	Positions                 int     // of a window, marks included: 512
	Epsilon                   float32 // of the layer norms
	Local                     int     // layers, the lowest ones, that read neighbours; 0 in pretrained encoders
}

// Params are the weights of an encoder in floats, as imported and trained.
type Params struct {
	Shape
	Pieces   *piece.Vocabulary
	Word     []float32 // pieces x Width; nil with Coarse
	Coarse   *Codes    // the vectors of pieces in a few bits, which do not learn; nil with Word
	Position []float32 // Positions x Width; includes the segment, which is the same for every piece
	Norm     Norm      // of the sum of both
	Layers   []Layer

	// Banks names the treebanks from which the encoder has learned. The vector of a
	// bank is added to the embedding of every piece of its text. The last bank,
	// Anywhere, is for other text. Both are nil in an encoder of a single treebank.
	Banks []string
	Bank  []float32 // banks x Width

	// Case is added to the embedding of every piece by the case of its word, if the
	// pieces are in lowercase (piece.Vocabulary.Lower); else it is nil.
	Case []float32 // piece.Cases x Width

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

// Layer is a transformer layer: attention, then a feed-forward network with GELU (by
// the error function). The output of each is added to its input and then normalised.
//
// A local layer is a feed-forward network alone. It reads the vectors of three pieces
// side by side: the one before, the piece itself, and the one behind it, with zeros
// beyond the marks.
type Layer struct {
	Query, Key, Value, Output Linear
	AttentionNorm             Norm
	Up, Down                  Linear
	FeedForwardNorm           Norm
}

// Heads turn vectors of words into scores. The vector of a word is the mean over its pieces
// of Scale times the sum of all levels, weighted by the softmax of Mix. The levels are the
// embedding and every layer. The vector of the root is the vector of the first mark.
//
// An MLP is a Linear and then a leaky ReLU of slope 0.1.
type Heads struct {
	Sizes HeadSizes
	Mix   []float32 // levels
	Scale []float32 // 1

	// Arcs (Dozat and Manning 2017): score(h, m) = modifierᵀ·Arc·head + ArcBias·head, with
	// a softmax over the heads of m, 0..n without m.
	ArcModifier, ArcHead Linear    // MLPs, A x Width
	Arc                  []float32 // A x A
	ArcBias              []float32 // A

	// Labels: score(l) = [modifier; 1]ᵀ·Label_l·[head; 1], for the word and its head, with
	// a softmax over the labels.
	LabelModifier, LabelHead Linear    // MLPs, B x Width
	Label                    []float32 // labels x (B+1) x (B+1)
	Labels                   []string

	// Tag is the MLP before all classifiers, T x Width.
	Tag         Linear
	Classifiers []Classifier
}

// HeadSizes are the sizes of heads: the width of the encoder, its number of levels (1 +
// layers), and the outputs of the MLPs for arcs (A), labels (B) and tags (T).
type HeadSizes struct{ Width, Levels, Arc, Label, Tag int }

// A Classifier is a softmax over the values of one column of a word. Its Name is "upos",
// "xpos" or "feats:" and an attribute. The value "" is for words without the attribute.
type Classifier struct {
	Name   string
	Values []string
	Linear // values x T
}

// BeginPrefix plus the index of a character in its unit of a run, from 0 to
// MaxBegins-1, is the name of the classifier that says whether the character begins a
// word ("1" or "0").
const (
	BeginPrefix = "begin:"
	MaxBegins   = 8
)

// A Tensor is one array of weights.
type Tensor struct {
	Name   string
	Shape  []int // rows and columns, or the length of a vector
	Decays bool  // whether the weights decay while they are learned
	Data   *[]float32
}

// Size returns the number of weights.
func (t *Tensor) Size() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// tensors collects a list.
type tensors []Tensor

func (l *tensors) add(name string, decays bool, data *[]float32, shape ...int) {
	*l = append(*l, Tensor{name, shape, decays, data})
}

func (l *tensors) linear(name string, decays bool, x *Linear, outputs, inputs int) {
	l.add(name+".weight", decays, &x.Weight, outputs, inputs)
	l.add(name+".bias", false, &x.Bias, outputs)
}

func (l *tensors) norm(name string, x *Norm, width int) {
	l.add(name+".gain", false, &x.Gain, width)
	l.add(name+".bias", false, &x.Bias, width)
}

// Tensors lists all weights of an encoder. When flattened, the weights of query, key
// and value are adjacent, and so are their biases, so one product computes all three.
func (p *Params) Tensors() []Tensor {
	var list tensors
	w, up := p.Width, p.FeedForward
	list.add("word", true, &p.Word, p.wordRows(), w)
	list.add("position", true, &p.Position, p.Positions, w)
	if len(p.Banks) > 0 {
		list.add("bank", false, &p.Bank, len(p.Banks), w)
	}
	if p.Pieces.Lower {
		list.add("case", false, &p.Case, int(piece.Cases), w)
	}
	list.norm("norm", &p.Norm, w)
	for i := range p.Layers {
		l, name := &p.Layers[i], fmt.Sprintf("layer%d.", i)
		if i < p.Local {
			list.linear(name+"up", true, &l.Up, up, 3*w)
			list.linear(name+"down", true, &l.Down, w, up)
			list.norm(name+"feedforward", &l.FeedForwardNorm, w)
			continue
		}
		list.add(name+"query.weight", true, &l.Query.Weight, w, w)
		list.add(name+"key.weight", true, &l.Key.Weight, w, w)
		list.add(name+"value.weight", true, &l.Value.Weight, w, w)
		list.add(name+"query.bias", false, &l.Query.Bias, w)
		list.add(name+"key.bias", false, &l.Key.Bias, w)
		list.add(name+"value.bias", false, &l.Value.Bias, w)
		list.linear(name+"output", true, &l.Output, w, w)
		list.norm(name+"attention", &l.AttentionNorm, w)
		list.linear(name+"up", true, &l.Up, up, w)
		list.linear(name+"down", true, &l.Down, w, up)
		list.norm(name+"feedforward", &l.FeedForwardNorm, w)
	}
	return list
}

// wordRows is the number of vectors of pieces that are floats.
func (p *Params) wordRows() int {
	if p.Coarse != nil {
		return 0
	}
	return len(p.Pieces.Pieces)
}

// Tensors lists all weights of heads. None of them decays. When flattened, the weights
// of the classifiers are adjacent, and so are their biases.
func (h *Heads) Tensors() []Tensor {
	var list tensors
	w, a, b, t := h.Sizes.Width, h.Sizes.Arc, h.Sizes.Label, h.Sizes.Tag
	list.add("mix", false, &h.Mix, h.Sizes.Levels)
	list.add("scale", false, &h.Scale, 1)
	list.linear("arcmodifier", false, &h.ArcModifier, a, w)
	list.linear("archead", false, &h.ArcHead, a, w)
	list.add("arc", false, &h.Arc, a, a)
	list.add("arcbias", false, &h.ArcBias, a)
	list.linear("labelmodifier", false, &h.LabelModifier, b, w)
	list.linear("labelhead", false, &h.LabelHead, b, w)
	list.add("label", false, &h.Label, len(h.Labels)*(b+1), b+1)
	list.linear("tag", false, &h.Tag, t, w)
	for i := range h.Classifiers {
		c := &h.Classifiers[i]
		list.add("classifier."+c.Name+".weight", false, &c.Weight, len(c.Values), t)
	}
	for i := range h.Classifiers {
		c := &h.Classifiers[i]
		list.add("classifier."+c.Name+".bias", false, &c.Bias, len(c.Values))
	}
	return list
}

// Flatten moves the arrays into a single one, in order, and returns it. The arrays
// become views of it. Arrays that are nil become zeros.
func Flatten(list []Tensor) []float32 {
	n := 0
	for i := range list {
		n += list[i].Size()
	}
	flat, at := make([]float32, n), 0
	for i := range list {
		to := flat[at : at+list[i].Size()]
		copy(to, *list[i].Data)
		*list[i].Data, at = to, at+len(to)
	}
	return flat
}

// check reports arrays that do not fit their shape, and weights that no network may have.
func check(list []Tensor) error {
	for i := range list {
		t := &list[i]
		if len(*t.Data) != t.Size() {
			return fmt.Errorf("%s has %d weights, want %d", t.Name, len(*t.Data), t.Size())
		}
		if err := bounded(*t.Data); err != nil {
			return fmt.Errorf("%s %w", t.Name, err)
		}
	}
	return nil
}

// Check returns an error if an encoder cannot parse: if its shape is beyond the limits,
// if its vocabulary or arrays do not fit, or if weights are not numbers of at
// most 4,096 in absolute value.
func (p *Params) Check() error {
	if err := p.Shape.Check(len(p.Layers)); err != nil {
		return err
	}
	if p.Pieces == nil {
		return errors.New("the encoder has no vocabulary")
	}
	if err := p.Pieces.Check(); err != nil {
		return err
	}
	if c := p.Coarse; c != nil && (c.Rows != len(p.Pieces.Pieces) || c.Width != p.Width) {
		return fmt.Errorf("%d vectors of pieces in a width of %d, want %d in %d", c.Rows, c.Width, len(p.Pieces.Pieces), p.Width)
	}
	if err := checkBanks(p.Banks); err != nil {
		return err
	}
	return check(p.Tensors())
}

// check returns an error for sizes beyond the limits, arrays that do not fit, or
// weights that are not numbers within maxWeight.
func (h *Heads) check() error {
	values := 0
	for _, c := range h.Classifiers {
		if values += len(c.Values); len(c.Values) == 0 {
			return fmt.Errorf("the classifier %s has no values", c.Name)
		}
	}
	z := h.Sizes
	if max(z.Arc, z.Label, z.Tag) > maxHead || len(h.Labels) > maxLabels || len(h.Classifiers) > maxClassifiers ||
		values > maxValues {
		return fmt.Errorf("the heads have MLPs of %d, %d and %d outputs, %d labels, %d classifiers and %d values: the limits are %d, %d, %d and %d",
			z.Arc, z.Label, z.Tag, len(h.Labels), len(h.Classifiers), values, maxHead, maxLabels, maxClassifiers, maxValues)
	}
	return check(h.Tensors())
}

// Limits of a shape.
const (
	maxWidth       = 4096
	maxFeedForward = 1 << 14
	minPositions   = piece.MaxPieces + 2 // a word and the marks
	maxPositions   = 4096
	maxLayers      = 64
	maxHead        = 2048 // outputs of an MLP of the heads
	maxLabels      = 4096
	maxClassifiers = 1024
	maxValues      = 1 << 16 // of all classifiers
)

// maxWeight is the largest absolute value of weights, biases and gains. It ensures that
// no layer overflows if the shape is within the limits.
const maxWeight = 1 << 12

// bounded reports a value that no network may have.
func bounded(list []float32) error {
	for i, x := range list {
		if !(x >= -maxWeight && x <= maxWeight) {
			return fmt.Errorf("has the value %v at %d, which is not between -%d and %d", x, i, maxWeight, maxWeight)
		}
	}
	return nil
}

// Check returns an error if the shape or the number of layers is beyond the limits.
func (s *Shape) Check(layers int) error {
	switch {
	case s.Width < 1 || s.Width > maxWidth || s.Heads < 1 || s.Width%s.Heads != 0:
		return fmt.Errorf("a width of %d in %d heads: the limit is %d, and the heads must divide it", s.Width, s.Heads, maxWidth)
	case s.FeedForward < 1 || s.FeedForward > maxFeedForward:
		return fmt.Errorf("a feed-forward width of %d, not 1 to %d", s.FeedForward, maxFeedForward)
	case s.Positions < minPositions || s.Positions > maxPositions:
		return fmt.Errorf("%d positions, not %d to %d", s.Positions, minPositions, maxPositions)
	case layers < 1 || layers > maxLayers:
		return fmt.Errorf("%d layers, not 1 to %d", layers, maxLayers)
	case s.Local < 0 || s.Local > layers:
		return fmt.Errorf("%d local ones of %d layers", s.Local, layers)
	case !(s.Epsilon >= 1e-12 && s.Epsilon <= 1):
		return fmt.Errorf("an epsilon of %v, not 1e-12 to 1", s.Epsilon)
	}
	return nil
}

// layout names the sections of a shape and of a number of layers. It refuses to read
// values beyond the limits.
func (s *Shape) layout(l *pack.Layout, layers *int) {
	numbers := []uint32{uint32(s.Width), uint32(s.Heads), uint32(s.FeedForward), uint32(s.Positions), uint32(*layers)}
	if s.Local > 0 {
		numbers = append(numbers, uint32(s.Local))
	}
	pack.Array(l, "shape", &numbers)
	l.Check("shape", len(numbers) == 5 || len(numbers) == 6, "has another number of numbers")
	pack.Value(l, "epsilon", &s.Epsilon)
	if l.Reading() {
		s.Width, s.Heads, s.FeedForward, s.Positions = int(numbers[0]), int(numbers[1]), int(numbers[2]), int(numbers[3])
		if *layers, s.Local = int(numbers[4]), 0; len(numbers) == 6 {
			s.Local = int(numbers[5])
		}
		if err := s.Check(*layers); err != nil {
			l.Check("shape", false, "is beyond the limits ("+err.Error()+")")
		}
	}
}

// layoutTensors names the sections of arrays. When read, the arrays alias the file.
func layoutTensors(l *pack.Layout, list []Tensor) {
	for i := range list {
		t := &list[i]
		pack.Array(l, t.Name, t.Data)
		l.Check(t.Name, len(*t.Data) == t.Size(), "does not fit the shape")
	}
}

// layout names the sections of an encoder in floats, without the provenance and the
// vectors of pieces, "word". When read, the arrays alias the file.
func (p *Params) layout(l *pack.Layout) {
	layers := len(p.Layers)
	p.Shape.layout(l, &layers)
	if l.Reading() {
		p.Layers = make([]Layer, layers)
	}
	if p.Pieces == nil {
		p.Pieces = new(piece.Vocabulary)
	}
	p.Pieces.Layout(l, "pieces")
	layoutBanks(l, &p.Banks)
	layoutTensors(l, p.Tensors()[1:])
}

// LayoutTuned names the sections of an encoder and its heads, with the provenance.
func LayoutTuned(l *pack.Layout, p *Params, h *Heads) {
	about := []string{p.Name, p.Source, p.Licence, p.Notice}
	l.Strings("about", &about)
	l.Check("about", len(about) == 4, "does not have four entries")
	if l.Reading() {
		p.Name, p.Source, p.Licence, p.Notice = about[0], about[1], about[2], about[3]
	}
	p.layout(l)
	layoutCodes(l, &p.Coarse, len(p.Pieces.Pieces), p.Width)
	layoutTensors(l, p.Tensors()[:1])
	l.Nested("heads", func(l *pack.Layout) {
		z := &h.Sizes
		sizes := []uint32{uint32(z.Width), uint32(z.Levels), uint32(z.Arc), uint32(z.Label), uint32(z.Tag)}
		pack.Array(l, "sizes", &sizes)
		l.Check("sizes", len(sizes) == 5, "are not five")
		l.Strings("labels", &h.Labels)
		layoutClassifiers(l, &h.Classifiers)
		if l.Reading() {
			*z = HeadSizes{int(sizes[0]), int(sizes[1]), int(sizes[2]), int(sizes[3]), int(sizes[4])}
		}
		layoutTensors(l, h.Tensors())
	})
}

// layoutClassifiers names the sections of classifiers, except their weights.
func layoutClassifiers(l *pack.Layout, list *[]Classifier) {
	var names, values []string
	bounds := []uint32{0}
	for _, c := range *list {
		names, values = append(names, c.Name), append(values, c.Values...)
		bounds = append(bounds, uint32(len(values)))
	}
	l.Strings("classifiers", &names)
	l.Strings("values", &values)
	pack.Array(l, "values.start", &bounds)
	l.Check("values", len(values) <= maxValues && len(names) <= maxClassifiers, "are too many")
	l.Check("values.start", len(bounds) == len(names)+1, "does not fit the classifiers")
	pack.Bounds(l, "values.start", bounds, len(values))
	if l.Reading() {
		for i, name := range names {
			l.Check("values.start", bounds[i] < bounds[i+1], "has a classifier without values")
			*list = append(*list, Classifier{Name: name, Values: values[bounds[i]:bounds[i+1]]})
		}
	}
}
