package part

import "github.com/treebeam/treebeam/parser/hash"

// Crossings are arcs that cross another arc, one part for each arc crossed: a =
// head, b = modifier (the non-projective feature of Lei et al. 2014 tests only
// whether the arc spans a word that is not below it).
var crossings = Family{
	Name: "cross", standard: true,
	Visit: func(k Kind, x *Scores, y *Tree, m int32, list []Part) []Part {
		x.list = y.crossing(y.Head[m], m, x.list[:0])
		for _, u := range x.list {
			list = append(list, k.Part(y.Head[u], u, 0, 0)) // the arc of m counts when it is the turn of u
		}
		return list
	},
	Gain: func(k Kind, x *Scores, y *Tree, v *Move) (sum int32) {
		x.list = y.crossing(v.Head, v.Word, x.list[:0])
		for _, u := range x.list {
			sum += x.Score(k.Part(y.Head[u], u, 0, 0))
		}
		if n := int32(len(x.list)); n > 0 {
			sum += n * x.Score(k.Part(v.Head, v.Word, 0, 0))
		}
		return sum
	},
	Keys: func(x *Scores, p Part, buf []hash.Key) []hash.Key {
		h, m, _, _ := p.Fields()
		ch, cm := x.coarse(h), x.coarse(m)
		t := p.templates()
		return hash.Append(buf, 0, hash.Sum0(t), hash.Sum1(t+1, cm), hash.Sum1(t+2, ch), hash.Sum2(t+3, ch, cm))
	},
}

// crossing appends the modifiers of the arcs of the tree that an arc between h
// and m crosses: those with one end strictly inside its span and one strictly
// outside. The arc that m has now does not count.
func (y *Tree) crossing(h, m int32, list []int32) []int32 {
	lo, hi := min(h, m), max(h, m)
	y.Walked += int64(hi-lo) / 4
	low := y.Low[lo+1 : hi]
	high := y.High[lo+1 : hi][:len(low)]
	for i := range low {
		if low[i] >= lo && high[i] <= hi {
			continue
		}
		u := lo + 1 + int32(i)
		if h := y.Head[u]; h < lo || h > hi {
			list = append(list, u)
		}
		for c := y.First[u]; c != 0 && c < lo; c = y.Next[c] {
			list = append(list, c)
		}
		for c := y.Last[u]; c > hi; c = y.Prev[c] {
			list = append(list, c)
		}
	}
	return list
}
