package feature

import (
	"unicode"
	"unicode/utf8"
)

// The kinds of features that describe one word to the tensor (Lei
// et al. 2014). Kind k below WordKinds is entry k of what Word appends;
// behind them come two keys for every item of FEATS. Departures: coarse
// tags, the marker and the case of the word are kinds of our own, and a
// fine tag is that of the Vocabulary.
const (
	WordBias = iota
	WordForm
	WordFormLeft
	WordFormRight
	WordLemma
	WordLemmaLeft
	WordLemmaRight
	WordFine
	WordFineLeft
	WordFineRight
	WordCoarse
	WordFinesLeft  // fine tags of the word before and the word
	WordFinesRight // of the word and the one behind
	WordFinesBoth  // of all three
	WordLemmaFine
	WordMarker // with the coarse tag
	WordCase   // with the coarse tag
	WordKinds

	wordFeat      = WordKinds
	wordFeatLemma = WordKinds + 1
)

// Word appends the keys of the features of position p, 0 <= p <= n. They
// name rows of the tensor's own dictionary and share no table with those of
// parts.
func (c *Codes) Word(p int, buf []Key) []Key {
	i := at(p)
	f, l, k := c.Fine, c.Lemma, uint64(c.Coarse[i])
	left, self, right := uint64(f[i-1]), uint64(f[i]), uint64(f[i+1])
	buf = append(buf,
		mix(t(WordBias)),
		mix(sum1(WordForm, c.Form[i])),
		mix(sum1(WordFormLeft, c.Form[i-1])),
		mix(sum1(WordFormRight, c.Form[i+1])),
		mix(sum1(WordLemma, l[i])),
		mix(sum1(WordLemmaLeft, l[i-1])),
		mix(sum1(WordLemmaRight, l[i+1])),
		mix(sum1(WordFine, self)),
		mix(sum1(WordFineLeft, left)),
		mix(sum1(WordFineRight, right)),
		mix(sum1(WordCoarse, k)),
		mix(sum2(WordFinesLeft, left, self)),
		mix(sum2(WordFinesRight, self, right)),
		mix(sum3(WordFinesBoth, left, self, right)),
		mix(sum2(WordLemmaFine, l[i], self)),
		mix(sum2(WordMarker, c.Marker[i], k)),
		mix(sum2(WordCase, uint64(c.Case[i]), k)))
	for _, a := range c.Feats(p) {
		buf = append(buf, mix(sum1(wordFeat, a)), mix(sum2(wordFeatLemma, a, l[i])))
	}
	return buf
}

// HashLower is HashString of s in lower case, without making that string.
func HashLower(s string) uint64 {
	h := uint64(14695981039346656037)
	var buf [utf8.UTFMax]byte
	for _, r := range s {
		for _, b := range utf8.AppendRune(buf[:0], unicode.ToLower(r)) {
			h ^= uint64(b)
			h *= 1099511628211
		}
	}
	return mix(h)
}
