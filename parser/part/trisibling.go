package part

import "github.com/treebeam/treebeam/parser/hash"

// Tri-siblings are three in a row in an extended child list: a = head, b, c,
// d = entries of its list.
var triSiblings = Family{
	Name: "ts", Lists: true,
	Visit: func(k Kind, x *Scores, y *Tree, list []Part) []Part {
		for h := int32(1); int(h) <= x.N; h++ {
			x.list = y.entries(h, x.list[:0])
			for i := range len(x.list) - 2 {
				list = append(list, k.Part(h, x.list[i], x.list[i+1], x.list[i+2]))
			}
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
	// Koo and Collins 2010; templates of Lei et al. 2014
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
		flag := hash.Flag(side)
		wh, wa, wb, wd := x.words.At(h), x.entry(a), x.entry(b), x.entry(d)
		ch, c1, c2, c3 := uint64(wh.Coarse), uint64(wa.Coarse), uint64(wb.Coarse), uint64(wd.Coarse)
		t := p.templates()
		return append(buf,
			hash.Mix(hash.Sum4(t, ch, c1, c2, c3)+flag),
			hash.Mix(hash.Sum4(t+1, wh.Lemma, c1, c2, c3)+flag),
			hash.Mix(hash.Sum4(t+2, ch, wa.Lemma, c2, c3)+flag),
			hash.Mix(hash.Sum4(t+3, ch, c1, wb.Lemma, c3)+flag),
			hash.Mix(hash.Sum4(t+4, ch, c1, c2, wd.Lemma)+flag),
			hash.Mix(hash.Sum3(t+5, ch, c1, c3)+flag),
			hash.Mix(hash.Sum4(t+6, uint64(wh.Fine), uint64(wa.Fine), uint64(wb.Fine), uint64(wd.Fine))+flag))
	},
}
