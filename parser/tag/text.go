package tag

import (
	"math/bits"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/syntax"
)

const (
	maxSuffix = 8 // runes
	maxPrefix = 7 // runes
)

// A word is what the templates read of one form. Affixes are of the lower
// case; those longer than the word are 0, and so is their feature.
type word struct {
	form, lower uint64
	suffix      [maxSuffix]uint64
	prefix      [maxPrefix]uint64
	broad       [maxSuffix]uint64 // suffixes of broad letters, see broadRune
	shape       uint64            // classes of characters, runs as one
	fullShape   uint64            // the same, runs up to 3 long
	twin        uint64            // runes from the second of two that are the same to the end, and it; 0: none
	class       uint64            // ambiguity class, or a stand-in by suffix and shape
	morph       uint64            // the same over FEATS
	stem        uint64            // the longest prefix that is a lemma; 0: none
	stemClass   uint64            // its ambiguity class
	rest        uint64            // what follows the stem; 0: more than maxSuffix runes, or there is no stem
	restLen     uint64            // runes of it, or noStem
	broadRest   uint64            // rest in broad letters, or 0
	part        uint64            // place in a multiword token
	sure        uint16            // the only UPOS|XPOS label of a frequent form, plus 1; 0: any
	sureMorph   uint16            // the same over FEATS
	known       bool              // class comes from the lexicon
	lowered     bool              // lower differs from form
	start, end  int32             // its lower case in text.lower
}

// A text is a sentence as the templates read it, with two words of padding
// at both ends: word i is words[i+pad]. It is reused between sentences.
type text struct {
	words []word
	lower []rune
	caps  uint64 // how much of the sentence is upper case, 0..3

	lexical, unknown int32 // words that begin with a letter, and those of them not in the lexicon
}

const pad = 2

func (t *text) at(i int) *word { return &t.words[i+pad] }

// analyze fills t with the forms of s.
func (t *text) analyze(s *syntax.Sentence, lex *lexicon) {
	t.words = append(t.words[:0], outside(1), outside(2))
	t.lower = t.lower[:0]
	upper, letters, unknown := 0, 0, 0
	for i := range s.Words {
		t.words = append(t.words, word{})
		w := &t.words[len(t.words)-1]
		u, l := t.read(s.Words[i].Form, w, lex)
		upper, letters = upper+u, letters+l
		if !w.known {
			unknown += l
		}
	}
	t.lexical, t.unknown = int32(letters), int32(unknown)
	t.markParts(s)
	t.words = append(t.words, outside(3), outside(4))
	t.caps = 0
	if letters > 0 {
		t.caps = uint64(4*upper/(letters+1)) & 3
	}
	if len(s.Words) == 1 {
		t.caps += 4
	}
}

// outside returns a padding word.
func outside(n uint64) word {
	h := mix(n)
	return word{form: h, lower: h, shape: h, fullShape: h, class: h, morph: h,
		suffix: [maxSuffix]uint64{h, h, h}}
}

// read analyses one form; it returns how many words of it start in upper
// case and in any letter.
func (t *text) read(form string, w *word, lex *lexicon) (upper, letters int) {
	w.form = hashString(form)
	w.start = int32(len(t.lower))
	first, last := rune(0), rune(0)
	var shape, full uint64 = 1, 1
	run := 0
	for _, r := range form {
		c := runeClass(r)
		if first == 0 {
			first = c
		}
		if c != last {
			shape = mix(shape ^ uint64(c))
			run = 0
		}
		if run < 3 {
			full = mix(full ^ uint64(c))
			run++
		}
		last = c
		t.lower = append(t.lower, lex.lowerRune(r))
	}
	lower := t.lower[w.start:]
	finalSigma(lower)
	w.end = int32(len(t.lower))
	w.shape, w.fullShape = shape, full
	h := uint64(0)
	for k, r := range lower {
		h = step(h, r)
		if k < maxPrefix {
			w.prefix[k] = mix(h + 7)
		}
	}
	w.lower = mix(h)
	w.twin = twinOf(lower)
	w.lowered = first == 'X' || !sameRunes(form, lower)
	lex.findStem(w, lower)
	w.setSuffixes(lower)
	lex.classify(w)
	if first == 'X' {
		upper = 1
	}
	if first == 'X' || first == 'x' || first == 'o' {
		letters = 1
	}
	return upper, letters
}

