package eval

import (
	"fmt"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/treebeam/treebeam/parser/syntax"
)

// mostPairs bounds the table of a stretch (alignForms), which takes 4 bytes for
// each pair of a gold and a system word. Tokens have a few words.
const mostPairs = 1 << 24

// align returns two corpora of the same characters whose words are aligned.
// Where neither side has a multiword token, words of equal span are pairs.
// Otherwise the smallest stretch of characters that no multiword token sticks
// out of is aligned as a whole, by the forms of its words. A stretch of more than
// mostPairs is an error.
func align(gold, system []syntax.Sentence) (*corpus, *corpus, error) {
	gc, err := newCorpus(gold, "gold")
	if err != nil {
		return nil, nil, err
	}
	sc, err := newCorpus(system, "system")
	if err != nil {
		return nil, nil, err
	}
	if err := compare(gc, sc); err != nil {
		return nil, nil, err
	}
	k := 0
	for i := range sc.words {
		for gc.sentences[k].end <= sc.words[i].start {
			k++
		}
		sc.words[i].sentence = k
	}
	for g, s := gc.words, sc.words; len(g) > 0 && len(s) > 0; {
		switch {
		case g[0].multiword || s[0].multiword:
			at := g[0].sentence
			if g, s, err = alignStretch(g, s); err != nil {
				return nil, nil, fmt.Errorf("gold sentence %d (%s): %w", at+1, gold[at].ID, err)
			}
		case g[0].span == s[0].span:
			s[0].gold = &g[0]
			g, s = g[1:], s[1:]
		case g[0].start <= s[0].start:
			g = g[1:]
		default:
			s = s[1:]
		}
	}
	return gc, sc, nil
}

// alignStretch aligns the smallest stretch that begins at the first word of each side, and
// returns the words after it. One of the first words must be in a multiword token. A first
// word that begins before that token is left out.
func alignStretch(gold, system []word) (restGold, restSystem []word, err error) {
	end := 0
	if gold[0].multiword {
		end = gold[0].end
		if !system[0].multiword && system[0].start < gold[0].start {
			system = system[1:]
		}
	} else {
		end = system[0].end
		if gold[0].start < system[0].start {
			gold = gold[1:]
		}
	}
	g, s := 0, 0
	for !beyond(gold[g:], end) || !beyond(system[s:], end) {
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
	if (g+1)*(s+1) > mostPairs {
		return nil, nil, fmt.Errorf("multiword tokens join %d gold and %d system words, more than the %d pairs that can be aligned; correct the ranges of these tokens", g, s, mostPairs)
	}
	alignForms(gold[:g], system[:s])
	return gold[g:], system[s:], nil
}

// beyond reports whether the first word, if any, is not wholly before end. A word of a
// multiword token is beyond end only if the token begins at end or later.
func beyond(words []word, end int) bool {
	switch {
	case len(words) == 0:
		return true
	case words[0].multiword:
		return words[0].start >= end
	}
	return words[0].end > end
}

// alignForms aligns words along the longest common subsequence of their lower-case forms.
// Among equally long ones it takes the subsequence that skips gold words first.
func alignForms(gold, system []word) {
	n, m := len(gold), len(system)
	gf, sf := lowerForms(gold), lowerForms(system)
	lcs := make([][]int32, n+1) // [g][s]: length for gold[g:], system[s:]
	lcs[n] = make([]int32, m+1)
	for g := n - 1; g >= 0; g-- {
		lcs[g] = make([]int32, m+1)
		for s := m - 1; s >= 0; s-- {
			lcs[g][s] = max(lcs[g+1][s], lcs[g][s+1])
			if gf[g] == sf[s] {
				lcs[g][s] = max(lcs[g][s], 1+lcs[g+1][s+1])
			}
		}
	}
	for g, s := 0, 0; g < n && s < m; {
		switch {
		case gf[g] == sf[s]:
			system[s].gold = &gold[g]
			g++
			s++
		case lcs[g][s] == lcs[g+1][s]:
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
		out[i] = words[i].Form
		if !words[i].multiword {
			out[i] = withoutSpaces(out[i])
		}
		out[i] = lower.String(out[i])
	}
	return out
}
