package finetune

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A column is a column of a treebank that classifiers learn, one classifier for each
// of its items, such as the attributes of FEATS. To learn another column, add an entry
// to columns. Package encode decides how the model uses it.
type column struct {
	prefix        string // the name of a classifier is this prefix and the name of the item
	items, values int    // the most frequent items have a classifier; an item with more values has none
	weight        float32
	runs          bool // only runs have it, which have no other column
	get           func(w *syntax.Word, item func(name, value string))
	set           func(w *syntax.Word, items []item) // in the order of the classifiers
}

// An item is a name and its value. The value "" means none.
type item struct{ name, value string }

// columns are all columns that are learned. Most words lack most of the many
// attributes, so the weights in the loss are such that all attributes together do not
// outweigh the arcs.
var columns = []column{
	{prefix: "upos", items: 1, values: 256, weight: 1,
		get: func(w *syntax.Word, item func(name, value string)) { item("", w.UPOS) },
		set: func(w *syntax.Word, items []item) { w.UPOS = items[0].value }},
	{prefix: "xpos", items: 1, values: 1000, weight: 0.5,
		get: func(w *syntax.Word, item func(name, value string)) { item("", w.XPOS) },
		set: func(w *syntax.Word, items []item) { w.XPOS = items[0].value }},
	{prefix: "feats:", items: 64, values: 256, weight: 0.2,
		get: func(w *syntax.Word, item func(name, value string)) { eachFeature(w.Feats, item) },
		set: func(w *syntax.Word, items []item) { w.Feats = joinFeatures(items) }},
	{prefix: encode.BeginPrefix, items: encode.MaxBegins, values: 2, weight: 1, runs: true,
		get: func(w *syntax.Word, item func(name, value string)) { eachBegin(w.Misc, item) },
		set: func(*syntax.Word, []item) {}},
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

// joinFeatures writes a FEATS column: sorted by lower-cased attribute.
func joinFeatures(items []item) string {
	items = slices.SortedFunc(slices.Values(items), func(a, b item) int {
		return strings.Compare(strings.ToLower(a.name), strings.ToLower(b.name))
	})
	var feats []string
	for _, x := range items {
		if x.value != "" {
			feats = append(feats, x.name+"="+x.value)
		}
	}
	return strings.Join(feats, "|")
}

// A learned column has classifiers first, first+1 ... for its items.
type learned struct {
	*column
	first int
	items []string
	index map[string]int     // of items
	value []map[string]int32 // of an item: index of a value
}

// columnsOf returns the columns of classifiers, in their order.
func columnsOf(list []encode.Classifier) (out []learned) {
	for i := range columns {
		c := learned{column: &columns[i], index: map[string]int{}}
		for k, x := range list {
			name, found := strings.CutPrefix(x.Name, c.prefix)
			if !found {
				continue
			}
			if len(c.items) == 0 {
				c.first = k
			}
			c.index[name] = len(c.items)
			c.items, c.value = append(c.items, name), append(c.value, index(x.Values))
		}
		if len(c.items) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// goldValues returns what the classifiers learn from the rows of a batch: nothing from
// roots, and the value "" for items that a word does not have.
func (h *heads) goldValues(b *batch, weight float32) (list []choice) {
	classifiers := h.p.Classifiers
	add := func(gold func(classifier int) (value int, weight float32)) {
		at := 0
		if n := len(list); n > 0 {
			at = list[n-1].hi
		}
		for i := range classifiers {
			value, weight := gold(i)
			list = append(list, choice{at, at + len(classifiers[i].Values), value, -1, weight})
			at += len(classifiers[i].Values)
		}
	}
	gold, weights := make([]int, len(classifiers)), make([]float32, len(classifiers))
	for _, sentence := range b.sents {
		add(func(int) (int, float32) { return -1, 0 })
		run := isRun(sentence)
		for m := range sentence.Words {
			for _, c := range h.columns {
				for i := range c.items {
					gold[c.first+i], weights[c.first+i] = -1, weight*c.weight
				}
				if c.runs != run {
					continue
				}
				find := func(i int, value string) {
					gold[c.first+i] = -1
					if x, ok := c.value[i][value]; ok {
						gold[c.first+i] = int(x)
					}
				}
				for i := range c.items {
					if !run {
						find(i, "")
					}
				}
				c.get(&sentence.Words[m], func(name, value string) {
					if i, ok := c.index[name]; ok {
						find(i, value)
					}
				})
			}
			add(func(i int) (int, float32) { return gold[i], weights[i] })
		}
	}
	return list
}

// readColumns sets the columns of a word to the values with the highest scores.
func (h *heads) readColumns(w *syntax.Word, scores []float32) {
	for _, c := range h.columns {
		items := make([]item, len(c.items))
		for i, name := range c.items {
			values := h.p.Classifiers[c.first+i].Values
			items[i] = item{name, values[best(scores[:len(values)], -1)]}
			scores = scores[len(values):]
		}
		c.set(w, items)
	}
}

// maxLabels is the largest number of labels, as in the label model.
const maxLabels = 255

// usualSizes are the outputs of the MLPs.
var usualSizes = encode.HeadSizes{Arc: 256, Label: 128, Tag: 256}

// freshHeads lists the labels and values of the sentences and draws first weights. The
// sum of levels starts as their mean, MLPs and classifiers are uniform (Glorot and
// Bengio 2010), and the bilinear forms are 0, so at first all arcs and labels score
// alike.
func freshHeads(z encode.HeadSizes, train []syntax.Sentence, seed uint64) (*heads, error) {
	labels := syntax.GoldRelations(train)
	if len(labels) > maxLabels {
		return nil, fmt.Errorf("finetune: the training trees have %d relations, at most %d are supported: check the DEPREL column", len(labels), maxLabels)
	}
	h := emptyHeads(z, labels, listClassifiers(train))
	h.p.Scale[0] = 1
	r := hash.Rand(hash.Mix(seed))
	list := []encode.Linear{h.p.ArcModifier, h.p.ArcHead, h.p.LabelModifier, h.p.LabelHead, h.p.Tag}
	for _, c := range h.p.Classifiers {
		list = append(list, c.Linear)
	}
	for _, l := range list {
		outputs := len(l.Bias)
		bound := math.Sqrt(6 / float64(outputs+len(l.Weight)/outputs))
		for i := range l.Weight {
			l.Weight[i] = float32((2*r.Float() - 1) * bound)
		}
	}
	return h, nil
}

// emptyHeads returns heads of zeros for the relations and for classifiers with the given
// Names and Values.
func emptyHeads(z encode.HeadSizes, labels []string, classifiers []encode.Classifier) *heads {
	p := &encode.Heads{Sizes: z, Labels: labels}
	for _, c := range classifiers {
		p.Classifiers = append(p.Classifiers, encode.Classifier{Name: c.Name, Values: c.Values})
	}
	return newHeads(p)
}

// startFrom sets the weights of heads of the same sizes: all that they have in common, and
// those of relations and of values of classifiers with the same names. It takes the levels
// that h has.
func (h *heads) startFrom(old *encode.Heads) {
	p, row := h.p, (h.p.Sizes.Label+1)*(h.p.Sizes.Label+1)
	for to, from := range map[*[]float32][]float32{
		&p.Mix: old.Mix, &p.Scale: old.Scale, &p.Arc: old.Arc, &p.ArcBias: old.ArcBias,
	} {
		copy(*to, from)
	}
	for to, from := range map[*encode.Linear]encode.Linear{&p.ArcModifier: old.ArcModifier, &p.ArcHead: old.ArcHead,
		&p.LabelModifier: old.LabelModifier, &p.LabelHead: old.LabelHead, &p.Tag: old.Tag} {
		copy(to.Weight, from.Weight)
		copy(to.Bias, from.Bias)
	}
	known := index(old.Labels)
	for l, name := range p.Labels {
		if k, ok := known[name]; ok {
			copy(p.Label[l*row:(l+1)*row], old.Label[int(k)*row:])
		}
	}
	for i := range p.Classifiers {
		c := &p.Classifiers[i]
		for _, o := range old.Classifiers {
			if o.Name != c.Name {
				continue
			}
			known, t := index(o.Values), p.Sizes.Tag
			for v, value := range c.Values {
				if k, ok := known[value]; ok {
					copy(c.Weight[v*t:(v+1)*t], o.Weight[int(k)*t:])
					c.Bias[v] = o.Bias[k]
				}
			}
		}
	}
}

func index(list []string) map[string]int32 {
	m := make(map[string]int32, len(list))
	for i, s := range list {
		m[s] = int32(i)
	}
	return m
}

// goldHead is the head of word m to learn, or -1.
func goldHead(s *syntax.Sentence, m int) int {
	if head := int(s.Words[m-1].Head); head >= 0 && head <= len(s.Words) && head != m {
		return head
	}
	return -1
}

// listClassifiers returns classifiers without weights, one for each item of a column
// that has at least two values and not too many.
func listClassifiers(list []syntax.Sentence) (out []encode.Classifier) {
	for _, c := range columns {
		list := slices.DeleteFunc(slices.Clone(list), func(s syntax.Sentence) bool { return isRun(&s) != c.runs })
		words, items, values := syntax.CountWords(list), map[string]int{}, map[string]map[string]int{}
		for w := range syntax.Words(list) {
			c.get(w, func(name, value string) {
				if items[name]++; values[name] == nil {
					values[name] = map[string]int{}
				}
				values[name][value]++
			})
		}
		names := syntax.ByCount(items)
		for _, name := range names[:min(len(names), c.items)] {
			if absent := words - items[name]; absent > 0 && !c.runs {
				values[name][""] += absent
			}
			if n := len(values[name]); n > 1 && n <= c.values {
				out = append(out, encode.Classifier{Name: c.prefix + name, Values: syntax.ByCount(values[name])})
			}
		}
	}
	return out
}
