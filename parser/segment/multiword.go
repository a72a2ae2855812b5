package segment

import (
	"fmt"
	"slices"
	"strings"
)

// Templates of the multiword classifier.
const (
	multiwordTemplates = 400 + iota
	mWord
	mSuffix
	mPrefix
	mContext
	mStem
	mTable
	mAffix
)

const maxAffix = 8 // characters of an affix that chooses a rule

// A multiword holds how multiword tokens are spelled out. Read-only.
type multiword struct {
	index      table    // f1(mTable, word of the form) -> 1 + index; affixes -> 1 + index of a rule
	forms      []string // lower case
	expansions []string // words of forms[i], joined by wordSeparator
	codes      []string // encoded rules
	rules      []rule
}

// affixKey names a suffix (or prefix) in normalised characters.
func affixKey(prefix bool, norm []rune) uint64 {
	return f3(mAffix, b2u(prefix), hashRunes(norm), uint64(len(norm)))
}

// maxRules is how many rules compete for a token.
const maxRules = 3

// candidates returns the ways to spell out a token, in rules[:n]: the
// different rules of its affixes, those of the longest first. A token that is
// known to the table has one way only; its rule may be nil.
func (w *multiword) candidates(norm []rune, known bool, rules *[maxRules]*rule) (n int) {
	most := maxRules
	if known {
		most = 1
	}
	for k := min(maxAffix, len(norm)-1); k > 0; k-- {
		for _, prefix := range [...]bool{false, true} {
			affix := norm[len(norm)-k:]
			if prefix {
				affix = norm[:k]
			}
			i := int(w.index.get(affixKey(prefix, affix)))
			if i == 0 || i > len(w.rules) {
				continue
			}
			r := &w.rules[i-1]
			if slices.Contains(rules[:n], r) || !r.fitsRunes(norm) {
				continue
			}
			rules[n] = r
			if n++; n == most {
				return n
			}
		}
	}
	if known && n == 0 {
		rules[0] = nil
		n = 1
	}
	return n
}

// fitsRunes is fits for normalised characters.
func (r *rule) fitsRunes(norm []rune) bool {
	n := 0
	for _, c := range r.pre {
		if n >= len(norm) || norm[n] != c {
			return false
		}
		n++
	}
	m := len(norm)
	for i := len(r.suf); i > 0; {
		c, size := lastRune(r.suf[:i])
		i -= size
		m--
		if m < n || norm[m] != c {
			return false
		}
	}
	return m-n >= minStem
}

// spell returns the words of a form that the classifier wants split, nil if
// neither the table nor the rule can.
func (w *multiword) spell(form string, word uint64, r *rule) []string {
	lower := lowerCase(form)
	if i := int(w.index.get(f1(mTable, word))); i > 0 && i <= len(w.forms) && w.forms[i-1] == lower {
		return copyCase(form, strings.Split(w.expansions[i-1], wordSeparator))
	}
	if r == nil || !r.fits(lower) {
		return nil
	}
	return copyCase(form, r.apply(lower))
}

// knows says whether the table has a token.
func (w *multiword) knows(word uint64) bool { return w.index.get(f1(mTable, word)) != 0 }

// agrees says whether the rule spells a token as gold does, but for case.
func (r *rule) agrees(g *goldToken) bool {
	lower := lowerCase(g.form)
	return r.fits(lower) && slices.Equal(r.apply(lower), lowerAll(g.words))
}

// multiwordFeatures appends the features of token i of a sentence.
func multiwordFeatures(buf []uint64, x *lexicon, toks []token, norm []rune, i int, r *rule) []uint64 {
	t := &toks[i]
	a, a2, b, b2 := around(toks, i-1), around(toks, i-2), around(toks, i+1), around(toks, i+2)
	buf = append(buf,
		f1(multiwordTemplates, 0),
		f2(mWord, 1, t.word), f3(mWord, 2, t.word, t.shape), f3(mWord, 3, t.word, a.word), f3(mWord, 4, t.word, b.word),
		f4(mWord, 5, a.word, t.word, b.word), f3(mWord, 6, t.word, a2.word), f3(mWord, 7, t.word, b2.word),
		f3(mWord, 8, t.word, a.suffix), f3(mWord, 9, t.word, b.suffix), f3(mWord, 10, t.word, b.shape),
		f3(mWord, 11, t.word, a.shape), f4(mWord, 12, t.word, a2.word, a.word), f4(mWord, 13, t.word, b.word, b2.word),
		f4(mWord, 14, t.word, a.suffix, b.suffix),
		f2(mContext, 1, t.shape), f3(mContext, 2, t.suffix, a.word), f3(mContext, 3, t.suffix, b.word),
		f3(mContext, 4, t.suffix, b.suffix), f3(mContext, 5, t.suffix, a.suffix), f3(mContext, 6, t.suffix, b.shape),
		f2(mContext, 7, uint64(t.stats.frequency())), f3(mContext, 8, uint64(t.stats.frequency()), t.suffix),
	)
	for k := 1; k <= 7 && k < len(norm); k++ {
		h := hashRunes(norm[len(norm)-k:])
		buf = append(buf, f2(mSuffix, h, uint64(k)), f3(mSuffix, h, uint64(k), b.shape))
		if k <= 4 {
			buf = append(buf, f2(mPrefix, hashRunes(norm[:k]), uint64(k)))
		}
	}
	if r == nil {
		return append(buf, f1(mStem, 0))
	}
	// Is what the rule leaves a token of its own?
	pre, suf := runeCount(r.pre), runeCount(r.suf)
	stem := norm[pre : len(norm)-suf]
	known := uint64(x.look(hashRunes(stem)) & 7)
	affix := mix(hashRunes(norm[:pre]), hashRunes(norm[len(norm)-suf:]))
	return append(buf, f2(mStem, 1, affix), f3(mStem, 2, affix, known), f3(mStem, 3, known, uint64(t.stats.frequency())),
		f4(mStem, 4, affix, known, uint64(t.stats.frequency())), f3(mStem, 5, affix, hashRunes(stem[max(0, len(stem)-2):])),
		f3(mStem, 6, affix, hashRunes(stem[max(0, len(stem)-1):])), f3(mStem, 7, affix, hashRunes(stem[max(0, len(stem)-3):])),
		f3(mStem, 8, affix, uint64(min(len(stem), 8))), f3(mStem, 9, affix, t.shape), f3(mStem, 10, affix, b.suffix), f3(mStem, 11, affix, b.shape))
}

