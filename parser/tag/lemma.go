package tag

import (
	"slices"
	"unicode/utf8"
)

// A lemmatizer finds the lemma of a form and its tags. It asks, in this order:
//
//   - a memory of the forms of the treebank;
//   - for a known prefix or word before an irregular form, the memory of that
//     form: overcame has the lemma of came behind over;
//   - rewrite rules that were seen in two words or more (ruleCut), scored by a
//     linear model over the form, its tags, and what the treebank says for
//     each rule (see signs).
//
// allows says which rules may be asked. A form that none fits stays as it is,
// in lower case if it is no name. It is read-only.
type lemmatizer struct {
	rules   []rule
	regular []bool   // of each rule: it was seen in regularCut words
	byScore []uint16 // rules that the layer scores; label l is rule byScore[l]
	layer   *layer

	memory  prints   // keys of forms and tags
	answers []uint16 // rule, of each print of the memory
	facts   prints   // lemmas, prefixes, and what rules may cut off
	turkish bool
}

const (
	minBase     = 3                    // runes of what may follow a prefix
	minPrefix   = 2                    // runes of a prefix, one less than of a word before a form
	minCompound = 7                    // runes of both
	maxNonsense = 2                    // runes of a made-up lemma that is none
	knownLemma  = 1 << (scoreBits - 1) // what a lemma that the treebank has adds to the score of its rule
)

// Templates of the keys of memory and facts.
const (
	keyExact = 301 + iota
	keyTags
	keyCoarse
	keyLowerExact
	keyLowerTags
	keyLemma    // a lemma with its UPOS
	keyAnyLemma // a lemma
	keyPrefix   // what stands before a lemma in others of the same UPOS
	keyCut      // a rule and what it cut off
	keyRegular  // a regular rule
	keySign     // a rule and its signs, in the layer
)

// memoryKeys returns the keys of a form in the memory, from the most to the
// least certain. Those from lowerKeys on hold for the form in any case.
func memoryKeys(form, lower, upos, xpos, feats uint64) [5]uint64 {
	tags := mix(upos + 3*xpos)
	return [5]uint64{
		key2(keyExact, form, tags+feats),
		key2(keyTags, form, tags),
		key2(keyCoarse, form, upos),
		key2(keyLowerExact, lower, tags+feats),
		key2(keyLowerTags, lower, tags),
	}
}

const lowerKeys = 3

// hashRunes returns the hash of a word's runes: of its lower case, that is
// word.lower.
func hashRunes(runes []rune) uint64 {
	h := uint64(0)
	for _, r := range runes {
		h = step(h, r)
	}
	return mix(h)
}

// cutKey returns the fact that rule r may cut off prefix and suffix.
func cutKey(r uint16, prefix, suffix []rune) uint64 {
	return key2(keyCut, uint64(r), hashRunes(prefix)+3*hashRunes(suffix))
}

// lemma returns the lemma of form, whose analysis w is in sc.text. It
// allocates only a lemma that differs from the form.
func (z *lemmatizer) lemma(sc *scratch, form string, w *word, upos string, xpos, feats uint64) string {
	if len(z.rules) == 0 {
		return "" // the treebank has no lemmas
	}
	lower := sc.text.lower[w.start:w.end]
	u := hashString(upos)
	r := z.remembered(memoryKeys(w.form, w.lower, u, xpos, feats), lower)
	if r >= 0 && !w.lowered && z.rules[r] == asItIs {
		return form // most words
	}
	sc.form = append(sc.form[:0], []rune(form)...)
	switch base := 0; {
	case r >= 0:
	case upos != properNoun && !hasDigit(lower):
		if base, r = z.prefixed(lower, u, xpos, feats); r >= 0 {
			sc.lemma = append(sc.lemma[:0], lower[:base]...)
			sc.lemma = z.rules[r].apply(sc.lemma, lower[base:], lower[base:], z.turkish)
			return lemmaString(form, sc.lemma)
		}
		fallthrough
	default:
		r = z.guess(sc, w, lower, u, xpos, feats)
	}
	if r < 0 {
		if upos == properNoun || !w.lowered {
			return form
		}
		return lemmaString(form, lower)
	}
	sc.lemma = z.rules[r].apply(sc.lemma[:0], sc.form, lower, z.turkish)
	return lemmaString(form, sc.lemma)
}

