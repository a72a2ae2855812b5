package view

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/treebeam/treebeam/io/parquet"
)

// Certainty is how sure a tree is, to compare trees by: the probability of its
// least certain head, or the agreement of the restarts if heads have none.
func Certainty(t *parquet.Tree) float32 {
	if i, ok := leastCertainHead(t); ok {
		p, _ := headProbability(t, i)
		return p
	}
	return t.TreeAgreement
}

// leastCertainHead is the first word of those whose head is least certain;
// punctuation is passed over, unless there is nothing else: which of two words
// a comma hangs on matters to nobody. ok is false if no head has a
// probability.
func leastCertainHead(t *parquet.Tree) (word int, ok bool) {
	least := func(punct bool) (word int, ok bool) {
		lowest := float32(0)
		for i := range t.Tokens {
			p, known := headProbability(t, i)
			if known && (!ok || p < lowest) && (punct || !isPunctuation(t, i)) {
				word, lowest, ok = i, p, true
			}
		}
		return word, ok
	}
	if word, ok = least(false); ok {
		return word, ok
	}
	return least(true)
}

// isPunctuation reports whether word i is tagged as punctuation or consists of
// nothing else.
func isPunctuation(t *parquet.Tree, i int) bool {
	return i < len(t.UPOS) && t.UPOS[i] == "PUNCT" || !strings.ContainsFunc(t.Tokens[i], func(r rune) bool { return !unicode.IsPunct(r) })
}

// headProbability is the calibrated probability that the head of word i is
// right, else its marginal; ok is false if there is neither.
func headProbability(t *parquet.Tree, i int) (p float32, ok bool) {
	probability := t.HeadConf
	if len(probability) == 0 {
		probability = t.HeadMarginal
	}
	if i < len(probability) {
		return probability[i], true
	}
	return 0, false
}

// leastCertain sorts list by certainty, the least certain first, and cuts it to
// n. Trees that are equally certain keep their order.
func leastCertain(list []*parquet.Tree, n int) []*parquet.Tree {
	slices.SortStableFunc(list, func(a, b *parquet.Tree) int { return cmp.Compare(Certainty(a), Certainty(b)) })
	if len(list) > n {
		clear(list[n:])
		list = list[:n]
	}
	return list
}

// A Lowest keeps the N least certain of the trees that it is given, in memory
// for twice that many.
type Lowest struct {
	N    int
	list []*parquet.Tree
}

// Add offers a tree, which must not change afterwards.
func (l *Lowest) Add(t *parquet.Tree) {
	l.list = append(l.list, t)
	if len(l.list) > 2*l.N {
		l.list = leastCertain(l.list, l.N)
	}
}

// Trees returns the trees, the least certain first; those that are equally
// certain in the order in which they came.
func (l *Lowest) Trees() []*parquet.Tree {
	l.list = leastCertain(l.list, l.N)
	return l.list
}
