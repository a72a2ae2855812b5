package part

import (
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/word"
)

// Boundaries of an extended child list. The list of head h holds, in order of position,
// Start, its left children, h itself, its right children and End. Two consecutive
// entries form a sibling pair, three form a tri-sibling. The list of RBGParser (Lei et
// al. 2014) has neither the head nor boundaries. With them, as in Koo and Collins 2010
// and TurboParser, parts also describe first, last and innermost children, the side of
// the head, and heads without children. The pair of children on either side of h is the
// triple around h.
const (
	Start = -1 // before the first child
	End   = -2 // after the last child
	none  = -3 // beyond Start or End: not in any part
)

// findNeighbours sets the neighbours of the word among the children of the head.
func (v *Move) findNeighbours(y *Tree) {
	h, m := v.Head, v.Word
	left2, left, right, right2 := int32(none), int32(none), int32(none), int32(Start)
	c, self := y.First[h], false
	for right < m && right != End {
		y.Walked++
		left2, left, right = left, right, right2
		if c == m {
			c = y.Next[c]
		}
		switch {
		case c != 0 && (self || c < h):
			right2, c = c, y.Next[c]
		case !self:
			right2, self = h, true
		case right != End:
			right2 = End
		default:
			right2 = none
		}
	}
	v.left2, v.left, v.right, v.right2 = left2, left, right, right2
}

// entries appends the extended child list of h.
func (y *Tree) entries(h int32, list []int32) []int32 {
	list = append(list, Start)
	c := y.First[h]
	for ; c != 0 && c < h; c = y.Next[c] {
		list = append(list, c)
	}
	for list = append(list, h); c != 0; c = y.Next[c] {
		list = append(list, c)
	}
	return append(list, End)
}

// Siblings are neighbours in an extended child list. They stand for both
// consecutive siblings and sibling bigrams: a = head, b, c = entries of its
// list.
var siblings = Family{
	Name: "cs", fast: true, standard: true, Lists: true,
	Visit: func(k Kind, x *Scores, y *Tree, h int32, list []Part) []Part {
		x.list = y.entries(h, x.list[:0])
		for i := range len(x.list) - 1 {
			list = append(list, k.Part(h, x.list[i], x.list[i+1], 0))
		}
		return list
	},
	Gain: func(k Kind, x *Scores, y *Tree, v *Move) int32 {
		h, m := v.Head, v.Word
		if h == 0 {
			return 0
		}
		return x.Score(k.Part(h, v.left, m, 0)) + x.Score(k.Part(h, m, v.right, 0)) - x.Score(k.Part(h, v.left, v.right, 0))
	},
	Keys: siblingKeys,
}

