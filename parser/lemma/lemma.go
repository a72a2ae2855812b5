// Package lemma finds the lemma of a word from its form and tags (Model.Lemma), as learned
// from a treebank and from lexicon files (Train). Known forms have their lemmas in a memory.
// For other forms, a linear model chooses a rule that rewrites case and affixes.
package lemma

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/sequence"
	"github.com/treebeam/treebeam/parser/word"
)

// A Model finds the lemma of a form and its tags. It tries, in this order:
//
//   - a memory of the forms of the treebank, in lower case;
//   - a list of irregular verbs of some languages (irregular.txt);
//   - for a known prefix or word before an irregular form, the memory of that
//     form: overcame has the lemma of came after over;
//   - rewrite rules that were seen in two words or more (ruleCut), scored by a
//     linear model over the form, its tags, and what the treebank says for
//     each rule (see signs).
//
// If no rule fits, the lemma is the form, in lower case unless it is a name. A Model is
// read-only.
type Model struct {
	Casing  word.Casing // of the language
	rules   []rule
	regular []uint8        // of each rule: kinds, added up
	scored  []uint16       // rules that are tried for unknown forms; label l is rule scored[l]
	layer   sequence.Layer // scores of labels

	memory hash.Map[uint16]  // rules, by keys of forms and tags
	facts  hash.Set          // lemmas, prefixes, and what rules may cut off
	verbs  map[string][]rune // see SetLanguage
}

// Kinds of rules.
const (
	isRegular = 1 << iota // it was seen in regularCut words
	undoubles             // it was only seen to cut off one of two equal runes, as in stopped
)

const (
	minBase     = 3              // runes that must follow a prefix
	minPrefix   = 2              // runes of a prefix, one less than of a word before a form
	maxPrefix   = 24             // runes of a prefix, or of a word before a form, are fewer
	minHead     = 5              // runes of a form behind a word, so that kindled is not kind-led
	minCompound = 7              // runes of both
	maxNonsense = 2              // runes of a made-up lemma that is refused
	knownLemma  = score.Unit / 2 // what a lemma that the treebank has adds to the score of its rule
)

// Templates of the keys of memory and facts.
const (
	keyTags     = 311 + iota // a form with all its tags
	keyPOS                   // with UPOS and XPOS
	keyUPOS                  // with UPOS
	keyLemma                 // a lemma with its UPOS
	keyAnyLemma              // a lemma
	keyPrefix                // what precedes a lemma in other lemmas of the same UPOS
	keyFront                 // a rule and what it cut off in front
	keyEnd                   // a rule and the end that it changed
	keySigns                 // a label and its signs, in the layer
)

// Tags are hashes of the tags of a word.
type Tags struct {
	upos, pos, all uint64 // UPOS; with XPOS; with FEATS
	name, verb     bool   // a proper noun; a verb or an auxiliary
	fine           bool   // XPOS says more than UPOS
}

// TagsOf returns the Tags of a word.
func TagsOf(upos, xpos, feats string) Tags {
	u := hash.String(upos)
	pos := hash.Pair(u, hash.String(xpos))
	return Tags{u, pos, hash.Pair(pos, hash.String(feats)), upos == "PROPN", upos == "VERB" || upos == "AUX", xpos != "" && xpos != upos}
}

// memoryKeys returns the keys of a form, by the hash of its lower case, from
// the most to the least certain.
func memoryKeys(lower uint64, t Tags) [3]hash.Key {
	return [3]hash.Key{hash.Key2(keyTags, lower, t.all), hash.Key2(keyPOS, lower, t.pos),
		hash.Key2(keyUPOS, lower, t.upos)}
}

func (z *Model) layout(l *pack.Layout) {
	var numbers []uint8
	var texts []string
	for _, r := range z.rules {
		numbers = append(numbers, r.mode, r.cutPrefix, r.cutSuffix)
		texts = append(texts, r.addPrefix, r.addSuffix)
	}
	pack.Array(l, "rules", &numbers)
	l.Strings("texts", &texts)
	l.Check("texts", 3*len(texts) == 2*len(numbers), "does not fit the rules")
	if l.Reading() {
		z.rules = make([]rule, len(numbers)/3)
		for i := range z.rules {
			z.rules[i] = rule{numbers[3*i], numbers[3*i+1], numbers[3*i+2], texts[2*i], texts[2*i+1]}
			l.Check("rules", z.rules[i].mode < ruleModes, "has an unknown case")
		}
	}
	pack.Array(l, "regular", &z.regular)
	l.Check("regular", len(z.regular) == len(z.rules), "does not fit the rules")
	pack.Array(l, "scored", &z.scored)
	pack.Below(l, "scored", z.scored, len(z.rules))
	l.Nested("layer", z.layer.Layout)
	l.Check("scored", len(z.scored) == z.layer.Labels.Count(), "does not fit the layer")
	z.memory.Layout(l, "memory", "answers")
	pack.Below(l, "answers", z.memory.Values(), len(z.rules))
	z.facts.Layout(l, "facts")
}

