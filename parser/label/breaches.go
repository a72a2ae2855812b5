package label

import (
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// A Breach says that a tree breaks a rule of Universal Dependencies at a word.
type Breach struct {
	Word   int // from 1
	Reason string
}

// Breaches returns the places where relations break the rules that Label obeys, in the
// order of the words. A head outside the sentence, or a missing relation, breaks no
// rule. Breaches returns nil for a sentence with more than 255 different relations.
func Breaches(words []syntax.Word) (list []Breach) {
	var names []string
	for i := range words {
		if l := words[i].Deprel; l != "" && !slices.Contains(names, l) {
			names = append(names, l)
		}
	}
	if len(names) > MaxRelations {
		return nil
	}
	r := newRules(&relations{names: names}, "")
	facts, has := make([]wordFacts, len(words)+1), make([]uint8, len(words)+1)
	label := func(m int) (uint8, bool) {
		l := slices.Index(names, words[m-1].Deprel)
		return uint8(max(l, 0)), l >= 0
	}
	breaks := func(m int, format string, a ...any) {
		list = append(list, Breach{m, fmt.Sprintf(format, a...)})
	}
	for m := 1; m <= len(words); m++ {
		w, x := &words[m-1], node{Word: &word.Word{Coarse: word.Coarse(words[m-1].UPOS)}}
		if int(w.Head) < m {
			x.side = 1
		}
		facts[m] = factsOf(w, &x)
		l, ok := label(m)
		if h := w.Head; ok && h > 0 && int(h) <= len(words) {
			if more(has[h], kinds[r.kind[l]]) > 0 {
				breaks(m, "%s: %s has one already", w.Deprel, words[h-1].Form)
			}
			has[h] |= kinds[r.kind[l]]
		}
	}
	for m := 1; m <= len(words); m++ {
		w, d := &words[m-1], &facts[m]
		l, ok := label(m)
		if !ok {
			continue
		}
		if r.all(d, l, has[m]&^hasOblique) > 0 {
			if has[m]&hasFixed != 0 {
				breaks(m, "the head of a fixed expression cannot be a PROPN")
			} else {
				tag := w.UPOS
				if external, _ := syntax.Value(w.Feats, "ExtPos"); external != "" {
					tag = external + " of ExtPos"
				}
				breaks(m, "%s does not suit the tag %s", w.Deprel, tag)
			}
		}
		if r.all(d, l, has[m]) > r.all(d, l, has[m]&^hasOblique) {
			breaks(m, "a noun as %s has no obl: what depends on it is nmod", w.Deprel)
		}
		if w.Head < 1 || int(w.Head) > len(words) {
			continue
		}
		if r.alone(d, l) > 0 {
			breaks(m, "%s must come after its head", w.Deprel)
		}
		if above, ok := label(int(w.Head)); ok && r.pair(&facts[w.Head], d, above, l) > 0 {
			breaks(m, "%s cannot depend on a word that is %s", w.Deprel, words[w.Head-1].Deprel)
		}
	}
	slices.SortStableFunc(list, func(a, b Breach) int { return a.Word - b.Word })
	return list
}
