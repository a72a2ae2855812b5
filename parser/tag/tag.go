// Package tag gives words their UPOS, XPOS, FEATS and lemmas. All of it is
// learned from a treebank; nothing is particular to a language.
//
// It goes from coarse to fine. A first layer chooses UPOS
// and XPOS of all words of a sentence together: scores of a word's features,
// of neighbouring labels, and of three UPOS in a row, by an exact Viterbi
// search over the best labels of each word. A second layer chooses FEATS in
// the same way among the strings that the treebank has for the word's tag; a
// string's score is the sum over its attributes, so that a form never seen
// gets strings that its suffix was never seen with. Lemmas come last, from
// the forms of the treebank or by the best rewrite rule.
//
// Weights are 8 bits and sums are integers: the same input gives the same
// tags on every machine.
package tag

import (
	"slices"
	"sync"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A Model tags sentences. It is read-only and safe for concurrent use.
type Model struct {
	upos, xpos, feats []string
	tagUPOS, tagXPOS  []uint16   // of each label of the first layer
	ofUPOS            [][]uint16 // labels of the first layer by UPOS
	allTags           []uint16
	fineXPOS          bool // XPOS is chosen with FEATS, having too many values

	morphFeats, morphXPOS []uint16   // of each label of the second layer
	morphOf               [][]uint16 // labels of the second layer by label of the first

	lex   *lexicon
	tags  *layer
	morph *layer
	lemma *lemmatizer

	pool sync.Pool
}

// Labels kept for a word, and how far below the best they may be. On the dev
// data of tr_imst, beams of 8 and 6 labels and a margin of 6 gave no better
// tags than 4, 3 and 1.
const (
	tagBeam     = 5
	morphBeam   = 4
	beamMargin  = 3 << (scoreBits - 1)
	maxTagPairs = 200 // more pairs of UPOS and XPOS than that are not chosen together
)

// A scratch is what one call of Tag needs.
type scratch struct {
	text    text
	lat     lattice[int32]
	acc     []int32
	keys    []uint64
	rows    []uint64 // see table.sum
	tags    []uint16
	allowed []uint16
	form    []rune
	lemma   []rune
	asked   []askedRule
}

// parts returns n zeroes.
func (sc *scratch) parts(n int) []int32 {
	sc.acc = resize(sc.acc, n)
	clear(sc.acc)
	return sc.acc
}

// sum adds the rows of sc.keys to acc.
func (sc *scratch) sum(t *table, acc []int32) {
	sc.rows = resize(sc.rows, len(sc.keys))
	t.sum(sc.keys, acc, sc.rows)
}

// Tag fills in UPOS, XPOS, FEATS and lemmas. Without retag it leaves columns
// alone that hold anything: UPOS and XPOS word by word, FEATS and lemmas by
// sentence, for an empty FEATS is a value like others; given tags restrict
// what the rest may be. It never fails: a word that nothing is known about
// gets the best guess.
func (m *Model) Tag(s *syntax.Sentence, retag bool) {
	if len(s.Words) == 0 {
		return
	}
	sc, _ := m.pool.Get().(*scratch)
	if sc == nil {
		sc = &scratch{}
	}
	needFeats, needLemma := true, true
	for i := range s.Words {
		needFeats = needFeats && s.Words[i].Feats == ""
		needLemma = needLemma && s.Words[i].Lemma == ""
	}
	needFeats, needLemma = needFeats || retag, needLemma || retag
	sc.text.analyze(s, m.lex)
	s.Lexical, s.Unknown = sc.text.lexical, sc.text.unknown
	m.tagWords(sc, s, retag)
	if needFeats || m.fineXPOS {
		m.morphWords(sc, s, retag, needFeats)
	}
	if needLemma {
		for i := range s.Words {
			w := &s.Words[i]
			w.Lemma = m.lemma.lemma(sc, w.Form, sc.text.at(i), w.UPOS, hashString(w.XPOS), hashString(w.Feats))
		}
	}
	m.pool.Put(sc) // but not after a panic, which leaves it as it is
}

// tagWords runs the first layer; it leaves the labels in sc.tags.
func (m *Model) tagWords(sc *scratch, s *syntax.Sentence, retag bool) {
	lat := &sc.lat
	lat.reset()
	for i := range s.Words {
		acc := sc.parts(m.tags.labels.n)
		allowed := m.possible(sc.text.at(i))
		if w := &s.Words[i]; !retag && (w.UPOS != "" || w.XPOS != "") {
			allowed = m.allowedTags(sc, w.UPOS, w.XPOS)
		}
		if len(allowed) > 1 {
			sc.keys = tagKeys(sc.keys[:0], &sc.text, i)
			sc.sum(m.tags.table, acc)
		}
		lat.push(&m.tags.labels, allowed, acc, tagBeam, beamMargin)
	}
	for i := 1; i < len(s.Words); i++ {
		m.edges(sc, i)
	}
	lat.addUnits(&m.tags.labels, m.tags.pairs)
	sc.tags = sc.tags[:0]
	for i, c := range lat.best(&m.tags.labels, m.tags.triples) {
		l := lat.cand[lat.start[i]+c]
		sc.tags = append(sc.tags, l)
		w := &s.Words[i]
		if retag || w.UPOS == "" {
			w.UPOS = m.upos[m.tagUPOS[l]]
		}
		if !m.fineXPOS && (retag || w.XPOS == "") {
			w.XPOS = m.xpos[m.tagXPOS[l]]
		}
	}
}

// possible returns the labels that a word can have: all, or the only one of
// a frequent word.
func (m *Model) possible(w *word) []uint16 {
	if w.sure != 0 && int(w.sure) <= len(m.allTags) {
		return m.allTags[w.sure-1 : w.sure]
	}
	return m.allTags
}

// possibleMorphs returns the labels of the second layer that a word with a
// label of the first can have.
func (m *Model) possibleMorphs(w *word, tag uint16) []uint16 {
	list := m.morphOf[tag]
	if w.sureMorph != 0 && len(list) > 1 {
		if i, ok := slices.BinarySearch(list, w.sureMorph-1); ok {
			return list[i : i+1]
		}
	}
	return list
}

// allowedTags returns the labels that agree with the given tags as far as
// the model knows them: with both, else with UPOS, else with XPOS, else all.
func (m *Model) allowedTags(sc *scratch, upos, xpos string) []uint16 {
	list := m.allTags
	if u, ok := slices.BinarySearch(m.upos, upos); ok && upos != "" {
		list = m.ofUPOS[u]
	}
	x, ok := slices.BinarySearch(m.xpos, xpos)
	if !ok || xpos == "" {
		return list
	}
	takes := func(l uint16) bool { return int(m.tagXPOS[l]) == x }
	if m.fineXPOS {
		takes = func(l uint16) bool {
			return slices.ContainsFunc(m.morphOf[l], func(f uint16) bool { return int(m.morphXPOS[f]) == x })
		}
	}
	return sc.only(list, takes)
}

// only returns the labels of list that are taken, all if none is. The result
// is valid until the next call.
func (sc *scratch) only(list []uint16, takes func(uint16) bool) []uint16 {
	sc.allowed = sc.allowed[:0]
	for _, l := range list {
		if takes(l) {
			sc.allowed = append(sc.allowed, l)
		}
	}
	if len(sc.allowed) == 0 {
		return list
	}
	return sc.allowed
}

// edges adds the features of word i with the UPOS before.
func (m *Model) edges(sc *scratch, i int) {
	lat := &sc.lat
	a0, b0, b1 := lat.start[i-1], lat.start[i], lat.start[i+1]
	nb := b1 - b0
	if b0-a0 == 1 && nb == 1 {
		return
	}
	for a := range b0 - a0 {
		prim := lat.prim[a0+a]
		row := lat.edge[lat.edgeStart[i]+a*nb : lat.edgeStart[i]+(a+1)*nb]
		if earlier := indexOf(lat.prim[a0:a0+a], prim); earlier >= 0 {
			copy(row, lat.edge[lat.edgeStart[i]+int32(earlier)*nb:][:nb])
			continue
		}
		acc := sc.parts(m.tags.labels.n)
		sc.keys = tagEdgeKeys(sc.keys[:0], &sc.text, i)
		for k := range sc.keys {
			sc.keys[k] = edgeKey(sc.keys[k], prim)
		}
		sc.sum(m.tags.table, acc)
		for b, x := range lat.cand[b0:b1] {
			for _, p := range m.tags.labels.of(x) {
				row[b] += acc[p]
			}
		}
	}
}

// morphWords runs the second layer, given sc.tags.
func (m *Model) morphWords(sc *scratch, s *syntax.Sentence, retag, needFeats bool) {
	lat := &sc.lat
	lat.reset()
	for i := range s.Words {
		acc := sc.parts(m.morph.labels.n)
		allowed := m.possibleMorphs(sc.text.at(i), sc.tags[i])
		if given := s.Words[i].XPOS; m.fineXPOS && !retag && given != "" {
			allowed = sc.only(m.morphOf[sc.tags[i]], func(f uint16) bool { return m.xpos[m.morphXPOS[f]] == given })
		}
		if len(allowed) > 1 {
			sc.keys = morphKeys(sc.keys[:0], &sc.text, i, sc.tags)
			sc.sum(m.morph.table, acc)
		}
		lat.push(&m.morph.labels, allowed, acc, morphBeam, beamMargin)
	}
	lat.addUnits(&m.morph.labels, m.morph.pairs)
	for i, c := range lat.best(&m.morph.labels, m.morph.triples) {
		l := lat.cand[lat.start[i]+c]
		w := &s.Words[i]
		if needFeats {
			w.Feats = m.feats[m.morphFeats[l]]
		}
		if m.fineXPOS && (retag || w.XPOS == "") {
			w.XPOS = m.xpos[m.morphXPOS[l]]
		}
	}
}
