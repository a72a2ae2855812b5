package part

import (
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/word"
)

// Sibling-grandchildren (Zhang et al. 2014) are a child of one of two
// neighbours: a = head, b = its child, c = a child of b, d = the neighbour of
// b under a. Our extended child lists have the head in them, so b and d are
// always on one side of a: the paper's straddling pairs, in which the last
// child on the left and the first on the right are neighbours, are left out,
// as are Start, the head and End in the place of d.
var siblingGrandchildren = Family{
	Name: "psc", Lists: true,
	Visit: func(k Kind, x *Scores, y *Tree, m int32, list []Part) []Part {
		h, s := y.Head[m], y.Next[m]
		if h == 0 || s == 0 || (m < h) != (s < h) {
			return list
		}
		for c := y.First[m]; c != 0; c = y.Next[c] {
			list = append(list, k.Part(h, m, c, s))
		}
		for c := y.First[s]; c != 0; c = y.Next[c] {
			list = append(list, k.Part(h, s, c, m))
		}
		return list
	},
	Gain: func(k Kind, x *Scores, y *Tree, v *Move) (sum int32) {
		h, m, l, r := v.Head, v.Word, v.left, v.right
		if h == 0 {
			return 0
		}
		isLeft, isRight := l > 0 && l != h, r > 0 && r != h
		if isLeft {
			sum += x.childrenOf(k, y, v, l, m)
		}
		if isRight {
			sum += x.childrenOf(k, y, v, m, r)
		}
		if isLeft && isRight {
			sum -= x.childrenOf(k, y, v, l, r)
		}
		before, after := y.Prev[h], y.Next[h] // but for m, which is not there
		if before == m {
			before = y.Prev[m]
		}
		if after == m {
			after = y.Next[m]
		}
		g := y.Head[h]
		for _, s := range [2]int32{before, after} {
			if g != 0 && s != 0 && (s < g) == (h < g) {
				sum += x.Score(k.Part(g, h, m, s))
			}
		}
		return sum
	},
	Keys: func(x *Scores, p Part, buf []hash.Key) []hash.Key {
		h, b, q, d := p.Fields()
		flag := hash.Flag(word.Direction(h, b) + 2*word.Direction(b, q) + 4*word.Direction(b, d))
		return quad(p.templates(), flag, x.words.At(h), x.words.At(b), x.words.At(q), x.words.At(d), buf)
	},
}

// childrenOf scores the children of a and b, but for the word that moves, with
// the two as neighbours under v.Head.
func (x *Scores) childrenOf(k Kind, y *Tree, v *Move, a, b int32) (sum int32) {
	for range 2 {
		for c := y.First[a]; c != 0; c = y.Next[c] {
			if c != v.Word {
				sum += x.Score(k.Part(v.Head, a, c, b))
			}
		}
		a, b = b, a
	}
	return sum
}
