package part

import "github.com/treebeam/treebeam/parser/feature"

// Global families are those of Zhang et al. (2014), with conjunctions and
// adpositions as UD attaches them. What they look at is described by parts with few values, so that the parts
// of a changed tree are mostly those of the tree before and their scores are
// remembered:
//
//	right branch    a = length of the rightmost chain, in 1/rightUnits of n+1
//	coordination    a = conjunction, b, c = conjuncts, d = head of b
//	attachment      a = adposition, b = its head, c = the head of that
//	span            a = word, b = what follows, c = bin of the length
//	neighbour       a = head, b = word, c, d = tags around the span of b
//	valency         a = word, b = 8 * children left + right, c, d = their tags
//	non-projective  a = head, b = word, c = bin of the words that hang outside
//	pair            a, b = brackets or quotes, c = their head
//
// Departures: the right branch is a whole number; spans have bins to 10 words
// and beyond; valency strings have six coarse tags; arcs over no word that
// hangs outside have no part, for arcs have parts enough; the non-projective
// templates are not repeated by distance; a pair counts once.

// A tour collects the global parts of a tree. It is scratch of one search.
type tour struct {
	order   []int32
	first   []int32 // per word: first position of the hull of its subtree
	end     []int32 // per word: position behind the hull
	size    []int32 // per word: words in its subtree
	partner []int32 // per word, of the sentence: closing bracket or quote
	parts   []Part
}

const (
	rightUnits = 8
	maxValency = 5
	tagBits    = 5 // of a coarse tag in a valency string
)

// walk fills w.parts with the global parts of y.
func (w *tour) walk(t *Scores, y *Tree) {
	w.parts = w.parts[:0]
	w.hulls(t, y)
	on, c := t.on, &t.codes
	for m := int32(1); int(m) <= t.N; m++ {
		h := y.Head[m]
		if on.Any(feature.Spans) {
			w.parts = append(w.parts, Part{spanPart, m, w.ending(t, m), spanBin(w.end[m] - w.first[m]), 0})
		}
		if on.Any(feature.Neighbours) {
			l, r := c.Tag(int(w.first[m])-1), c.Tag(int(w.end[m]))
			w.parts = append(w.parts, Part{neighbourPart, h, m, int32(l), int32(r)})
		}
		if on.Any(feature.Valencies) {
			w.valency(t, y, m)
		}
		if on.Any(feature.Coordinations) && c.IsConjunction(int(m)) && h > m {
			if l := y.Head[h]; l != 0 && l < m {
				w.parts = append(w.parts, Part{coordinationPart, m, l, h, y.Head[l]})
			}
		}
		if on.Any(feature.Attachments) && h != 0 && c.IsAdposition(int(m)) {
			w.parts = append(w.parts, Part{attachmentPart, m, h, y.Head[h], 0})
		}
		if on.Any(feature.PunctuationPairs) {
			if p := w.partner[m]; p != 0 && y.Head[p] == h {
				w.parts = append(w.parts, Part{pairPart, m, p, h, 0})
			}
		}
	}
	if on.Any(feature.NonProjective) {
		w.nonProjective(t, y)
	}
	if on.Any(feature.RightBranches) {
		w.parts = append(w.parts, Part{rightPart, rightUnits * rightBranch(t, y) / int32(t.N+1), 0, 0, 0})
	}
}

// hulls measures all subtrees, children before their heads.
func (w *tour) hulls(t *Scores, y *Tree) {
	n := t.N
	w.first, w.end, w.size = resize(w.first, n+1), resize(w.end, n+1), resize(w.size, n+1)
	for m := int32(0); int(m) <= n; m++ {
		w.first[m], w.end[m], w.size[m] = m, m+1, 1
	}
	w.order = y.Postorder(w.order[:0])
	for _, m := range w.order {
		h := y.Head[m]
		w.first[h], w.end[h] = min(w.first[h], w.first[m]), max(w.end[h], w.end[m])
		w.size[h] += w.size[m]
	}
}

// ending says what follows the span of m.
func (w *tour) ending(t *Scores, m int32) int32 {
	switch end := int(w.end[m]); {
	case end > t.N:
		return 2
	case t.codes.IsPunct(end):
		return 1
	}
	return 0
}

