package tag

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Thresholds of what is learned.
const (
	ruleCut    = 2  // words that a rule must have been seen in
	regularCut = 20 // words that a regular rule was seen in
	prefixCut  = 3  // pairs of lemmas, one with the prefix and one without
)

// learnLemmas learns from the different (form, tags, lemma) of the treebank.
func learnLemmas(sents []syntax.Sentence, lex *lexicon, o Options) *lemmatizer {
	types := lemmaTypes(sents)
	z := &lemmatizer{turkish: lex.turkish}
	numbers := map[rule]uint16{}
	number := func(r rule) (uint16, bool) {
		n, ok := numbers[r]
		if !ok && len(z.rules) < maxLabels {
			n, ok = uint16(len(z.rules)), true
			numbers[r] = n
			z.rules = append(z.rules, r)
		}
		return n, ok
	}
	words := make([]analysed, len(types))
	eachType(types, lex, func(i int, t *text) {
		w, ty := t.at(0), &types[i]
		a := &words[i]
		a.word, a.lower = *w, slices.Clone(t.lower[w.start:w.end])
		form, lemma := []rune(ty.form), []rune(ty.lemma)
		a.rule, a.ok = number(ruleFor(form, a.lower, lemma, z.turkish, w.lowered))
		a.lowerRule, a.okLower = number(ruleFor(form, a.lower, lemma, z.turkish, false))
	})
	z.memorize(types, words)
	uses := z.countUses(types, words)
	facts := z.learnFacts(types, words)
	p := z.problem(types, words, uses, facts)
	st := settings{epochs: 10, beam: 4, limit: stepLimit, dropout: o.Dropout, seed: o.Seed}
	z.layer = learnLayer("lemma", p, st, o)
	return z
}

// An analysed type has the rules that make its lemma.
type analysed struct {
	word            word
	lower           []rune
	rule, lowerRule uint16 // of the form; of the form in any case
	ok, okLower     bool   // false: there are too many rules
}

// lemmaTypes lists the different words with their most frequent lemma. A word
// that is written apart has the lemma of the whole, which says nothing of its
// form: it is left out.
func lemmaTypes(sents []syntax.Sentence) []lemmaType {
	count := map[lemmaType]int{}
	for i := range sents {
		apart := map[int32]bool{}
		for _, w := range sents[i].Words {
			if rel, _, _ := strings.Cut(w.Deprel, ":"); rel == "goeswith" {
				apart[w.Head] = true
			}
		}
		for j := range sents[i].Words {
			if w := &sents[i].Words[j]; w.Lemma != "" && !apart[int32(j+1)] {
				count[lemmaType{w.Form, w.UPOS, w.XPOS, w.Feats, w.Lemma, 0}]++
			}
		}
	}
	list := make([]lemmaType, 0, len(count))
	for t, n := range count {
		t.n = n
		list = append(list, t)
	}
	slices.SortFunc(list, compareTypes)
	return slices.CompactFunc(list, func(a, b lemmaType) bool {
		return a.form == b.form && a.upos == b.upos && a.xpos == b.xpos && a.feats == b.feats
	})
}

// typo reports whether the word is misspelt (Typo=Yes, which is universal):
// how its lemma differs from it is no rule.
func (t *lemmaType) typo() bool { return strings.Contains("|"+t.feats+"|", "|Typo=Yes|") }

// compareTypes sorts the lemmas of one word by falling frequency.
func compareTypes(a, b lemmaType) int {
	return cmp.Or(strings.Compare(a.form, b.form), strings.Compare(a.upos, b.upos), strings.Compare(a.xpos, b.xpos),
		strings.Compare(a.feats, b.feats), cmp.Compare(b.n, a.n), strings.Compare(a.lemma, b.lemma))
}

func eachType(types []lemmaType, lex *lexicon, f func(i int, t *text)) {
	var t text
	one := syntax.Sentence{Words: make([]syntax.Word, 1)}
	for i := range types {
		one.Words[0].Form = types[i].form
		t.analyze(&one, lex)
		f(i, &t)
	}
}

