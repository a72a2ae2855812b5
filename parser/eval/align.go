package eval

import (
	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// A pair is an aligned gold word and system word, by index.
type pair struct{ gold, system int }

// An evaluator holds the alignment of two corpora.
type evaluator struct {
	gold, system *corpus
	pairs        []pair
	goldOf       []int // of each system word; notAligned if it has none
	r            *Result
}

// align pairs the words. Where neither side has a multiword token, words of
// equal span are pairs. Otherwise the smallest stretch of characters that no
// multiword token sticks out of is aligned as a whole, by the longest common
// subsequence of its word forms, ignoring case.
func (e *evaluator) align() {
	e.goldOf = make([]int, len(e.system.words))
	for i := range e.goldOf {
		e.goldOf[i] = notAligned
	}
	gold, system := e.gold.words, e.system.words
	for g, s := 0, 0; g < len(gold) && s < len(system); {
		switch {
		case gold[g].multiword || system[s].multiword:
			g0, s0, g1, s1 := stretch(gold, system, g, s)
			e.alignForms(g0, g1, s0, s1)
			g, s = g1, s1
		case gold[g].span == system[s].span:
			e.pair(g, s)
			g++
			s++
		case gold[g].start <= system[s].start:
			g++
		default:
			s++
		}
	}
}

func (e *evaluator) pair(g, s int) {
	e.pairs = append(e.pairs, pair{g, s})
	e.goldOf[s] = g
}

// stretch returns the words [g0,g1) and [s0,s1) of the smallest stretch that
// begins at gold[g] and system[s], of which one is in a multiword token. A
// word at its start that lies before the multiword token is left out.
func stretch(gold, system []word, g, s int) (g0, s0, g1, s1 int) {
	var end int
	if gold[g].multiword {
		end = gold[g].end
		if !system[s].multiword && system[s].start < gold[g].start {
			s++
		}
	} else {
		end = system[s].end
		if !gold[g].multiword && gold[g].start < system[s].start {
			g++
		}
	}
	g0, s0 = g, s
	for !beyond(gold, g, end) || !beyond(system, s, end) {
		var w *word
		if g < len(gold) && (s >= len(system) || gold[g].start <= system[s].start) {
			w = &gold[g]
			g++
		} else {
			w = &system[s]
			s++
		}
		if w.multiword {
			end = max(end, w.end)
		}
	}
	return g0, s0, g, s
}

// beyond reports whether word i is not wholly before end; words of a
// multiword token are beyond only if the token begins there.
func beyond(words []word, i, end int) bool {
	if i >= len(words) {
		return true
	}
	if words[i].multiword {
		return words[i].start >= end
	}
	return words[i].end > end
}

// alignForms pairs gold[g0:g1] with system[s0:s1] along the longest common
// subsequence of their lower-case forms; among equal ones that which skips
// gold words first.
func (e *evaluator) alignForms(g0, g1, s0, s1 int) {
	n, m := g1-g0, s1-s0
	if n == 0 || m == 0 {
		return
	}
	gold, system := lowerForms(e.gold.words[g0:g1]), lowerForms(e.system.words[s0:s1])
	lcs := make([]int32, (n+1)*(m+1)) // [g][s]: length for gold[g:], system[s:]
	at := func(g, s int) *int32 { return &lcs[g*(m+1)+s] }
	for g := n - 1; g >= 0; g-- {
		for s := m - 1; s >= 0; s-- {
			best := max(*at(g+1, s), *at(g, s+1))
			if gold[g] == system[s] {
				best = max(best, 1+*at(g+1, s+1))
			}
			*at(g, s) = best
		}
	}
	for g, s := 0, 0; g < n && s < m; {
		switch {
		case gold[g] == system[s]:
			e.pair(g0+g, s0+s)
			g++
			s++
		case *at(g, s) == *at(g+1, s):
			g++
		default:
			s++
		}
	}
}

// lowerForms maps forms to lower case by Unicode's default algorithm for whole
// strings (The Unicode Standard, 3.13): unlike strings.ToLower it writes the
// final sigma and keeps the dot of a capital I with dot above.
func lowerForms(words []word) []string {
	lower := cases.Lower(language.Und)
	out := make([]string, len(words))
	for i := range words {
		out[i] = lower.String(words[i].form)
	}
	return out
}
