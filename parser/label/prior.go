package label

import (
	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Prior says how probable a relation is before the tree is known: from the UPOS of
// head and modifier, from the head's own relation, and from where the head stands.
// It finds heads for training words of which the relation is known and the head is
// not. It is read-only and safe for concurrent use.
type Prior map[arcClass]float64

// An arcClass is a class of arcs that a Prior counts: with a relation, or with any.
type arcClass struct {
	head, modifier  string // a UPOS, rootTag or anyTag
	above, relation string // those of head and modifier, or anyRelation
	place           int8   // of placeOf, or anyPlace
}

const (
	rootTag, anyTag, anyRelation = "0", "*", "\t" // no tag and no relation is one of these
	anyPlace                     = 9

	priorFloor  = 0.05 // is added to the count of a relation
	priorWeight = 2    // what the wider class counts, in arcs
	priorScale  = 1.5  // what a nat of it counts beside one of the pruner
	rootPrior   = 1e-4 // that a root word has a relation
)

// LearnPrior counts the arcs of gold sentences with a known relation.
func LearnPrior(train []syntax.Sentence) Prior {
	p := Prior{}
	for i := range train {
		s := &train[i]
		for j := range s.Words {
			w := &s.Words[j]
			if !s.Gold() || w.OpenRelation() || w.Head == syntax.Root {
				continue
			}
			for _, c := range classesOf(s, j+1, w.Head) {
				p[c]++
				c.relation = anyRelation
				p[c]++
			}
		}
	}
	return p
}

// classesOf returns the classes of the arc from h to m with m's relation, the
// widest first.
func classesOf(s *syntax.Sentence, m int, h int32) [5]arcClass {
	w, head, above, place := &s.Words[m-1], rootTag, "", placeOf(int32(m), h)
	if h != syntax.Root {
		head, above = s.Words[h-1].UPOS, s.Words[h-1].Deprel
	}
	return [5]arcClass{
		{anyTag, w.UPOS, anyRelation, w.Deprel, place},
		{head, w.UPOS, anyRelation, w.Deprel, anyPlace},
		{head, w.UPOS, anyRelation, w.Deprel, place},
		{head, anyTag, above, w.Deprel, place},
		{head, w.UPOS, above, w.Deprel, place},
	}
}

// placeOf returns where h stands from m: its side, and one of four distances.
func placeOf(m, h int32) int8 {
	side, distance := int8(1), h-m
	if distance < 0 {
		side, distance = -1, -distance
	}
	switch {
	case distance > 6:
		return 4 * side
	case distance > 3:
		return 3 * side
	case distance > 1:
		return 2 * side
	}
	return side
}

// of returns the probability of m's relation if h is its head: that of each class,
// smoothed by the wider one before it.
func (p Prior) of(s *syntax.Sentence, m int, h int32) float64 {
	known := priorFloor
	weight := 1.0
	for _, c := range classesOf(s, m, h) {
		any := c
		any.relation = anyRelation
		known = (p[c] + float64(weight*known)) / (p[any] + weight)
		weight = priorWeight
	}
	return known
}

// Weigh returns the candidates of s with the logarithm of the probability of known
// relations, times priorScale, added to the log-odds of open heads. A word with a
// relation is no root, unless that is root, which says nothing of a head. The other
// arrays are those of s.
func (p Prior) Weigh(s *syntax.Sentence) syntax.Candidates {
	c := s.Candidates
	c.LogOdds = append([]int32(nil), c.LogOdds...)
	for j := range s.Words {
		w := &s.Words[j]
		if w.Head != syntax.NoHead || w.Deprel == "" || w.RootRelation() {
			continue
		}
		for a := c.Start[j]; a < c.Start[j+1]; a++ {
			if h := c.Heads[a]; h != syntax.Root {
				c.LogOdds[a] += int32(1024 * priorScale * graph.Log(p.of(s, j+1, h)))
			} else {
				c.LogOdds[a] += int32(1024 * graph.Log(rootPrior))
			}
		}
	}
	return c
}
