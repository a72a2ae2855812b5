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
	Visit: func(k Kind, x *Scores, y *Tree, m int32, list []Part) []Part {
		if first := x.partner(m); first != 0 && y.Head[first] == y.Head[m] {
			list = append(list, k.Part(first, m, y.Head[m], 0))
		}
		return list
	},
	Keys: func(x *Scores, p Part, buf []hash.Key) []hash.Key {
		i, j, h, _ := p.Fields()
		flag, w, t := hash.Flag(word.Direction(i, h)*word.Direction(h, j)), x.words.At(i).Form, p.templates()
		return append(buf, hash.Mix(hash.Sum1(t, w)+flag), hash.Mix(hash.Sum2(t+1, w, uint64(x.words.At(h).Fine))+flag))
	},
}

// partner returns the first of the pair whose second m is, or 0.
func (x *Scores) partner(m int32) int32 {
	second, depth := x.words.At(int(m)), x.words.At(int(m)-1).Depth
	if second.Punct != word.Closing && (second.Punct != word.Quote || second.Quotes%2 == 1) {
		return 0
	}
	for u := m - 1; u > 0; u-- {
		switch first := x.words.At(int(u)); {
		case first.Punct == word.Quote && second.Punct == word.Quote:
			return u
		case first.Punct == word.Opening && second.Punct == word.Closing && first.Depth == depth:
			return u
		}
	}
	return 0
}