// memorize fills the memory with the most frequent rule under each key.
func (z *lemmatizer) memorize(types []lemmaType, words []analysed) {
	votes := map[uint64]map[uint16]int{}
	var keys []uint64
	for i := range types {
		ty, a := &types[i], &words[i]
		for k, key := range memoryKeys(a.word.form, a.word.lower, hashString(ty.upos), hashString(ty.xpos), hashString(ty.feats)) {
			answer, ok := a.rule, a.ok
			if k >= lowerKeys {
				answer, ok = a.lowerRule, a.okLower
			}
			if !ok {
				continue
			}
			if votes[key] == nil {
				votes[key] = map[uint16]int{}
				keys = append(keys, key)
			}
			votes[key][answer] += ty.n
		}
	}
	slices.Sort(keys)
	var places []int
	z.memory, places = newPrints(keys)
	z.answers = make([]uint16, len(z.memory))
	for k, place := range places {
		if place < 0 {
			continue
		}
		best, top := uint16(0), 0
		for r, n := range votes[keys[k]] {
			if n > top || n == top && r < best {
				best, top = r, n
			}
		}
		z.answers[place] = best
	}
}

// countUses sets regular and returns how many words each rule was seen in.
func (z *lemmatizer) countUses(types []lemmaType, words []analysed) []int {
	type seen struct {
		rule         uint16
		lower, lemma string
	}
	known := map[seen]bool{}
	uses := make([]int, len(z.rules))
	z.regular = make([]bool, len(z.rules))
	for i := range types {
		a := &words[i]
		if name := (seen{a.rule, string(a.lower), types[i].lemma}); a.ok && !types[i].typo() && !known[name] {
			known[name] = true
			uses[a.rule]++
			z.regular[a.rule] = uses[a.rule] >= regularCut
		}
	}
	return uses
}

// learnFacts notes the lemmas, prefixes, and what each rule changed, and
// returns how many words each fact was seen in.
func (z *lemmatizer) learnFacts(types []lemmaType, words []analysed) map[uint64]int {
	type seen struct {
		key          uint64
		lower, lemma string
	}
	facts, known := map[uint64]int{}, map[seen]bool{}
	lemmas := map[[2]string]bool{} // UPOS, lemma
	for i := range types {
		ty, a := &types[i], &words[i]
		note := func(key uint64) {
			if name := (seen{key, string(a.lower), ty.lemma}); !known[name] {
				known[name] = true
				facts[key]++
			}
		}
		lemmas[[2]string{ty.upos, ty.lemma}] = true
		h := hashRunes([]rune(ty.lemma))
		note(key2(keyLemma, h, hashString(ty.upos)))
		note(key1(keyAnyLemma, h))
		if !a.ok || ty.typo() || !z.rules[a.rule].scorable() {
			continue
		}
		if prefix, _ := z.rules[a.rule].cuts(a.lower); len(prefix) > 0 || z.rules[a.rule].addPrefix != "" {
			note(cutKey(a.rule, prefix, nil))
		}
		if end := z.end(a.rule, a.lower); len(end) > 0 {
			note(cutKey(a.rule, nil, end))
		}
	}
	for _, key := range prefixKeys(lemmas) {
		facts[key] = prefixCut
	}
	for r, regular := range z.regular {
		if regular {
			facts[key1(keyRegular, uint64(r))] = regularCut
		}
	}
	keys := slices.Sorted(maps.Keys(facts))
	z.facts, _ = newPrints(keys)
	return facts
}

