package part

import (
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/word"
)

// arcKeys collects the keys of an arc. A template is a line below; the numbers
// of templates are used once.
type arcKeys struct {
	keys            []hash.Key
	distance, sides uint64 // flags: signed distance, direction alone
}

func newArcKeys(h, m int, keys []hash.Key) arcKeys {
	return arcKeys{keys, hash.Flag(word.Distance(h, m)), hash.Flag(word.Distances + word.Direction(h, m))}
}

func (a *arcKeys) plain(sum uint64) { a.keys = append(a.keys, hash.Mix(sum)) }
func (a *arcKeys) far(sum uint64)   { a.keys = append(a.keys, hash.Mix(sum+a.distance)) }
func (a *arcKeys) side(sum uint64)  { a.keys = append(a.keys, hash.Mix(sum+a.sides)) }

// both adds a template with the direction of the arc and with its signed
// distance, in one cache line of a table. Lei et al. (2014) have every
// template alone and with its distance; alone, one that sees only the
// modifier is the same for all of its heads.
func (a *arcKeys) both(sum uint64) {
	k := hash.Mix(sum + a.sides)
	a.keys = append(a.keys, k, hash.Beside(k, sum+a.distance))
}

// arc appends the keys of the arc h -> m, 0 <= h <= n, 1 <= m <= n: all of
// them, or the lean half.
func (x *Scores) arc(h, m int, keys []hash.Key) []hash.Key {
	a := newArcKeys(h, m, keys)
	if x.lean {
		x.leanArc(&a, h, m)
	} else {
		x.wholeArc(&a, h, m)
	}
	return a.keys
}

// wholeArc adds the templates of Lei et al. (2014). Departures: in-between tags
// count once each; coarse surrounding tags are cut to four templates; lemma
// goes with coarse and form with fine tags; and there are groups of our own
// for markers, commas and punctuation.
func (x *Scores) wholeArc(a *arcKeys, h, m int) {
	before, hd, behind := x.words.At(h-1), x.words.At(h), x.words.At(h+1)
	left, md, right := x.words.At(m-1), x.words.At(m), x.words.At(m+1)
	wh, wm, lh, lm := hd.Form, md.Form, hd.Lemma, md.Lemma
	ph, pm, ch, cm := uint64(hd.Fine), uint64(md.Fine), uint64(hd.Coarse), uint64(md.Coarse)
	a.both(hash.Sum1(1, wh))
	a.both(hash.Sum1(2, wm))
	a.both(hash.Sum2(3, wh, wm))
	a.both(hash.Sum1(4, before.Form))
	a.both(hash.Sum1(5, behind.Form))
	a.both(hash.Sum1(6, left.Form))
	a.both(hash.Sum1(7, right.Form))
	a.both(hash.Sum1(8, lh))
	a.both(hash.Sum1(9, lm))
	a.both(hash.Sum2(10, lh, lm))
	a.both(hash.Sum1(11, ph))
	a.both(hash.Sum1(12, pm))
	a.both(hash.Sum2(13, ph, pm))
	a.both(hash.Sum1(14, ch))
	a.both(hash.Sum1(15, cm))
	a.both(hash.Sum2(16, ch, cm))

	a.both(hash.Sum4(17, wh, wm, ph, pm))
	a.both(hash.Sum3(18, wm, ph, pm))
	a.both(hash.Sum3(19, wh, ph, pm))
	a.both(hash.Sum2(20, wm, ph))
	a.both(hash.Sum2(21, wh, pm))
	a.both(hash.Sum2(22, wh, ph))
	a.both(hash.Sum2(23, wm, pm))
	a.both(hash.Sum4(24, lh, lm, ch, cm))
	a.both(hash.Sum3(25, lm, ch, cm))
	a.both(hash.Sum3(26, lh, ch, cm))
	a.both(hash.Sum2(27, lm, ch))
	a.both(hash.Sum2(28, lh, cm))
	a.both(hash.Sum2(29, lh, ch))
	a.both(hash.Sum2(30, lm, cm))

	x.surrounding(a, h, m)
	x.morphology(a, h, m)
	x.between(a, h, m)
	x.punctuation(a, h, m)
}

