// Package pattern finds words in parsed sentences by a small language, close to
// that of dep_search (Luotolahti, Kanerva and Ginter 2017) and of Semgrex
// (Chambers et al. 2007): VERB >nsubj NOUN, with tests of words, relations,
// order, distance, negation and names. docs/find.md describes the language.
//
// A pattern is a condition on one word. A condition is a test of the word (its
// form, lemma, tags, features, relation, number), a link to another word with a
// condition of its own, or a combination of these. The words of a pattern are
// different words of the sentence, unless they have the same name.
package pattern

import (
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Limits of a pattern, and of the work that it makes in one sentence.
const (
	MaxLength       = 4096    // bytes
	MaxDepth        = 32      // parentheses, brackets and negations inside each other
	MaxWords        = 16      // words that are matched together
	MaxAlternatives = 64      // ways to choose among what | and ? leave open
	MaxHits         = 10000   // in a sentence
	maxWork         = 1 << 22 // steps in a sentence
	maxPlans        = 1000    // alternatives, with those of negated parts
)

// A Pattern is a compiled pattern. It does not change: goroutines may share it,
// each with its own Matcher.
type Pattern struct {
	root  *formula
	names []string
	plans []*plan
	tests []compiledTest
	needs Columns
}

// Columns are the columns of a word that a pattern reads, as a set.
type Columns uint16

// Columns of a word.
const (
	Form Columns = 1 << iota
	Lemma
	UPOS
	XPOS
	Feats
	Head
	Deprel
	Misc
)

// An Error says where a pattern is wrong, and why.
type Error struct {
	Column int // of the character, from 1
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("column %d: %s", e.Column, e.Reason) }

// Compile reads a pattern. An error is an *Error.
func Compile(text string) (*Pattern, error) {
	p := &parser{text: text}
	root, err := p.parse()
	if err != nil {
		return nil, err
	}
	c := &compiler{names: namesIn(root, nil)}
	if len(c.names) == 0 {
		// Without names every word counts, by its place in the pattern.
		c.numbered = wordsIn(root, []*formula{nil})
		for i := range c.numbered {
			c.names = append(c.names, fmt.Sprint(i+1))
		}
	}
	plans, err := c.compile(root)
	if err != nil {
		return nil, err
	}
	return &Pattern{root: root, names: c.names, plans: plans, tests: c.tests, needs: p.needs}, nil
}

// Names returns the names of the pattern's words, in the order in which they are
// first written. If no word has a name, they are "1", "2" and so on, for all words
// that are not below a negation. The slice must not be changed.
func (p *Pattern) Names() []string { return p.names }

// Index returns the place of a name in Names, or -1.
func (p *Pattern) Index(name string) int { return slices.Index(p.names, name) }

// Needs returns the columns that Match reads.
func (p *Pattern) Needs() Columns { return p.needs }

// A Hit is a choice of words that fit the pattern.
type Hit struct {
	// Words has the number of a word, from 1, for every name in Names; 0 where the
	// way in which the pattern fits has no such word.
	Words []int32
}

// wordsIn appends the links of a formula that are not below a negation, each of
// which leads to a word, in the order of the pattern.
func wordsIn(f *formula, list []*formula) []*formula {
	if f.kind == kindNot {
		return list
	}
	if f.kind == kindLink {
		list = append(list, f)
	}
	for _, a := range f.args {
		list = wordsIn(a, list)
	}
	return list
}

// namesIn appends the names in a formula that are not below a negation, once.
func namesIn(f *formula, list []string) []string {
	if f.kind == kindNot {
		return list
	}
	if f.kind == kindNamed && !slices.Contains(list, f.name) {
		list = append(list, f.name)
	}
	for _, a := range f.args {
		list = namesIn(a, list)
	}
	return list
}

// A Matcher matches a pattern and keeps what it needs for that. It is not safe
// for concurrent use.
type Matcher struct {
	p *Pattern
	// MinConf is the least probability of what a hit rests on: of heads and
	// relations of arcs, and of tags that are tested. It does not concern negated
	// parts, nor what the sentence has no probability of.
	MinConf float32

	s       *syntax.Sentence
	slots   []int32  // the words that are placed
	memo    [][]byte // for every test, what is known of each word
	negated bool     // below a negation
	work    int
	stopped bool

	ready                  bool    // the next three are those of s
	starts, children, next []int32 // dependents of word h: children[starts[h]:starts[h+1]]

	path         []step
	found, spare []int32 // words of hits
	hits         []Hit
}

// NewMatcher returns a Matcher of the pattern.
func (p *Pattern) NewMatcher() *Matcher {
	return &Matcher{p: p, memo: make([][]byte, len(p.tests))}
}
