// Package parttest makes random sentences, all their trees and random scores. Tests of
// parts and of the search compare their results with exhaustive search over these.
package parttest

import (
	"fmt"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Noise is a Scorer that gives every key a fixed random weight of at most its
// own size, so that all templates matter.
type Noise int32

// SumParts implements score.Scorer.
func (z Noise) SumParts(keys []hash.Key, ends, sums []int32) {
	from := int32(0)
	for i, end := range ends {
		sums[i], from = z.Sum(keys[from:end]), end
	}
}

// Sum implements score.Scorer.
func (z Noise) Sum(keys []hash.Key) int32 {
	s := int32(0)
	for _, k := range keys {
		r := hash.Rand(k)
		s += int32(r.Below(uint32(2*z+1))) - int32(z)
	}
	return s
}

// Tags are the UPOS tags of the words of a random sentence.
var Tags = []string{"NOUN", "VERB", "ADP", "PUNCT", "DET", "CCONJ"}

// RandomSentence returns a sentence of n words. Every head is a candidate with
// probability keep/8, and the word before always is.
func RandomSentence(n, keep int, r *hash.Rand) *syntax.Sentence {
	s := &syntax.Sentence{}
	s.Candidates.Start = []int32{0}
	for m := 1; m <= n; m++ {
		form := fmt.Sprintf("w%d", r.Below(20))
		upos := Tags[r.Below(uint32(len(Tags)))]
		if upos == "PUNCT" {
			form = string(",.()\""[r.Below(5)])
		}
		s.Words = append(s.Words, syntax.Word{Form: form, Lemma: form, UPOS: upos, Feats: "Case=" + form[:1],
			Head: syntax.NoHead})
		for h := 0; h <= n; h++ {
			if h != m && (h == m-1 || int(r.Below(8)) < keep) {
				s.Candidates.Heads = append(s.Candidates.Heads, int32(h))
				s.Candidates.LogOdds = append(s.Candidates.LogOdds, -int32(r.Below(3000)))
			}
		}
		s.Candidates.Start = append(s.Candidates.Start, int32(len(s.Candidates.Heads)))
	}
	return s
}

// AllTrees calls f with the heads of every single-root tree of s.
func AllTrees(s *syntax.Sentence, f func(head []int32)) {
	EachTree(s.Candidates.Start, s.Candidates.Heads, func(head []int32, _ []int) { f(head) })
}

// EachTree calls f for every single-root tree over candidate heads,
// heads[start[m-1]:start[m]] for word m. f receives the heads of the tree, and the
// index of each in heads, by word minus 1.
func EachTree(start, heads []int32, f func(head []int32, arcs []int)) {
	n := len(start) - 1
	head, arcs := make([]int32, n+1), make([]int, n)
	var rec func(m int)
	rec = func(m int) {
		if m > n {
			if syntax.IsTree(head) {
				f(head, arcs)
			}
			return
		}
		for i := start[m-1]; i < start[m]; i++ {
			head[m], arcs[m-1] = heads[i], int(i)
			rec(m + 1)
		}
	}
	rec(1)
}

// Best returns a tree of s with the highest score. found is false if there is none.
func Best(s *syntax.Sentence, score func(head []int32) int64) (best int64, heads []int32, found bool) {
	AllTrees(s, func(head []int32) {
		if v := score(head); !found || v > best {
			best, heads, found = v, append(heads[:0], head...), true
		}
	})
	return best, heads, found
}

// IsProjective reports whether no two arcs cross, including the arc from 0.
func IsProjective(head []int32) bool {
	for a := 1; a < len(head); a++ {
		for b := 1; b < a; b++ {
			if syntax.Cross(head[a], int32(a), head[b], int32(b)) {
				return false
			}
		}
	}
	return true
}
