package part

import (
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/word"
)

// Grand-siblings are neighbours in an extended child list and the head of
// their head: a, b = grandparent, head; c, d = entries of the head's list.
var grandSiblings = Family{
	Name: "gs", Lists: true,
	Visit: func(k Kind, x *Scores, y *Tree, h int32, list []Part) []Part {
		x.list = y.entries(h, x.list[:0])
		for i := range len(x.list) - 1 {
			list = append(list, k.Part(y.Head[h], h, x.list[i], x.list[i+1]))
		}
		return list
	},
	Gain: func(k Kind, x *Scores, y *Tree, v *Move) (sum int32) {
		h, m := v.Head, v.Word
		if h != 0 {
			g := y.Head[h]
			sum = x.Score(k.Part(g, h, v.left, m)) + x.Score(k.Part(g, h, m, v.right)) - x.Score(k.Part(g, h, v.left, v.right))
		}
		x.list = y.entries(m, x.list[:0])
		for i := range len(x.list) - 1 {
			sum += x.Score(k.Part(h, m, x.list[i], x.list[i+1]))
		}
		return sum
	},
	Keys: func(x *Scores, p Part, buf []hash.Key) []hash.Key {
		g, h, a, b := p.Fields()
		side := word.Direction(g, h)
		if a >= h {
			side += 2
		}
		return quad(p.templates(), hash.Flag(side), x.words.At(g), x.words.At(h), x.entry(a), x.entry(b), buf)
	},
}