// setSuffixes fills suffix, broad, rest and broadRest, given restLen.
func (w *word) setSuffixes(lower []rune) {
	var h, b uint64
	for k := 0; k < maxSuffix && k < len(lower); k++ {
		r := lower[len(lower)-1-k]
		h, b = step(h, r), step(b, broadRune(r))
		w.suffix[k], w.broad[k] = mix(h+11), mix(b+13)
	}
	switch {
	case w.restLen == 0:
		w.rest = 1
	case w.restLen <= maxSuffix:
		w.rest, w.broadRest = w.suffix[w.restLen-1], w.broad[w.restLen-1]
	}
}

// Places of a word in a multiword token.
const (
	whole = iota // none: it is a token by itself
	firstPart
	middlePart
	lastPart
)

// markParts sets part of the words of multiword tokens.
func (t *text) markParts(s *syntax.Sentence) {
	n := int32(len(s.Words))
	for _, x := range s.MWTs {
		for i := max(x.First, 1); i <= min(x.Last, n); i++ {
			switch w := t.at(int(i) - 1); i {
			case x.First:
				w.part = firstPart
			case x.Last:
				w.part = lastPart
			default:
				w.part = middlePart
			}
		}
	}
}

// broadRune maps letters that vowel harmony, voicing or lenition exchange to
// one of them, so that the allomorphs of a suffix look alike: vowels keep
// whether they are open, stops where they are spoken. The Turkish -dan, -den,
// -tan and -ten are one.
func broadRune(r rune) rune {
	switch r {
	case 'a', 'e', 'â':
		return 'a'
	case 'ı', 'i', 'u', 'ü', 'î', 'û':
		return 'i'
	case 'o', 'ö':
		return 'o'
	case 'd', 't':
		return 'd'
	case 'c', 'ç':
		return 'c'
	case 'k', 'g', 'ğ':
		return 'k'
	case 'b', 'p':
		return 'b'
	}
	return r
}

// twinOf returns how many runes there are from the second of the last two that
// are the same and stand side by side, behind the first 2 of the word; 0 if
// there are none within maxSuffix.
func twinOf(lower []rune) uint64 {
	for k := 1; k <= maxSuffix && k+2 <= len(lower); k++ {
		if i := len(lower) - k; lower[i] == lower[i-1] {
			return uint64(k)
		}
	}
	return 0
}

func sameRunes(s string, runes []rune) bool {
	i := 0
	for _, r := range s {
		if runes[i] != r {
			return false
		}
		i++
	}
	return true
}

// runeClass maps letters and digits to their class and others to themselves.
func runeClass(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		switch {
		case 'a' <= r && r <= 'z':
			return 'x'
		case 'A' <= r && r <= 'Z':
			return 'X'
		case '0' <= r && r <= '9':
			return 'd'
		}
		return r
	case unicode.IsUpper(r), unicode.IsTitle(r):
		return 'X'
	case unicode.IsLower(r):
		return 'x'
	case unicode.IsLetter(r), unicode.IsMark(r):
		return 'o'
	case unicode.IsDigit(r):
		return 'd'
	}
	return r
}

// finalSigma writes the lower-case sigma at a word's end as Greek does.
func finalSigma(lower []rune) {
	if n := len(lower); n > 1 && lower[n-1] == 'σ' {
		lower[n-1] = 'ς'
	}
}

func step(h uint64, r rune) uint64 { return (h ^ uint64(r)) * 0x9FB21C651E98DF25 }

func mix(x uint64) uint64 {
	hi, lo := bits.Mul64(x^0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93)
	return hi ^ lo
}

func hashString(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return mix(h)
}

func key1(template, a uint64) uint64 { return mix(a + template*0xC2B2AE3D27D4EB4F) }

func key2(template, a, b uint64) uint64 {
	return mix(a*0x9E3779B97F4A7C15 + bits.RotateLeft64(b, 31)*0x165667B19E3779F9 + template*0xC2B2AE3D27D4EB4F)
}
