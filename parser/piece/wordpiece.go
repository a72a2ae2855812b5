package piece

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// longest appends the pieces of form from the left, always the longest that fits, as long
// as ids has fewer than limit. A character that no piece covers is unknown; in BERT, its
// whole word is.
func (v *Vocabulary) longest(ids []int32, form string, limit int) []int32 {
	c := cuts.Get().(*cut)
	defer cuts.Put(c)
	c.text.fill(v, form, true)
	s := c.text.bytes()
	for i, unknown := 0, false; i < len(s) && len(ids) < limit; {
		h, id, next := uint64(hashStart), v.Unknown, 0
		for end := i; end < len(s) && end-i < v.index.longest; {
			h = (h ^ uint64(s[end])) * hashPrime
			end++
			if end < len(s) && !utf8.RuneStart(s[end]) {
				continue
			}
			if found := v.index.find(v.Pieces, h, s[i:end]); found >= 0 {
				id, next = found, end
			}
		}
		if id == v.Unknown {
			if _, next = utf8.DecodeRune(s[i:]); string(s[i:i+next]) == metaspace {
				i += next
				_, next = utf8.DecodeRune(s[i:])
			}
			next += i
		}
		if id != v.Unknown || !unknown {
			ids = append(ids, id)
		}
		unknown = id == v.Unknown
		i = next
	}
	return ids
}

// bert appends a character, r, whose bytes are s, as BERT reads it. Control characters are
// left out, and a space is around every punctuation mark and ideograph. If the vocabulary is
// in lowercase, the character is decomposed by NFD, and loses capitals and accents.
func (t *text) bert(r rune, s string) {
	switch {
	case r == '\t' || r == '\n' || r == '\r' || unicode.Is(unicode.Z, r):
		if !t.spaceEnds() {
			t.add(metaspace)
		}
		return
	case r == utf8.RuneError || unicode.Is(unicode.C, r):
		return
	}
	var b []byte // the characters that it is decomposed into
	mark := r
	if t.lower && r >= utf8.RuneSelf {
		if b = norm.NFD.PropertiesString(s).Decomposition(); b != nil {
			mark, _ = utf8.DecodeRune(b) // = of ≠
		}
	}
	alone := mark < utf8.RuneSelf && !inWord(mark) || unicode.Is(unicode.P, mark) || unicode.Is(ideographs, mark)
	if (alone || t.cuts) && !t.spaceEnds() {
		t.add(metaspace)
	}
	t.cuts = alone
	switch {
	case !t.lower:
		t.add(s)
	case r < utf8.RuneSelf:
		if t.add(s); !t.full && 'A' <= r && r <= 'Z' {
			t.data[t.n-1] += 'a' - 'A'
		}
	case r >= hangul && r < hangul+11172:
		n := r - hangul
		t.add(string(0x1100 + n/588))
		t.add(string(0x1161 + n%588/28))
		if n%28 > 0 {
			t.add(string(0x11A7 + n%28))
		}
	default:
		if b == nil {
			t.plain(r)
		}
		for len(b) > 0 {
			r, size := utf8.DecodeRune(b)
			t.plain(r)
			b = b[size:]
		}
	}
}

// hangul is the first syllable of Hangul. They are decomposed by arithmetic (Unicode, section
// 3.12).
const hangul = 0xAC00

// plain appends a character without capitals, if it is no accent.
func (t *text) plain(r rune) {
	if !unicode.Is(unicode.Mn, r) {
		t.add(string(unicode.ToLower(r)))
	}
}

// ideographs are the characters of Han that are words of their own to BERT.
var ideographs = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x3400, Hi: 0x4DBF, Stride: 1}, {Lo: 0x4E00, Hi: 0x9FFF, Stride: 1}, {Lo: 0xF900, Hi: 0xFAFF, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x20000, Hi: 0x2A6DF, Stride: 1}, {Lo: 0x2A700, Hi: 0x2CEAF, Stride: 1}, {Lo: 0x2F800, Hi: 0x2FA1F, Stride: 1}},
}
