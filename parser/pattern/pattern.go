// Package pattern searches parsed sentences for words that match a pattern, such as
// VERB >nsubj NOUN. Compile reads a pattern, and a Matcher finds its hits. The language
// resembles dep_search (Luotolahti, Kanerva and Ginter 2017) and Semgrex (Chambers et
// al. 2007). It has tests of words, relations, order and distance, negation and names.
// docs/find.md describes it.
//
// A pattern is a condition on one word. A condition is a test of the word (its form,
// lemma, tags, features, relation, number), a link to another word with a condition of
// its own, or a combination of these. Different words of a pattern match different
// words of the sentence, unless they have the same name.
package pattern

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Limits of a pattern, and of its work in one sentence. MaxHits is the most hits that
// Match returns.
const (
	maxLength = 4096    // bytes
	maxDepth  = 32      // parentheses, brackets and negations inside each other
	maxLinks  = 64      // between words
	MaxHits   = 10000   // in a sentence
	maxWork   = 1 << 22 // steps in a sentence
)

// A Pattern is a compiled pattern. It is read-only: goroutines may share it, each with
// its own Matcher.
type Pattern struct {
	root  *formula
	names []string
	first int // the number of the first word among names; -1 if it has no name
	bound int // number of names, including names that occur only below a negation
	tests int // number of formulas about one word
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

// An Error says where and why a pattern is wrong.
type Error struct {
	Column int // of the character, from 1
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("column %d: %s", e.Column, e.Reason) }

// Compile compiles a pattern of at most 4,096 bytes, with 64 links between words and 32
// parentheses, brackets and negations inside each other. Its error is an *Error.
func Compile(text string) (*Pattern, error) {
	p := &parser{text: text}
	root, err := p.parse()
	if err != nil {
		return nil, err
	}
	c := &Pattern{root: root, names: namesIn(root, nil, false), first: -1, needs: p.needs}
	all := namesIn(root, slices.Clone(c.names), true)
	if len(c.names) == 0 {
		// Without names every word counts, by its place in the pattern.
		c.first = 0
		for i := range 1 + numberLinks(root, 1) {
			c.names = append(c.names, fmt.Sprint(i+1))
		}
		all = append(make([]string, len(c.names)), all...) // a name below a negation may be a number, too
	}
	c.bound = len(all)
	c.prepare(root, all, false)
	return c, nil
}

// prepare notes in a formula the facts that Match needs. all has the names. reported says
// whether formulas that are matched later have words that Match reports.
func (p *Pattern) prepare(f *formula, all []string, reported bool) {
	if f.pure() {
		if f.kind != kindTest || f.test.attr != 0 {
			p.tests++
			f.memo = p.tests
		}
		return
	}
	f.free = !reported && !f.reports()
	switch f.kind {
	case kindNamed:
		f.number = slices.Index(all, f.name)
	case kindLink:
		f.named = f.args[0].isNamed()
	case kindAnd:
		f.order = slices.Clone(f.args)
		slices.SortStableFunc(f.order, func(a, b *formula) int { return cmp.Compare(a.breadth(), b.breadth()) })
		for i, a := range slices.Backward(f.order) {
			p.prepare(f.order[i], all, reported)
			reported = reported || a.reports()
		}
		return
	}
	for _, a := range f.args {
		p.prepare(a, all, reported)
	}
}

// reports says whether a formula has words that Match reports.
func (f *formula) reports() bool {
	if f.kind == kindNamed || f.kind == kindLink && f.number >= 0 {
		return true
	}
	return slices.ContainsFunc(f.args, (*formula).reports)
}

// isNamed says whether a formula may give its word a name.
func (f *formula) isNamed() bool {
	return f.kind == kindNamed || f.kind != kindLink && slices.ContainsFunc(f.args, (*formula).isNamed)
}

// breadth orders the parts of a conjunction by the number of ways that they leave: tests,
// names and links to few words come first.
func (f *formula) breadth() int {
	switch {
	case f.pure():
		return 0
	case f.kind == kindNamed:
		return 1
	case f.kind != kindLink:
		return 9
	}
	switch l := f.link; {
	case l.op == head && l.max == 1:
		return 2
	case (l.op == after || l.op == before) && l.max > 0:
		return 3
	case l.op == dependent && l.max == 1:
		return 4
	case l.op == head:
		return 5
	case l.op == sibling:
		return 6
	case l.op == dependent:
		return 7
	}
	return 8
}

// Names returns the names of the pattern's words, in the order of their first
// occurrence. If no word has a name, they are "1", "2" and so on, for all words that
// are not below a negation. The caller must not change the slice.
func (p *Pattern) Names() []string { return p.names }

// Index returns the index of a name in Names, or -1.
func (p *Pattern) Index(name string) int { return slices.Index(p.names, name) }

// Needs returns the columns that Match reads.
func (p *Pattern) Needs() Columns { return p.needs }

// A Hit is a match of the pattern in a sentence.
type Hit struct {
	// Words has, for every name in Names, the number of its word, from 1, or 0 if the
	// name has no word in this hit.
	Words []int32
}

// numberLinks numbers the links of a formula that are not below a negation, from next on in
// the order of the pattern. Each leads to a word. It returns the number of these links.
func numberLinks(f *formula, next int) (n int) {
	if f.kind == kindNot {
		return 0
	}
	if f.kind == kindLink {
		f.number = next
		n = 1
	}
	for _, a := range f.args {
		n += numberLinks(a, next+n)
	}
	return n
}

// namesIn appends the names in a formula, each once. If all, it includes names below
// negations.
func namesIn(f *formula, list []string, all bool) []string {
	if f.kind == kindNot && !all {
		return list
	}
	if f.kind == kindNamed && !slices.Contains(list, f.name) {
		list = append(list, f.name)
	}
	for _, a := range f.args {
		list = namesIn(a, list, all)
	}
	return list
}

// A Matcher finds the hits of a pattern. It holds scratch and is not safe for
// concurrent use.
type Matcher struct {
	p *Pattern
	// MinConf is the smallest probability of the heads and relations of the arcs of a
	// hit, and of the tags that are tested, in !PUNCT, too. It does not apply to negated
	// parts with links, or to sentences without probabilities.
	MinConf float32

	s        *syntax.Sentence
	places   []spot
	goals    []goal
	nots     []denial
	firstNot int      // first denial of the negation that is being checked
	bound    []int    // the spot of every name, or -1
	memo     [][]byte // for every formula about one word, outside and below a negation: its known result for each word
	negated  bool     // below a negation
	work     int
	stopped  bool

	ready                  bool    // the next three belong to s
	starts, children, next []int32 // dependents of word h: children[starts[h]:starts[h+1]]

	path         []step
	found, spare []int32 // words of hits
	hits         []Hit
}

// NewMatcher returns a Matcher for the pattern.
func (p *Pattern) NewMatcher() *Matcher {
	return &Matcher{p: p, bound: make([]int, p.bound), memo: make([][]byte, 2*p.tests)}
}