// surrounding are the tags next to both words, with a mark of its own for a
// neighbour that is the other word.
func (x *Scores) surrounding(a *arcKeys, h, m int) {
	const mid = 255
	near := func(p, other int) (fine, coarse uint64) {
		if p == other {
			return mid, mid
		}
		w := x.words.At(p)
		return uint64(w.Fine), uint64(w.Coarse)
	}
	hd, md := x.words.At(h), x.words.At(m)
	ph, pm, ch, cm := uint64(hd.Fine), uint64(md.Fine), uint64(hd.Coarse), uint64(md.Coarse)
	hl, chl := near(h-1, m)
	hr, chr := near(h+1, m)
	ml, cml := near(m-1, h)
	mr, cmr := near(m+1, h)
	a.both(hash.Sum4(31, hl, ph, pm, mr))
	a.both(hash.Sum3(32, ph, pm, mr))
	a.both(hash.Sum3(33, hl, ph, pm))
	a.both(hash.Sum3(34, hl, pm, mr))
	a.both(hash.Sum3(35, hl, ph, mr))
	a.both(hash.Sum4(36, ph, hr, ml, pm))
	a.both(hash.Sum3(37, ph, ml, pm))
	a.both(hash.Sum3(38, ph, hr, pm))
	a.both(hash.Sum3(39, hr, ml, pm))
	a.both(hash.Sum3(40, ph, hr, ml))
	a.both(hash.Sum4(41, hl, ph, ml, pm))
	a.both(hash.Sum4(42, ph, hr, pm, mr))
	a.both(hash.Sum4(43, chl, ch, cm, cmr))
	a.both(hash.Sum4(44, ch, chr, cml, cm))
	a.both(hash.Sum4(45, chl, ch, cml, cm))
	a.both(hash.Sum4(46, ch, chr, cm, cmr))
}

// morphology are pairs of FEATS items, case, and our markers.
func (x *Scores) morphology(a *arcKeys, h, m int) {
	hd, md := x.words.At(h), x.words.At(m)
	ch, cm := uint64(hd.Coarse), uint64(md.Coarse)
	for _, f := range hd.Feats.Items {
		a.far(hash.Sum3(47, f, ch, cm))
	}
	for _, g := range md.Feats.Items {
		a.far(hash.Sum3(48, g, ch, cm))
		for _, f := range hd.Feats.Items {
			a.far(hash.Sum2(49, f, g))
			a.plain(hash.Sum4(50, f, g, ch, cm))
		}
	}
	if md.Case != 0 {
		a.both(hash.Sum2(51, hd.Lemma, uint64(md.Case)))
	}
	if k := md.Marker; k != 0 {
		a.both(hash.Sum2(52, hd.Lemma, k))
		a.both(hash.Sum3(53, ch, cm, k))
		a.plain(hash.Sum3(54, hd.Lemma, k, md.Lemma))
		a.far(hash.Sum4(55, uint64(hd.Fine), uint64(md.Fine), k, hd.Marker))
	}
}

// between are the distinct tags between the words, and the punctuation there.
func (x *Scores) between(a *arcKeys, h, m int) {
	hd, md := x.words.At(h), x.words.At(m)
	ph, pm, ch, cm := uint64(hd.Fine), uint64(md.Fine), uint64(hd.Coarse), uint64(md.Coarse)
	lo, hi := min(h, m), max(h, m)
	var mask uint32
	for p := lo + 1; p < hi; p++ {
		mask |= 1 << x.words.At(p).Coarse
	}
	for tag := uint64(0); mask != 0; tag, mask = tag+1, mask>>1 {
		if mask&1 != 0 {
			a.side(hash.Sum3(56, ch, tag, cm))
			a.side(hash.Sum3(57, ph, tag, pm))
		}
	}
	signs := uint64(min(x.words.CommasBetween(h, m), 3))*4 + x.words.PairsBetween(lo, hi-1)
	a.both(hash.Sum3(58, ch, cm, signs))
	a.side(hash.Sum3(59, ph, pm, signs))
	a.side(hash.Sum3(60, hd.Lemma, cm, signs))
}