// asItIs leaves a form in lower case alone.
var asItIs = rule{mode: caseLower}

// properNoun is the UPOS of names.
const properNoun = "PROPN"

// lemmaString returns the lemma, without a copy if it is the form.
func lemmaString(form string, lemma []rune) string {
	i := 0
	for _, r := range form {
		if i >= len(lemma) || lemma[i] != r {
			return string(lemma)
		}
		i++
	}
	if i < len(lemma) {
		return string(lemma)
	}
	return form
}

// remembered returns the rule of the first key that the memory knows, or -1.
func (z *lemmatizer) remembered(keys [5]uint64, lower []rune) int {
	for _, key := range keys {
		if i, ok := z.memory.find(key); ok && z.rules[z.answers[i]].fits(lower) {
			return int(z.answers[i])
		}
	}
	return -1
}

// prefixed looks for the longest known form with the same tags that stands
// behind a prefix or another word and whose rule is irregular; it returns where
// that form begins and its rule, or -1. Regular rules are left to guess.
func (z *lemmatizer) prefixed(lower []rune, upos, xpos, feats uint64) (base, r int) {
	tags := mix(upos + 3*xpos)
	h := uint64(0)
	for k := range min(len(lower)-minBase+1, maxStem) {
		p := mix(h) // of lower[:k]
		h = step(h, lower[k])
		prefix := k >= minPrefix && z.facts.has(key2(keyPrefix, p, upos))
		word := k > minPrefix && len(lower) >= minCompound && z.facts.has(key1(keyAnyLemma, p))
		if !prefix && !word {
			continue
		}
		b := hashRunes(lower[k:])
		for _, key := range [2]uint64{key2(keyLowerExact, b, tags+feats), key2(keyLowerTags, b, tags)} {
			i, ok := z.memory.find(key)
			if !ok {
				continue
			}
			if r := z.answers[i]; z.rules[r].fits(lower[k:]) && z.rules[r].drop == "" && !z.regular[r] {
				return k, int(r)
			}
		}
	}
	return 0, -1
}

// allows reports whether rule r may be asked for the lemma of an unknown form:
// it touches no digit, half of the lemma that it makes is the form's, and
// training saw it do the same in front.
func (z *lemmatizer) allows(r uint16, lower []rune) bool {
	rule := &z.rules[r]
	if !rule.fits(lower) || !rule.keeps(len(lower)) {
		return false
	}
	prefix, suffix := rule.cuts(lower)
	if hasDigit(prefix) || hasDigit(suffix) {
		return false
	}
	return len(prefix) == 0 && rule.addPrefix == "" || z.facts.has(cutKey(r, prefix, nil))
}

// trusts reports whether rule r, which has the signs s, may change the end of
// a form of n runes: training saw it do so with the same end, or it makes a
// lemma of the treebank and only cuts off or keeps 2 runes more than it adds.
func (z *lemmatizer) trusts(r uint16, s uint64, n int) bool {
	rule := &z.rules[r]
	if s&signEnd != 0 || rule.addSuffix == "" && rule.cutSuffix == 0 {
		return true
	}
	return s&signLemma != 0 && (rule.addSuffix == "" || rule.kept(n) >= utf8.RuneCountInString(rule.addSuffix)+2)
}

// differs reports whether rule r makes something that no other rule makes of a
// form: of one in lower case, caseAsIs makes what caseLower makes.
func (z *lemmatizer) differs(r uint16, w *word) bool {
	return w.lowered || z.rules[r].mode != caseAsIs || z.rules[r].drop != ""
}

