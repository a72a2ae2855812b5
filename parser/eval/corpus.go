package eval

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"unicode"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A span is a half-open interval of a corpus's characters.
type span struct{ start, end int }

// A word is a syntactic word with the properties that the metrics compare.
type word struct {
	*syntax.Word
	span
	multiword bool    // part of a multiword token, whose span it has
	crossing  bool    // its arc crosses another
	sentence  int     // index of the gold sentence of its first character
	gold      *word   // of a system word: the gold word with which it is aligned, or nil
	parent    *word   // root if the head is 0, nil if there is no head
	feats     string  // universal features only, sorted
	deprel    string  // without subtype
	children  []*word // modifiers with functional deprels, in order
}

// root is the parent of the roots of both sides, aligned with itself.
var root = func() *word {
	w := &word{}
	w.gold = w
	return w
}()

// A corpus is the concatenation of sentences, without spaces.
type corpus struct {
	chars     []rune
	tokens    []span
	sentences []span
	words     []word // in order; word.parent and others point into it
	source    []syntax.Sentence
	multiRoot int // sentences that do not have exactly one root
}

func newCorpus(sents []syntax.Sentence, side string) (*corpus, error) {
	c := &corpus{source: sents, words: make([]word, 0, syntax.CountWords(sents))}
	for i := range sents {
		start := len(c.chars)
		if err := c.addTokens(&sents[i]); err != nil {
			return nil, fmt.Errorf("%s sentence %d (%s): %w", side, i+1, sents[i].ID, err)
		}
		c.sentences = append(c.sentences, span{start, len(c.chars)})
		c.link(c.words[len(c.words)-len(sents[i].Words):])
	}
	return c, nil
}

// addTokens adds the tokens of a sentence and, for each, its words.
func (c *corpus) addTokens(s *syntax.Sentence) error {
	mwts := s.MWTs
	for i := 0; i < len(s.Words); {
		form, last, multiword := s.Words[i].Form, i+1, false
		if len(mwts) > 0 && int(mwts[0].First) == i+1 {
			form, last, multiword = mwts[0].Form, int(mwts[0].Last), true
			if last <= i || last > len(s.Words) {
				return fmt.Errorf("multiword token %d-%d is not in the sentence", mwts[0].First, last)
			}
			mwts = mwts[1:]
		}
		bare := withoutSpaces(form)
		if bare == "" {
			return fmt.Errorf("the form of word %d is empty", i+1)
		}
		token := span{start: len(c.chars)}
		c.chars = append(c.chars, []rune(bare)...)
		token.end = len(c.chars)
		c.tokens = append(c.tokens, token)
		for ; i < last; i++ {
			w := word{Word: &s.Words[i], span: token, multiword: multiword, sentence: len(c.sentences)}
			w.feats = universalFeats(w.Feats)
			w.deprel = syntax.Universal(w.Deprel)
			c.words = append(c.words, w)
		}
	}
	return nil
}

// link links the words of a sentence.
func (c *corpus) link(words []word) {
	roots, heads := 0, make([]int32, len(words))
	for i := range words {
		w := &words[i]
		heads[i] = w.Head
		switch h := heads[i]; {
		case h == syntax.Root:
			w.parent = root
			roots++
		case h < 0 || int(h) > len(words):
			heads[i] = syntax.NoHead
		default:
			w.parent = &words[h-1]
			if slices.Contains(functionalDeprels, w.deprel) {
				w.parent.children = append(w.parent.children, w)
			}
		}
	}
	if roots != 1 {
		c.multiRoot++
	}
	for i, crosses := range crossing(heads) {
		words[i].crossing = crosses
	}
}