// siblingKeys are the keys of the neighbours a, b under h. Which of them are h
// or a boundary, and their sides, are in all keys but one.
func siblingKeys(x *Scores, p Part, buf []hash.Key) []hash.Key {
	h, a, b, _ := p.Fields()
	side := uint64(0) // both left
	switch {
	case a == h:
		side = 1
	case b == h:
		side = 2
	case a == Start:
		side = 3 + word.Direction(h, b)
	case b == End:
		side = 5 + word.Direction(h, a)
	case a > h:
		side = 7
	}
	flag := hash.Flag(side)
	wh, wa, wb := x.words.At(h), x.entry(a), x.entry(b)
	ph, p1, p2 := uint64(wh.Fine), uint64(wa.Fine), uint64(wb.Fine)
	ch, c1, c2 := uint64(wh.Coarse), uint64(wa.Coarse), uint64(wb.Coarse)
	lh, l1, l2 := wh.Lemma, wa.Lemma, wb.Lemma
	t := p.templates()
	buf = hash.Append(buf, flag,
		hash.Sum3(t, ph, p1, p2), hash.Sum3(t+1, ch, c1, c2),
		hash.Sum3(t+2, lh, c1, c2), hash.Sum3(t+3, ch, l1, c2), hash.Sum3(t+4, ch, c1, l2))
	if a == h || b == h || a == Start || b == End {
		// at most one real child: the rest is for pairs of children
		k := a
		if a == h || a == Start {
			k = b
		}
		k = x.position(k)
		return hash.Append(buf, flag,
			hash.Sum4(t+5, ch, c1, c2, x.coarse(k-1)), hash.Sum4(t+6, ch, c1, c2, x.coarse(k+1)),
			hash.Sum2(t+7, lh, uint64(x.words.At(k).Fine)), hash.Sum2(t+8, lh, x.words.At(k).Lemma))
	}
	near := gap(a, b)
	buf = append(buf, hash.Mix(hash.Sum3(t+9, p1, p2, near)+flag), hash.Key2(t+10, l1, l2))
	buf = hash.Append(buf, flag,
		hash.Sum3(t+11, l1, p2, near), hash.Sum3(t+12, p1, l2, near),
		hash.Sum3(t+13, c1, c2, near+8*gap(h, b)), hash.Sum4(t+14, ch, c1, c2, x.commas(a, b)),
		hash.Sum3(t+15, ch, l1, l2),
		hash.Sum4(t+16, ch, c1, c2, uint64(wa.Case)<<8|uint64(wb.Case)),
		hash.Sum4(t+17, c1, c2, wa.Marker, wb.Marker))
	if k1, k2 := uint64(wa.Punct), uint64(wb.Punct); k1 != word.NoPunct && k2 != word.NoPunct {
		// the two marks of a pair, with what they enclose
		buf = hash.Append(buf, flag,
			hash.Sum4(t+18, k1, k2, ch, near),
			hash.Sum4(t+19, k1, k2, p1, p2))
	}
	return buf
}

// Tri-siblings are three in a row in an extended child list: a = head, b, c,
// d = entries of its list (Koo and Collins 2010; templates of Lei et al. 2014).
var triSiblings = Family{
	Name: "ts", Lists: true,
	Visit: func(k Kind, x *Scores, y *Tree, h int32, list []Part) []Part {
		x.list = y.entries(h, x.list[:0])
		for i := range len(x.list) - 2 {
			list = append(list, k.Part(h, x.list[i], x.list[i+1], x.list[i+2]))
		}
		return list
	},
	Gain: func(k Kind, x *Scores, y *Tree, v *Move) int32 {
		h, m := v.Head, v.Word
		if h == 0 {
			return 0
		}
		sum := x.Score(k.Part(h, v.left, m, v.right))
		if v.left2 != none {
			sum += x.Score(k.Part(h, v.left2, v.left, m)) - x.Score(k.Part(h, v.left2, v.left, v.right))
		}
		if v.right2 != none {
			sum += x.Score(k.Part(h, m, v.right, v.right2)) - x.Score(k.Part(h, v.left, v.right, v.right2))
		}
		return sum
	},
	Keys: func(x *Scores, p Part, buf []hash.Key) []hash.Key {
		h, a, b, d := p.Fields()
		side := uint64(0)
		switch {
		case b == h:
			side = 1
		case a == h:
			side = 2
		case d == h:
			side = 3
		case b > h:
			side = 4
		}
		t, flag, wh, wa, wb, wd := p.templates(), hash.Flag(side), x.words.At(h), x.entry(a), x.entry(b), x.entry(d)
		ch, ca, cb, cd := uint64(wh.Coarse), uint64(wa.Coarse), uint64(wb.Coarse), uint64(wd.Coarse)
		return hash.Append(buf, flag, hash.Sum3(t+6, ch, ca, cd),
			hash.Sum4(t, ch, ca, cb, cd),
			hash.Sum4(t+1, wh.Lemma, ca, cb, cd),
			hash.Sum4(t+2, ch, wa.Lemma, cb, cd),
			hash.Sum4(t+3, ch, ca, wb.Lemma, cd),
			hash.Sum4(t+4, ch, ca, cb, wd.Lemma),
			hash.Sum4(t+5, uint64(wh.Fine), uint64(wa.Fine), uint64(wb.Fine), uint64(wd.Fine)))
	},
}
