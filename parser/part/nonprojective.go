package part

import "github.com/treebeam/treebeam/parser/hash"

// Non-projective arcs are a = head, b = word, c = bin of the number of words
// between them that hang outside.
var nonProjective = Family{
	Name: "nonproj",
	Visit: func(k Kind, x *Scores, y *Tree, m int32, list []Part) []Part {
		if x.hulls.projective {
			return list
		}
		lo, hi, outside := min(m, y.Head[m]), max(m, y.Head[m]), int32(0)
		for u := lo + 1; u < hi; u++ {
			if h := y.Head[u]; h < lo || h > hi {
				outside++
			}
		}
		if outside > 0 {
			list = append(list, k.Part(y.Head[m], m, lengthBin(outside), 0))
		}
		return list
	},
	Keys: func(x *Scores, p Part, buf []hash.Key) []hash.Key {
		h, m, bin, _ := p.Fields()
		wh, wm := x.words.At(h), x.words.At(m)
		ch, cm, lh, lm := uint64(wh.Coarse), uint64(wm.Coarse), wh.Lemma, wm.Lemma
		flag, t := hash.Flag(uint64(bin)), p.templates()
		return append(buf,
			hash.Mix(hash.Sum0(t)+flag),
			hash.Mix(hash.Sum1(t+1, cm)+flag),
			hash.Mix(hash.Sum1(t+2, ch)+flag),
			hash.Mix(hash.Sum1(t+3, lh)+flag),
			hash.Mix(hash.Sum1(t+4, lm)+flag),
			hash.Mix(hash.Sum2(t+5, ch, cm)+flag),
			hash.Mix(hash.Sum2(t+6, lh, cm)+flag),
			hash.Mix(hash.Sum2(t+7, ch, lm)+flag),
			hash.Mix(hash.Sum2(t+8, lh, lm)+flag))
	},
}
