package part

import (
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/word"
)

// Valencies are the children of a word as a whole, a global family (Zhang et al. 2014;
// strings of six coarse tags). Its parts have few values, so that those of a changed tree
// are mostly those of the tree before, whose scores are remembered: a = word, b = 8 *
// children to the left + those to the right, 5 at most, punctuation left out; c, d =
// coarse tags of the first six.
var valencies = Family{
	Name: "valency",
	Visit: func(k Kind, x *Scores, y *Tree, m int32, list []Part) []Part {
		var left, right, seen int32
		var tags [2]int32
		for c := y.First[m]; c != 0; c = y.Next[c] {
			if x.words.At(int(c)).Coarse == word.PUNCT {
				continue
			}
			if c < m {
				left++
			} else {
				right++
			}
			if seen < 6 {
				tags[seen/3] = tags[seen/3]*(word.CoarseTags+1) + int32(x.coarse(int(c))) + 1
				seen++
			}
		}
		return append(list, k.Part(m, min(left, 5)*8+min(right, 5), tags[0], tags[1]))
	},
	Keys: func(x *Scores, p Part, buf []hash.Key) []hash.Key {
		m, count, tags1, tags2 := p.Fields()
		left, right := uint64(count/8), uint64(count%8)
		w, t := x.words.At(m), p.templates()
		return hash.Append(buf, 0,
			hash.Sum2(t, uint64(w.Fine), min(5, left+right)),
			hash.Sum2(t+1, w.Lemma, min(5, left+right)),
			hash.Sum3(t+2, uint64(w.Fine), left, right),
			hash.Sum3(t+3, uint64(w.Fine), uint64(tags1), uint64(tags2)))
	},
}

// Two strings of three tags fit in a field each: a negative constant would not
// compile.
const _ = uint(1<<fieldBits - 1 - bias - (word.CoarseTags+1)*(word.CoarseTags+1)*(word.CoarseTags+1))
