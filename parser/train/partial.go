package train

import (
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Training sentences may be partial trees: some words have no head, or no relation.
// Segmenter and tagger learn from them as from any other. Pruner and parser learn from
// the known heads, and labels from the known relations of a tree that the pruner
// completes. A relation without a head is not used, except root. The development
// treebank must be complete.

// hasTree reports whether pruner, parser and labels learn from a sentence: its tree has
// one root or, while some heads are open, at most one root, and at least one head is
// known. Heads must have no cycle. Partial trees of sentences that are parsed in windows
// are not used.
func hasTree(s *syntax.Sentence) bool {
	open, _ := s.Open()
	if open == 0 {
		return s.Roots() == 1
	}
	return s.Roots() <= 1 && open < len(s.Words) && len(s.Words) <= syntax.MaxWholeWords
}

// openRoot reports whether a word has no head and relation root.
func openRoot(w *syntax.Word) bool { return w.Head == syntax.NoHead && w.RootRelation() }

// withRoot returns a copy of a sentence in which the only word whose relation is root
// has the head 0, unless another word has that head.
func withRoot(s *syntax.Sentence) syntax.Sentence {
	c := *s
	c.Words = slices.Clone(s.Words)
	at := -1
	for i := range c.Words {
		w := &c.Words[i]
		if open := openRoot(w); w.Head == syntax.Root || open && at >= 0 {
			return c
		} else if open {
			at = i
		}
	}
	if at >= 0 {
		c.Words[at].Head = syntax.Root
	}
	return c
}

// A gap counts what is open in a treebank.
type gap struct{ sentences, bare, words, heads, relations int }

// open counts what is open in all files of a treebank.
func (t *Treebank) open() (g gap) {
	list := t.All()
	for i := range list {
		heads, relations := list[i].Open()
		s := withRoot(&list[i])
		g.words += len(list[i].Words)
		g.heads += heads
		g.relations += relations
		if relations > 0 {
			g.sentences++
		}
		if left, _ := s.Open(); left == len(s.Words) && left > 0 {
			g.bare++
		}
	}
	return g
}

// String says how much is open.
func (g gap) String() string {
	return fmt.Sprintf("heads: %d, relations: %d, of words: %d", g.heads, g.relations, g.words)
}

// open reports what is open in one file of train.
func (c *checker) open(t Treebank) {
	t.More = nil
	g := t.open()
	if g.relations > 0 {
		c.fact("%s: partial trees: %d; open %v", t.Name, g.sentences, g)
	}
	if g.bare > 0 {
		c.fact("%s: sentences without any head, from which only segmenter and tagger learn: %d", t.Name, g.bare)
	}
}

// leftOpen warns of what a partial tree leaves open, in case that it is a slip.
func (c *checker) leftOpen(t Treebank, s *syntax.Sentence) {
	whole := withRoot(s)
	for i := range whole.Words {
		switch w := &whole.Words[i]; {
		case openRoot(w):
			c.add(false, "relation root on a word without a head, next to another root: the head is left open", t, s, i+1)
		case w.Head == syntax.NoHead:
			c.add(false, "words without a head, which are left open", t, s, i+1)
		case w.OpenRelation():
			c.add(false, "words with a head and without a relation, which is left open", t, s, i+1)
		}
	}
}

// completed returns the trees with the heads that the jackknifed pruners find best for
// the words that have none (prune.Complete): or the trees themselves if all heads are
// known. Both data sets have the same sentences; candidates holds their candidate
// heads.
func completed(trees, candidates dataset) dataset {
	partial := false
	for i := range trees.train {
		partial = partial || trees.train[i].Partial()
	}
	if !partial {
		return trees
	}
	b := dataset{dev: trees.dev, key: hashKey("completed", trees.key, candidates.key)}
	for _, s := range syntax.Clone(candidates.train) {
		prune.Complete(&s)
		s.Candidates = syntax.Candidates{}
		b.train = append(b.train, s)
	}
	return b
}
