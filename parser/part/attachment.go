package part

import (
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/word"
)

// Attachments are a = adposition, b = its head, in UD the noun, c = the head
// of that.
var attachments = Family{
	Name: "pp",
	Visit: func(k Kind, x *Scores, y *Tree, m int32, list []Part) []Part {
		if h := y.Head[m]; h != 0 && x.words.At(int(m)).Coarse == word.ADP {
			list = append(list, k.Part(m, h, y.Head[h], 0))
		}
		return list
	},
	Keys: func(x *Scores, p Part, buf []hash.Key) []hash.Key {
		i, q, a, _ := p.Fields()
		wi, wq, wa := x.words.At(i), x.words.At(q), x.words.At(a)
		flag := hash.Flag(word.Direction(a, q) + 2*word.Direction(i, q))
		cq, ca := uint64(wq.Coarse), uint64(wa.Coarse)
		li, lq, la := wi.Lemma, wq.Lemma, wa.Lemma
		t := p.templates()
		return append(buf,
			hash.Mix(hash.Sum2(t, ca, cq)+flag),
			hash.Mix(hash.Sum2(t+1, la, cq)+flag),
			hash.Mix(hash.Sum2(t+2, ca, lq)+flag),
			hash.Mix(hash.Sum2(t+3, la, lq)+flag),
			hash.Mix(hash.Sum3(t+4, li, ca, cq)+flag),
			hash.Mix(hash.Sum3(t+5, li, la, cq)+flag),
			hash.Mix(hash.Sum3(t+6, li, ca, lq)+flag),
			hash.Mix(hash.Sum3(t+7, li, la, lq)+flag))
	},
}
