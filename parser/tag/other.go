package tag

import (
	"cmp"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/sequence"
	"github.com/treebeam/treebeam/parser/syntax"
)

// In a sentence of more than wholeOther words, otherReach words before a word and
// as many behind it decide its other tag: the tags of words farther away no longer
// change its FEATS.
const (
	wholeOther = 200
	otherReach = 50
)

// Other returns word i, from 0, of a tagged sentence with the likeliest other UPOS that
// fits accepts, by its form, its context and the tags of its neighbours. odds is the
// best score with the word's own UPOS minus the score with the other one, in units of
// 1/1024 nat. found is false if no UPOS fits, if odds is above most, or if the form is
// frequent and always had the same tag in training. Other must not be called for a word
// whose tag is from the input or from r. Its time does not grow with the sentence: of a
// long sentence it reads only the words around the word.
func (m *Model) Other(s *syntax.Sentence, i int, r Request, most int64, fits func(upos string) bool) (w syntax.Word,
	odds int64, found bool) {
	if len(s.Words) > wholeOther {
		lo, hi := max(i-otherReach, 0), min(i+otherReach+1, len(s.Words))
		around := syntax.Sentence{Words: s.Words, Dense: syntax.Dense{Tags: s.Dense.Tags, Feats: s.Dense.Feats, Network: s.Dense.Network}}
		around = around.Window(lo, hi)
		for _, x := range s.MWTs { // tokens outside the window do not matter
			x.First, x.Last = x.First-int32(lo), x.Last-int32(lo)
			around.MWTs = append(around.MWTs, x)
		}
		return m.Other(&around, i-lo, r, most, fits)
	}
	sc, _ := m.pool.Get().(*scratch)
	if sc == nil {
		sc = &scratch{}
	}
	sc.text.read(s, m.lex)
	now, other := m.rivals(sc, s, i, fits)
	sure := sc.text.at(i).form.sure != 0
	m.pool.Put(sc) // but not after a panic, which leaves it as it is
	if other.label < 0 || now.label < 0 || sure {
		return w, 0, false
	}
	if odds = (now.score - other.score) << sequence.NatShift * 1024 / scoreUnit; odds > most {
		return w, odds, false
	}
	// The words are tagged again, with all UPOS given.
	c := *s
	c.Words = slices.Clone(s.Words)
	for k := range c.Words {
		c.Words[k].Feats, c.Words[k].Lemma = "", ""
	}
	c.Words[i].UPOS, c.Words[i].XPOS = m.upos[other.label], ""
	r.Retag = false
	m.Tag(&c, r)
	return c.Words[i], odds, true
}

// Conditionals returns for each word of a tagged sentence the probability of every tag
// (TagName), given the tags of its neighbours. It reads the temperature of r.
func (m *Model) Conditionals(s *syntax.Sentence, r Request) [][]float64 {
	sc, _ := m.pool.Get().(*scratch)
	if sc == nil {
		sc = &scratch{}
	}
	sc.text.read(s, m.lex)
	nat := float64(scoreUnit) / (1 << sequence.NatShift) * float64(cmp.Or(r.Temperature, sequence.TemperatureUnit)) / sequence.TemperatureUnit
	all := make([][]float64, len(s.Words))
	for i := range all {
		scores, sum := m.beside(sc, s, i), 0.0
		if f := sc.text.at(i).form; f.sure != 0 {
			scores[f.sure-1] += sureScore
		}
		top := slices.Max(scores)
		all[i] = make([]float64, len(scores))
		for t, x := range scores {
			all[i][t] = graph.Exp(float64(x-top) / nat)
			sum += all[i][t]
		}
		for t := range all[i] {
			all[i][t] /= sum
		}
	}
	m.pool.Put(sc) // but not after a panic, which leaves it as it is
	return all
}

// A rival is a label of a word and its score; the label is -1 if there is none.
type rival struct {
	label int
	score int64
}

// rivals returns the best label of word i with its own UPOS, and the best one
// among those that fits accepts.
func (m *Model) rivals(sc *scratch, s *syntax.Sentence, i int, fits func(upos string) bool) (now, other rival) {
	now.label, other.label = -1, -1
	for l, score := range m.beside(sc, s, i) {
		to := &other
		switch upos := m.upos[l]; {
		case upos == s.Words[i].UPOS:
			to = &now
		case !fits(upos) || !m.suits(sc.text.at(i).form, l):
			continue
		}
		if to.label < 0 || score > to.score {
			*to = rival{l, score}
		}
	}
	return now, other
}

// beside returns the scores of all labels of word i, given the tags of its neighbours.
func (m *Model) beside(sc *scratch, s *syntax.Sentence, i int) []int64 {
	own := m.ownTags(sc, sc.text.at(i).form) // which may write sc.keys
	sc.keys = tagKeys(sc.keys[:0], &sc.text, i)
	emit := sc.emits(&m.tags, m.all)
	var before, behind []uint16
	if i > 0 {
		before = slices.Clone(m.agree(sc, &s.Words[i-1]))
	}
	if i+1 < len(s.Words) {
		behind = m.agree(sc, &s.Words[i+1])
	}
	dense, scores := s.Dense.Tags, make([]int64, len(m.all))
	for l := range scores {
		scores[l] = int64(emit[l]) + int64(own[l])
		if len(dense) == len(s.Words)*len(m.all) {
			scores[l] += int64(dense[i*len(m.all)+l])
		}
		if len(before) == 1 {
			scores[l] += int64(sequence.PairScore(&m.tags.Labels, m.tags.Pairs, before[0], uint16(l)))
		}
		if len(behind) == 1 {
			scores[l] += int64(sequence.PairScore(&m.tags.Labels, m.tags.Pairs, uint16(l), behind[0]))
		}
	}
	return scores
}
