package prune

import (
	"math/bits"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/word"
)

// Templates of the second stage, a log-linear model of the arcs that the first stage leaves.
// It adds to the scores of the first stage, which has templates of tags, common words and
// distances alone. A template that depends on neither the head nor the distance would be the
// same for all heads of a word.
const (
	tLemmas = 1 + iota
	tLemmaTag
	tTagLemma
	tTags
	tAfter
	tBefore
	tMarkerLemma
	tMarkerTags
	tCase
	tAbove
	tCrossed
	tHeadAbove
	tOthers
	tBetween
	tBetweenFine
	tCommas
	tCommasFine
	tCommasLemma
	tAround               // + 0..1
	tPunct  = tAround + 2 // + 0..5
)

// keysOf appends the keys of the arc h -> m.
func (x *scratch) keysOf(h, m int, buf []hash.Key) []hash.Key {
	s := x.words
	all := s.All()
	i, j := h+2, m+2
	head, mod := &all[i], &all[j]
	dist, dir := hash.Flag(word.Distance(h, m)), hash.Flag(word.Distances+word.Direction(h, m))
	ph, pm := uint64(head.Fine), uint64(mod.Fine)
	ch, cm := uint64(head.Coarse), uint64(mod.Coarse)
	hl, hr := uint64(all[i-1].Fine), uint64(all[i+1].Fine)
	ml, mr := uint64(all[j-1].Fine), uint64(all[j+1].Fine)
	commas := uint64(min(s.CommasBetween(h, m), 2))
	kind := uint64(mod.Punct)
	buf = hash.Append(buf, dist,
		hash.Sum2(tLemmas, head.Lemma, mod.Lemma), hash.Sum2(tLemmaTag, head.Lemma, pm),
		hash.Sum2(tTagLemma, ph, mod.Lemma), hash.Sum2(tTags, ph, pm),
		hash.Sum4(tAround, hl, ph, pm, mr), hash.Sum4(tAround+1, ph, hr, ml, pm))
	buf = hash.Append(buf, dir,
		hash.Sum4(tAfter, ch, cm, all[j+1].Lemma, commas), hash.Sum4(tBefore, ch, cm, all[j-1].Lemma, commas),
		hash.Sum2(tMarkerLemma, mod.Marker, head.Lemma))
	buf = hash.Append(buf, dist,
		hash.Sum3(tMarkerTags, mod.Marker, ch, cm),
		hash.Sum4(tCase, uint64(mod.Case), uint64(head.Case), ch, cm))

	above, crossed, up, others := x.guess.about(s, h, m)
	buf = append(buf,
		hash.Mix(hash.Sum4(tAbove, ch, cm, above, kind)+dir),
		hash.Mix(hash.Sum4(tCrossed, ch, cm, crossed, kind)+dist),
		hash.Mix(hash.Sum3(tHeadAbove, ch, cm, up)+dir),
		hash.Mix(hash.Sum4(tOthers, ch, cm, others, kind)+dir))

	lo, hi := min(h, m), max(h, m)
	mask := uint64(0)
	for p := lo + 1; p < hi; p++ {
		mask |= 1 << all[p+2].Coarse
	}
	for ; mask != 0; mask &= mask - 1 {
		tag := uint64(bits.TrailingZeros64(mask))
		buf = hash.Append(buf, dir, hash.Sum3(tBetween, ch, tag, cm), hash.Sum3(tBetweenFine, ph, tag, pm))
	}
	middle := uint64(min(s.CommasBetween(h, m), 3))*4 + s.PairsBetween(lo, max(hi-1, lo))
	buf = append(buf,
		hash.Mix(hash.Sum3(tCommas, ch, cm, middle)+dir),
		hash.Mix(hash.Sum3(tCommas, ch, cm, middle)+dist),
		hash.Mix(hash.Sum3(tCommasFine, ph, pm, middle)+dir),
		hash.Mix(hash.Sum3(tCommasLemma, head.Lemma, cm, middle)+dir))
	if mod.Coarse == word.PUNCT {
		buf = x.punctuation(h, m, dist, dir, buf)
	}
	return buf
}

