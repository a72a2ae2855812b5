package part

import "github.com/treebeam/treebeam/parser/hash"

// Spans are a = word, b = what follows its span, 2 the end of the sentence, 1
// punctuation, 0 else, c = bin of the length.
var spans = Family{
	Name: "span",
	Visit: func(k Kind, x *Scores, y *Tree, m int32, list []Part) []Part {
		end, follows := x.hulls.end[m], int32(0)
		if int(end) > x.N {
			follows = 2
		} else if x.isPunct(end) {
			follows = 1
		}
		return append(list, k.Part(m, follows, lengthBin(end-x.hulls.first[m]), 0))
	},
	Keys: func(x *Scores, p Part, buf []hash.Key) []hash.Key {
		m, follows, bin, _ := p.Fields()
		w, e, b, t := x.words.At(m), uint64(follows), uint64(bin), p.templates()
		return append(buf, hash.Key3(t, uint64(w.Fine), e, b), hash.Key3(t+1, uint64(w.Coarse), e, b))
	},
}
