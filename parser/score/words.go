package score

import (
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/word"
)

// The kinds of features that describe one word to the tensor (Lei et al. 2014). Kind
// k below wordKinds is the k-th key that wordKeys appends. Two keys for every item of
// FEATS follow. Unlike in the paper, coarse tags, the marker and the case of the word
// are kinds, and the fine tag comes from the Vocabulary.
const (
	wordBias = iota
	wordForm
	wordFormLeft
	wordFormRight
	wordLemma
	wordLemmaLeft
	wordLemmaRight
	wordFine
	wordFineLeft
	wordFineRight
	wordCoarse
	wordFinesLeft  // fine tags of the word before and the word
	wordFinesRight // of the word and the word after it
	wordFinesBoth  // of all three
	wordLemmaFine
	wordMarker // with the coarse tag
	wordCase   // with the coarse tag
	wordKinds
)

// wordKeys appends the keys of the features of position p, 0 <= p <= n. These keys
// name rows of the tensor, and share no table with the keys of parts.
func wordKeys(c *word.Sentence, p int, keys []hash.Key) []hash.Key {
	w, l, r := c.At(p), c.At(p-1), c.At(p+1)
	left, self, right, coarse := uint64(l.Fine), uint64(w.Fine), uint64(r.Fine), uint64(w.Coarse)
	keys = append(keys,
		hash.Key0(wordBias),
		hash.Key1(wordForm, w.Form),
		hash.Key1(wordFormLeft, l.Form),
		hash.Key1(wordFormRight, r.Form),
		hash.Key1(wordLemma, w.Lemma),
		hash.Key1(wordLemmaLeft, l.Lemma),
		hash.Key1(wordLemmaRight, r.Lemma),
		hash.Key1(wordFine, self),
		hash.Key1(wordFineLeft, left),
		hash.Key1(wordFineRight, right),
		hash.Key1(wordCoarse, coarse),
		hash.Key2(wordFinesLeft, left, self),
		hash.Key2(wordFinesRight, self, right),
		hash.Key3(wordFinesBoth, left, self, right),
		hash.Key2(wordLemmaFine, w.Lemma, self),
		hash.Key2(wordMarker, w.Marker, coarse),
		hash.Key2(wordCase, uint64(w.Case), coarse))
	for _, item := range w.Feats.Items {
		keys = append(keys, hash.Key1(wordKinds, item), hash.Key2(wordKinds+1, item, w.Lemma))
	}
	return keys
}