// learnMultiword builds the table and the rules from the multiword tokens of
// the training sentences. surface counts all surface tokens, lower case.
func learnMultiword(sightings []sighting, surface map[string]int) (*multiword, error) {
	votes := map[string]map[string]int{}
	for _, s := range sightings {
		if votes[s.form] == nil {
			votes[s.form] = map[string]int{}
		}
		votes[s.form][strings.Join(s.words, wordSeparator)]++
	}
	w := &multiword{}
	var keys []uint64
	var values []uint16
	ruleForms := map[string][]string{} // rule -> forms
	for _, form := range sortedKeys(votes) {
		best := winner(votes[form])
		w.forms = append(w.forms, form)
		w.expansions = append(w.expansions, best)
		if len(w.forms) > 65535 {
			return nil, fmt.Errorf("the treebank has over 65535 different multiword tokens")
		}
		keys = append(keys, f1(mTable, hashRunes(normalRunes(form))))
		values = append(values, uint16(len(w.forms)))
		if r, ok := inferRule(form, strings.Split(best, wordSeparator)); ok {
			ruleForms[r.encode()] = append(ruleForms[r.encode()], form)
		}
	}
	affixes, all := map[uint64]map[string]int{}, map[uint64]int{}
	for _, code := range sortedKeys(ruleForms) {
		if len(ruleForms[code]) < 2 {
			continue
		}
		r, _ := decodeRule(code)
		prefix := r.suf == ""
		low := runeCount(r.suf)
		if prefix {
			low = runeCount(r.pre)
		}
		for _, form := range ruleForms[code] {
			eachAffix(normalRunes(form), prefix, max(low, 1), func(key uint64) {
				if affixes[key] == nil {
					affixes[key] = map[string]int{}
				}
				affixes[key][code]++
			})
		}
	}
	for form := range surface {
		norm := normalRunes(form)
		for _, prefix := range [...]bool{false, true} {
			eachAffix(norm, prefix, 1, func(key uint64) { all[key]++ })
		}
	}
	w.keepAffixes(affixes, all, keys, values)
	return w, nil
}

// minPrecision is the share of the types with an affix that must be multiword
// tokens for the affix to propose a rule.
const minPrecision = 0.02

func (w *multiword) keepAffixes(affixes map[uint64]map[string]int, all map[uint64]int, keys []uint64, values []uint16) {
	number := map[string]int{}
	for _, key := range sortedKeys(affixes) {
		total := 0
		for _, n := range affixes[key] {
			total += n
		}
		if float64(total) < minPrecision*float64(all[key]) {
			continue
		}
		code := winner(affixes[key])
		if number[code] == 0 {
			if len(w.codes) == 65535 {
				continue
			}
			r, _ := decodeRule(code)
			w.codes, w.rules = append(w.codes, code), append(w.rules, r)
			number[code] = len(w.codes)
		}
		keys, values = append(keys, key), append(values, uint16(number[code]))
	}
	w.index = newTable(keys, values)
}

func eachAffix(norm []rune, prefix bool, low int, yield func(key uint64)) {
	for k := low; k <= maxAffix && k < len(norm); k++ {
		if prefix {
			yield(affixKey(true, norm[:k]))
		} else {
			yield(affixKey(false, norm[len(norm)-k:]))
		}
	}
}

// winner returns the key with the most votes, the smallest of equals.
func winner(votes map[string]int) string {
	best := ""
	for _, k := range sortedKeys(votes) {
		if best == "" || votes[k] > votes[best] {
			best = k
		}
	}
	return best
}

func sortedKeys[K interface{ ~string | ~uint64 }, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
