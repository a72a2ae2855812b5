package tag

import (
	"fmt"
	"math/bits"
	"slices"
	"unicode"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A lexicon gives words that are frequent in the treebank their ambiguity
// classes: the set of labels, and the set of FEATS, that they take. It is
// read-only after training.
type lexicon struct {
	prints  []uint32 // open addressing; 0 is empty
	class   []uint16
	morph   []uint16
	sure    []uint16 // the only label of a frequent form, plus 1; else 0
	sureM   []uint16 // the same over FEATS
	turkish bool     // I is the upper case of dotless ı
}

const (
	lexiconCut   = 3  // occurrences that a word needs to have a class
	sureCut      = 20 // occurrences that a form needs to be sure of its only label
	sureShare    = 0.995
	classShare   = 0.04 // of a word's occurrences that a label needs
	minTurkish   = 0.002
	lowerVariant = 0x5851F42D4C957F2D
	lemmaVariant = 0x2545F4914F6CDD1D
	minStem      = 2  // runes
	maxStem      = 24 // runes
	noStem       = 99 // restLen of a word without one
)

func (x *lexicon) lowerRune(r rune) rune {
	if r < 0x80 {
		if r == 'I' && x.turkish {
			return 'ı'
		}
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	if x.turkish {
		return unicode.TurkishCase.ToLower(r)
	}
	return unicode.ToLower(r)
}

// classify sets the classes of w, whose other fields are set.
func (x *lexicon) classify(w *word) {
	i, ok := x.find(w.form)
	w.sure, w.sureMorph = 0, 0
	if ok {
		w.sure, w.sureMorph = x.sure[i], x.sureM[i]
	} else {
		i, ok = x.find(w.lower ^ lowerVariant)
	}
	w.known = ok
	if ok {
		w.class, w.morph = mix(uint64(x.class[i])+1), mix(uint64(x.morph[i])+1)
		if w.lowered {
			w.class++
		}
		return
	}
	w.class = mix(w.suffix[1] ^ w.shape)
	s := w.suffix[2]
	if s == 0 {
		s = w.lower
	}
	w.morph = mix(s + 5)
}

// findStem sets the stem of w, the longest prefix of lower that is a lemma.
func (x *lexicon) findStem(w *word, lower []rune) {
	var hashes [maxStem]uint64
	h := uint64(0)
	n := min(len(lower), maxStem)
	for k := range n {
		h = step(h, lower[k])
		hashes[k] = mix(h)
	}
	for k := n - 1; k >= minStem-1; k-- {
		if i, ok := x.find(hashes[k] ^ lemmaVariant); ok {
			w.stem, w.stemClass = hashes[k], uint64(x.class[i])+1
			w.restLen = uint64(len(lower) - 1 - k)
			return
		}
	}
	w.restLen = noStem
}

func (x *lexicon) find(h uint64) (int, bool) {
	n := uint64(len(x.prints))
	if n == 0 {
		return 0, false
	}
	hi, _ := bits.Mul64(h, n)
	i, p := int(hi), uint32(h)|1
	for x.prints[i] != 0 {
		if x.prints[i] == p {
			return i, true
		}
		if i++; i == len(x.prints) {
			i = 0
		}
	}
	return 0, false
}

// buildLexicon counts the words of the sentences. label and feats give the
// numbers of a word's tags.
func buildLexicon(sents []syntax.Sentence, upos, label, feats func(*syntax.Word) uint16) *lexicon {
	x := &lexicon{turkish: isTurkish(sents)}
	type counts struct {
		n            int
		form         uint64 // of a lemma: its first form
		varied       bool   // of a lemma: it has more forms
		label, feats map[uint16]int
	}
	words := map[uint64]*counts{}
	add := func(h uint64, l, f uint16) {
		c := words[h]
		if c == nil {
			c = &counts{label: map[uint16]int{}, feats: map[uint16]int{}}
			words[h] = c
		}
		c.n++
		c.label[l]++
		c.feats[f]++
	}
	var t text
	empty := &lexicon{turkish: x.turkish}
	for i := range sents {
		s := &sents[i]
		t.analyze(s, empty)
		for j := range s.Words {
			w, l, f := t.at(j), label(&s.Words[j]), feats(&s.Words[j])
			add(w.form, l, f)
			add(w.lower^lowerVariant, l, f)
			if lemma := s.Words[j].Lemma; lemma != "" {
				h := x.lemmaHash(lemma)
				add(h, upos(&s.Words[j]), 0)
				c := words[h]
				c.varied = c.varied || c.form != 0 && c.form != w.lower
				c.form = w.lower
			}
		}
	}
	keep := make([]uint64, 0, len(words))
	for h, c := range words {
		if c.n >= lexiconCut && (c.form == 0 || c.varied) {
			keep = append(keep, h)
		}
	}
	slices.Sort(keep)
	n := len(keep)*10/7 + 1
	x.prints = make([]uint32, n)
	for _, list := range []*[]uint16{&x.class, &x.morph, &x.sure, &x.sureM} {
		*list = make([]uint16, n)
	}
	classIDs, morphIDs := map[string]uint16{}, map[string]uint16{}
	for _, h := range keep {
		if _, ok := x.find(h); ok {
			continue // the prints of two words collide: the first stays
		}
		hi, _ := bits.Mul64(h, uint64(n))
		i := int(hi)
		for x.prints[i] != 0 {
			i = (i + 1) % n
		}
		c := words[h]
		x.prints[i] = uint32(h) | 1
		x.sure[i], x.sureM[i] = onlyValue(c.label, c.n), onlyValue(c.feats, c.n)
		x.class[i] = classOf(c.label, c.n, classIDs)
		x.morph[i] = classOf(c.feats, c.n, morphIDs)
	}
	return x
}

// lemmaHash returns the key of a lemma, which findStem looks up.
func (x *lexicon) lemmaHash(lemma string) uint64 {
	var lower []rune
	for _, r := range lemma {
		lower = append(lower, x.lowerRune(r))
	}
	h := uint64(0)
	for _, r := range lower {
		h = step(h, r)
	}
	return mix(h) ^ lemmaVariant
}

// onlyValue returns the value, plus 1, that a frequent word has nearly
// always, else 0.
func onlyValue(count map[uint16]int, n int) uint16 {
	if n < sureCut {
		return 0
	}
	for v, c := range count {
		if float64(c) >= sureShare*float64(n) {
			return v + 1
		}
	}
	return 0
}

// classOf numbers the set of values with a share of at least classShare.
func classOf(count map[uint16]int, n int, ids map[string]uint16) uint16 {
	var set []uint16
	for v, c := range count {
		if float64(c) >= classShare*float64(n) {
			set = append(set, v)
		}
	}
	slices.Sort(set)
	name := make([]byte, 0, 2*len(set))
	for _, v := range set {
		name = append(name, byte(v), byte(v>>8))
	}
	id, ok := ids[string(name)]
	if !ok {
		id = uint16(min(len(ids), 65535))
		ids[string(name)] = id
	}
	return id
}

// isTurkish reports whether dotless ı is a letter of the language.
func isTurkish(sents []syntax.Sentence) bool {
	letters, dotless := 0, 0
	for i := range sents {
		for _, w := range sents[i].Words {
			for _, r := range w.Form {
				letters++
				if r == 'ı' {
					dotless++
				}
			}
		}
	}
	return float64(dotless) > minTurkish*float64(letters)
}

func (x *lexicon) pack(s *pack.Sub) {
	pack.Put(s, "lexicon.prints", x.prints)
	for _, a := range x.arrays() {
		pack.Put(s, "lexicon."+a.name, *a.list)
	}
}

type namedArray struct {
	name string
	list *[]uint16
}

func (x *lexicon) arrays() []namedArray {
	return []namedArray{{"class", &x.class}, {"morph", &x.morph}, {"sure", &x.sure}, {"suremorph", &x.sureM}}
}

func openLexicon(v *pack.View, component string, turkish bool) (*lexicon, error) {
	x := &lexicon{turkish: turkish}
	var err error
	if x.prints, err = pack.Get[uint32](v, component, "lexicon.prints"); err != nil {
		return nil, err
	}
	n := len(x.prints)
	ok := n == 0 || slices.Contains(x.prints, 0)
	for _, a := range x.arrays() {
		if *a.list, err = pack.Get[uint16](v, component, "lexicon."+a.name); err != nil {
			return nil, err
		}
		ok = ok && len(*a.list) == n
	}
	if !ok {
		return nil, fmt.Errorf("model component %q: lexicon arrays do not fit together; train the model again", component)
	}
	return x, nil
}
