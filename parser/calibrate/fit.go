package calibrate

import (
	"errors"
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/syntax"
)

// MinSentences is the smallest number of gold sentences for Fit and Adapt.
const MinSentences = 50

// ErrTooFew is in the error of Fit and Adapt for fewer than MinSentences sentences.
var ErrTooFew = errors.New("too few sentences")

// A Judgement says what is right in a parsed sentence, by gold trees of the same text.
// Lists are indexed by word minus 1 of the parsed sentence. A word that gold does not
// have is wrong in all lists.
type Judgement struct {
	UPOS   []bool // the tag is right
	Head   []bool // the head is the gold word's, as in UAS
	LAS    []bool // so are head and deprel without its subtype
	Deprel []bool // so are head and deprel with it
	Tree   bool   // all words, heads and deprels are those of a gold sentence

	Sentence int // index of the gold sentence with the first character
}

// An Example is a parsed sentence and its Judgement.
type Example struct {
	Sentence *syntax.Sentence
	Right    *Judgement
	// Group is the same for sentences that belong together, for example all parses of
	// the sentences of a document. Cross-fitting keeps a group in one fold.
	Group int
	// Language is the code of the language. With several, the calibrator is one of many
	// languages (Of).
	Language string
	// Weight is the weight of the example, in sixteenths.
	Weight int32
}

// Fit returns the calibrator of maximum likelihood for the examples, which must be
// parses by a model that has not learned from these sentences. A sentence may be parsed
// in several ways, for example from raw text, from gold words, or in capitals; the
// calibrator learns the difference. Examples without signals are skipped. Fit fails
// with ErrTooFew if the others come from fewer than MinSentences gold sentences. The
// same input gives the same bits on every machine.
func Fit(examples []Example) (*Model, error) {
	used, err := usable(examples)
	if err != nil {
		return nil, err
	}
	m := &Model{tags: namesOf(used, func(w *syntax.Word) string { return w.UPOS }),
		relations: namesOf(used, func(w *syntax.Word) string { return w.Deprel })}
	m.setLanguages(used)
	m.fitWords(used)
	m.crossFit(used)
	return m, nil
}

// usable returns the examples that have signals.
func usable(examples []Example) ([]Example, error) {
	used := slices.DeleteFunc(slices.Clone(examples),
		func(e Example) bool { return !hasSignals(e.Sentence) || e.Weight <= 0 })
	for k := range used {
		if n := len(used[k].Sentence.Words); len(used[k].Right.Head) != n || len(used[k].Right.Deprel) != n ||
			len(used[k].Right.LAS) != n || len(used[k].Right.UPOS) != n {
			return nil, fmt.Errorf("example %d has %d words and judgements of %d", k+1, n, len(used[k].Right.Head))
		}
	}
	distinct := map[int]bool{}
	for k := range used {
		distinct[used[k].Right.Sentence] = true
	}
	if len(distinct) < MinSentences {
		return nil, TooFew(len(distinct))
	}
	return used, nil
}

// TooFew returns the error of a fit to n sentences, which wraps ErrTooFew.
func TooFew(n int) error {
	return fmt.Errorf("%w to fit a calibrator to: %d, want at least %d", ErrTooFew, n, MinSentences)
}

// leastUses is how often a name must occur to have a target encoding.
const leastUses = 30

