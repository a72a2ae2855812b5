package feature

import (
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
)

// sentence makes a sentence of words "form/lemma/UPOS/XPOS/FEATS/head/deprel"
// separated by blanks; "_" is an empty column.
func sentence(words string) syntax.Sentence {
	var s syntax.Sentence
	for _, item := range strings.Fields(words) {
		f := strings.Split(item, "/")
		for i := range f {
			if f[i] == "_" && i > 0 {
				f[i] = ""
			}
		}
		head := int32(0)
		for _, digit := range f[5] {
			head = head*10 + digit - '0'
		}
		s.Words = append(s.Words, syntax.Word{Form: f[0], Lemma: f[1], UPOS: f[2], XPOS: f[3], Feats: f[4], Head: head, Deprel: f[6]})
	}
	return s
}

// fixture is a sentence of our own with all that templates look at: case,
// agreement, an adposition as marker, a number, commas, brackets, quotes.
func fixture() syntax.Sentence {
	return sentence(`Anna/Anna/PROPN/NNP/Case=Nom|Number=Sing/2/nsubj
		gave/give/VERB/VBD/Tense=Past/0/root
		him/he/PRON/PRP/Case=Acc|Number=Sing/2/iobj
		3/3/NUM/CD/NumType=Card/6/nummod
		(/(/PUNCT/-LRB-/_/6/punct
		boxes/box/NOUN/NNS/Number=Plur/2/obj
		)/)/PUNCT/-RRB-/_/6/punct
		,/,/PUNCT/,/_/10/punct
		from/from/ADP/IN/_/12/case
		"/"/PUNCT/''/_/12/punct
		old/old/ADJ/JJ/Degree=Pos/12/amod
		Xenia/Xenia/PROPN/NNP/Number=Sing/6/nmod
		"/"/PUNCT/''/_/12/punct
		./././././2/punct`)
}

// bank is a small treebank in which the words of the fixture but "Xenia" are
// known.
func bank() []syntax.Sentence {
	known := fixture()
	known.Words[11].Form, known.Words[11].Lemma = "Berta", "Berta"
	var list []syntax.Sentence
	for range 10 {
		list = append(list, known)
	}
	return list
}

// A part is a call of one of the extractors.
type part struct {
	name string
	keys []Key
}

// goldGuess returns the gold heads of s as a guess.
func goldGuess(c *Codes, s *syntax.Sentence) *Guess {
	g := &Guess{Head: make([]int32, s.Len()+1)}
	for i, w := range s.Words {
		g.Head[i+1] = w.Head
	}
	g.Set(c)
	return g
}

// parts returns the keys of all parts of a sentence under its gold tree, and
// of all arcs, by kind.
func parts(c *Codes, s *syntax.Sentence) []part {
	n := s.Len()
	head := make([]int, n+1)
	for i, w := range s.Words {
		head[i+1] = int(w.Head)
	}
	guess := goldGuess(c, s)
	var list []part
	add := func(name string, keys []Key) { list = append(list, part{name, keys}) }
	for m := 1; m <= n; m++ {
		for h := 0; h <= n; h++ {
			if h == m {
				continue
			}
			add("arc", c.Arc(h, m, nil))
			add("lean arc", c.LeanArc(h, m, nil))
			add("prune", c.PruneArc(h, m, guess, nil))
			add("crossing", c.Crossing(h, m, nil))
		}
		if h := head[m]; h > 0 {
			add("grandparent", c.Grandparent(head[h], h, m, nil))
		}
		if m < n {
			add("head bigram", c.HeadBigram(m, head[m], head[m+1], nil))
		}
	}
	for m := 1; m <= n; m++ {
		if h := head[m]; h > 0 && head[h] > 0 {
			add("grand-grandparent", c.GreatGrandparent(head[head[h]], head[h], h, m, nil))
		}
		for q := 1; q <= n; q++ {
			if h := head[m]; h > 0 && q != m && head[q] == m && m > 1 && m-1 != h && m-1 != q {
				add("sibling-grandchild", c.SiblingGrandchild(h, m, q, m-1, nil))
			}
		}
		add("span", c.Span(m, m%3, m%8, nil))
		add("neighbour", c.Neighbour(head[m], m, int(c.Tag(m-1)), int(c.Tag(m+1)), nil))
		add("valency", c.Valency(m, m%4, m%3, m, 2*m, nil))
		add("non-projective", c.NonProjective(head[m], m, m%7+1, nil))
		if c.IsAdposition(m) {
			add("attachment", c.Attachment(m, head[m], head[head[m]], nil))
		}
		if m+2 <= n {
			add("coordination", c.Coordination(m+1, m, m+2, head[m], nil))
		}
	}
	for i, j := range c.Partners(nil) {
		if j != 0 {
			add("pair", c.Pair(i, int(j), head[i], nil))
		}
	}
	add("right branch", c.RightBranch(1, nil))
	for h := 0; h <= n; h++ {
		chain := chain(head, h)
		for i := 0; i+1 < len(chain); i++ {
			add("sibling", c.Sibling(h, chain[i], chain[i+1], nil))
			if h > 0 {
				add("grand-sibling", c.GrandSibling(head[h], h, chain[i], chain[i+1], nil))
			}
			if i+2 < len(chain) {
				add("tri-sibling", c.TriSibling(h, chain[i], chain[i+1], chain[i+2], nil))
			}
		}
	}
	return list
}

// chain is the extended child list of h.
func chain(head []int, h int) []int {
	list := []int{Start}
	for x := 0; x < len(head); x++ {
		if x == h || x > 0 && head[x] == h {
			list = append(list, x)
		}
	}
	return append(list, End)
}
