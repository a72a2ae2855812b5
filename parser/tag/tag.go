// Package tag sets the UPOS, XPOS, FEATS and lemma of every word (Model.Tag). It learns
// everything from a treebank; all knowledge of particular languages is in package word.
//
// Tagging goes from coarse to fine. A first layer chooses the UPOS and XPOS of all
// words of a sentence jointly. It adds scores of a word's features and of neighbouring
// labels, and searches the best labels of each word exactly (Viterbi). A second layer
// chooses FEATS in the same way among the strings that the treebank has for the word's
// tag; the score of a string is the sum over its attributes. Lemmas come last, from the
// forms of the treebank or by the best rewrite rule.
//
// The tagger also sets the probability of each UPOS (syntax.Sentence.TagProb), summed
// over all paths through the first layer. No tag depends on it.
//
// Sums are integers, so the same input gives the same tags on every machine.
package tag

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/lemma"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/sequence"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// A Model tags sentences. It is read-only and safe for concurrent use.
type Model struct {
	upos, xpos []string // of each label of the first layer, sorted
	fine       bool     // XPOS is chosen with FEATS, having too many values

	feats, fineXPOS []string // of each label of the second layer
	links           []uint16 // pairs: label of the first layer, of the second; rising

	lex   *lexicon
	tags  sequence.Layer
	morph sequence.Layer
	lemma *lemma.Model

	all     []uint16   // labels of the first layer
	kind    []uint16   // of each label, a number of its UPOS
	morphOf [][]uint16 // of each label, its labels of the second layer
	english bool
	pool    sync.Pool
}

// Labels kept for a word, also in training, and how far below the best they may
// be. Wider beams gave no better tags on dev.
const (
	scoreUnit      = score.Unit
	tagBeam        = 5
	morphBeam      = 4
	learnTagBeam   = 8
	learnMorphBeam = 6
	beamMargin     = 3 * scoreUnit / 2
	sureScore      = 8 * scoreUnit // of the only label of a frequent form, against dense scores

	// tagLead and morphLead are the leads of a label by dense scores for which the features of
	// the context are not looked up. On en_ewt dev, UPOS falls by 0.02 with a small network, and
	// stays with an encoder, as FEATS do.
	tagLead   = 7 * scoreUnit / 4
	morphLead = scoreUnit
)

// A scratch holds the memory of one call of Tag.
type scratch struct {
	text     text
	lat      sequence.Lattice[int32]
	leads    []int64  // of words in the first layer
	given    []string // UPOS of words that the tagger does not choose, or ""
	post     sequence.Posterior
	keys     []hash.Key
	sums     sequence.Sums
	emit     []int32
	labels   []uint16
	narrowed []uint16
	lemma    lemma.Scratch
}

// A lemmaMemo is a lemma that a form had.
type lemmaMemo struct {
	tags  lemma.Tags
	lemma string // "" if it is the form
}

const maxLemmas = 3 // of a form

// SetLanguage lets m know irregular verbs of a language, by its code. In English, words in
// other scripts, of which its treebanks have none, become names or foreign words, and their
// marks punctuation.
func (m *Model) SetLanguage(code string) {
	m.lemma.SetLanguage(code)
	m.english = code == syntax.English
}

// Casing returns the casing of the treebank's language.
func (m *Model) Casing() word.Casing { return m.lex.casing }

// NumTags returns the number of labels of the first layer: T in syntax.Dense.Tags.
func (m *Model) NumTags() int { return len(m.upos) }

// TagName returns the UPOS and XPOS of label t of the first layer. XPOS is empty if it
// is chosen with FEATS.
func (m *Model) TagName(t int) (upos, xpos string) { return m.upos[t], m.xpos[t] }

// NumFeats returns the number of labels of the second layer: F in syntax.Dense.Feats.
func (m *Model) NumFeats() int { return len(m.feats) }

// FeatsName returns the FEATS of label f of the second layer, which several labels may
// share, and the XPOS if it is chosen with FEATS.
func (m *Model) FeatsName(f int) (feats, xpos string) { return m.feats[f], m.fineXPOS[f] }

// A Request says how to tag a sentence.
type Request struct {
	Retag bool // replace columns that are not empty

	// Temperature is the temperature of TagProb; 0 is sequence.TemperatureUnit. It
	// changes no tag. It should rise with the weight of dense scores, because these are
	// overconfident.
	Temperature int32

	// Exceptions are the caller's own; nil: none. Without Retag, tags of the sentence
	// take precedence over them. A word whose exceptions allow only one UPOS has
	// TagProb 1, as if the input had given it.
	Exceptions *Exceptions

	// PlainMarks writes lemmas of marks as English treebanks do: " for “, - for –. Without
	// it, the lemma of a mark is the mark.
	PlainMarks bool
}