func spanBin(length int32) int32 {
	switch {
	case length <= 5:
		return length
	case length <= 10:
		return 6
	}
	return 7
}

// valency appends the part of the children of m, punctuation left out.
func (w *tour) valency(t *Scores, y *Tree, m int32) {
	var left, right, children int32
	var tags [2]int32
	for c := y.First[m]; c != 0; c = y.Next[c] {
		if t.codes.IsPunct(int(c)) {
			continue
		}
		if c < m {
			left++
		} else {
			right++
		}
		if children < 6 {
			k := children / 3
			tags[k] = tags[k]<<tagBits | int32(t.codes.Tag(int(c))+1)
			children++
		}
	}
	w.parts = append(w.parts, Part{valencyPart, m, min(left, maxValency)*8 + min(right, maxValency), tags[0], tags[1]})
}

// nonProjective appends the arcs over words that hang outside them. In a
// tree whose subtrees have no gaps there are none.
func (w *tour) nonProjective(t *Scores, y *Tree) {
	gaps := false
	for m := 1; m <= t.N && !gaps; m++ {
		gaps = w.end[m]-w.first[m] != w.size[m]
	}
	for m := int32(1); int(m) <= t.N && gaps; m++ {
		lo, hi, z := min(m, y.Head[m]), max(m, y.Head[m]), int32(0)
		for u := lo + 1; u < hi; u++ {
			if h := y.Head[u]; h < lo || h > hi {
				z++
			}
		}
		if z > 0 {
			w.parts = append(w.parts, Part{nonProjectivePart, y.Head[m], m, spanBin(z), 0})
		}
	}
}

// rightBranch counts the nodes from 0 down the last children that are no
// punctuation.
func rightBranch(t *Scores, y *Tree) int32 {
	length, u := int32(1), int32(0)
	for {
		c := y.Last[u]
		for c != 0 && t.codes.IsPunct(int(c)) {
			c = y.Prev[c]
		}
		if c == 0 {
			return length
		}
		length, u = length+1, c
	}
}

// globalKeys appends the keys of a global part.
func (t *Scores) globalKeys(p Part, buf []feature.Key) []feature.Key {
	c := &t.codes
	x, y, z, w := int(p.a), int(p.b), int(p.c), int(p.d)
	switch p.kind {
	case rightPart:
		return c.RightBranch(x, buf)
	case coordinationPart:
		return c.Coordination(x, y, z, w, buf)
	case attachmentPart:
		return c.Attachment(x, y, z, buf)
	case spanPart:
		return c.Span(x, y, z, buf)
	case neighbourPart:
		return c.Neighbour(x, y, z, w, buf)
	case valencyPart:
		return c.Valency(x, y/8, y%8, z, w, buf)
	case nonProjectivePart:
		return c.NonProjective(x, y, z, buf)
	}
	return c.Pair(x, y, z, buf)
}

// A globalMemo remembers the score of one global part of one sentence.
type globalMemo struct {
	key        uint64
	generation uint32
	score      int32
}

// Globals scores the global parts of y; 0 if no such family is on.
func (t *Scores) Globals(y *Tree) int64 {
	if !t.on.Any(feature.Globals) {
		return 0
	}
	t.Count.Globals++
	t.tour.walk(t, y)
	sum := int64(0)
	for _, p := range t.tour.parts {
		sum += int64(t.globalPart(p))
	}
	return sum
}

// globalPart scores one part. Words have wordBits and tag strings are below
// 2^15, so that a part fits in its key.
func (t *Scores) globalPart(p Part) int32 {
	key := uint64(p.kind)<<(30+2*wordBits) | uint64(p.a)<<(30+wordBits) | uint64(p.b)<<30 | uint64(p.c)<<15 | uint64(p.d)
	e := &t.global[key*0x9E3779B97F4A7C15>>(64-memoBits)]
	if generation := uint32(t.generation); e.key != key || e.generation != generation {
		*e = globalMemo{key, generation, t.sum(t.globalKeys(p, t.keys[:0]))}
	}
	return e.score
}
