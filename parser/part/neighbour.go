package part

import "github.com/treebeam/treebeam/parser/hash"

// Neighbours are a = head, b = word, c, d = coarse tags before and behind the
// span of b.
var neighbours = Family{
	Name: "near",
	Visit: func(k Kind, x *Scores, y *Tree, m int32, list []Part) []Part {
		l, r := x.coarse(int(x.hulls.first[m])-1), x.coarse(int(x.hulls.end[m]))
		return append(list, k.Part(y.Head[m], m, int32(l), int32(r)))
	},
	Keys: func(x *Scores, p Part, buf []hash.Key) []hash.Key {
		h, m, left, right := p.Fields()
		wh, wm, l, r := x.words.At(h), x.words.At(m), uint64(left), uint64(right)
		ch, cm, t := uint64(wh.Coarse), uint64(wm.Coarse), p.templates()
		return append(buf,
			hash.Key3(t, uint64(wm.Fine), l, r),
			hash.Key3(t+1, cm, l, r),
			hash.Key3(t+2, wm.Lemma, l, r),
			hash.Key4(t+3, ch, cm, l, r),
			hash.Key4(t+4, ch, wm.Lemma, l, r),
			hash.Key4(t+5, wh.Lemma, cm, l, r))
	},
}