// punctuation is about arcs whose modifier is a PUNCT.
func (x *Scores) punctuation(a *arcKeys, h, m int) {
	hd, md := x.words.At(h), x.words.At(m)
	if md.Coarse != word.PUNCT {
		return
	}
	ch, ph, kind := uint64(hd.Coarse), uint64(hd.Fine), uint64(md.Punct)
	left, right := x.words.At(m-1), x.words.At(m+1)
	place := uint64(m / x.N) // 1 for the last word
	if m == 1 {
		place += 2
	}
	a.both(hash.Sum4(61, kind, ch, uint64(left.Coarse), uint64(right.Coarse)))
	a.both(hash.Sum3(62, md.Form, ph, place))
	a.both(hash.Sum4(63, kind, ch, place, uint64(md.Quotes)&1))
	a.far(hash.Sum4(64, kind, uint64(left.Fine), ph, uint64(right.Fine)))
	a.plain(hash.Sum4(65, kind, ph, right.Lemma, place))
	a.far(hash.Sum4(66, kind, ch, uint64(min(md.Depth, 2)), x.coarse(h-1)))
}

// leanArc adds about half of the templates of wholeArc, and the same kinds of
// them.
func (x *Scores) leanArc(a *arcKeys, h, m int) {
	before, hd, behind := x.words.At(h-1), x.words.At(h), x.words.At(h+1)
	left, md, right := x.words.At(m-1), x.words.At(m), x.words.At(m+1)
	lh, lm := hd.Lemma, md.Lemma
	ph, pm, ch, cm := uint64(hd.Fine), uint64(md.Fine), uint64(hd.Coarse), uint64(md.Coarse)
	hl, hr, ml, mr := uint64(before.Fine), uint64(behind.Fine), uint64(left.Fine), uint64(right.Fine)
	a.both(hash.Sum2(128, lh, lm))
	a.both(hash.Sum2(129, lh, pm))
	a.both(hash.Sum2(130, ph, lm))
	a.far(hash.Sum2(131, hd.Form, cm))
	a.far(hash.Sum2(132, ch, md.Form))
	a.both(hash.Sum2(133, ph, pm))
	a.far(hash.Sum3(134, lh, ph, pm))
	a.far(hash.Sum3(135, lm, ph, pm))
	a.far(hash.Sum4(136, hl, ph, pm, mr))
	a.far(hash.Sum4(137, ph, hr, ml, pm))
	a.far(hash.Sum4(138, hl, ph, ml, pm))
	a.far(hash.Sum4(139, ph, hr, pm, mr))
	a.far(hash.Sum3(140, ph, pm, mr))
	a.far(hash.Sum3(141, hl, ph, pm))
	a.far(hash.Sum3(142, ph, ml, pm))
	a.far(hash.Sum3(143, ph, hr, pm))
	a.side(hash.Sum4(144, ch, cm, right.Lemma, x.commas(h, m)))
	a.side(hash.Sum4(145, ch, cm, left.Lemma, x.commas(h, m)))
	a.side(hash.Sum2(146, md.Marker, lh))
	a.far(hash.Sum3(147, md.Marker, ch, cm))
	a.far(hash.Sum4(148, uint64(md.Case), uint64(hd.Case), ch, cm))
	a.far(hash.Sum1(149, lh))
	a.far(hash.Sum1(150, lm))
	a.far(hash.Sum1(151, md.Form))
	a.far(hash.Sum1(152, ph))
	a.far(hash.Sum1(153, pm))
	a.side(hash.Sum2(154, hd.Form, md.Form))
	for _, g := range md.Feats.Items {
		a.far(hash.Sum3(155, g, ph, cm))
		for _, f := range hd.Feats.Items {
			a.side(hash.Sum4(156, f, g, ch, cm))
		}
	}
	x.between(a, h, m)
	x.punctuation(a, h, m)
}

// coarse returns the coarse tag of a position, or of Start or End.
func (x *Scores) coarse(p int) uint64 { return uint64(x.words.At(p).Coarse) }

// position returns that of an entry of a child list: Start and End are outside.
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
