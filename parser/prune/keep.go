package prune

import (
	"errors"
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/syntax"
)

// addedLogOdds are the log-odds of candidates that Keep adds: e^-12.
const addedLogOdds = -12 * 1024

// Keep restricts s.Candidates, as Prune has set them, to trees that have the
// given heads: given[m-1] is that of word m, syntax.NoHead if it is to be
// found. A word with a given head has no other candidate. If the candidates
// left to the others hold no single-root tree, one word becomes a possible
// root and a candidate head of all of them, so that there is one.
//
// It fails, and changes nothing, if the given heads have a cycle, two roots or
// one outside the sentence, and on sentences that are parsed in windows. What
// the heads are to blame for is a syntax.Fault.
func Keep(s *syntax.Sentence, given []int32) error {
	n := len(s.Words)
	if len(given) != n || len(s.Candidates.Start) != n+1 {
		return errors.New("prune the sentence before heads are given to it")
	}
	if !s.Whole() {
		return syntax.Because(syntax.KindHeadsLost, "given heads cannot be kept in a sentence of more than %d words: it is parsed in windows", syntax.MaxWholeWords)
	}
	for i, h := range given {
		if h != syntax.NoHead && (h < 0 || int(h) > n || int(h) == i+1) {
			return syntax.Because(syntax.KindHead, "the given head %d of word %d is no other word of the sentence", h, i+1)
		}
	}
	root := int32(slices.Index(given, syntax.Root) + 1) // 0 if it is not given
	c := restrict(&s.Candidates, given, root)
	if !holdsTree(&c) {
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
			return syntax.Because(syntax.KindCycle, "the given heads have a cycle or two roots")
		}
	}
	s.Candidates = c
	return nil
}

// restrict returns the candidates with the given heads alone for words that
// have one, and root, if it is not 0, as the only root.
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

// add makes h a candidate of m, with the log-odds, unless it is one.
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
