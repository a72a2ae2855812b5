package encode

import (
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/pack"
)

// heads are Heads in integers.
type heads struct {
	modifier, head linear // MLPs of arcs, A x Width
	// arc maps a modifier to the vector by which its heads are multiplied: Arcᵀ, with
	// ArcBias as its bias.
	arc linear

	labelModifier, labelHead linear // MLPs of labels, B x Width
	// label maps the vector of a head to the matrix by which its modifiers are multiplied.
	// Row i*L+l is Label_l[i], for 0 <= i <= B; its last column is the bias. L is the number
	// of labels, padded with rows of zeros.
	label  linear
	labels []string

	tag         linear       // MLP of the classifiers, T x Width
	classifier  linear       // of all classifiers, one after another
	classifiers []Classifier // without weights
}

func quantizeHeads(h *Heads) (y heads) {
	z := h.Sizes
	y.modifier, y.head = newLinear(h.ArcModifier, z.Width), newLinear(h.ArcHead, z.Width)
	transposed := make([]float32, len(h.Arc))
	for i := range z.Arc {
		for j := range z.Arc {
			transposed[j*z.Arc+i] = h.Arc[i*z.Arc+j]
		}
	}
	y.arc = newLinear(Linear{transposed, h.ArcBias}, z.Arc)

	y.labels = slices.Clone(h.Labels)
	y.labelModifier, y.labelHead = newLinear(h.LabelModifier, z.Width), newLinear(h.LabelHead, z.Width)
	var form Linear
	for i := range z.Label + 1 {
		for l := range padded(len(h.Labels)) {
			row := make([]float32, z.Label+1)
			if l < len(h.Labels) {
				row = h.Label[(l*(z.Label+1)+i)*(z.Label+1):][:z.Label+1]
			}
			form.Weight, form.Bias = append(form.Weight, row[:z.Label]...), append(form.Bias, row[z.Label])
		}
	}
	y.label = newLinear(form, z.Label)

	y.tag = newLinear(h.Tag, z.Width)
	var all Linear
	for _, c := range h.Classifiers {
		y.classifiers = append(y.classifiers, Classifier{Name: c.Name, Values: slices.Clone(c.Values)})
		all.Weight, all.Bias = append(all.Weight, c.Weight...), append(all.Bias, c.Bias...)
	}
	y.classifier = newLinear(all, z.Tag)
	return y
}

func (y *heads) layout(l *pack.Layout, width int) {
	sizes := []uint32{uint32(y.modifier.rows), uint32(y.labelModifier.rows), uint32(y.tag.rows)}
	pack.Array(l, "sizes", &sizes)
	l.Check("sizes", len(sizes) == 3 && slices.Max(sizes) <= maxHead, "is beyond the limits")
	l.Strings("labels", &y.labels)
	l.Check("labels", len(y.labels) <= maxLabels, "are too many")
	layoutClassifiers(l, &y.classifiers)
	if len(sizes) != 3 {
		return
	}
	a, b, t, n := int(sizes[0]), int(sizes[1]), int(sizes[2]), len(y.labels)
	values := 0
	for _, c := range y.classifiers {
		values += len(c.Values)
	}
	y.modifier.layout(l, "modifier", a, width)
	y.head.layout(l, "head", a, width)
	y.arc.layout(l, "arc", a, a)
	y.labelModifier.layout(l, "label_modifier", b, width)
	y.labelHead.layout(l, "label_head", b, width)
	y.label.layout(l, "label", (b+1)*padded(n), b)
	y.tag.layout(l, "tag", t, width)
	y.classifier.layout(l, "classifier", values, t)
}

// A binding is the order in which a linear model wants scores. A place is an index into
// the row that logs makes for a word.
type binding struct {
	labels []int32    // place of label l among the log-probabilities of labels
	tags   [][2]int32 // places of UPOS and XPOS of tag t, the second -1 for any
	feats  [][]int32  // by FEATS: pairs of places, of a value and of the "" of its attribute
	empty  []int32    // places of "" of all attributes
	idle   []bool     // classifiers that none of these places is of
	bank   []float32  // the vector of the bank; nil if there is none
}

// Bind returns a copy of m whose Dense has the order of a sparse model: of its
// relations (labels), of its tags as pairs of UPOS and XPOS, and of its FEATS. An XPOS
// of "" stands for any. A value that the encoder does not know gets the score of the
// least likely value that it knows. Attributes without a classifier add nothing.
// Dense.Tags stays nil without tags or without a classifier for UPOS. Dense.Feats stays
// nil without feats or without a classifier for any attribute. The copy shares the
// weights.
func (m *Model) Bind(labels []string, tags [][2]string, feats []string) *Model {
	c := *m
	c.bound = m.bind(labels, tags, feats)
	c.bound.bank = m.bound.bank
	return &c
}

func (m *Model) bind(labels []string, tags [][2]string, feats []string) (b binding) {
	y := &m.heads
	// An unknown value has the place after all others: see logs.
	index := func(values []string, value string) int32 {
		if i := slices.Index(values, value); i >= 0 {
			return int32(i)
		}
		return int32(len(values))
	}
	if len(y.labels) > 0 {
		for _, l := range labels {
			b.labels = append(b.labels, index(y.labels, l))
		}
	}
	first, at := make([]int32, len(y.classifiers)), int32(0) // the place of the first value of each
	for i, c := range y.classifiers {
		first[i], at = at, at+int32(len(c.Values))+1
	}
	place := func(i int, value string) int32 { return first[i] + index(y.classifiers[i].Values, value) }
	find := func(name string) int {
		return slices.IndexFunc(y.classifiers, func(c Classifier) bool { return c.Name == name })
	}
	upos, xpos := find("upos"), find("xpos")
	for _, t := range tags {
		if upos < 0 {
			break
		}
		pair := [2]int32{place(upos, t[0]), -1}
		if xpos >= 0 && t[1] != "" {
			pair[1] = place(xpos, t[1])
		}
		b.tags = append(b.tags, pair)
	}
	for i, c := range y.classifiers {
		if strings.HasPrefix(c.Name, featsPrefix) {
			b.empty = append(b.empty, place(i, ""))
		}
	}
	b.idle = make([]bool, len(y.classifiers))
	for i, c := range y.classifiers {
		b.idle[i] = (i == upos || i == xpos) && len(b.tags) == 0 || strings.HasPrefix(c.Name, featsPrefix) && len(feats) == 0
	}
	if len(b.empty) == 0 {
		return b
	}
	for _, bundle := range feats {
		pairs := []int32{}
		for item := range strings.SplitSeq(bundle, "|") {
			attribute, value, _ := strings.Cut(item, "=")
			if i := find(featsPrefix + attribute); i >= 0 && value != "" {
				pairs = append(pairs, place(i, value), place(i, ""))
			}
		}
		b.feats = append(b.feats, pairs)
	}
	return b
}

const featsPrefix = "feats:"