// A Scratch is the memory of Lemma, reused between calls. It is for one goroutine.
type Scratch struct {
	form, lemma []rune
	keys        []hash.Key
	sums        sequence.Sums
	candidates  []candidate
}

// Pack stores the model in s.
func (z *Model) Pack(s *pack.Sub) { pack.Write(s, z.Layout) }

// Name, followed by a period, is the beginning of the names of the sections.
const Name = "lemma"

// Layout names the sections of the model.
func (z *Model) Layout(l *pack.Layout) { l.Nested(Name, z.layout) }

// Learned reports whether the treebank had lemmas.
func (z *Model) Learned() bool { return len(z.rules) > 0 }

// Lemma returns the lemma of form s with tags t. w must hold s (word.Form.Read). Lemma
// allocates only a lemma that differs from the form.
func (z *Model) Lemma(sc *Scratch, s string, w *word.Form, t Tags) string {
	sc.form = append(sc.form[:0], []rune(s)...)
	switch {
	case z.remembered(sc, w, t) && !addsDigits(sc.form, sc.lemma):
	case z.isIrregular(sc, w.Runes, t):
	case t.name && literal(sc.form):
		return s
	case !z.prefixed(sc, w.Runes, t) && !z.guess(sc, w, t):
		if t.name {
			return s
		}
		sc.lemma = append(sc.lemma[:0], w.Runes...)
	}
	if slices.Equal(sc.lemma, sc.form) {
		return s
	}
	return string(sc.lemma)
}

// addsDigits reports whether a form is a number in digits and the lemma another one: the
// treebank completes 5 in "5 or 6 thousand".
func addsDigits(form, lemma []rune) bool {
	other := func(r rune) bool { return !unicode.IsDigit(r) }
	return !slices.ContainsFunc(form, other) && hasDigit(lemma) && !slices.Equal(form, lemma)
}

// literal reports whether a name is an address, a path, or the name of a file or an
// account, which has no other lemma than itself: it has one of @ / \ _ #, and a
// letter, or a period between two letters and two letters or digits.
func literal(form []rune) bool {
	letters := slices.ContainsFunc(form, unicode.IsLetter)
	for i, r := range form {
		switch r {
		case '@', '/', '\\', '_', '#':
			if letters {
				return true
			}
		case '.':
			if i >= 2 && i+2 < len(form) && unicode.IsLetter(form[i-1]) && unicode.IsLetter(form[i-2]) &&
				isWordly(form[i+1]) && isWordly(form[i+2]) {
				return true
			}
		}
	}
	return false
}

