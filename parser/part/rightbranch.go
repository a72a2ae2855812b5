package part

import "github.com/treebeam/treebeam/parser/hash"

// Right branches are the lengths of the rightmost chain of words that are no
// punctuation, from 0 down: a = length in eighths of n+1, as many times as the
// part has its one key.
var rightBranches = Family{
	Name: "right",
	Visit: func(k Kind, x *Scores, y *Tree, m int32, list []Part) []Part {
		if m != y.Root {
			return list
		}
		length := int32(0)
		for u := int32(0); length == 0 || u != 0; length++ {
			u = y.Last[u]
			for u != 0 && x.isPunct(u) {
				u = y.Prev[u]
			}
		}
		return append(list, k.Part(8*length/int32(x.N+1), 0, 0, 0))
	},
	Keys: func(x *Scores, p Part, buf []hash.Key) []hash.Key {
		length, _, _, _ := p.Fields()
		for range length {
			buf = append(buf, hash.Key0(p.templates()))
		}
		return buf
	},
}
