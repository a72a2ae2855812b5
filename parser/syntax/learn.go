package syntax

import (
	"cmp"
	"iter"
	"maps"
	"slices"
)

// What the learners of several stages ask of training sentences.

// Words yields the words of all sentences, in order.
func Words(list []Sentence) iter.Seq[*Word] {
	return func(yield func(*Word) bool) {
		for i := range list {
			for k := range list[i].Words {
				if !yield(&list[i].Words[k]) {
					return
				}
			}
		}
	}
}

// CountWords returns the number of words of all sentences.
func CountWords(list []Sentence) (words int) {
	for i := range list {
		words += len(list[i].Words)
	}
	return words
}

// ByCount returns the keys of count, the commonest first. Equally common keys are in
// ascending order.
func ByCount[K cmp.Ordered](count map[K]int) []K {
	return slices.SortedFunc(maps.Keys(count), func(a, b K) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
}

// RootDeprel is the relation of the word whose head is Root. Learners give it to no
// other word.
const RootDeprel = "root"

// unspecified is the relation dep, which every inventory has.
const unspecified = "dep"

// GoldRelation is the relation to learn for a word: RootDeprel if and only if its head is
// Root.
func (w *Word) GoldRelation() string {
	switch {
	case w.Head == Root:
		return RootDeprel
	case w.Deprel == RootDeprel:
		return unspecified
	}
	return w.Deprel
}

// GoldRelations lists the relations to learn from words without open relations
// (OpenRelation), the commonest first. RootDeprel and dep are always among them.
func GoldRelations(list []Sentence) []string {
	count := map[string]int{RootDeprel: 0, unspecified: 0}
	for w := range Words(list) {
		if !w.OpenRelation() {
			count[w.GoldRelation()]++
		}
	}
	return ByCount(count)
}