// signsWithout is lemmatizer.signs as if the treebank did not have the type.
func (z *lemmatizer) signsWithout(r uint16, a *analysed, ty *lemmaType, lemma []rune, facts map[uint64]int) uint64 {
	s, own := uint64(0), 0
	if string(lemma) == ty.lemma {
		own = 1
	}
	if h := hashRunes(lemma); facts[key2(keyLemma, h, hashString(ty.upos))] > own {
		s |= signLemma
	} else if facts[key1(keyAnyLemma, h)] > own {
		s |= signOther
	}
	own = 0
	if r == a.rule {
		own = 1
	}
	if end := z.end(r, a.lower); z.rules[r].drop != "" || len(end) > 0 && facts[cutKey(r, nil, end)] > own {
		s |= signEnd
	}
	return s
}

// prefixKeys returns the facts of what stands before a lemma of the same UPOS
// in prefixCut lemmas or more.
func prefixKeys(lemmas map[[2]string]bool) []uint64 {
	count := map[[2]string]int{} // UPOS, prefix
	for l := range lemmas {
		runes := []rune(l[1])
		if hasDigit(runes) {
			continue
		}
		for k := minPrefix; k+minBase <= len(runes); k++ {
			if lemmas[[2]string{l[0], string(runes[k:])}] {
				count[[2]string{l[0], string(runes[:k])}]++
			}
		}
	}
	var keys []uint64
	for p, n := range count {
		if n >= prefixCut {
			keys = append(keys, key2(keyPrefix, hashRunes([]rune(p[1])), hashString(p[0])))
		}
	}
	return keys
}

// scorable reports whether a rule may be learned: it makes a lemma of a part
// of the form and touches no digit.
func (r *rule) scorable() bool {
	return r.cutSuffix != wholeWord && !hasDigit([]rune(r.addPrefix)) && !hasDigit([]rune(r.addSuffix))
}

// problem makes the layer's training data: one sequence of one word for each
// type whose rule was seen in ruleCut words.
func (z *lemmatizer) problem(types []lemmaType, words []analysed, uses []int, facts map[uint64]int) *problem {
	ls := &labels{start: []uint32{0}, prims: caseModes}
	label := map[uint16]uint16{}
	edits := map[rule]uint16{}
	for r, n := range uses {
		if (n >= ruleCut || len(uses) == 1) && z.rules[r].scorable() {
			label[uint16(r)] = uint16(len(z.byScore))
			z.byScore = append(z.byScore, uint16(r))
			e := z.rules[r]
			e.mode = 0
			if _, ok := edits[e]; !ok {
				edits[e] = uint16(caseModes + len(edits))
			}
			ls.parts = append(ls.parts, uint16(z.rules[r].mode), edits[e])
			ls.start = append(ls.start, uint32(len(ls.parts)))
		}
	}
	ls.n = caseModes + len(edits)
	p := &problem{labels: ls, index: newIndex(), start: []int32{0}, idStart: []int32{0}}
	var used []int
	for i := range types {
		if g, ok := label[words[i].rule]; ok && words[i].ok && !types[i].typo() {
			used = append(used, i)
			p.gold = append(p.gold, g)
			p.allowed = append(p.allowed, nil)
			p.start = append(p.start, int32(len(p.gold)))
		}
	}
	p.number(func(f func(w int, keys []uint64)) {
		var keys []uint64
		var made []rune
		var list []uint16
		for w, i := range used {
			ty, a := &types[i], &words[i]
			upos, xpos := hashString(ty.upos), hashString(ty.xpos)
			keys = lemmaKeys(keys[:0], &a.word, upos, mix(upos+3*xpos)+hashString(ty.feats))
			list = list[:0]
			for l, r := range z.byScore {
				if r != a.rule && (!z.differs(r, &a.word) || !z.allows(r, a.lower)) {
					continue
				}
				made = z.rules[r].apply(made[:0], []rune(ty.form), a.lower, z.turkish)
				if s := z.signsWithout(r, a, ty, made, facts); s != 0 {
					keys = append(keys, signKey(l, s, mix(upos+3*xpos)))
				}
				list = append(list, uint16(l))
			}
			if p.allowed[w] == nil {
				p.allowed[w] = slices.Clone(list)
			}
			f(w, keys)
		}
	})
	return p
}
