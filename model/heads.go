package model

import (
	"cmp"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Head is a head that a word may have.
type Head struct {
	Head        int32   // 0 is the root
	Probability float32 // of being right, calibrated if the model is
}

// ParseHeads is Parse, and returns for each word the heads that it may have, the most
// probable ones first. The probability of the parser's own head is HeadConf, or else
// HeadMarginal; the others share the rest by their marginals around the tree that was found
// (Koo and others 2007). It returns nil for a sentence that is searched in windows.
func (m *Model) ParseHeads(s *syntax.Sentence, o search.Options) ([][]Head, error) {
	if err := m.decode(s, o); err != nil {
		return nil, err
	}
	arcs := graph.Of(&s.Candidates)
	arcs.Score, s.Candidates.Gains = s.Candidates.Gains, nil
	m.Calibrate(s, nil, nil)
	if arcs.Score == nil {
		return nil, nil
	}
	p := make([]float64, len(arcs.Heads))
	var margins graph.Marginals
	if arcs.N() > syntax.MaxMarginalWords || !margins.Compute(&arcs, p) {
		arcs.Softmax(p)
	}
	all := make([][]Head, arcs.N())
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
			h := Head{arcs.Heads[k], chosen}
			if h.Head != s.Words[i].Head {
				h.Probability = 0
				if others > 0 {
					h.Probability = float32(p[k] / others * float64(1-chosen))
				}
			}
			all[i] = append(all[i], h)
		}
		slices.SortStableFunc(all[i], func(a, b Head) int { return cmp.Compare(b.Probability, a.Probability) })
	}
	return all, nil
}
