package part

import (
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/word"
)

// Coordinations are a = conjunction, b, c = the conjuncts around it, d = head
// of b.
var coordinations = Family{
	Name: "coord",
	Visit: func(k Kind, x *Scores, y *Tree, m int32, list []Part) []Part {
		if r := y.Head[m]; x.words.At(int(m)).Coarse == word.CCONJ && r > m {
			if l := y.Head[r]; l != 0 && l < m {
				list = append(list, k.Part(m, l, r, y.Head[l]))
			}
		}
		return list
	},
	// The paper's features of the head and a conjunct that share the weights
	// of arcs have their own here.
	Keys: func(x *Scores, p Part, buf []hash.Key) []hash.Key {
		i, l, r, a := p.Fields()
		wi, wl, wr, wa := x.words.At(i), x.words.At(l), x.words.At(r), x.words.At(a)
		pi, pl, pr := uint64(wi.Fine), uint64(wl.Fine), uint64(wr.Fine)
		cl, cr, ca := uint64(wl.Coarse), uint64(wr.Coarse), uint64(wa.Coarse)
		t := p.templates()
		buf = append(buf,
			hash.Key3(t, pi, pl, pr), hash.Key3(t+1, pi, cl, cr),
			hash.Key3(t+2, wi.Form, pl, pr), hash.Key3(t+3, wi.Form, cl, cr),
			hash.Key4(t+4, pi, cl, cr, x.commas(l, r)))
		for _, f := range wl.Feats.Items {
			for _, g := range wr.Feats.Items {
				if f == g {
					buf = append(buf, hash.Key3(t+5, f, cl, cr))
				}
			}
		}
		flag := hash.Flag(word.Direction(a, l))
		for q, w := range [...]*word.Word{wl, wr} {
			t := t + 6 + 3*uint64(q)
			buf = append(buf,
				hash.Mix(hash.Sum3(t, pi, ca, uint64(w.Coarse))+flag),
				hash.Mix(hash.Sum3(t+1, pi, wa.Lemma, w.Lemma)+flag),
				hash.Mix(hash.Sum3(t+2, wi.Form, ca, uint64(w.Coarse))+flag))
		}
		return append(buf,
			hash.Mix(hash.Sum2(t+12, wa.Lemma, cr)+flag),
			hash.Mix(hash.Sum2(t+13, uint64(wa.Fine), pr)+flag))
	},
}