// Tag sets UPOS, XPOS, FEATS and lemmas. Without Retag it keeps columns that are not
// empty: UPOS and XPOS word by word, FEATS and lemmas only for the whole sentence,
// since an empty FEATS is a value too. Given tags restrict the other columns. Tag adds
// the scores in s.Dense.Tags and s.Dense.Feats if they cover every word. It also sets
// TagProb, TagsGiven, Given, Lexical and Unknown. It never fails: an unknown word gets
// the best guess.
func (m *Model) Tag(s *syntax.Sentence, r Request) {
	retag := r.Retag
	if len(s.Words) == 0 {
		return
	}
	sc, _ := m.pool.Get().(*scratch)
	if sc == nil {
		sc = &scratch{}
	}
	s.Given = syntax.Given{}
	if !retag {
		s.Given = givenOf(s.Words)
	}
	needFeats, needLemma := !s.Given.Feats, !s.Given.Lemmas
	sc.text.read(s, m.lex)
	s.Lexical, s.Unknown = sc.text.lexical, sc.text.unknown
	tags := m.tagWords(sc, s, r)
	if needFeats || m.fine {
		m.morphWords(sc, s, tags, retag, needFeats)
	}
	if needLemma {
		for i := range s.Words {
			w := &s.Words[i]
			if w.Lemma = lemmaFor(r.Exceptions.rowsOf(w.Form), w.UPOS); w.Lemma == "" {
				w.Lemma = m.lemmaOf(sc, w, sc.text.at(i).form, r.PlainMarks)
			}
		}
	}
	m.pool.Put(sc) // but not after a panic, which leaves it as it is
}

// givenOf returns which columns of words are not empty.
func givenOf(words []syntax.Word) (g syntax.Given) {
	for i := range words {
		w := &words[i]
		g.XPOS, g.Feats, g.Lemmas = g.XPOS || w.XPOS != "", g.Feats || w.Feats != "", g.Lemmas || w.Lemma != ""
	}
	return g
}

// lemmaOf returns the lemma of a word. The lemmatizer sees its plain form (word.Plain).
// The sign of a currency keeps its own lemma, and so do other marks unless plainMarks is set.
func (m *Model) lemmaOf(sc *scratch, w *syntax.Word, f *form, plainMarks bool) string {
	if !m.lemma.Learned() {
		return ""
	}
	plain, t := cmp.Or(f.plain, w.Form), lemma.TagsOf(w.UPOS, w.XPOS, w.Feats)
	found := ""
	if k := slices.IndexFunc(f.lemmas, func(x lemmaMemo) bool { return x.tags == t }); k >= 0 {
		found = cmp.Or(f.lemmas[k].lemma, plain)
	} else if found = m.lemma.Lemma(&sc.lemma, plain, &f.Form, t); len(f.lemmas) < maxLemmas {
		x := lemmaMemo{t, found}
		if found == plain {
			x.lemma = ""
		}
		f.lemmas = append(f.lemmas, x)
	}
	if found == plain && (plain == "$" || !plainMarks && f.plain != "" && !strings.ContainsFunc(plain, isWordly)) {
		return w.Form
	}
	return found
}

