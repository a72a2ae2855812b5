package tag

import (
	"cmp"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
)

// compareTypes sorts the lemmas of one word by falling frequency.
func compareTypes(a, b lemmaType) int {
	return cmp.Or(strings.Compare(a.form, b.form), strings.Compare(a.upos, b.upos), strings.Compare(a.xpos, b.xpos),
		strings.Compare(a.feats, b.feats), cmp.Compare(b.n, a.n), strings.Compare(a.lemma, b.lemma))
}

// memorize fills the memory with the most frequent rule under each key.
func (z *lemmatizer) memorize(types []lemmaType, answers []uint16, lex *lexicon) {
	votes := map[uint64]map[uint16]int{}
	var keys []uint64
	eachType(types, lex, func(i int, t *text) {
		ty := &types[i]
		for _, k := range memoryKeys(t.at(0), hashString(ty.upos), hashString(ty.xpos), hashString(ty.feats)) {
			if votes[k] == nil {
				votes[k] = map[uint16]int{}
				keys = append(keys, k)
			}
			votes[k][answers[i]] += ty.n
		}
	})
	slices.Sort(keys)
	best := make([]uint16, len(keys))
	for i, k := range keys {
		top := 0
		for r, n := range votes[k] {
			if n > top || n == top && r < best[i] {
				best[i], top = r, n
			}
		}
	}
	z.remember(keys, best)
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

// problem makes the layer's training data: one sequence of one word for
// each type whose rule is used at least twice.
func (z *lemmatizer) problem(types []lemmaType, answers []uint16, uses []int, lex *lexicon) *problem {
	ls := &labels{start: []uint32{0}, prims: caseModes}
	label := map[uint16]uint16{}
	edits := map[rule]uint16{}
	for r, n := range uses {
		if n > 1 || len(uses) == 1 {
			label[uint16(r)] = uint16(len(z.byScore))
			z.byScore = append(z.byScore, uint16(r))
			e := z.rules[r]
			e.mode = 0
			if _, ok := edits[e]; !ok {
				edits[e] = uint16(caseModes + len(edits))
			}
		}
	}
	for _, r := range z.byScore {
		e := z.rules[r]
		e.mode = 0
		ls.parts = append(ls.parts, uint16(z.rules[r].mode), edits[e])
		ls.start = append(ls.start, uint32(len(ls.parts)))
	}
	ls.n = caseModes + len(edits)
	all := make([]uint16, len(z.byScore))
	for i := range all {
		all[i] = uint16(i)
	}
	p := &problem{labels: ls, index: newIndex(), start: []int32{0}, idStart: []int32{0}}
	use := make([]bool, len(types))
	for i := range types {
		if g, ok := label[answers[i]]; ok {
			use[i] = true
			p.gold = append(p.gold, g)
			p.allowed = append(p.allowed, all)
			p.start = append(p.start, int32(len(p.gold)))
		}
	}
	p.number(func(f func(w int, keys []uint64)) {
		var keys []uint64
		w := 0
		eachType(types, lex, func(i int, t *text) {
			if use[i] {
				ty := &types[i]
				upos, xpos := hashString(ty.upos), hashString(ty.xpos)
				keys = lemmaKeys(keys[:0], t.at(0), upos, mix(upos+3*xpos)+hashString(ty.feats))
				f(w, keys)
				w++
			}
		})
	})
	return p
}
