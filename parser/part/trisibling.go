package part

import "github.com/treebeam/treebeam/parser/hash"

// Tri-siblings are three in a row in an extended child list: a = head, b, c,
// d = entries of its list.
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
		buf = append(buf, hash.Mix(hash.Sum3(t+6, uint64(wh.Coarse), uint64(wa.Coarse), uint64(wd.Coarse))+flag))
		return quad(t, flag, wh, wa, wb, wd, buf)
	},
}
