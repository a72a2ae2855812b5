package part

import (
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/word"
)

// Pairs of punctuation are a, b = an opening bracket and the one that closes
// it, or the first and second, third and fourth ... straight quote, c = the
// head of both. Brackets nest; one that closes nothing has no partner.
var punctuationPairs = Family{
	Name: "pairs",
	Visit: func(k Kind, x *Scores, y *Tree, list []Part) []Part {
		x.list = x.list[:0] // open brackets
		quote := int32(0)
		for m := int32(1); int(m) <= x.N; m++ {
			first := int32(0)
			switch x.words.At(int(m)).Punct {
			case word.Opening:
				x.list = append(x.list, m)
			case word.Closing:
				if n := len(x.list); n > 0 {
					first, x.list = x.list[n-1], x.list[:n-1]
				}
			case word.Quote:
				if first = quote; quote > 0 {
					quote = 0
				} else {
					quote = m
				}
			}
			if first != 0 && y.Head[first] == y.Head[m] {
				list = append(list, k.Part(first, m, y.Head[m], 0))
			}
		}
		return list
	},
	Keys: func(x *Scores, p Part, buf []hash.Key) []hash.Key {
		i, j, h, _ := p.Fields()
		flag, w, t := hash.Flag(word.Direction(i, h)*word.Direction(h, j)), x.words.At(i).Form, p.templates()
		return append(buf, hash.Mix(hash.Sum1(t, w)+flag), hash.Mix(hash.Sum2(t+1, w, uint64(x.words.At(h).Fine))+flag))
	},
}
