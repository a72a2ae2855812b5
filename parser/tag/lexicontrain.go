package tag

import (
	"math/bits"
	"slices"

	"github.com/treebeam/treebeam/parser/syntax"
)

// lexiconFolds is the number of parts of the treebank whose words are looked
// up in a lexicon of the other parts while features are learned.
const lexiconFolds = 10

// lexicons are what the words of each fold are looked up in. A lexicon that
// has counted a rare word's own tag would tell the learner the answer; one of
// the other folds knows as many words, and as little of them, as the whole
// lexicon does of new text.
type lexicons struct {
	bounds []int // sentences of fold f are bounds[f]:bounds[f+1]
	list   []*lexicon
}

// learnLexicons sets m.lex and returns the lexicons for training.
func (m *Model) learnLexicons(train []syntax.Sentence, v *inventory) lexicons {
	upos := func(w *syntax.Word) uint16 { return v.upos[w.UPOS] }
	turkish, ids := isTurkish(train), newClassIDs()
	m.lex = buildLexicon(train, turkish, ids, upos, v.tagOf, v.morphOf)
	x := lexicons{bounds: foldBounds(train, lexiconFolds)}
	for f := range lexiconFolds {
		rest := slices.Concat(train[:x.bounds[f]], train[x.bounds[f+1]:])
		x.list = append(x.list, buildLexicon(rest, turkish, ids, upos, v.tagOf, v.morphOf))
	}
	return x
}

// eachText calls f with each sentence as its fold's lexicon knows it.
func eachText(sents []syntax.Sentence, lex lexicons, f func(*text, *syntax.Sentence)) {
	var t text
	fold := 0
	for i := range sents {
		for i >= lex.bounds[fold+1] {
			fold++
		}
		t.analyze(&sents[i], lex.list[fold])
		f(&t, &sents[i])
	}
}

// buildLexicon counts the words of the sentences. upos, label and feats give
// the numbers of a word's tags, ids those of sets of them.
func buildLexicon(sents []syntax.Sentence, turkish bool, ids *classIDs, upos, label, feats func(*syntax.Word) uint16) *lexicon {
	x := &lexicon{turkish: turkish}
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
		if c.form == 0 || c.varied {
			keep = append(keep, h)
		}
	}
	slices.Sort(keep)
	n := len(keep)*10/7 + 1
	x.prints = make([]uint32, n)
	for _, list := range []*[]uint16{&x.class, &x.morph, &x.sure, &x.sureM} {
		*list = make([]uint16, n)
	}
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
		x.class[i] = classOf(c.label, c.n, ids.tags)
		x.morph[i] = classOf(c.feats, c.n, ids.morphs)
	}
	return x
}

// classIDs numbers ambiguity classes, alike for all lexicons that share it.
type classIDs struct{ tags, morphs map[string]uint16 }

func newClassIDs() *classIDs { return &classIDs{map[string]uint16{}, map[string]uint16{}} }

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
