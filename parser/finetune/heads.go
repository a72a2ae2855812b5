package finetune

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// usualSizes are the outputs of the MLPs.
var usualSizes = encode.HeadSizes{Arc: 256, Label: 128, Tag: 256}

// Bounds of what is learned. A column with more values has no classifier.
const (
	maxLabels     = 255 // as in the label model
	maxXPOS       = 1000
	maxAttributes = 64 // the most frequent ones
	maxValues     = 256
)

// Weights of the classifiers in the loss. There are many attributes, and most
// words lack most of them: together they must not outweigh the arcs.
const (
	uposWeight = 1
	xposWeight = 0.5
	featWeight = 0.2
)

const (
	rootLabel   = "root" // of the word whose head is 0, and of no other
	unspecified = "dep"
	featPrefix  = "feats:"
)

// heads learn and use what stands above the levels of the encoder: p's
// arithmetic is that of encode.Heads. They are one goroutine's, and share out
// the work themselves.
type heads struct {
	p, grad     *encode.Heads
	labels      map[string]int32 // index in p.Labels
	classifiers []column         // beside p.Classifiers
	upos, xpos  int              // indices of classifiers, or -1
	attributes  map[string]int
	width       int
	scratch
}

// A column says how a classifier is learned.
type column struct {
	value  map[string]int32
	weight float32 // in the loss
}

// newHeads lists the labels and values of the sentences and draws first
// weights: the sum of levels is their mean, MLPs and classifiers are uniform
// (Glorot and Bengio 2010), and the bilinear forms are 0, so that at first all
// arcs and labels are alike.
func newHeads(width, levels int, train []syntax.Sentence, seed uint64) (*heads, error) {
	return sizedHeads(usualSizes, width, levels, train, seed)
}

func sizedHeads(z encode.HeadSizes, width, levels int, train []syntax.Sentence, seed uint64) (*heads, error) {
	labels := countLabels(train)
	if len(labels) > maxLabels {
		return nil, fmt.Errorf("finetune: the training trees have %d relations, at most %d are supported: check the DEPREL column", len(labels), maxLabels)
	}
	z.Width, z.Levels = width, levels
	p := &encode.Heads{Sizes: z, Labels: labels, Classifiers: listClassifiers(train)}
	encode.Flatten(p.Tensors())
	p.Scale[0] = 1
	r := hash.Rand(hash.Mix(seed))
	for _, l := range []encode.Linear{p.ArcModifier, p.ArcHead, p.LabelModifier, p.LabelHead, p.Tag} {
		glorot(l, width, &r)
	}
	for _, c := range p.Classifiers {
		glorot(c.Linear, z.Tag, &r)
	}
	h := adopt(p)
	h.grad = zeros(p)
	return h, nil
}

// adopt returns heads with the weights p, for parsing; grad is nil.
func adopt(p *encode.Heads) *heads {
	h := &heads{p: p, upos: -1, xpos: -1, attributes: map[string]int{}, labels: index(p.Labels), width: p.Sizes.Width}
	for i, c := range p.Classifiers {
		column := column{value: index(c.Values)}
		switch {
		case c.Name == "upos":
			h.upos, column.weight = i, uposWeight
		case c.Name == "xpos":
			h.xpos, column.weight = i, xposWeight
		case strings.HasPrefix(c.Name, featPrefix):
			h.attributes[c.Name[len(featPrefix):]], column.weight = i, featWeight
		}
		h.classifiers = append(h.classifiers, column)
	}
	return h
}

func index(list []string) map[string]int32 {
	m := make(map[string]int32, len(list))
	for i, s := range list {
		m[s] = int32(i)
	}
	return m
}

// zeros returns weights of the shape of p, all 0.
func zeros(p *encode.Heads) *encode.Heads {
	g := &encode.Heads{Sizes: p.Sizes, Labels: p.Labels, Classifiers: slices.Clone(p.Classifiers)}
	for i := range g.Classifiers {
		g.Classifiers[i].Linear = encode.Linear{}
	}
	encode.Flatten(g.Tensors())
	return g
}

// glorot draws weights; biases are 0.
func glorot(l encode.Linear, inputs int, r *hash.Rand) {
	bound := math.Sqrt(6 / float64(len(l.Bias)+inputs))
	for i := range l.Weight {
		l.Weight[i] = float32((2*r.Float() - 1) * bound)
	}
}

// goldLabel is the relation to learn for a word, as in the label model: root
// if and only if its head is 0.
func goldLabel(w *syntax.Word) string {
	switch {
	case w.Head == syntax.Root:
		return rootLabel
	case w.Deprel == rootLabel:
		return unspecified
	}
	return w.Deprel
}

// byCount lists the keys, the most frequent one first, then by name.
func byCount(count map[string]int) []string {
	names := slices.Collect(maps.Keys(count))
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) })
	return names
}

func countLabels(list []syntax.Sentence) []string {
	count := map[string]int{rootLabel: 0, unspecified: 0}
	for i := range list {
		for j := range list[i].Words {
			if w := &list[i].Words[j]; !w.OpenRelation() {
				count[goldLabel(w)]++
			}
		}
	}
	return byCount(count)
}

// listClassifiers returns one for each column that has two values or more and
// not too many, without weights.
func listClassifiers(list []syntax.Sentence) (out []encode.Classifier) {
	upos, xpos := map[string]int{}, map[string]int{}
	attributes, values := map[string]int{}, map[string]map[string]int{}
	words := 0
	for i := range list {
		words += len(list[i].Words)
		for j := range list[i].Words {
			w := &list[i].Words[j]
			upos[w.UPOS]++
			xpos[w.XPOS]++
			eachFeature(w.Feats, func(name, value string) {
				if attributes[name]++; values[name] == nil {
					values[name] = map[string]int{}
				}
				values[name][value]++
			})
		}
	}
	add := func(name string, count map[string]int, most int) {
		if len(count) > 1 && len(count) <= most {
			out = append(out, encode.Classifier{Name: name, Values: byCount(count)})
		}
	}
	add("upos", upos, maxValues)
	add("xpos", xpos, maxXPOS)
	names := byCount(attributes)
	for _, name := range names[:min(len(names), maxAttributes)] {
		if absent := words - attributes[name]; absent > 0 {
			values[name][""] = absent
		}
		add(featPrefix+name, values[name], maxValues)
	}
	return out
}

// eachFeature calls f with the attributes of a FEATS column and their values,
// each attribute once.
func eachFeature(feats string, f func(name, value string)) {
	last := ""
	for part := range strings.SplitSeq(feats, "|") {
		name, value, ok := strings.Cut(part, "=")
		if ok && value != "" && name != last {
			f(name, value)
			last = name
		}
	}
}
