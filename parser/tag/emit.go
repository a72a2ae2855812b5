package tag

import (
	"slices"

	"github.com/treebeam/treebeam/parser/sequence"
)

// zero is the score of a label that has no alternative.
var zero = []int32{0}

// emits returns the scores of labels by sc.keys, valid until the next call.
func (sc *scratch) emits(m *sequence.Layer, labels []uint16) []int32 {
	acc := sc.sums.Of(m, sc.keys)
	sc.emit = sc.emit[:0]
	for _, x := range labels {
		sc.emit = append(sc.emit, sequence.SumOf(&m.Labels, acc, x))
	}
	return sc.emit
}

// zeros returns n scores of 0, valid until the next call of zeros or emits.
func (sc *scratch) zeros(n int) []int32 {
	sc.emit = slices.Grow(sc.emit[:0], n)[:n]
	clear(sc.emit)
	return sc.emit
}

// ownTags returns the scores of all labels of the first layer by the features
// of the form alone.
func (m *Model) ownTags(sc *scratch, f *form) []int32 {
	if f.ownTags == nil {
		sc.keys = ownTagKeys(sc.keys[:0], f)
		f.ownTags = slices.Clone(sc.emits(&m.tags, m.all))
	}
	return f.ownTags
}

// ownMorphs returns the scores of the labels of the second layer that a label of the first
// allows, by the features of the form and that label alone.
func (m *Model) ownMorphs(sc *scratch, f *form, tag uint16) []int32 {
	if f.ownMorphsOf != tag+1 {
		sc.keys = ownMorphKeys(sc.keys[:0], f, tag)
		f.ownMorphs, f.ownMorphsOf = append(f.ownMorphs[:0], sc.emits(&m.morph, m.morphOf[tag])...), tag+1
	}
	return f.ownMorphs
}

// preferOnly makes emit the scores of a frequent form's labels. The treebank had it
// with label k only.
func preferOnly(emit []int32, k int) {
	clear(emit)
	emit[k] = sureScore
}

// addDense adds the dense scores of labels, less the largest of them: a path of
// 1,000 words must not overflow, however low the scores of all its labels are.
func addDense(emit []int32, labels []uint16, dense []int32) {
	top := dense[labels[0]]
	for _, l := range labels {
		top = max(top, dense[l])
	}
	for k, l := range labels {
		emit[k] += dense[l] - top
	}
}
