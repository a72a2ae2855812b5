package part

import (
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/word"
)

// Grandparents are the heads of heads: a, b, c = grandparent, head, modifier.
var grandparents = Family{
	Name: "gp", fast: true, standard: true,
	Visit: func(k Kind, x *Scores, y *Tree, m int32, list []Part) []Part {
		if h := y.Head[m]; h != 0 {
			list = append(list, k.Part(y.Head[h], h, m, 0))
		}
		return list
	},
	Gain: func(k Kind, x *Scores, y *Tree, v *Move) (sum int32) {
		if v.Head != 0 {
			sum = x.Score(k.Part(y.Head[v.Head], v.Head, v.Word, 0))
		}
		for c := y.First[v.Word]; c != 0; c = y.Next[c] {
			sum += x.Score(k.Part(v.Head, v.Word, c, 0))
		}
		return sum
	},
	Keys: grandparentKeys,
}

// grandparentKeys are the keys of g -> h -> m (Lei et al. 2014; with fewer
// contexts, always with the directions).
func grandparentKeys(x *Scores, p Part, buf []hash.Key) []hash.Key {
	g, h, m, _ := p.Fields()
	c := x.words
	flag := hash.Flag(word.Direction(g, h) + 2*word.Direction(h, m) + 4*word.Direction(g, m))
	wg, wh, wm := c.At(g), c.At(h), c.At(m)
	pg, ph, pm := uint64(wg.Fine), uint64(wh.Fine), uint64(wm.Fine)
	cg, ch, cm := uint64(wg.Coarse), uint64(wh.Coarse), uint64(wm.Coarse)
	lg, lh, lm := wg.Lemma, wh.Lemma, wm.Lemma
	t := p.templates()
	buf = hash.Append(buf, flag,
		hash.Sum3(t, pg, ph, pm), hash.Sum3(t+1, cg, ch, cm), hash.Sum4(t+2, cg, ch, cm, gap(h, m)+5*gap(g, m)),
		hash.Sum3(t+3, lg, ch, cm), hash.Sum3(t+4, cg, lh, cm), hash.Sum3(t+5, cg, ch, lm),
		hash.Sum2(t+6, pg, pm), hash.Sum2(t+7, lg, cm), hash.Sum2(t+8, cg, lm), hash.Sum2(t+9, lg, lm),
		hash.Sum4(t+10, cg, ch, cm, x.coarse(m-1)), hash.Sum4(t+11, cg, ch, cm, x.coarse(m+1)),
		hash.Sum4(t+12, pg, uint64(wh.Case), lm, cm))
	if cm == word.PUNCT {
		last := uint64(m / x.N)
		buf = hash.Append(buf, flag,
			hash.Sum4(t+13, uint64(wm.Punct), pg, ph, last),
			hash.Sum4(t+14, uint64(wm.Punct), ch, x.commas(h, m), x.commas(g, h)))
	}
	return buf
}
