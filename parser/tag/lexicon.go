package tag

import (
	"cmp"
	"maps"
	"slices"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/lemma"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// A lexicon gives the words of the treebank their ambiguity classes: the set
// of labels, and the set of FEATS, that they take. It is read-only after
// training.
type lexicon struct {
	casing word.Casing
	words  hash.Set // forms, their lower case, and lemmas that have several forms
	facts  []uint16 // of word i: facts[entry*i:entry*(i+1)]
}

// What the lexicon holds about a word.
const (
	factClass     = iota // number of the set of labels; of a lemma, of UPOS
	factMorph            // number of the set of FEATS
	factSure             // the only label of a frequent form, plus 1; else 0
	factSureMorph        // the same over FEATS
	entry
)

// Templates of the lexicon's keys.
const (
	keyForm = 301 + iota
	keyLower
	keyStem
)

const (
	sureCut    = 20 // occurrences that make a form sure of its only label
	sureShare  = 0.995
	classShare = 0.04 // of a word's occurrences that a label needs
	minStem    = 2    // runes
	maxStem    = 24   // runes
)

func (x *lexicon) layout(l *pack.Layout) {
	l.Bool("turkish", (*bool)(&x.casing))
	x.words.Layout(l, "words")
	pack.Array(l, "facts", &x.facts)
	l.Check("facts", len(x.facts) == entry*x.words.Len(), "does not fit its words")
}

func (x *lexicon) find(key hash.Key) []uint16 {
	if i := x.words.Find(key); i >= 0 {
		return x.facts[entry*i : entry*(i+1)]
	}
	return nil
}

// look sets the lexicon's facts of a form that was read.
func (x *lexicon) look(w *form) {
	x.findStem(w)
	facts := x.find(hash.Key1(keyForm, w.Hash))
	if facts != nil {
		w.sure, w.sureMorph = facts[factSure], facts[factSureMorph]
	} else {
		facts = x.find(hash.Key1(keyLower, w.Lower))
	}
	w.known = facts != nil
	if w.known {
		w.class, w.morph = hash.Mix(uint64(facts[factClass])+1), hash.Mix(uint64(facts[factMorph])+1)
		if w.Differ || w.First == 'X' {
			w.class++
		}
		if facts = x.find(hash.Key1(keyLower, w.Lower)); facts != nil {
			w.anyCase = hash.Mix(uint64(facts[factClass]) + 1)
		}
		return
	}
	w.class, w.morph = hash.Pair(w.Suffix[1], w.Shape), w.Suffix[2]
	w.anyCase = w.class
	if w.morph == 0 {
		w.morph = w.Lower
	}
}

// findStem sets the stem of w, the longest prefix of its lower case that is a
// lemma, and what depends on it.
func (x *lexicon) findStem(w *form) {
	h, rest := uint64(hash.Start), -1
	for k, r := range w.Runes[:min(len(w.Runes), maxStem)] {
		h = hash.Step(h, r)
		stem := hash.Mix(h)
		if facts := x.find(hash.Key1(keyStem, stem)); facts != nil && k+1 >= minStem {
			w.stem, w.stemClass = stem, uint64(facts[factClass])+1
			rest = len(w.Runes) - 1 - k
		}
	}
	if rest == 0 {
		w.rest = 1
	} else if rest > 0 && rest <= word.MaxSuffix {
		w.rest, w.broadRest = w.Suffix[rest-1], w.Broad[rest-1]
	}
}

// lexiconFolds is the number of folds of the treebank in training. The words of
// a fold are looked up in a lexicon of the other folds, because a lexicon with
// a rare word's own tag would tell the learner the answer.
const lexiconFolds = 10

// An occurrence of a word that the lexicon may know, in a fold of the treebank.
type occurrence struct {
	key          hash.Key
	lower        uint64 // of a lemma: its form in lower case; 0: this is a form
	label, feats uint16
	fold         int
}

// lexicons are the lexicons in which the words of each fold are looked up.
type lexicons struct {
	bounds []int
	list   []*lexicon
}

// each calls f with each sentence, read with its fold's lexicon.
func (x lexicons) each(sents []syntax.Sentence, f func(*text, *syntax.Sentence)) {
	for fold, lex := range x.list {
		var t text
		for i := x.bounds[fold]; i < x.bounds[fold+1]; i++ {
			t.read(&sents[i], lex)
			f(&t, &sents[i])
		}
	}
}

// learnLexicons sets m.lex and returns the lexicons for training.
func (m *Model) learnLexicons(train []syntax.Sentence, v *inventory, o Options) lexicons {
	x := lexicons{bounds: linear.Folds(train, lexiconFolds)}
	casing := word.LearnCasing(train)
	var list []occurrence
	var memo word.Memo[word.Form]
	read := func(s string) *word.Form {
		f, fresh := memo.Find(s)
		if fresh {
			f.Read(s, casing)
		}
		return f
	}
	for i := range train {
		fold := linear.FoldOf(x.bounds, i)
		for j := range train[i].Words {
			w := &train[i].Words[j]
			f, label, feats := read(w.Form), v.tagOf(w), v.morphOf(w)
			for _, key := range [...]hash.Key{hash.Key1(keyForm, f.Hash), hash.Key1(keyLower, f.Lower)} {
				list = append(list, occurrence{key, 0, label, feats, fold})
			}
			if w.Lemma != "" {
				list = append(list, occurrence{hash.Key1(keyStem, read(w.Lemma).Lower), f.Lower, v.upos[w.UPOS], 0, fold})
			}
		}
	}
	list = append(list, m.occurrences(o.Lexicon, v, read)...)
	slices.SortFunc(list, func(a, b occurrence) int {
		return cmp.Or(cmp.Compare(a.key, b.key),
			cmp.Compare(b.fold, a.fold))
	})
	tags, morphs := classes{}, classes{}
	m.lex = buildLexicon(list, -1, casing, tags, morphs, o.Small)
	for f := range len(x.bounds) - 1 {
		x.list = append(x.list, buildLexicon(list, f, casing, tags, morphs, o.Small))
	}
	return x
}

// buildLexicon makes the lexicon of the occurrences, sorted by key and from the last fold to the
// first, except for those of one fold. Entries of a lexicon file do not count for words that the
// treebank has often. Lexicons that share tags and morphs number sets alike.
// A small one has the words that occur twice.
func buildLexicon(list []occurrence, without int, casing word.Casing, tags, morphs classes, small bool) *lexicon {
	var keys []hash.Key
	var facts []uint16
	least := 0
	if small {
		least = 1
	}
	labels, feats := map[uint16]int{}, map[uint16]int{}
	for len(list) > 0 {
		key, n, lower, varied := list[0].key, 0, uint64(0), false
		for ; len(list) > 0 && list[0].key == key; list = list[1:] {
			if x := &list[0]; x.fold != without && (x.fold != fromFile || n < sureCut) {
				n++
				labels[x.label]++
				feats[x.feats]++
				varied = varied || lower != 0 && lower != x.lower
				lower = x.lower
			}
		}
		if n > least && (lower == 0 || varied) {
			keys = append(keys, key)
			class, sure := tags.of(labels, n)
			morph, sureMorph := morphs.of(feats, n)
			facts = append(facts, class, morph, sure, sureMorph)
		}
		clear(labels)
		clear(feats)
	}
	x := &lexicon{casing: casing}
	var places []int
	x.words, places = hash.NewSet(keys, small)
	x.facts = make([]uint16, entry*x.words.Len())
	for k, i := range places {
		if i >= 0 {
			copy(x.facts[entry*i:], facts[entry*k:entry*(k+1)])
		}
	}
	return x
}

// classes numbers sets of values by their names.
type classes map[string]uint16

// of returns the number of the set of values with a share of at least
// classShare of n occurrences. only is the value that a frequent word nearly
// always has, plus 1, or 0.
func (ids classes) of(count map[uint16]int, n int) (class, only uint16) {
	var name []byte
	for _, v := range slices.Sorted(maps.Keys(count)) {
		c := float64(count[v])
		if c >= classShare*float64(n) {
			name = append(name, byte(v), byte(v>>8))
		}
		if n >= sureCut && c >= sureShare*float64(n) {
			only = v + 1
		}
	}
	class, ok := ids[string(name)]
	if !ok {
		class = uint16(min(len(ids), 1<<16-1))
		ids[string(name)] = class
	}
	return class, only
}

// fromFile stands for no fold: the occurrence comes from a lexicon file.
const fromFile = -2

// rareTag is the share that a combination of tags needs among all combinations
// that agree with an entry.
const rareTag = 0.05

// occurrences returns the occurrences that entries add to the tagger's lexicon:
// each entry has once all tags of the treebank that agree with it, except rare
// ones.
func (m *Model) occurrences(entries []lemma.Entry, v *inventory, read func(string) *word.Form) []occurrence {
	fitting := map[[3]string][][2]uint16{}
	fit := func(e *lemma.Entry) (list [][2]uint16) {
		agrees := func(known, column string) bool { return known == "" || known == column }
		all := 0
		for i := 0; i < len(m.links); i += 2 {
			t, x := m.links[i], m.links[i+1]
			// one XPOS is empty
			if m.upos[t] == e.UPOS && agrees(e.XPOS, m.xpos[t]+m.fineXPOS[x]) && agrees(e.Feats, m.feats[x]) {
				list = append(list, [2]uint16{t, x})
				all += v.links[[2]uint16{t, x}]
			}
		}
		return slices.DeleteFunc(list, func(p [2]uint16) bool { return float64(v.links[p]) < rareTag*float64(all) })
	}
	var list []occurrence
	for i := range entries {
		e := &entries[i]
		f := read(e.Form)
		key := [3]string{e.UPOS, e.XPOS, e.Feats}
		pairs, ok := fitting[key]
		if !ok {
			pairs = fit(e)
			fitting[key] = pairs
		}
		for _, p := range pairs {
			list = append(list, occurrence{hash.Key1(keyForm, f.Hash), 0, p[0], p[1], fromFile},
				occurrence{hash.Key1(keyLower, f.Lower), 0, p[0], p[1], fromFile})
		}
		if upos, ok := v.upos[e.UPOS]; ok && e.Lemma != "" {
			list = append(list, occurrence{hash.Key1(keyStem, read(e.Lemma).Lower), f.Lower, upos, 0, fromFile})
		}
	}
	return list
}
