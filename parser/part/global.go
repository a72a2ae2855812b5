package part

import (
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/word"
)

// Global families are those of Zhang et al. (2014), with conjunctions and
// adpositions as UD attaches them. What they look at is described by parts with
// few values, so that the parts of a changed tree are mostly those of the tree
// before, whose scores are remembered. Departures from the paper: the right
// branch is a whole number; spans have bins up to 10 words and beyond; valency
// strings have six coarse tags; arcs over no word that hangs outside have no
// part; the non-projective templates are not repeated by distance; a pair
// counts once.

// hulls are the spans of all subtrees of a tree. The span of m begins at
// position first[m] and ends before end[m]; size[m] of its words are m or below
// m. The tree is projective if that is all of the span for every m.
type hulls struct {
	first, end, size []int32
	projective       bool
	order            []int32
}

// measure fills u for the n words of y, children before their heads.
func (u *hulls) measure(y *Tree, n int) {
	u.first, u.end, u.size, u.projective = resize(u.first, n+1), resize(u.end, n+1), resize(u.size, n+1), true
	for m := int32(0); int(m) <= n; m++ {
		u.first[m], u.end[m], u.size[m] = m, m+1, 1
	}
	u.order = y.Postorder(u.order[:0])
	for _, m := range u.order {
		u.projective = u.projective && u.end[m]-u.first[m] == u.size[m]
		h := y.Head[m]
		u.first[h], u.end[h] = min(u.first[h], u.first[m]), max(u.end[h], u.end[m])
		u.size[h] += u.size[m]
	}
}

// lengthBin returns the bin of a number of words: 1 to 5, 6 up to 10, 7 beyond.
func lengthBin(words int32) int32 {
	switch {
	case words <= 5:
		return words
	case words <= 10:
		return 6
	}
	return 7
}

func (x *Scores) isPunct(m int32) bool { return x.words.At(int(m)).Coarse == word.PUNCT }

// Right branches are the lengths of the chain of rightmost words, punctuation
// left out, from 0 down: a = length in eighths of n+1, which is also how many
// times the part has its one key.
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
		buf = hash.Append(buf, 0,
			hash.Sum3(t, pi, pl, pr), hash.Sum3(t+1, pi, cl, cr),
			hash.Sum3(t+2, wi.Form, pl, pr), hash.Sum3(t+3, wi.Form, cl, cr),
			hash.Sum4(t+4, pi, cl, cr, x.commas(l, r)))
		for _, f := range wl.Feats.Items {
			for _, g := range wr.Feats.Items {
				if f == g {
					buf = append(buf, hash.Key3(t+5, f, cl, cr))
				}
			}
		}
		flag := hash.Flag(word.Direction(a, l))
		for q, w := range [...]*word.Word{wl, wr} {
			t, c := t+6+3*uint64(q), uint64(w.Coarse)
			buf = hash.Append(buf, flag,
				hash.Sum3(t, pi, ca, c), hash.Sum3(t+1, pi, wa.Lemma, w.Lemma), hash.Sum3(t+2, wi.Form, ca, c))
		}
		return hash.Append(buf, flag,
			hash.Sum2(t+12, wa.Lemma, cr),
			hash.Sum2(t+13, uint64(wa.Fine), pr))
	},
}

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
		return hash.Append(buf, flag,
			hash.Sum2(t, ca, cq), hash.Sum2(t+1, la, cq), hash.Sum2(t+2, ca, lq), hash.Sum2(t+3, la, lq),
			hash.Sum3(t+4, li, ca, cq), hash.Sum3(t+5, li, la, cq), hash.Sum3(t+6, li, ca, lq), hash.Sum3(t+7, li, la, lq))
	},
}

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
		return hash.Append(buf, 0, hash.Sum3(t, uint64(w.Fine), e, b), hash.Sum3(t+1, uint64(w.Coarse), e, b))
	},
}

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
		return hash.Append(buf, 0,
			hash.Sum3(t, uint64(wm.Fine), l, r), hash.Sum3(t+1, cm, l, r), hash.Sum3(t+2, wm.Lemma, l, r),
			hash.Sum4(t+3, ch, cm, l, r), hash.Sum4(t+4, ch, wm.Lemma, l, r), hash.Sum4(t+5, wh.Lemma, cm, l, r))
	},
}

// Valencies are a = word, b = 8 * children to the left + those to the right, 5
// at most, punctuation left out; c, d = coarse tags of the first six.
var valencies = Family{
	Name: "valency",
	Visit: func(k Kind, x *Scores, y *Tree, m int32, list []Part) []Part {
		var left, right, seen int32
		var tags [2]int32
		for c := y.First[m]; c != 0; c = y.Next[c] {
			if x.isPunct(c) {
				continue
			}
			if c < m {
				left++
			} else {
				right++
			}
			if seen < 6 {
				tags[seen/3] = tags[seen/3]*(word.CoarseTags+1) + int32(x.coarse(int(c))) + 1
				seen++
			}
		}
		return append(list, k.Part(m, min(left, 5)*8+min(right, 5), tags[0], tags[1]))
	},
	Keys: func(x *Scores, p Part, buf []hash.Key) []hash.Key {
		m, count, tags1, tags2 := p.Fields()
		left, right := uint64(count/8), uint64(count%8)
		w, t := x.words.At(m), p.templates()
		return hash.Append(buf, 0,
			hash.Sum2(t, uint64(w.Fine), min(5, left+right)),
			hash.Sum2(t+1, w.Lemma, min(5, left+right)),
			hash.Sum3(t+2, uint64(w.Fine), left, right),
			hash.Sum3(t+3, uint64(w.Fine), uint64(tags1), uint64(tags2)))
	},
}

// Two strings of three tags fit in a field each: a negative constant would not
// compile.
const _ = uint(1<<fieldBits - 1 - bias - (word.CoarseTags+1)*(word.CoarseTags+1)*(word.CoarseTags+1))

// Non-projective arcs are a = head, b = word, c = bin of the number of words
// between them that hang outside.
var nonProjective = Family{
	Name: "nonproj",
	Visit: func(k Kind, x *Scores, y *Tree, m int32, list []Part) []Part {
		if x.hulls.projective {
			return list
		}
		lo, hi, outside := min(m, y.Head[m]), max(m, y.Head[m]), int32(0)
		for u := lo + 1; u < hi; u++ {
			if h := y.Head[u]; h < lo || h > hi {
				outside++
			}
		}
		if outside > 0 {
			list = append(list, k.Part(y.Head[m], m, lengthBin(outside), 0))
		}
		return list
	},
	Keys: func(x *Scores, p Part, buf []hash.Key) []hash.Key {
		h, m, bin, _ := p.Fields()
		wh, wm := x.words.At(h), x.words.At(m)
		ch, cm, lh, lm := uint64(wh.Coarse), uint64(wm.Coarse), wh.Lemma, wm.Lemma
		flag, t := hash.Flag(uint64(bin)), p.templates()
		return hash.Append(buf, flag,
			hash.Sum0(t), hash.Sum1(t+1, cm), hash.Sum1(t+2, ch), hash.Sum1(t+3, lh), hash.Sum1(t+4, lm),
			hash.Sum2(t+5, ch, cm), hash.Sum2(t+6, lh, cm), hash.Sum2(t+7, ch, lm), hash.Sum2(t+8, lh, lm))
	},
}

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
		return hash.Append(buf, flag, hash.Sum1(t, w), hash.Sum2(t+1, w, uint64(x.words.At(h).Fine)))
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
