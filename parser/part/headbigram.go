package part

import (
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/word"
)

// Head bigrams are the heads of adjacent words (Lei et al. 2014): a = word, b,
// c = heads of it and of the next word.
var headBigrams = Family{
	Name: "hb", standard: true,
	Visit: func(k Kind, x *Scores, y *Tree, m int32, list []Part) []Part {
		if int(m) < x.N {
			list = append(list, k.Part(m, y.Head[m], y.Head[m+1], 0))
		}
		return list
	},
	Gain: func(k Kind, x *Scores, y *Tree, v *Move) (sum int32) {
		if v.Word > 1 {
			sum = x.Score(k.Part(v.Word-1, y.Head[v.Word-1], v.Head, 0))
		}
		if int(v.Word) < x.N {
			sum += x.Score(k.Part(v.Word, v.Head, y.Head[v.Word+1], 0))
		}
		return sum
	},
	Keys: func(x *Scores, p Part, buf []hash.Key) []hash.Key {
		m, h1, h2, _ := p.Fields()
		rel := uint64(0)
		switch {
		case h1 == h2:
			rel = 1
		case h1 == m+1:
			rel = 2
		case h2 == m:
			rel = 3
		}
		flag := hash.Flag(rel)
		sides := hash.Flag(rel*4 + word.Direction(h1, m)*2 + word.Direction(h2, m+1) + 8)
		w1, w2, wm, wn := x.words.At(h1), x.words.At(h2), x.words.At(m), x.words.At(m+1)
		t := p.templates()
		fine := hash.Sum4(t, uint64(w1.Fine), uint64(w2.Fine), uint64(wm.Fine), uint64(wn.Fine))
		coarse := hash.Sum4(t+1, uint64(w1.Coarse), uint64(w2.Coarse), uint64(wm.Coarse), uint64(wn.Coarse))
		return append(buf, hash.Mix(fine+flag), hash.Mix(fine+sides), hash.Mix(coarse+flag), hash.Mix(coarse+sides))
	},
}
