package encode

import (
	"fmt"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/pack"
)

// heads are Heads in integers.
type heads struct {
	modifier, head linear // MLPs of arcs, A x Width
	// arc maps a modifier to what its heads are multiplied by: Arcᵀ, with
	// ArcBias as its bias.
	arc linear

	labelModifier, labelHead linear // MLPs of labels, B x Width
	// label maps the vector of a head to what its modifiers are multiplied by:
	// row i*L+l is Label_l[i], for 0 <= i <= B, whose last column is the bias. L
	// is the number of labels, padded with rows of zeros.
	label  linear
	labels []string

	tag         linear // MLP of the classifiers, T x Width
	classifier  linear // of all classifiers, one behind another
	classifiers []classifier
}

// A classifier is the values of a Classifier: rows from, from+1 ... of
// heads.classifier.
type classifier struct {
	name   string
	values []string
	from   int
}

// value returns the place of a value, or len(values) if it has none: that of
// the least likely one (see logs).
func (c *classifier) value(name string) int {
	if i := slices.Index(c.values, name); i >= 0 {
		return i
	}
	return len(c.values)
}

func (q *quantizer) heads(h *Heads, width int) (y heads) {
	a, b, t := len(h.ArcHead.Bias), len(h.LabelHead.Bias), len(h.Tag.Bias)
	if max(a, b, t) > maxHead || len(h.Labels) > maxLabels || len(h.Classifiers) > maxClassifiers {
		q.fail("the heads", fmt.Errorf("have MLPs of %d, %d and %d outputs, %d labels and %d classifiers: the limits are %d, %d and %d",
			a, b, t, len(h.Labels), len(h.Classifiers), maxHead, maxLabels, maxClassifiers))
		return y
	}
	y.modifier = q.linear("the MLP of modifiers", h.ArcModifier, a, width)
	y.head = q.linear("the MLP of heads", h.ArcHead, a, width)
	if len(h.Arc) != a*a {
		q.fail("the biaffine form of arcs", fmt.Errorf("has %d weights, want %d x %d", len(h.Arc), a, a))
		return y
	}
	transposed := make([]float32, a*a)
	for i := range a {
		for j := range a {
			transposed[j*a+i] = h.Arc[i*a+j]
		}
	}
	y.arc = q.linear("the biaffine form of arcs", Linear{transposed, h.ArcBias}, a, a)

	y.labels = slices.Clone(h.Labels)
	y.labelModifier = q.linear("the MLP of labels' modifiers", h.LabelModifier, b, width)
	y.labelHead = q.linear("the MLP of labels' heads", h.LabelHead, b, width)
	if n := len(h.Labels) * (b + 1) * (b + 1); len(h.Label) != n {
		q.fail("the biaffine form of labels", fmt.Errorf("has %d weights, want %d", len(h.Label), n))
		return y
	}
	var form Linear
	for i := range b + 1 {
		for l := range h.Labels {
			row := h.Label[(l*(b+1)+i)*(b+1):]
			form.Weight, form.Bias = append(form.Weight, row[:b]...), append(form.Bias, row[b])
		}
		for range padded(len(h.Labels)) - len(h.Labels) {
			form.Weight, form.Bias = append(form.Weight, make([]float32, b)...), append(form.Bias, 0)
		}
	}
	y.label = q.linear("the biaffine form of labels", form, (b+1)*padded(len(h.Labels)), b)

	y.tag = q.linear("the MLP of tags", h.Tag, t, width)
	var all Linear
	for _, c := range h.Classifiers {
		n := len(c.Values)
		if len(c.Weight) != n*t || len(c.Bias) != n || n == 0 {
			q.fail("the classifier "+c.Name, fmt.Errorf("has %d values, %d weights and %d biases", n, len(c.Weight), len(c.Bias)))
		}
		y.classifiers = append(y.classifiers, classifier{c.Name, slices.Clone(c.Values), len(all.Bias)})
		all.Weight, all.Bias = append(all.Weight, c.Weight...), append(all.Bias, c.Bias...)
	}
	if len(all.Bias) > maxValues {
		q.fail("the classifiers", fmt.Errorf("have %d values, over %d", len(all.Bias), maxValues))
		return y
	}
	y.classifier = q.linear("the classifiers", all, len(all.Bias), t)
	return y
}

func (y *heads) layout(l *pack.Layout, width int) {
	sizes := []uint32{uint32(y.modifier.rows), uint32(y.labelModifier.rows), uint32(y.tag.rows)}
	pack.Array(l, "sizes", &sizes)
	l.Check("sizes", len(sizes) == 3 && slices.Max(sizes) <= maxHead, "is beyond the limits")
	l.Strings("labels", &y.labels)
	l.Check("labels", len(y.labels) <= maxLabels, "are too many")
	y.layoutClassifiers(l)
	if len(sizes) != 3 {
		return
	}
	a, b, t, n := int(sizes[0]), int(sizes[1]), int(sizes[2]), len(y.labels)
	values := 0
	for _, c := range y.classifiers {
		values += len(c.values)
	}
	part := func(name string, x *linear, outputs, inputs int) {
		l.Nested(name, func(l *pack.Layout) { x.layout(l, outputs, inputs) })
	}
	part("modifier", &y.modifier, a, width)
	part("head", &y.head, a, width)
	part("arc", &y.arc, a, a)
	part("label_modifier", &y.labelModifier, b, width)
	part("label_head", &y.labelHead, b, width)
	part("label", &y.label, (b+1)*padded(n), b)
	part("tag", &y.tag, t, width)
	part("classifier", &y.classifier, values, t)
}

func (y *heads) layoutClassifiers(l *pack.Layout) {
	var names, values []string
	bounds := []uint32{0}
	for _, c := range y.classifiers {
		names, values = append(names, c.name), append(values, c.values...)
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
			y.classifiers = append(y.classifiers, classifier{name, values[bounds[i]:bounds[i+1]], int(bounds[i])})
		}
	}
}

// A binding is the order in which a linear model wants scores. A place is an
// index of the row that logs makes for a word.
type binding struct {
	labels []int32    // place of label l among the log-probabilities of labels
	tags   [][2]int32 // places of UPOS and XPOS of tag t, the second -1 for any
	feats  [][]int32  // of FEATS f: pairs of places, of a value and of "" of its attribute
	empty  []int32    // places of "" of all attributes
}

// Bind returns a copy of m that gives Dense in the order of a linear model:
// its labels, its tags as UPOS and XPOS, of which the second may be "" for any,
// and its FEATS. Values that the encoder does not know count as the least
// likely ones that it does; attributes that it has no classifier for count
// nothing. Without tags or feats, or without a classifier of UPOS or of any
// attribute, Dense.Tags or Dense.Feats stay nil. It shares the weights.
func (m *Model) Bind(labels []string, tags [][2]string, feats []string) *Model {
	c := *m
	c.bound = m.bind(labels, tags, feats)
	return &c
}

func (m *Model) bind(labels []string, tags [][2]string, feats []string) (b binding) {
	y := &m.heads
	if len(y.labels) > 0 {
		own := classifier{values: y.labels}
		for _, l := range labels {
			b.labels = append(b.labels, int32(own.value(l)))
		}
	}
	// place of a value: every classifier before takes one place more.
	place := func(i int, value string) int32 {
		c := &y.classifiers[i]
		return int32(c.from + i + c.value(value))
	}
	find := func(name string) int {
		return slices.IndexFunc(y.classifiers, func(c classifier) bool { return c.name == name })
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
		if strings.HasPrefix(c.name, featsPrefix) {
			b.empty = append(b.empty, place(i, ""))
		}
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
