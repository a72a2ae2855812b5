package part

import (
	"cmp"
	"slices"

	"github.com/treebeam/treebeam/parser/feature"
)

type kind uint8

const (
	arcPart kind = iota
	grandPart
	siblingPart
	grandSiblingPart
	triSiblingPart
	bigramPart
	crossingPart
	greatPart
	nephewPart
	rightPart // the first of the global ones
	coordinationPart
	attachmentPart
	spanPart
	neighbourPart
	valencyPart
	nonProjectivePart
	pairPart
)

// A Part is one scored piece of a tree, by words: enumerated from scratch,
// it is what training updates and what tests hold the gains against.
//
//	arc, crossing   a = head, b = modifier
//	grandparent     a, b, c = grandparent, head, modifier
//	sibling         a = head, b, c = neighbours in its extended child list
//	grand-sibling   a, b = grandparent, head; c, d = neighbours
//	tri-sibling     a = head; b, c, d = neighbours
//	head bigram     a = word, b, c = heads of it and of the next word
//	grand-grandparent   a, b, c, d from the top down
//	sibling-grandchild  a = head, b = its child, c = a child of b, d = neighbour of b
//
// Those of global families are described in global.go.
type Part struct {
	kind       kind
	a, b, c, d int32
}

// Parts appends all parts of the tree that belong to the families. A crossing
// part stands once for every arc that its arc crosses.
func (t *Scores) Parts(y *Tree, list []Part) []Part {
	n, on := t.N, t.on
	for m := int32(1); int(m) <= n; m++ {
		h := y.Head[m]
		list = append(list, Part{arcPart, h, m, 0, 0})
		if h != 0 && on.Any(feature.Grandparents) {
			list = append(list, Part{grandPart, y.Head[h], h, m, 0})
		}
		if h != 0 && y.Head[h] != 0 && on.Any(feature.GreatGrandparents) {
			list = append(list, Part{greatPart, y.Head[y.Head[h]], y.Head[h], h, m})
		}
		if int(m) < n && on.Any(feature.HeadBigrams) {
			list = append(list, Part{bigramPart, m, h, y.Head[m+1], 0})
		}
		list = y.listParts(on, m, list)
		for u := int32(1); u < m && on.Any(feature.Crossings); u++ {
			if Crosses(y.Head[u], u, h, m) {
				list = append(list, Part{crossingPart, h, m, 0, 0}, Part{crossingPart, y.Head[u], u, 0, 0})
			}
		}
	}
	if on.Any(feature.Globals) {
		t.tour.walk(t, y)
		list = append(list, t.tour.parts...)
	}
	return list
}

// listParts appends the parts of the child list of m.
func (y *Tree) listParts(on feature.Families, m int32, list []Part) []Part {
	entries := append(make([]int32, 0, 16), feature.Start)
	self := false
	for c := y.First[m]; ; c = y.Next[c] {
		if !self && (c == 0 || c > m) {
			entries, self = append(entries, m), true
		}
		if c == 0 {
			break
		}
		entries = append(entries, c)
	}
	entries = append(entries, feature.End)
	for i := 1; i < len(entries); i++ {
		a, b := entries[i-1], entries[i]
		if on.Any(feature.Siblings) {
			list = append(list, Part{siblingPart, m, a, b, 0})
		}
		if on.Any(feature.GrandSiblings) {
			list = append(list, Part{grandSiblingPart, y.Head[m], m, a, b})
		}
		if i > 1 && on.Any(feature.TriSiblings) {
			list = append(list, Part{triSiblingPart, m, entries[i-2], a, b})
		}
		if a <= 0 || b <= 0 || a == m || b == m || !on.Any(feature.SiblingGrandchildren) {
			continue
		}
		for c := y.First[a]; c != 0; c = y.Next[c] {
			list = append(list, Part{nephewPart, m, a, c, b})
		}
		for c := y.First[b]; c != 0; c = y.Next[c] {
			list = append(list, Part{nephewPart, m, b, c, a})
		}
	}
	return list
}

// Crosses reports whether the arcs a-b and c-d cross.
func Crosses(a, b, c, d int32) bool {
	if a > b {
		a, b = b, a
	}
	if c > d {
		c, d = d, c
	}
	return a < c && c < b && b < d || c < a && a < d && d < b
}

// Keys appends the keys of a part.
func (t *Scores) Keys(p Part, buf []feature.Key) []feature.Key {
	c := &t.codes
	x, y, z, w := int(p.a), int(p.b), int(p.c), int(p.d)
	switch p.kind {
	case arcPart:
		return t.arcKeys(x, y, buf)
	case grandPart:
		return c.Grandparent(x, y, z, buf)
	case siblingPart:
		return c.Sibling(x, y, z, buf)
	case grandSiblingPart:
		return c.GrandSibling(x, y, z, w, buf)
	case triSiblingPart:
		return c.TriSibling(x, y, z, w, buf)
	case bigramPart:
		return c.HeadBigram(x, y, z, buf)
	case crossingPart:
		return c.Crossing(x, y, buf)
	case greatPart:
		return c.GreatGrandparent(x, y, z, w, buf)
	case nephewPart:
		return c.SiblingGrandchild(x, y, z, w, buf)
	}
	return t.globalKeys(p, buf)
}

// FromScratch scores a tree by its parts one after another, without tables,
// costs, tensor: what tests hold Total and Attach against.
func (t *Scores) FromScratch(y *Tree) int64 {
	var sum int64
	for _, p := range t.Parts(y, nil) {
		sum += int64(t.scorer.Sum(t.Keys(p, t.keys[:0])))
	}
	return sum
}

// Difference leaves in plus the parts of a that are not in b, and in minus
// those of b that are not in a, by multiplicity. It sorts both.
func Difference(a, b []Part) (plus, minus []Part) {
	order := func(p, q Part) int {
		return cmp.Or(cmp.Compare(p.kind, q.kind), cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b),
			cmp.Compare(p.c, q.c), cmp.Compare(p.d, q.d))
	}
	slices.SortFunc(a, order)
	slices.SortFunc(b, order)
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case j == len(b) || i < len(a) && order(a[i], b[j]) < 0:
			plus = append(plus, a[i])
			i++
		case i == len(a) || order(a[i], b[j]) > 0:
			minus = append(minus, b[j])
			j++
		default:
			i++
			j++
		}
	}
	return plus, minus
}