// namesOf returns the frequent ones among the names of words, at most mostNames.
func namesOf(examples []Example, name func(*syntax.Word) string) inventory {
	count := map[string]int{}
	for k := range examples {
		for i := range examples[k].Sentence.Words {
			count[name(&examples[k].Sentence.Words[i])]++
		}
	}
	var names []string
	for name, n := range count {
		if n >= leastUses && name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return newInventory(names[:min(len(names), mostNames)])
}

// An instance is a case whose outcome is known.
type instance struct {
	x               *row
	tag, name, head int16 // numbers of UPOS, deprel and the head's UPOS
	right           bool
	weight          int32 // in 1/weightOne
}

// fitWords fits the functions of words.
func (m *Model) fitWords(examples []Example) {
	var heads, labels, upos []instance
	wrong, forgiven := int64(0), int64(0)
	var r reader
	for k := range examples {
		e := &examples[k]
		r.read(m, e.Sentence)
		rows := make([]row, len(e.Sentence.Words))
		for i := range rows {
			r.word(&rows[i], e.Sentence, i)
			c := instance{x: &rows[i], tag: r.tags[i+1], name: r.names[i+1], head: r.tags[r.heads[i+1]], weight: e.Weight}
			add := func(to *[]instance, right bool) {
				c.right = right
				*to = append(*to, c)
			}
			add(&heads, e.Right.Head[i])
			if e.Right.Head[i] {
				add(&labels, e.Right.Deprel[i])
			}
			if !e.Sentence.TagsGiven {
				add(&upos, e.Right.UPOS[i])
			}
			if e.Right.Head[i] && !e.Right.Deprel[i] {
				wrong += int64(e.Weight)
				if e.Right.LAS[i] {
					forgiven += int64(e.Weight)
				}
			}
		}
	}
	m.subtypeShare = int32(forgiven * one / max(wrong, 1))
	m.heads = m.fitFunction(heads, headLinear, wordFeatures, plan{trees: 80, rate: 28, ridge: 20, sample: 3, seed: 1})
	m.labels = m.fitFunction(labels, labelLinear, wordFeatures, plan{trees: 45, rate: 28, ridge: 20, sample: 3, seed: 2})
	m.upos = m.fitFunction(upos, uposLinear, wordFeatures, plan{trees: 40, rate: 28, ridge: 20, sample: 3, seed: 3})
}

// wordFeatures are the features that the forests of words may split on.
var wordFeatures = func() (list []uint8) {
	for k := range numFeatures {
		list = append(list, uint8(k))
	}
	return list
}()

// lineRidge pulls coefficients to 0, so that they stay finite where all cases
// are right, and small where few cases support them.
const lineRidge = 0.5

// targetRidge does so for target encodings, in cases of weight 1.
const targetRidge = 20

// fitFunction fits a straight line, then target encodings to what it misses, then a forest
// to the rest; or a line alone if the forest is to have no trees. It sets the encodings in
// the rows.
func (m *Model) fitFunction(list []instance, linear, features []uint8, p plan) function {
	f := function{linear: make([]int32, len(linear)+1), slope: one, bound: boundOf(list),
		tagTargets: make([]int32, len(m.tags.names)+1), labelTargets: make([]int32, len(m.relations.names)+1),
		headTargets: make([]int32, len(m.tags.names)+1)}
	samples := make([]sample, len(list))
	values := make([]float64, len(list)*(len(linear)+1))
	for i := range list {
		c := &list[i]
		x := values[i*(len(linear)+1):][: len(linear)+1 : len(linear)+1]
		x[0] = 1
		for k, feature := range linear {
			x[k+1] = float64(c.x[feature]) / nat
		}
		samples[i] = sample{x, c.right, float64(c.weight) / weightOne}
	}
	w := make([]float64, len(linear)+1)
	fit(w, samples, lineRidge)
	for k, v := range w {
		const unit = one * one / nat
		f.linear[k] = int32(nearest(min(max(v, -mostWeight/unit), mostWeight/unit) * unit))
	}
	if p.trees == 0 {
		return f
	}
	z := make([]int32, len(list))
	for i := range z {
		z[i] = f.line(list[i].x, linear)
	}
	b := newBooster(list, nil, z, p)
	b.differentiate()
	b.encodeTargets(f.tagTargets, func(c *instance) int16 { return c.tag })
	b.encodeTargets(f.labelTargets, func(c *instance) int16 { return c.name })
	b.encodeTargets(f.headTargets, func(c *instance) int16 { return c.head })
	for i := range list {
		c := &list[i]
		c.x[tagTarget], c.x[labelTarget], c.x[headTarget] = f.tagTargets[c.tag], f.labelTargets[c.name], f.headTargets[c.head]
	}
	f.forest = newBooster(list, features, z, p).grow()
	return f
}

// boundOf returns the largest log-odds that so many cases support
// (function.bound).
func boundOf(list []instance) int32 {
	sum := int64(0)
	for i := range list {
		sum += int64(list[i].weight)
	}
	return min(int32(nearest(graph.Log(1+float64(sum)/weightOne)*one)), limit)
}

// encodeTargets sets the target encoding of every number but 0: the step, in
// units of 1/nat, that lowers the loss of its cases most.
func (b *booster) encodeTargets(targets []int32, number func(*instance) int16) {
	sums := make([]node, len(targets))
	for i := range b.cases {
		n := &sums[number(&b.cases[i])]
		n.g += int64(b.g[i])
		n.h += int64(b.h[i])
	}
	for k := 1; k < len(targets); k++ {
		targets[k] = int32(-sums[k].g * nat / (sums[k].h + targetRidge*ridgeUnit))
	}
}