func isWordly(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// tagWords runs the first layer and returns its labels, valid until the next
// call.
func (m *Model) tagWords(sc *scratch, s *syntax.Sentence, r Request) []uint16 {
	retag, dense := r.Retag, s.Dense.Tags
	if len(dense) != len(s.Words)*len(m.all) {
		dense = nil
	}
	sc.lat.Reset()
	sc.leads, sc.given = sc.leads[:0], sc.given[:0]
	for i := range s.Words {
		f, w := sc.text.at(i).form, &s.Words[i]
		labels, emit := m.all, zero
		given := !retag && (w.UPOS != "" || w.XPOS != "")
		var only string // UPOS that is not the tagger's
		var excepted bool
		if given {
			labels, only = m.agree(sc, w), w.UPOS
		}
		if only == "" && len(labels) == len(m.all) {
			labels, only, excepted = m.allowedByRows(sc, r.Exceptions.rowsOf(w.Form))
		}
		sc.given = append(sc.given, only)
		sure := f.sure != 0 && !given && !excepted
		switch {
		case excepted, given:
		case m.bound(f):
			labels = sc.narrow(labels, func(l uint16) bool { return m.suits(f, int(l)) })
		case dense == nil || s.Dense.Network:
			labels = m.possibleTags(f, 0)
		}
		if len(labels) > 1 {
			own := m.ownTags(sc, f)
			if dense != nil && syntax.Lead(labels, dense[i*len(m.all):]) >= tagLead {
				emit = sc.zeros(len(labels))
			} else {
				sc.keys = tagKeys(sc.keys[:0], &sc.text, i)
				emit = sc.emits(&m.tags, labels)
			}
			for k, t := range labels {
				emit[k] += own[t]
			}
			if sure {
				preferOnly(emit, int(f.sure)-1)
			}
			if dense != nil {
				addDense(emit, labels, dense[i*len(m.all):])
			}
		}
		sc.lat.Push(labels, emit, tagBeam, beamMargin)
		if sure && len(labels) == 1 {
			sc.leads = append(sc.leads, isSure)
		} else {
			sc.leads = append(sc.leads, m.lead(&sc.lat, labels, emit))
		}
	}
	sc.labels = append(sc.labels[:0], sc.lat.Search(&m.tags.Labels, m.tags.Pairs)...)
	m.tagProbs(sc, s, cmp.Or(r.Temperature, sequence.TemperatureUnit))
	for i, l := range sc.labels {
		w := &s.Words[i]
		if w.UPOS = sc.given[i]; w.UPOS == "" {
			w.UPOS = m.upos[l]
		}
		if !m.fine && (retag || w.XPOS == "") {
			w.XPOS = m.xpos[l]
		}
	}
	return sc.labels
}

// agree returns the labels that agree with the given tags of w as far as the
// model knows them: with both, else with UPOS, else with XPOS, else all. They
// are valid until the next call.
func (m *Model) agree(sc *scratch, w *syntax.Word) []uint16 {
	labels := sc.narrow(m.all, func(l uint16) bool { return m.upos[l] == w.UPOS })
	if w.XPOS == "" {
		return labels
	}
	return sc.narrow(labels, func(l uint16) bool {
		if m.fine {
			return slices.ContainsFunc(m.morphOf[l], func(f uint16) bool { return m.fineXPOS[f] == w.XPOS })
		}
		return m.xpos[l] == w.XPOS
	})
}

// narrow returns the labels that fit accepts, or all if it accepts none.
func (sc *scratch) narrow(labels []uint16, fits func(uint16) bool) []uint16 {
	if !slices.ContainsFunc(labels, fits) {
		return labels
	}
	sc.narrowed = slices.DeleteFunc(append(sc.narrowed[:0], labels...), func(l uint16) bool { return !fits(l) })
	return sc.narrowed
}

// possibleTags returns the labels of the first layer that a form can have: all,
// or the only one of a frequent form.
func (m *Model) possibleTags(f *form, _ uint16) []uint16 {
	if f.sure != 0 {
		return m.all[f.sure-1 : f.sure]
	}
	return m.all
}

// possibleMorphs returns the labels of the second layer that a form with a
// label of the first can have.
func (m *Model) possibleMorphs(f *form, tag uint16) []uint16 {
	list := m.morphOf[tag]
	if k, ok := slices.BinarySearch(list, f.sureMorph-1); ok && f.sureMorph != 0 {
		return list[k : k+1]
	}
	return list
}

// morphWords runs the second layer, given the labels of the first.
func (m *Model) morphWords(sc *scratch, s *syntax.Sentence, tags []uint16, retag, needFeats bool) {
	sc.lat.Reset()
	for i := range s.Words {
		m.pushMorphs(sc, s, i, tags, retag)
	}
	for i, l := range sc.lat.Search(&m.morph.Labels, m.morph.Pairs) {
		w := &s.Words[i]
		if needFeats {
			w.Feats = m.feats[l]
		}
		if m.fine && (retag || w.XPOS == "") {
			w.XPOS = m.fineXPOS[l]
		}
	}
}

// pushMorphs adds the candidates of word i in the second layer to sc.lat, given the
// labels of the first.
func (m *Model) pushMorphs(sc *scratch, s *syntax.Sentence, i int, tags []uint16, retag bool) {
	dense := s.Dense.Feats
	if len(dense) != len(s.Words)*len(m.feats) {
		dense = nil
	}
	f := sc.text.at(i).form
	xpos := s.Words[i].XPOS
	given := m.fine && !retag && xpos != ""
	labels, emit := m.morphOf[tags[i]], zero
	if given {
		labels = sc.narrow(labels, func(f uint16) bool { return m.fineXPOS[f] == xpos })
	} else if dense == nil || s.Dense.Network {
		labels = m.possibleMorphs(f, tags[i])
	}
	if len(labels) > 1 {
		var own []int32
		if !given {
			own = m.ownMorphs(sc, f, tags[i])
		}
		if dense != nil && !given && syntax.Lead(labels, dense[i*len(m.feats):]) >= morphLead {
			emit = sc.zeros(len(labels))
		} else {
			sc.keys = morphKeys(sc.keys[:0], &sc.text, i, tags)
			if given {
				sc.keys = ownMorphKeys(sc.keys, f, tags[i])
			}
			emit = sc.emits(&m.morph, labels)
		}
		for k, x := range own {
			emit[k] += x
		}
		if dense != nil {
			if only := m.possibleMorphs(f, tags[i]); len(only) == 1 && !given {
				preferOnly(emit, slices.Index(labels, only[0]))
			}
			addDense(emit, labels, dense[i*len(m.feats):])
		}
	}
	sc.lat.Push(labels, emit, morphBeam, beamMargin)
}

func (m *Model) layout(l *pack.Layout) {
	m.layoutTags(l)
	m.lemma.Layout(l)
}

// layoutTags names the sections of all but the lemmas.
func (m *Model) layoutTags(l *pack.Layout) {
	l.Strings("upos", &m.upos)
	l.Strings("xpos", &m.xpos)
	l.Bool("fine", &m.fine)
	l.Strings("feats", &m.feats)
	l.Strings("finexpos", &m.fineXPOS)
	pack.Array(l, "links", &m.links)
	l.Nested("lexicon", m.lex.layout)
	l.Nested("tags", m.tags.Layout)
	l.Nested("morphs", m.morph.Layout)
	l.Check("tags.start", len(m.upos) > 0 && m.tags.Labels.Count() == len(m.upos) && len(m.xpos) == len(m.upos),
		"does not fit the tags")
	l.Check("morphs.start", m.morph.Labels.Count() == len(m.feats) && len(m.fineXPOS) == len(m.feats),
		"does not fit the tags")
	l.Check("links", len(m.links)%2 == 0, "is not made of pairs")
	if l.Reading() {
		l.Check("links", m.inOrder(), "is out of order")
	}
	for i := 0; i < len(m.lex.facts) && l.Reading(); i += entry {
		l.Check("lexicon.facts", int(m.lex.facts[i+factSure]) <= len(m.upos), "names a label that does not exist")
	}
}

// inOrder reports whether links names every label of the first layer, rising,
// and behind each its labels of the second, rising.
func (m *Model) inOrder() bool {
	tag, last := -1, -1
	for i := 0; i < len(m.links); i += 2 {
		t, x := int(m.links[i]), int(m.links[i+1])
		if x >= len(m.feats) || t != tag+1 && (t != tag || x <= last) {
			return false
		}
		tag, last = t, x
	}
	return tag == len(m.upos)-1
}

// finish fills in the fields that follow from the others.
func (m *Model) finish() *Model {
	m.all = make([]uint16, len(m.upos))
	m.kind = make([]uint16, len(m.upos))
	for i := range m.all {
		m.all[i] = uint16(i)
		if i > 0 {
			m.kind[i] = m.kind[i-1]
			if m.upos[i] != m.upos[i-1] {
				m.kind[i]++
			}
		}
	}
	m.morphOf = make([][]uint16, len(m.upos))
	for i := 0; i < len(m.links); i += 2 {
		tag := m.links[i]
		m.morphOf[tag] = append(m.morphOf[tag], m.links[i+1])
	}
	m.lemma.Casing = m.lex.casing
	return m
}

// Pack stores the model in s.
func (m *Model) Pack(s *pack.Sub) { pack.Write(s, m.layout) }

// Open is the inverse of Pack. Large arrays alias the bytes of v. Open checks every
// number, so a damaged model is an error here and never a panic in Tag.
func Open(v *pack.View, component string) (*Model, error) {
	m := newModel()
	if err := pack.Read(v, component, m.layout); err != nil {
		return nil, err
	}
	return m.finish(), nil
}

func newModel() *Model { return &Model{lex: &lexicon{}, lemma: &lemma.Model{}} }
