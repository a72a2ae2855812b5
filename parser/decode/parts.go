package decode

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
)

// A part is one scored piece of a tree, by words: enumerated from scratch,
// it is what training updates and what tests hold the gains against.
//
//	arc, crossing   a = head, b = modifier
//	grandparent     a, b, c = grandparent, head, modifier
//	sibling         a = head, b, c = neighbours in its extended child list
//	grand-sibling   a, b = grandparent, head; c, d = neighbours
//	tri-sibling     a = head; b, c, d = neighbours
//	head bigram     a = word, b, c = heads of it and of the next word
type part struct {
	kind       kind
	a, b, c, d int32
}

// parts appends all parts of the tree. A crossing part stands once for every
// arc that its arc crosses.
func (y *tree) parts(n int, list []part) []part {
	entries := make([]int32, 0, 16)
	for m := int32(1); int(m) <= n; m++ {
		h := y.head[m]
		list = append(list, part{arcPart, h, m, 0, 0})
		if h != 0 {
			list = append(list, part{grandPart, y.head[h], h, m, 0})
		}
		if int(m) < n {
			list = append(list, part{bigramPart, m, h, y.head[m+1], 0})
		}
		entries = append(entries[:0], feature.Start)
		self := false
		for c := y.first[m]; ; c = y.next[c] {
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
			list = append(list, part{siblingPart, m, entries[i-1], entries[i], 0})
			list = append(list, part{grandSiblingPart, h, m, entries[i-1], entries[i]})
			if i > 1 {
				list = append(list, part{triSiblingPart, m, entries[i-2], entries[i-1], entries[i]})
			}
		}
		for u := int32(1); u < m; u++ {
			if crosses(y.head[u], u, h, m) {
				list = append(list, part{crossingPart, h, m, 0, 0}, part{crossingPart, y.head[u], u, 0, 0})
			}
		}
	}
	return list
}

// crosses reports whether the arcs a-b and c-d cross.
func crosses(a, b, c, d int32) bool {
	if a > b {
		a, b = b, a
	}
	if c > d {
		c, d = d, c
	}
	return a < c && c < b && b < d || c < a && a < d && d < b
}

// features appends the keys of a part.
func (p part) features(c *feature.Codes, buf []feature.Key) []feature.Key {
	x, y, z, w := int(p.a), int(p.b), int(p.c), int(p.d)
	switch p.kind {
	case arcPart:
		return c.Arc(x, y, buf)
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
	}
	return c.Crossing(x, y, buf)
}

// scoreParts sums the parts of a tree from scratch, without costs.
func (t *tables) scoreParts(list []part) int32 {
	var s int32
	for _, p := range list {
		s += t.scorer.Sum(p.features(&t.codes, t.keys[:0]))
	}
	return s
}

// difference leaves in plus the parts of a that are not in b, and in minus
// those of b that are not in a, by multiplicity. It sorts both.
func difference(a, b []part) (plus, minus []part) {
	order := func(p, q part) int {
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