// guess returns the best-scored rule that is allowed, or -1. sc.form holds the
// form.
func (z *lemmatizer) guess(sc *scratch, w *word, lower []rune, upos, xpos, feats uint64) int {
	acc := sc.parts(z.layer.labels.n)
	tags := mix(upos + 3*xpos)
	sc.keys = lemmaKeys(sc.keys[:0], w, upos, tags+feats)
	sc.asked = sc.asked[:0]
	word := !hasDigit(lower) && len(lower) > 1 && slices.Equal(sc.form[1:], lower[1:]) // no number, no FMs
	for l, r := range z.byScore {
		if !z.differs(r, w) || !z.allows(r, lower) {
			continue
		}
		sc.lemma = z.rules[r].apply(sc.lemma[:0], sc.form, lower, z.turkish)
		s := z.signs(r, lower, sc.lemma, upos)
		if !z.trusts(r, s, len(lower)) {
			continue
		}
		if s != 0 {
			sc.keys = append(sc.keys, signKey(l, s, tags))
		}
		sc.asked = append(sc.asked, askedRule{uint16(l), uint8(s), word && len(sc.lemma) <= maxNonsense})
	}
	sc.sum(z.layer.table, acc)
	return z.choose(sc.asked, acc)
}

// choose returns the rule with the best score, or -1. If that one makes a
// lemma that the treebank does not have at all, the best of those that make
// one it has, with the same UPOS, by an end that it has, is right more often:
// potatoes are no potatoe if there is a potato. A made-up lemma of one or two
// letters is worse than none.
func (z *lemmatizer) choose(asked []askedRule, acc []int32) int {
	best, known := -1, -1 // in asked
	var top, topKnown int32
	for i, a := range asked {
		s := int32(0)
		if a.signs&signLemma != 0 {
			s = knownLemma
		}
		for _, p := range z.layer.labels.of(a.label) {
			s += acc[p]
		}
		if best < 0 || s > top {
			best, top = i, s
		}
		if sure := uint8(signLemma | signEnd); a.signs&sure == sure && (known < 0 || s > topKnown) {
			known, topKnown = i, s
		}
	}
	if best < 0 {
		return -1
	}
	r := z.byScore[asked[best].label]
	if rule := &z.rules[r]; rule.mode == caseLower && rule.cutPrefix+rule.cutSuffix > 0 {
		switch a := asked[best]; {
		case a.signs&(signLemma|signOther) == 0 && known >= 0:
			return int(z.byScore[asked[known].label])
		case a.signs&signLemma == 0 && a.short:
			return -1
		}
	}
	return int(r)
}

// An askedRule is a label of the layer that may be the answer.
type askedRule struct {
	label uint16
	signs uint8
	short bool // the lemma has at most maxNonsense runes, and the form is no number or abbreviation
}

// signKey is the feature that label l has the signs s.
func signKey(l int, s, tags uint64) uint64 { return key2(keySign, uint64(l)<<4|s, tags) }

// Signs that a rule is right.
const (
	signLemma = 1 << iota // the treebank has the lemma, with this UPOS
	signOther             // with another
	signEnd               // the rule changed the same end
)

// signs returns what the treebank knows of rule r for a form and its lemma.
func (z *lemmatizer) signs(r uint16, lower, lemma []rune, upos uint64) uint64 {
	s := uint64(0)
	if h := hashRunes(lemma); z.facts.has(key2(keyLemma, h, upos)) {
		s |= signLemma
	} else if z.facts.has(key1(keyAnyLemma, h)) {
		s |= signOther
	}
	if end := z.end(r, lower); z.rules[r].drop != "" || len(end) > 0 && z.facts.has(cutKey(r, nil, end)) {
		s |= signEnd
	}
	return s
}

// end returns the end of a form that rule r changes, as facts name it: an
// irregular rule must have been seen with 2 runes or more.
func (z *lemmatizer) end(r uint16, lower []rune) []rune {
	if z.regular[r] {
		return z.rules[r].end(lower, 1)
	}
	return z.rules[r].end(lower, 2)
}

// A lemmaType is a word of the treebank with its tags and lemma.
type lemmaType struct {
	form, upos, xpos, feats, lemma string
	n                              int
}
