package part

import (
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/word"
)

// Great-grandparents are heads of heads of heads (Zhang et al. 2014): a, b, c,
// d from the top down; b, c and d are words.
var greatGrandparents = Family{
	Name: "ggp",
	Visit: func(k Kind, x *Scores, y *Tree, m int32, list []Part) []Part {
		h := y.Head[m]
		if g := y.Head[h]; h != 0 && g != 0 {
			list = append(list, k.Part(y.Head[g], g, h, m))
		}
		return list
	},
	Gain: func(k Kind, x *Scores, y *Tree, v *Move) (sum int32) {
		h, m := v.Head, v.Word
		if h != 0 {
			if g := y.Head[h]; g != 0 {
				sum = x.Score(k.Part(y.Head[g], g, h, m))
			}
		}
		for c := y.First[m]; c != 0; c = y.Next[c] {
			if h != 0 {
				sum += x.Score(k.Part(y.Head[h], h, m, c))
			}
			for d := y.First[c]; d != 0; d = y.Next[d] {
				sum += x.Score(k.Part(h, m, c, d))
			}
		}
		return sum
	},
	Keys: func(x *Scores, p Part, buf []hash.Key) []hash.Key {
		a, g, h, m := p.Fields()
		flag := hash.Flag(word.Direction(a, g) + 2*word.Direction(g, h) + 4*word.Direction(h, m))
		return quad(p.templates(), flag, x.words.At(a), x.words.At(g), x.words.At(h), x.words.At(m), buf)
	},
}
