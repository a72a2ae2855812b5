package eval

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A span is a half-open interval of a corpus's characters.
type span struct{ start, end int }

// Parents that are no words.
const (
	rootParent = -1 // the head is 0
	noParent   = -2 // there is no head: it equals no other
	notAligned = -3 // a parent that has no counterpart in gold
)

// A word is a syntactic word with what the metrics compare. "" is "_".
type word struct {
	span
	multiword  bool // part of a multiword token, whose span it has
	punct      bool
	content    bool // its deprel is one of content
	functional bool
	crossing   bool // its arc crosses another
	parent     int  // index in corpus.words, or a constant above
	sentence   int  // index of its sentence
	form       string
	lemma      string
	upos, xpos string
	feats      string // universal features only, sorted
	deprel     string // without subtype
	full       string // deprel with subtype
	children   []int  // modifiers with functional deprels, in order
	deps       []enhanced
}

// An enhanced dependency of a word.
type enhanced struct {
	parent     int    // as word.parent
	path, bare string // deprels joined by ">"; bare without subtypes
}

// A corpus is the concatenation of sentences, without spaces.
type corpus struct {
	chars     []rune
	tokens    []span
	sentences []span
	words     []word
	firstWord []int // of each sentence; and len(words) at the end
	source    []syntax.Sentence
	multiRoot int
}

func newCorpus(sents []syntax.Sentence, side string) (*corpus, error) {
	c := &corpus{source: sents}
	for i := range sents {
		c.firstWord = append(c.firstWord, len(c.words))
		start := len(c.chars)
		if err := c.addTokens(&sents[i], i); err != nil {
			return nil, fmt.Errorf("%s sentence %d (%s): %w", side, i+1, sents[i].ID, err)
		}
		c.sentences = append(c.sentences, span{start, len(c.chars)})
		c.addTree(&sents[i])
	}
	c.firstWord = append(c.firstWord, len(c.words))
	return c, nil
}

// addTokens adds the tokens of a sentence and, for each, its words.
func (c *corpus) addTokens(s *syntax.Sentence, sentence int) error {
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
		token := span{start: len(c.chars)}
		bare := withoutSpaces(form)
		if bare == "" {
			return fmt.Errorf("the form of word %d is empty", i+1)
		}
		for _, r := range bare {
			c.chars = append(c.chars, r)
		}
		token.end = len(c.chars)
		c.tokens = append(c.tokens, token)
		for ; i < last; i++ {
			w := newWord(&s.Words[i])
			w.span, w.multiword, w.sentence = token, multiword, sentence
			if !multiword {
				w.form = bare
			}
			c.words = append(c.words, w)
		}
	}
	return nil
}

func newWord(w *syntax.Word) word {
	deprel, _, _ := strings.Cut(w.Deprel, ":")
	lemma := w.Lemma
	if lemma == "_" {
		lemma = ""
	}
	return word{
		punct:      isPunctuation(w.Form),
		content:    contentDeprels[deprel],
		functional: functionalDeprels[deprel],
		form:       w.Form,
		lemma:      lemma,
		upos:       w.UPOS,
		xpos:       w.XPOS,
		feats:      universalFeats(w.Feats),
		deprel:     deprel,
		full:       w.Deprel,
	}
}

// addTree links the words of the sentence added last.
func (c *corpus) addTree(s *syntax.Sentence) {
	first := c.firstWord[len(c.firstWord)-1]
	words := c.words[first:]
	n, roots := len(words), 0
	heads := make([]int32, n)
	for i := range words {
		w := &words[i]
		heads[i] = s.Words[i].Head
		switch h := int(heads[i]); {
		case h == syntax.Root:
			w.parent = rootParent
			roots++
		case h < 0 || h > n:
			w.parent, heads[i] = noParent, syntax.NoHead
		default:
			w.parent = first + h - 1
		}
		w.deps = enhancedDeps(s.Words[i].Deps, first, n)
	}
	for i := range words {
		if words[i].functional && words[i].parent >= 0 {
			p := &c.words[words[i].parent]
			p.children = append(p.children, first+i)
		}
	}
	if roots != 1 {
		c.multiRoot++
	}
	for i, crosses := range crossing(heads) {
		words[i].crossing = crosses
	}
}

// crossing says of each arc, heads by word minus 1, whether it crosses
// another; that of the root runs from 0, left of the first word. Words with
// heads below 0 have no arc. An arc between positions a < b crosses another
// iff a word strictly inside has a neighbour in the tree outside.
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
	crosses := make([]bool, n)
	for i, head := range heads {
		a, b := min(i+1, int(head)), max(i+1, int(head))
		for k := a + 1; head >= 0 && k < b && !crosses[i]; k++ {
			crosses[i] = low[k] < a || high[k] > b
		}
	}
	return crosses
}

// enhancedDeps reads a DEPS column. Dependencies on empty nodes are left
// out, as udeval does, and so is what is no dependency.
func enhancedDeps(deps string, first, n int) []enhanced {
	if deps == "" {
		return nil
	}
	var out []enhanced
	for dep := range strings.SplitSeq(deps, "|") {
		head, path, ok := strings.Cut(dep, ":")
		h := 0
		for _, r := range head {
			if r < '0' || r > '9' || h > n {
				ok = false
				break
			}
			h = 10*h + int(r-'0')
		}
		if !ok || head == "" || h > n {
			continue
		}
		e := enhanced{parent: rootParent, path: path}
		if h > 0 {
			e.parent = first + h - 1
		}
		steps := strings.Split(path, ">")
		for i := range steps {
			steps[i], _, _ = strings.Cut(steps[i], ":")
		}
		e.bare = strings.Join(steps, ">")
		out = append(out, e)
	}
	return out
}

// universalFeats keeps the features that Universal Dependencies defined for
// all languages in 2018, sorted.
func universalFeats(feats string) string {
	if feats == "" {
		return ""
	}
	var kept []string
	for f := range strings.SplitSeq(feats, "|") {
		if name, _, _ := strings.Cut(f, "="); universalFeatures[name] {
			kept = append(kept, f)
		}
	}
	slices.Sort(kept)
	return strings.Join(kept, "|")
}

func withoutSpaces(form string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Zs, r) {
			return -1
		}
		return r
	}, form)
}

func isPunctuation(form string) bool {
	for _, r := range form {
		if !unicode.IsPunct(r) {
			return false
		}
	}
	return form != ""
}

func compareCharacters(g, s *corpus) error {
	if slices.Equal(g.chars, s.chars) {
		return nil
	}
	i := 0
	for i < len(g.chars) && i < len(s.chars) && g.chars[i] == s.chars[i] {
		i++
	}
	return &MismatchError{Gold: g.place(i), System: s.place(i)}
}

// place describes character i, which may be the end.
func (c *corpus) place(i int) Place {
	if i >= len(c.chars) {
		return Place{}
	}
	k, _ := slices.BinarySearchFunc(c.sentences, i, func(s span, at int) int {
		if s.end <= at {
			return -1
		}
		return 1
	})
	return Place{
		Sentence: c.source[k].ID,
		Number:   k + 1,
		Line:     c.source[k].Line,
		Next:     string(c.chars[i:min(i+20, len(c.chars))]),
	}
}

func set(names string) map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(names) {
		m[name] = true
	}
	return m
}

var (
	contentDeprels = set(`nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod
		discourse nmod appos nummod acl amod conj fixed flat compound list parataxis orphan goeswith
		reparandum root dep`)
	functionalDeprels = set(`aux cop mark det clf case cc`)
	universalFeatures = set(`PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite
		Degree VerbForm Mood Tense Aspect Voice Evident Polarity Person Polite`)
)
