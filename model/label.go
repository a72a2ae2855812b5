package model

import (
	"strings"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/label"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
)

// maxTagOdds is how much less probable a tag may be that suits its label, in
// 1/1024 nat. Dev UPOS and LAS of en_ewt with 2, 3, 4 and 6 nats: 95.27 and 83.75
// with the first three, 95.25 and 83.75; of tr_imst 91.56 with two and three, then
// 91.54; LAS of fr_sequoia 88.46, 88.47, 88.50, 88.50.
const maxTagOdds = 3 * 1024

// label labels a tree that the search has found. Where the labels break the rules
// of Universal Dependencies, first tags change that labels contradict, then heads,
// then labels, each where that is for the better. dense, if it is not nil, sets
// the dense scores of labels for the heads that there are.
func (m *Model) label(s *syntax.Sentence, o *search.Options, dense func()) {
	if dense != nil {
		dense()
	}
	if m.Labeler.LabelFreely(s) || m.custom.Unconstrained {
		return
	}
	m.retag(s)
	if !o.Projective && m.Labeler.Mend(s, dense) {
		heads := make([]int32, len(s.Words))
		for i := range heads {
			heads[i] = s.Words[i].Head
		}
		if x, reachable := m.Decoder.Score(s, heads); reachable {
			s.Confidence.TreeScore = float32(float64(x) / score.Unit)
		}
		s.Confidence.TreeMargin, s.Confidence.Certificate = 0, syntax.Uncertain
	}
	m.Labeler.Label(s)
}

// retag gives words another tag that do not suit their label, where the tagger
// finds one that does about as good. Tags that were given stay.
func (m *Model) retag(s *syntax.Sentence) {
	if m.noTags || len(s.TagProb) != len(s.Words) {
		return
	}
	c := *s
	if m.dense(s) {
		x := buffers.Get().(*buffer)
		defer buffers.Put(x)
		c.Dense = syntax.Dense{Tags: scaled(&x.a, s.Dense.Tags, m.Mix.Tags), Feats: scaled(&x.b, s.Dense.Feats, m.Mix.Feats)}
	}
	for i := range s.Words {
		w := &s.Words[i]
		if s.TagProb[i] == 1 || label.Suits(w.Deprel, w.UPOS) || strings.Contains(w.Feats, "ExtPos=") {
			continue
		}
		fits := func(upos string) bool {
			return label.Suits(w.Deprel, upos) && m.custom.Exceptions.Allow(w.Form, upos)
		}
		x, odds, found := m.Tagger.Other(&c, i, tag.Request{Exceptions: m.custom.Exceptions}, fits)
		if found && odds <= maxTagOdds {
			w.UPOS, w.XPOS, w.Feats, w.Lemma = x.UPOS, x.XPOS, x.Feats, x.Lemma
			s.TagProb[i] = lessProbable(s.TagProb[i], odds)
		}
	}
}

// lessProbable returns the probability of a tag whose log-odds to one of
// probability p are -odds/1024, as the tagger rounds them.
func lessProbable(p float32, odds int64) float32 {
	const grain = 1 << 16
	x := float64(p) * graph.Exp(-float64(max(odds, 0))/1024)
	return float32(min(max(int(float64(x*grain)+0.5), 1), grain-1)) / grain
}
