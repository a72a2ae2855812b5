package model

import (
	"cmp"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
)

// Offers are what a word may have, the most probable first.
type Offers struct {
	Head   []Offer[int32]  `json:"head"` // 0 is the root
	Deprel []Offer[string] `json:"deprel"`
	UPOS   []Offer[string] `json:"upos"`
}

// An Offer is one of the values that a word may have in a column.
type Offer[T any] struct {
	Value       T       `json:"value"`
	Probability float32 `json:"p"` // of being right
}

// rank sorts offers.
func rank[T any](list []Offer[T]) []Offer[T] {
	slices.SortStableFunc(list, func(a, b Offer[T]) int { return cmp.Compare(b.Probability, a.Probability) })
	return list
}

// Offers parses s, as Parse does, and returns what each word of a tree of the same words
// may have. Heads are those of the parser; there are none for a sentence that is searched in
// windows. The probability of the head that it found is HeadConf, or else HeadMarginal; the
// others share the rest by their marginals around the tree that was found (Koo and others
// 2007). Relations have their marginals given the heads and tags of tree, and tags their
// probabilities given the tags beside them. Where tree has no tags, they are the tagger's.
// The words of s become those of tree, with these tags.
func (m *Model) Offers(s *syntax.Sentence, tree []syntax.Word, o search.Options) ([]Offers, error) {
	all := make([]Offers, len(tree))
	if err := m.chooseHeads(all, s, o); err != nil {
		return nil, err
	}
	s.Words = slices.Clone(tree)
	m.Tag(s, false)
	request := tag.Request{}
	if by, mix := m.ready(s); mix != nil {
		x := scale(s)
		defer x.restore()
		x.scaleTags(mix)
		request.Temperature = mix.temperature()
		if mix.Labels > 0 {
			by.Labels(s)
			x.scaleLabels(mix.Labels)
		}
	}
	for i, p := range m.Tagger.Conditionals(s, request) {
		for t := range p { // those of one UPOS follow one another
			upos, _ := m.Tagger.TagName(t)
			if k := len(all[i].UPOS); k == 0 || all[i].UPOS[k-1].Value != upos {
				all[i].UPOS = append(all[i].UPOS, Offer[string]{Value: upos})
			}
			all[i].UPOS[len(all[i].UPOS)-1].Probability += float32(p[t])
		}
		rank(all[i].UPOS)
	}
	for i, p := range m.Labeler.Marginals(s) {
		for l, name := range m.Labeler.Relations() {
			if p[l] > 0 && tree[i].Head != syntax.NoHead {
				all[i].Deprel = append(all[i].Deprel, Offer[string]{name, p[l]})
			}
		}
		rank(all[i].Deprel)
	}
	return all, nil
}

// chooseHeads sets the heads of Offers.
func (m *Model) chooseHeads(all []Offers, s *syntax.Sentence, o search.Options) error {
	if err := m.decode(s, o); err != nil {
		return err
	}
	arcs := graph.Of(&s.Candidates)
	arcs.Score, s.Candidates.Gains = s.Candidates.Gains, nil
	m.Calibrate(s, nil, nil)
	if arcs.Score == nil {
		return nil
	}
	p := make([]float64, len(arcs.Heads))
	var margins graph.Marginals
	if arcs.N() > syntax.MaxMarginalWords || !margins.Compute(&arcs, p) {
		arcs.Softmax(p)
	}
	for i := range all {
		chosen := s.Confidence.HeadMarginal[i]
		if i < len(s.Confidence.HeadConf) {
			chosen = s.Confidence.HeadConf[i]
		}
		lo, hi := arcs.Span(i + 1)
		others := 0.0
		for k := lo; k < hi; k++ {
			if arcs.Heads[k] != s.Words[i].Head {
				others += p[k]
			}
		}
		for k := lo; k < hi; k++ {
			h := Offer[int32]{arcs.Heads[k], chosen}
			if h.Value != s.Words[i].Head {
				h.Probability = 0
				if others > 0 {
					h.Probability = float32(p[k] / others * float64(1-chosen))
				}
			}
			all[i].Head = append(all[i].Head, h)
		}
		rank(all[i].Head)
	}
	return nil
}
