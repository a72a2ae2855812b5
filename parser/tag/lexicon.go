package tag

import (
	"fmt"
	"math/bits"
	"slices"
	"unicode"

	"github.com/treebeam/treebeam/parser/pack"
)

// A lexicon gives the words of the treebank their ambiguity
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
