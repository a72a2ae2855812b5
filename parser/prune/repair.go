package prune

import (
	"errors"
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Candidates are repaired where they lack the tree that is needed: a tree with given
// heads (Keep), any tree (Connect), or the gold tree from which the parser learns
// (AddGold, Complete). Gold trees may be partial: some words
// have syntax.NoHead. The known heads have no cycle and at most one root, so some tree
// has them all.

// addedLogOdds are the log-odds of candidates that Keep adds: e^-12.
const addedLogOdds = -12 * 1024

// Keep restricts s.Candidates, as Prune has set them, to the given heads. given[m-1] is
// the head of word m, or syntax.NoHead if it is open. A given head becomes the only
// candidate of its word. If the candidates then hold no single-root tree, one word
// becomes the only possible root and a candidate head of every word without a given
// head.
//
// Keep fails, and changes nothing, if the given heads have a cycle, two roots or a head
// outside the sentence, or if the sentence is parsed in windows. These errors are
// syntax.Faults.
func Keep(s *syntax.Sentence, given []int32) error {
	c, err := keeping(s, given)
	if err == nil {
		s.Candidates = c
	}
	return err
}

// keeping returns the candidates that Keep sets.
func keeping(s *syntax.Sentence, given []int32) (c syntax.Candidates, err error) {
	n := len(s.Words)
	if len(given) != n || len(s.Candidates.Start) != n+1 {
		return c, errors.New("prune the sentence before heads are given to it")
	}
	if !s.Whole() {
		return c, syntax.Because(syntax.KindHeadsLost,
			"given heads cannot be kept in a sentence of more than %d words: it is parsed in windows", syntax.MaxWholeWords)
	}
	for i, h := range given {
		if h != syntax.NoHead && (h < 0 || int(h) > n || int(h) == i+1) {
			return c, syntax.Because(syntax.KindHead, "the given head %d of word %d is not another word of the sentence", h, i+1)
		}
	}
	root := int32(slices.Index(given, syntax.Root) + 1) // 0 if it is not given
	if c = restrict(&s.Candidates, given, root); holdsTree(&c) {
		return c, nil
	}
	if root == 0 {
		root = likelyRoot(&s.Candidates, given)
	}
	c = restrict(&s.Candidates, given, root)
	for m := n; m >= 1; m-- {
		if given[m-1] == syntax.NoHead {
			head := root
			if m == int(root) {
				head = syntax.Root
			}
			add(&c, m, head, addedLogOdds)
		}
	}
	if !holdsTree(&c) {
		return c, syntax.Because(syntax.KindCycle, "the given heads have a cycle or two roots")
	}
	return c, nil
}

// restrict returns the candidates with only the given head for each word that has one. If
// root is not 0, it is the only root.
func restrict(c *syntax.Candidates, given []int32, root int32) syntax.Candidates {
	out := noCandidates(len(given))
	for i, head := range given {
		lost := float32(0)
		if head != syntax.NoHead {
			out.Heads, out.LogOdds = append(out.Heads, head), append(out.LogOdds, 0)
		} else {
			for a := c.Start[i]; a < c.Start[i+1]; a++ {
				if c.Heads[a] != syntax.Root || root == 0 || int(root) == i+1 {
					out.Heads, out.LogOdds = append(out.Heads, c.Heads[a]), append(out.LogOdds, c.LogOdds[a])
				}
			}
			if c.Lost != nil {
				lost = c.Lost[i]
			}
		}
		out.Lost = append(out.Lost, lost)
		out.Start = append(out.Start, int32(len(out.Heads)))
	}
	return out
}

// add makes h a candidate of m, with the log-odds, unless it already is one.
func add(c *syntax.Candidates, m int, h, logOdds int32) {
	at, found := slices.BinarySearch(c.Of(m), h)
	if found {
		return
	}
	at += int(c.Start[m-1])
	c.Heads = slices.Insert(c.Heads, at, h)
	c.LogOdds = slices.Insert(c.LogOdds, at, logOdds)
	for k := m; k < len(c.Start); k++ {
		c.Start[k]++
	}
}

// likelyRoot returns the word without a given head that is the likeliest
// root, the first of them if none has 0 as a candidate; 0 if all heads are
// given.
func likelyRoot(c *syntax.Candidates, given []int32) (root int32) {
	best := int32(0)
	for i, head := range given {
		p := int32(math.MinInt32)
		if a := c.Start[i]; a < c.Start[i+1] && c.Heads[a] == syntax.Root {
			p = c.LogOdds[a]
		}
		if head == syntax.NoHead && (root == 0 || p > best) {
			root, best = int32(i+1), p
		}
	}
	return root
}

// holdsTree reports whether the candidates hold a single-root tree.
func holdsTree(c *syntax.Candidates) bool {
	a := graph.Of(c)
	var s graph.Spanner
	return s.MaximumTree(&a, 0, make([]int32, a.N()+1))
}

// Connect makes sure that candidates hold a single-root tree. If they do not, it gives
// every word m the candidate head m-1.
func Connect(c *syntax.Candidates) {
	if holdsTree(c) {
		return
	}
	for m := len(c.Start) - 1; m >= 1; m-- {
		add(c, m, int32(m-1), addedLogOdds)
	}
}

// AddGold adds the gold heads that are not among the candidates, with the log-odds of
// the word's worst candidate. If heads are open, it also adds the candidates that a
// tree with the known heads needs (Keep).
func AddGold(s *syntax.Sentence) {
	c := &s.Candidates
	for m := len(s.Words); m >= 1; m-- {
		if head := s.Words[m-1].Head; head != syntax.NoHead {
			worst := slices.Min(c.LogOdds[c.Start[m-1]:c.Start[m]])
			add(c, m, head, worst)
		}
	}
	for i, h := range missing(s) {
		if h != syntax.NoHead {
			add(c, i+1, h, addedLogOdds)
		}
	}
}

// Complete sets the open heads to those of the best tree over the candidates that has
// all known heads, and removes the relations of these words. It changes nothing if no
// tree has the known heads, or if the sentence is parsed in windows.
func Complete(s *syntax.Sentence) {
	if !s.Partial() {
		return
	}
	c, err := keeping(s, s.Heads())
	if err != nil {
		return
	}
	head := make([]int32, len(s.Words)+1)
	arcs := graph.Of(&c)
	new(graph.Spanner).MaximumTree(&arcs, 0, head) // there is a tree
	for i := range s.Words {
		if w := &s.Words[i]; w.Head == syntax.NoHead {
			w.Head, w.Deprel = head[i+1], ""
		}
	}
}

// missing returns, by word minus 1, the heads that the candidates lack for a tree with the
// known heads. It is syntax.NoHead for words that lack none. missing returns nil if there is
// such a tree already, or if there can be none.
func missing(s *syntax.Sentence) []int32 {
	if !s.Partial() {
		return nil
	}
	c, err := keeping(s, s.Heads())
	if err != nil {
		return nil
	}
	var list []int32
	for m := 1; m <= len(s.Words); m++ {
		for _, h := range c.Of(m) {
			if !slices.Contains(s.Candidates.Of(m), h) {
				if list == nil {
					list = slices.Repeat([]int32{syntax.NoHead}, len(s.Words))
				}
				list[m-1] = h
			}
		}
	}
	return list
}
