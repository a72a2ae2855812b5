package segment

import (
	"maps"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/hash"
)

// minPrecision is the share of the types with an affix that must be multiword
// tokens for the affix to propose an expansion.
const minPrecision = 0.02

// votes counts choices for a key.
type votes[K comparable] map[K]map[string]int

func (v votes[K]) add(key K, choice string) {
	if v[key] == nil {
		v[key] = map[string]int{}
	}
	v[key][choice]++
}

// winner returns the choice with the most votes, among equals the first in
// alphabetical order, and the number of all votes.
func (v votes[K]) winner(key K) (best string, total int) {
	for _, choice := range slices.Sorted(maps.Keys(v[key])) {
		total += v[key][choice]
		if best == "" || v[key][choice] > v[key][best] {
			best = choice
		}
	}
	return best, total
}

// learnSplits learns how the multiword tokens of the paragraphs are spelled
// out: each form as a whole by its most frequent words, and others by affixes
// of forms that share an expansion.
func learnSplits(all []paragraph) (s splitter) {
	surface, words := map[string]bool{}, votes[string]{}
	for _, p := range all {
		for i := range p {
			form := foldLower(p[i].form)
			surface[form] = true
			if strings.Contains(p[i].words, wordMark) {
				words.add(form, foldLower(p[i].words))
			}
		}
	}
	var keys []hash.Key
	var values []uint32
	number := map[string]uint32{}
	put := func(key hash.Key, e expansion) {
		code := e.code()
		if _, known := number[code]; !known {
			number[code] = uint32(len(s.codes))
			s.codes, s.list = append(s.codes, code), append(s.list, e)
		}
		keys, values = append(keys, key), append(values, number[code])
	}
	inferred, forms := map[string]expansion{}, map[string][]string{}
	for _, form := range slices.Sorted(maps.Keys(words)) {
		best, _ := words.winner(form)
		put(wordKey(hash.Runes(normalRunes(form))), expansion{prefix: []rune(form), words: best})
		if e, ok := infer(form, best); ok {
			inferred[e.code()] = e
			forms[e.code()] = append(forms[e.code()], form)
		}
	}
	var p proposal
	affixed, types := votes[hash.Key]{}, map[hash.Key]int{}
	for code, list := range forms {
		if e := inferred[code]; len(list) > 1 {
			for _, form := range list {
				p.readAffixes(normalRunes(form))
				from, affix := len(e.suffix), p.suffix
				if from == 0 {
					from, affix = len(e.prefix), p.prefix
				}
				for k := max(from, 1) - 1; k < len(affix); k++ {
					affixed.add(affixKey(affix[k]), code)
				}
			}
		}
	}
	for form := range surface {
		p.readAffixes(normalRunes(form))
		for k := range p.prefix {
			types[affixKey(p.prefix[k])]++
			types[affixKey(p.suffix[k])]++
		}
	}
	for _, key := range slices.Sorted(maps.Keys(affixed)) {
		if code, n := affixed.winner(key); float64(n) >= minPrecision*float64(types[key]) {
			put(key, inferred[code])
		}
	}
	s.index = hash.NewMap(keys, values, false)
	return s
}

// splitExamples are all tokens with all their expansions.
func (m *Model) splitExamples(blocks []*goldBlock) examples {
	x := lexicon{counts: m.lexicon.counts}
	return func(yield func([]hash.Key, bool, float32)) {
		var buf []hash.Key
		var p proposal
		for _, b := range blocks {
			gold := b.gold
			for toks := range sentences(b.tokens) {
				for i := range toks {
					// A form that was seen once is treated as unknown.
					p.propose(&m.split, &b.layout, toks, i, x.counts[toks[i].word].n > 1)
					g := &gold[i]
					for _, e := range p.found {
						buf = p.features(buf[:0], &x, e)
						right := e.whole() || e.apply(foldLower(g.form)) == foldLower(g.words)
						yield(buf, right && g.words != "", 1)
					}
				}
				gold = gold[len(toks):]
			}
		}
	}
}