// punctuation appends the keys of an arc to a mark of punctuation.
func (x *scratch) punctuation(h, m int, dist, dir uint64, buf []hash.Key) []hash.Key {
	all := x.words.All()
	head, mod, before, after := &all[h+2], &all[m+2], &all[m+1], &all[m+3]
	ch, ph, kind := uint64(head.Coarse), uint64(head.Fine), uint64(mod.Punct)
	place := word.Direction(m, 2) * 2 // the first word
	if m == x.words.Len() {
		place++
	}
	for _, sum := range [...]uint64{
		hash.Sum4(tPunct, kind, ch, uint64(before.Coarse), uint64(after.Coarse)),
		hash.Sum3(tPunct+1, mod.Form, ph, place),
		hash.Sum4(tPunct+2, kind, ch, place, uint64(mod.Quotes&1)),
	} {
		buf = append(buf, hash.Mix(sum+dir), hash.Mix(sum+dist))
	}
	return append(buf,
		hash.Mix(hash.Sum4(tPunct+3, kind, uint64(before.Fine), ph, uint64(after.Fine))+dist),
		hash.Key4(tPunct+4, kind, ph, after.Lemma, place),
		hash.Mix(hash.Sum4(tPunct+5, kind, ch, uint64(min(mod.Depth, 2)), uint64(all[h+1].Coarse))+dist))
}

// A guess is the tree of the heads that the first stage prefers, with the facts
// that templates use.
type guess struct {
	head  []int32 // by word, entry 0 unused
	count []uint8 // [(h*2+direction)*CoarseTags+tag]: words under h, 255 at most
	left  ascent  // of the word before the modifier
	right ascent  // of the word after it
	m     int
}

// An ascent is a word and the heads above it.
type ascent [levels]int32

const levels = 5

// set prepares g, whose heads are filled.
func (g *guess) set(s *word.Sentence) {
	g.count = resize(g.count, (s.Len()+1)*2*word.CoarseTags)
	clear(g.count)
	for m := 1; m <= s.Len(); m++ {
		h := int(g.head[m])
		c := &g.count[(h*2+int(word.Direction(h, m)))*word.CoarseTags+int(s.At(m).Coarse)]
		*c = max(*c, *c+1)
	}
	g.m = 0
}

// climb fills an ascent from p upwards. The ascent ends at the root, outside the sentence,
// or where it meets m.
func (g *guess) climb(p, m int, to *ascent) {
	for i := range to {
		if p == m || p < 0 || p >= len(g.head) {
			p = -1
		}
		to[i] = int32(p)
		if p <= 0 {
			p = -1
			continue
		}
		p = int(g.head[p])
	}
}

func (to *ascent) level(h int) uint64 {
	for i, p := range to {
		if int(p) == h {
			return uint64(i)
		}
	}
	return levels
}

// about describes the arc h -> m by the guess: where h is above the neighbours of m, how many
// words between h and m hang on one beyond them (3 at most), the tag above h and its side, and
// how many other words with m's tag hang on the same side of h (2 at most).
func (g *guess) about(s *word.Sentence, h, m int) (above, crossed, up, others uint64) {
	if g.m != m {
		g.m = m
		g.climb(m-1, m, &g.left)
		g.climb(m+1, m, &g.right)
	}
	above = g.left.level(h)*8 + g.right.level(h)
	lo, hi := int32(min(h, m)), int32(max(h, m))
	for _, p := range g.head[lo+1 : hi] {
		if p < lo || p > hi {
			if crossed++; crossed == 3 {
				break
			}
		}
	}
	up = word.Outside
	if h > 0 {
		p := int(g.head[h])
		up = uint64(s.At(p).Coarse)*2 + word.Direction(p, h)
		if p == m {
			up = word.Other * 2
		}
	}
	same := g.count[(h*2+int(word.Direction(h, m)))*word.CoarseTags+int(s.At(m).Coarse)]
	if g.head[m] == int32(h) {
		same--
	}
	return above, crossed, up, uint64(min(same, 2))
}
