package part

import (
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/word"
)

// arc appends the keys of the arc h -> m, 0 <= h <= n, 1 <= m <= n. The templates
// are chosen from those of Lei et al. (2014), who also have each template without
// its distance, coarse tags in addition to fine ones, the tags between the words,
// and pairs of FEATS items. Those take more than half of the look-ups and
// improved no trees on dev. Lemmas are paired with coarse tags and forms with
// fine ones, and there are groups of our own for markers, commas and punctuation.
// Every template number is used once.
func (x *Scores) arc(h, m int, keys []hash.Key) []hash.Key {
	far := hash.Flag(word.Distance(h, m))
	keys = x.markers(h, m, far, x.wordsAndTags(h, m, far, keys))
	if x.words.At(m).Coarse == word.PUNCT {
		keys = x.punctuation(h, m, far, keys)
	}
	return keys
}

// withSide appends the keys of templates twice, in one cache line of a table: with
// the direction of the arc h -> m, and with its signed distance far.
func withSide(h, m int, far uint64, keys []hash.Key, sums ...uint64) []hash.Key {
	side := hash.Flag(word.Distances + word.Direction(h, m))
	for _, sum := range sums {
		k := hash.Mix(sum + side)
		keys = append(keys, k, hash.Beside(k, sum+far))
	}
	return keys
}

// wordsAndTags appends the keys of the two words, their tags, and the forms and
// tags next to them. A neighbour that is the other word of the arc has a mark of
// its own in place of its tag.
func (x *Scores) wordsAndTags(h, m int, far uint64, keys []hash.Key) []hash.Key {
	before, hd, behind := x.words.At(h-1), x.words.At(h), x.words.At(h+1)
	left, md, right := x.words.At(m-1), x.words.At(m), x.words.At(m+1)
	wh, wm, lh, lm := hd.Form, md.Form, hd.Lemma, md.Lemma
	ph, pm, ch, cm := uint64(hd.Fine), uint64(md.Fine), uint64(hd.Coarse), uint64(md.Coarse)
	const mid = 255
	near := func(p, other int) uint64 {
		if p == other {
			return mid
		}
		return uint64(x.words.At(p).Fine)
	}
	hl, hr, ml, mr := near(h-1, m), near(h+1, m), near(m-1, h), near(m+1, h)
	return hash.Append(keys, far,
		hash.Sum1(1, wh), hash.Sum1(2, wm), hash.Sum2(3, wh, wm),
		hash.Sum1(4, before.Form), hash.Sum1(5, behind.Form), hash.Sum1(6, left.Form), hash.Sum1(7, right.Form),
		hash.Sum1(8, lh), hash.Sum1(9, lm), hash.Sum2(10, lh, lm),
		hash.Sum1(11, ph), hash.Sum1(12, pm), hash.Sum2(13, ph, pm),

		hash.Sum4(14, wh, wm, ph, pm), hash.Sum3(15, wm, ph, pm), hash.Sum3(16, wh, ph, pm),
		hash.Sum2(17, wm, ph), hash.Sum2(18, wh, pm), hash.Sum2(19, wh, ph), hash.Sum2(20, wm, pm),
		hash.Sum4(21, lh, lm, ch, cm), hash.Sum3(22, lm, ch, cm), hash.Sum3(23, lh, ch, cm),
		hash.Sum2(24, lm, ch), hash.Sum2(25, lh, cm), hash.Sum2(26, lh, ch), hash.Sum2(27, lm, cm),

		hash.Sum4(28, hl, ph, pm, mr), hash.Sum3(29, ph, pm, mr), hash.Sum3(30, hl, ph, pm),
		hash.Sum3(31, hl, pm, mr), hash.Sum3(32, hl, ph, mr),
		hash.Sum4(33, ph, hr, ml, pm), hash.Sum3(34, ph, ml, pm), hash.Sum3(35, ph, hr, pm),
		hash.Sum3(36, hr, ml, pm), hash.Sum3(37, ph, hr, ml),
		hash.Sum4(38, hl, ph, ml, pm), hash.Sum4(39, ph, hr, pm, mr))
}

// markers appends the keys of case, markers, and the commas and brackets
// between the words.
func (x *Scores) markers(h, m int, far uint64, keys []hash.Key) []hash.Key {
	hd, md := x.words.At(h), x.words.At(m)
	ch, cm := uint64(hd.Coarse), uint64(md.Coarse)
	if md.Case != 0 {
		keys = hash.Append(keys, far, hash.Sum2(40, hd.Lemma, uint64(md.Case)))
	}
	if k := md.Marker; k != 0 {
		keys = hash.Append(keys, far, hash.Sum2(41, hd.Lemma, k), hash.Sum3(42, ch, cm, k))
	}
	signs := uint64(min(x.words.CommasBetween(h, m), 3))*4 + x.words.PairsBetween(min(h, m), max(h, m)-1)
	return hash.Append(keys, far, hash.Sum3(43, ch, cm, signs))
}

// punctuation appends the keys of arcs whose modifier is a PUNCT.
func (x *Scores) punctuation(h, m int, far uint64, keys []hash.Key) []hash.Key {
	hd, md := x.words.At(h), x.words.At(m)
	ch, ph, kind := uint64(hd.Coarse), uint64(hd.Fine), uint64(md.Punct)
	left, right := x.words.At(m-1), x.words.At(m+1)
	place := uint64(m / x.N) // 1 for the last word
	if m == 1 {
		place += 2
	}
	keys = withSide(h, m, far, keys,
		hash.Sum4(44, kind, ch, uint64(left.Coarse), uint64(right.Coarse)),
		hash.Sum3(45, md.Form, ph, place),
		hash.Sum4(46, kind, ch, place, uint64(md.Quotes)&1))
	return append(keys,
		hash.Mix(hash.Sum4(47, kind, uint64(left.Fine), ph, uint64(right.Fine))+far),
		hash.Key4(48, kind, ph, right.Lemma, place),
		hash.Mix(hash.Sum4(49, kind, ch, uint64(min(md.Depth, 2)), x.coarse(h-1))+far))
}

// coarse returns the coarse tag of a position, or of Start or End.
func (x *Scores) coarse(p int) uint64 { return uint64(x.words.At(p).Coarse) }

// position returns the position of an entry of a child list: Start and End are outside.
func (x *Scores) position(entry int) int {
	if entry == End {
		return x.N + 1
	}
	return entry // Start is the position before the root
}

// entry returns the atoms of an entry of a child list.
func (x *Scores) entry(entry int) *word.Word { return x.words.At(x.position(entry)) }

// commas counts the commas between two positions, 2 at most.
func (x *Scores) commas(a, b int) uint64 { return uint64(min(x.words.CommasBetween(a, b), 2)) }

// gap is the bin of a distance.
func gap(a, b int) uint64 {
	d := max(a-b, b-a)
	switch {
	case d <= 2:
		return uint64(d)
	case d <= 5:
		return 3
	}
	return 4
}
