package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/label"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
)

// maxTagOdds is how much less probable a tag may be that suits its label, in
// 1/1024 nat. Dev UPOS and LAS with 3 and 4 nats: en_ewt 95.27 and 83.77 with
// both; tr_imst 91.56 and 60.31, 91.55 and 60.32; fr_sequoia 97.68 and 88.45, 97.69
// and 88.48. Without any tag changed en_ewt has 95.24 and 83.72.
const maxTagOdds = 4 * 1024

// label labels a tree that the search has found. Where the labels break rules of
// Universal Dependencies, it first changes tags that do not suit their labels, then
// heads, then labels, each where that is for the better. dense, if it is not nil, sets
// the dense scores of labels for the heads that there are. mix says what dense scores of
// tags count; nil if there are none.
func (m *Model) label(s *syntax.Sentence, o *search.Options, dense func(), mix *Mix) {
	if m.custom.Unconstrained {
		if dense != nil {
			dense()
		}
		m.Labeler.LabelFreely(s)
		return
	}
	help := label.Help{Dense: dense, Retag: func() bool { return m.retag(s, mix) }, Mend: !o.Projective}
	moved := m.Labeler.Label(s, help)
	m.setExtPos(s)
	if !moved {
		return
	}
	if x, reachable := m.Decoder.Score(s, s.Heads()); reachable {
		s.Confidence.TreeScore = float32(float64(x) / score.Unit)
	}
	s.Confidence.TreeMargin, s.Confidence.Certificate = 0, syntax.Uncertain
}

// retag gives another tag to words whose tag does not suit their label, where the
// tagger finds one that does about as good. Given tags stay: a sentence with given XPOS
// keeps all tags, because a given XPOS may not fit another UPOS.
func (m *Model) retag(s *syntax.Sentence, mix *Mix) (changed bool) {
	if len(s.TagProb) != len(s.Words) || s.Given.XPOS {
		return false
	}
	if mix != nil {
		x := scale(s)
		defer x.restore()
		x.scaleTags(mix)
	}
	for i := range s.Words {
		w := &s.Words[i]
		if s.TagProb[i] == 1 || label.Suits(w.Deprel, w.UPOS) || strings.Contains(w.Feats, extPos+"=") {
			continue
		}
		fits := func(upos string) bool {
			return label.Suits(w.Deprel, upos) && m.custom.Exceptions.Allow(w.Form, upos)
		}
		x, odds, found := m.Tagger.Other(s, i, m.request(false), maxTagOdds, fits)
		if found {
			setTag(s, i, &x, odds)
			changed = true
		}
	}
	return changed
}

// setTag gives word i the tags of x, whose log-odds to the tags that it has are
// -odds/1024. Given columns stay.
func setTag(s *syntax.Sentence, i int, x *syntax.Word, odds int64) {
	w := &s.Words[i]
	w.UPOS, w.XPOS = x.UPOS, x.XPOS
	if !s.Given.Feats {
		w.Feats = x.Feats
	}
	if !s.Given.Lemmas {
		w.Lemma = x.Lemma
	}
	s.TagProb[i] = lessProbable(s.TagProb[i], odds)
}

// tagVerb makes a verb of the likeliest noun or adjective where English needs one and
// the tagger has found none: Does the bus stop here? Given tags stay. It costs next to
// nothing in other sentences. r has the options of the tagger.
func (m *Model) tagVerb(s *syntax.Sentence, r tag.Request) {
	if m.Info.Language != syntax.English || m.custom.Unconstrained || len(s.TagProb) != len(s.Words) || s.Given.XPOS {
		return
	}
	from, to, ok := label.VerbBehind(s.Words)
	if !ok {
		return
	}
	var best syntax.Word
	at, least := -1, int64(maxTagOdds)
	for i := from; i < to; i++ {
		if upos := s.Words[i].UPOS; upos != "NOUN" && upos != "ADJ" || s.TagProb[i] == 1 {
			continue
		}
		fits := func(upos string) bool { return upos == "VERB" && r.Exceptions.Allow(s.Words[i].Form, upos) }
		if x, odds, found := m.Tagger.Other(s, i, tag.Request{Exceptions: r.Exceptions}, least, fits); found {
			best, at, least = x, i, odds
		}
	}
	if at >= 0 {
		setTag(s, at, &best, least)
	}
}

// lessProbable returns the probability of a tag whose log-odds to one of
// probability p are -odds/1024, as the tagger rounds them.
func lessProbable(p float32, odds int64) float32 {
	const grain = 1 << 16
	x := float64(p) * graph.Exp(-float64(max(odds, 0))/1024)
	return float32(min(max(int(float64(x*grain)+0.5), 1), grain-1)) / grain
}

const extPos = "ExtPos"

// partsOfSpeech are what a fixed expression is, by its relation.
var partsOfSpeech = map[string]string{"advmod": "ADV", "amod": "ADJ", "case": "ADP", "cc": "CCONJ", "det": "DET", "mark": "SCONJ"}

func (m *Model) knowsExtPos() bool {
	for f := range m.Tagger.NumFeats() {
		if feats, _ := m.Tagger.FeatsName(f); strings.Contains(feats, extPos+"=") {
			return true
		}
	}
	return false
}

// setExtPos sets FEATS ExtPos of the first words of fixed expressions, where the
// treebank has it: only the relation shows what they are, and the tagger has not seen
// relations. Given FEATS stay, and so do the FEATS of words with given tags.
func (m *Model) setExtPos(s *syntax.Sentence) {
	if !m.extPos || len(s.TagProb) != len(s.Words) || s.Given.Feats {
		return
	}
	for i := range s.Words {
		h := s.Words[i].Head
		if h < 1 || s.TagProb[h-1] == 1 || !strings.HasPrefix(s.Words[i].Deprel, "fixed") {
			continue
		}
		w := &s.Words[h-1]
		if pos := partsOfSpeech[syntax.Universal(w.Deprel)]; pos != "" {
			w.Feats = withFeature(w.Feats, extPos, pos)
		}
	}
}

// withFeature returns FEATS with an attribute set, in order.
func withFeature(feats, name, value string) string {
	list := []string{name + "=" + value}
	for item := range strings.SplitSeq(feats, "|") {
		if key, _, _ := strings.Cut(item, "="); key != name && item != "" {
			list = append(list, item)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Compare(strings.ToLower(a), strings.ToLower(b)) })
	return strings.Join(list, "|")
}