func isWordly(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// apply sets sc.lemma to the lemma that rule r makes of sc.form, and reports
// whether the rule fits.
func (z *Model) apply(sc *Scratch, r uint16, lower []rune) (ok bool) {
	sc.lemma, ok = z.rules[r].apply(sc.lemma[:0], sc.form, lower, z.Casing)
	return ok
}

// remembered applies the rule that the memory has for a form.
func (z *Model) remembered(sc *Scratch, w *word.Form, t Tags) bool {
	for _, key := range memoryKeys(w.Lower, t) {
		if r, found := z.memory.Find(key); found && z.apply(sc, r, w.Runes) {
			return true
		}
	}
	return false
}

// prefixed looks for the longest known form with the same UPOS that follows a
// prefix or another word and whose rule is irregular. It sets sc.lemma to what
// precedes that form, and the form's lemma. Regular rules are left to guess.
func (z *Model) prefixed(sc *Scratch, lower []rune, t Tags) bool {
	if t.name || hasDigit(lower) {
		return false
	}
	h := uint64(hash.Start)
	for k := range min(len(lower)-minBase+1, maxPrefix) {
		p := hash.Mix(h) // of lower[:k]
		h = hash.Step(h, lower[k])
		prefix := k >= minPrefix && z.facts.Has(hash.Key2(keyPrefix, p, t.upos))
		if !prefix && (k <= minPrefix || len(lower) < max(minCompound, k+minHead) ||
			!z.facts.Has(hash.Key1(keyAnyLemma, p))) {
			continue
		}
		base := lower[k:]
		for _, key := range memoryKeys(hash.Runes(base), t) {
			r, found := z.memory.Find(key)
			if !found || z.rules[r].mode != caseLower || z.regular[r]&isRegular != 0 {
				continue
			}
			var ok bool
			if sc.lemma, ok = z.rules[r].apply(append(sc.lemma[:0], lower[:k]...), base, base, z.Casing); ok {
				return true
			}
		}
	}
	return false
}

// allows reports whether rule r may be tried on an unknown form: no other rule
// makes the same lemma, the rule changes no digit, at least half of the lemma
// is from the form, and training saw the rule make the same change in front.
func (z *Model) allows(r uint16, w *word.Form) bool {
	rule, lower := &z.rules[r], w.Runes
	switch {
	case rule.mode == ungroup:
		return true
	case rule.mode == caseAsIs && !w.Differ, !rule.keeps(len(lower)), z.regular[r]&undoubles != 0 && !rule.doubled(lower):
		return false
	}
	prefix, suffix := lower[:rule.cutPrefix], lower[len(lower)-int(rule.cutSuffix):]
	if hasDigit(prefix) || hasDigit(suffix) {
		return false
	}
	return len(prefix) == 0 && rule.addPrefix == "" || z.facts.Has(frontKey(r, prefix))
}

func frontKey(r uint16, prefix []rune) hash.Key {
	return hash.Key2(keyFront, uint64(r), hash.Runes(prefix))
}

// endKey returns the fact that rule r, which must fit, changes the end of a
// form: what it cuts off, together with the runes before it if it cuts off less
// than one rune, or less than 2 for an irregular rule. It is 0 if the rule
// leaves the end alone.
func (z *Model) endKey(r uint16, lower []rune) hash.Key {
	rule := &z.rules[r]
	if rule.keepsEnd() || len(lower) == 0 {
		return 0
	}
	n := max(2-int(z.regular[r]&isRegular), int(rule.cutSuffix))
	return hash.Key2(keyEnd, uint64(r), hash.Runes(lower[max(0, len(lower)-n):]))
}

// Signs that a rule is right, added up.
const (
	signLemma = 1 << iota // the treebank has the lemma, with this UPOS
	signOther             // it has the lemma with another UPOS
	signEnd               // the rule changed the same end
)

// signs returns the signs that the treebank has for rule r, given a form and
// the lemma that the rule makes. has looks up the treebank's facts.
func (z *Model) signs(r uint16, lower, lemma []rune, t Tags, has func(fact hash.Key) bool) uint8 {
	s := uint8(0)
	if h := hash.Runes(lemma); has(hash.Key1(keyAnyLemma, h)) {
		s |= signOther
		if has(hash.Key2(keyLemma, h, t.upos)) {
			s = signLemma
		}
	}
	if z.rules[r].mode == ungroup {
		return s | signEnd
	}
	if end := z.endKey(r, lower); end != 0 && has(end) {
		s |= signEnd
	}
	return s
}

// signsKey is the feature that a label has these signs.
func signsKey(label int, s uint8, t Tags) hash.Key {
	return hash.Key3(keySigns, uint64(label), uint64(s), t.pos)
}

// trusts reports whether rule r, which has the signs s, may change the end of
// a form of n runes: training saw it do so with the same end, or it makes a
// lemma of the treebank and only cuts off or keeps 2 runes more than it adds.
func (z *Model) trusts(r uint16, s uint8, n int) bool {
	rule := &z.rules[r]
	if rule.mode != ungroup && rule.addPrefix != "" && rule.cutPrefix == 0 && s&signLemma == 0 {
		return false // ur is your, but wrung is not yowrung
	}
	if s&signEnd != 0 || rule.keepsEnd() {
		return true
	}
	return s&signLemma != 0 && (rule.addSuffix == "" || rule.kept(n) >= utf8.RuneCountInString(rule.addSuffix)+2)
}

// A candidate is a label that may be the answer.
type candidate struct {
	label uint16
	signs uint8
	short bool // the lemma has at most maxNonsense runes, and the form is no number or abbreviation
}

// guess applies the best-scored rule that is allowed.
func (z *Model) guess(sc *Scratch, w *word.Form, t Tags) bool {
	sc.keys, _ = keysOf(sc.keys[:0], w, t)
	sc.candidates = sc.candidates[:0]
	plain := !hasDigit(w.Runes) && len(w.Runes) > 1 && slices.Equal(sc.form[1:], w.Runes[1:]) // not a number, not FMs
	for l, r := range z.scored {
		if !z.allows(r, w) || !z.apply(sc, r, w.Runes) {
			continue
		}
		s := z.signs(r, w.Runes, sc.lemma, t, z.facts.Has)
		if !z.trusts(r, s, len(w.Runes)) {
			continue
		}
		if s != 0 {
			sc.keys = append(sc.keys, signsKey(l, s, t))
		}
		sc.candidates = append(sc.candidates, candidate{uint16(l), s, plain && len(sc.lemma) <= maxNonsense})
	}
	r := z.choose(sc.candidates, sc.sums.Of(&z.layer, sc.keys))
	return r >= 0 && z.apply(sc, uint16(r), w.Runes)
}

// choose returns the rule with the best score, or -1. If that rule makes a
// lemma that the treebank does not have at all, another rule is right more
// often: the best one that makes a lemma of the treebank with the same UPOS by
// a known change of the end. So potatoes has the lemma potato, not potatoe, if
// the treebank has potato. A made-up lemma of one or two letters is worse than
// none.
func (z *Model) choose(list []candidate, acc []int32) int {
	best, known := -1, -1 // in list
	var top, topKnown int32
	for i, c := range list {
		s := sequence.SumOf(&z.layer.Labels, acc, c.label)
		if c.signs&signLemma != 0 {
			s += knownLemma
		}
		if best < 0 || s > top {
			best, top = i, s
		}
		if sure := uint8(signLemma | signEnd); c.signs&sure == sure && (known < 0 || s > topKnown) {
			known, topKnown = i, s
		}
	}
	if best < 0 {
		return -1
	}
	c := list[best]
	r := z.scored[c.label]
	rule := &z.rules[r]
	switch madeUp := rule.mode == caseLower && rule.cutPrefix+rule.cutSuffix > 0 && c.signs&signLemma == 0; {
	case madeUp && c.signs&signOther == 0 && known >= 0:
		return int(z.scored[list[known].label])
	case madeUp && c.short:
		return -1
	}
	return int(r)
}

// maxSkeleton is the number of runes that keysOf classifies as vowels or
// others.
const maxSkeleton = 7

// isVowel reports whether r, in lower case, is a vowel, as far as that can be told
// of a letter.
func isVowel(r rune) bool {
	switch r {
	case 'a', 'e', 'i', 'o', 'u', 'y', 'ı', 'ä', 'ö', 'ü', 'â', 'à', 'á', 'é', 'è', 'ê', 'ë', 'î', 'ï', 'í', 'ô', 'ó', 'û', 'ù', 'ú',
		'α', 'ε', 'η', 'ι', 'ο', 'υ', 'ω', 'ά', 'έ', 'ή', 'ί', 'ό', 'ύ', 'ώ', 'ϊ', 'ϋ', 'ΐ', 'ΰ':
		return true
	}
	return false
}

// keysOf appends the features of a form for its rewrite rule. The features with
// all tags come last; at is the index of their first.
func keysOf(dst []hash.Key, w *word.Form, t Tags) (keys []hash.Key, at int) {
	dst = append(dst,
		hash.Key1(201, t.upos),
		hash.Key2(203, w.Shape, t.upos),
		hash.Key2(204, w.Long, t.upos),
		hash.Key2(205, w.Lower, t.upos),
	)
	if t.fine {
		dst = append(dst, hash.Key1(341, t.pos), hash.Key2(342, uint64(w.Twin), t.pos))
	}
	if w.Twin != 0 {
		dst = append(dst, hash.Key2(206, uint64(w.Twin), t.upos))
	}
	for k, h := range w.Suffix {
		if h != 0 {
			dst = append(dst, hash.Key2(210+uint64(k), h, t.upos))
			if t.fine {
				dst = append(dst, hash.Key2(343+uint64(k), h, t.pos))
			}
		}
	}
	for k, h := range w.Prefix {
		if h != 0 {
			dst = append(dst, hash.Key2(230+uint64(k), h, t.upos))
		}
	}
	h := uint64(hash.Start) // which runes are vowels, from the end
	n := len(w.Runes)
	for k := range min(n, maxSkeleton) {
		kind := rune('c')
		if isVowel(w.Runes[n-1-k]) {
			kind = 'v'
		}
		if h = hash.Step(h, kind); k >= 2 {
			dst = append(dst, hash.Key2(351, hash.Mix(h), t.pos))
		}
	}
	if n <= maxSkeleton {
		dst = append(dst, hash.Key2(354, hash.Mix(h), t.pos))
	}
	at = len(dst)
	dst = append(dst, hash.Key1(202, t.all))
	if w.Twin != 0 {
		dst = append(dst, hash.Key2(207, uint64(w.Twin), t.all))
	}
	for k, h := range w.Suffix {
		if h != 0 {
			dst = append(dst, hash.Key2(220+uint64(k), h, t.all))
		}
	}
	return dst, at
}