// crossing says for each arc whether it crosses another. heads and the result are by word
// minus 1. The arc of the root starts at 0, left of the first word. Words with heads below 0
// have no arc. An arc between positions a < b crosses another if and only if a word strictly
// inside has a neighbour in the tree outside.
func crossing(heads []int32) []bool {
	n := len(heads)
	low, high := make([]int, n+1), make([]int, n+1) // extreme neighbours of each position
	for i := range low {
		low[i], high[i] = i, i
	}
	for i, head := range heads {
		if m, h := i+1, int(head); h >= 0 {
			low[m], high[m] = min(low[m], h), max(high[m], h)
			low[h], high[h] = min(low[h], m), max(high[h], m)
		}
	}
	lows := newIntervals(low, func(a, b int) int { return min(a, b) })
	highs := newIntervals(high, func(a, b int) int { return max(a, b) })
	crosses := make([]bool, n)
	for i, head := range heads {
		a, b := min(i+1, int(head)), max(i+1, int(head))
		crosses[i] = head >= 0 && b-a > 1 && (lows.of(a+1, b) < a || highs.of(a+1, b) > b)
	}
	return crosses
}

// intervals find the extreme value of an interval at once.
type intervals struct {
	levels [][]int // [k][i]: the extreme of 1<<k values from i on
	choose func(a, b int) int
}

func newIntervals(values []int, choose func(a, b int) int) intervals {
	x := intervals{[][]int{values}, choose}
	for size := 1; 2*size <= len(values); size *= 2 {
		below, level := x.levels[len(x.levels)-1], make([]int, len(values)-2*size+1)
		for i := range level {
			level[i] = choose(below[i], below[i+size])
		}
		x.levels = append(x.levels, level)
	}
	return x
}

// of returns the extreme of values lo..hi-1, of which there must be one.
func (x *intervals) of(lo, hi int) int {
	k := bits.Len(uint(hi-lo)) - 1
	return x.choose(x.levels[k][lo], x.levels[k][hi-1<<k])
}

// universalFeats keeps the features that Universal Dependencies defined for
// all languages in 2018, sorted.
func universalFeats(feats string) string {
	list := slices.DeleteFunc(strings.Split(feats, "|"), func(f string) bool {
		name, _, _ := strings.Cut(f, "=")
		return !slices.Contains(universalFeatures, name)
	})
	slices.Sort(list)
	return strings.Join(list, "|")
}

func withoutSpaces(form string) string {
	isSpace := func(r rune) bool { return unicode.Is(unicode.Zs, r) }
	return strings.Join(strings.FieldsFunc(form, isSpace), "")
}

func isPunctuation(form string) bool {
	return form != "" && strings.TrimLeftFunc(form, unicode.IsPunct) == ""
}

// compare says where the characters of two corpora begin to differ.
func compare(g, s *corpus) error {
	if slices.Equal(g.chars, s.chars) {
		return nil
	}
	i := 0
	for i < len(g.chars) && i < len(s.chars) && g.chars[i] == s.chars[i] {
		i++
	}
	gold, system := g.place(i), s.place(i)
	return fmt.Errorf("gold and system texts differ: gold continues %s, system %s: are they of the same text?", gold, system)
}

// place describes character i, which may be the end: up to 20 characters from
// there, and the sentence.
func (c *corpus) place(i int) string {
	k := slices.IndexFunc(c.sentences, func(s span) bool { return s.end > i })
	if k < 0 {
		return `"" in nothing, at its end`
	}
	s := fmt.Sprintf("%q in sentence %d", string(c.chars[i:min(i+20, len(c.chars))]), k+1)
	if id := c.source[k].ID; id != "" {
		s += " (" + id + ")"
	}
	if line := c.source[k].Line; line > 0 {
		s += fmt.Sprintf(" at line %d", line)
	}
	return s
}

var (
	contentDeprels = strings.Fields(`nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod
		discourse nmod appos nummod acl amod conj fixed flat compound list parataxis orphan goeswith
		reparandum root dep`)
	functionalDeprels = strings.Fields(`aux cop mark det clf case cc`)
	universalFeatures = strings.Fields(`PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite
		Degree VerbForm Mood Tense Aspect Voice Evident Polarity Person Polite`)
)
