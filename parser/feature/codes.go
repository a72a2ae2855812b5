// Package feature turns sentences into the keys of features: the atoms of
// each word (Codes), the fine tags of a treebank (Vocabulary) and the
// templates of every part (templates.go, parts.go). Training and parsing go
// through the same functions.
//
// The templates follow those of RBGParser (Lei et al. 2014), cut to those that earn their look-ups; where we leave them is said at each.
package feature

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Positions of a sentence of n words: 0 is the root, 1..n the words, -1 and
// n+1 lie outside. All slices of Codes hold position p at index p+1.
const outside = 1

// Coarse tags have dense ids below this: 17 of UD, the root, the outside,
// and one for any other.
const CoarseTags = 20

const (
	coarseRoot    = 17
	coarseOutside = 18
	coarseOther   = 19
)

var uposNames = [...]string{"ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM",
	"PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"}

// Ids of the coarse tags that templates name.
const (
	tagADP   = 1
	tagAUX   = 3
	tagCCONJ = 4
	tagDET   = 5
	tagNOUN  = 7
	tagPART  = 9
	tagPRON  = 10
	tagPROPN = 11
	tagPUNCT = 12
	tagSCONJ = 13
	tagVERB  = 15
)

// Kinds of punctuation, by form.
const (
	punctNone = iota
	punctComma
	punctColon // : ;
	punctFinal // . ! ?
	punctOpen
	punctClose
	punctQuote
	punctOther
)

// Codes are the atoms of one sentence. A Codes is scratch: Encode refills it
// without allocating in steady state. It is not safe for concurrent use.
type Codes struct {
	N      int
	Form   []uint64 // case-sensitive form; of a rare one, its ending and shape
	Lemma  []uint64 // lemma, or the form if absent; likewise
	Coarse []uint8  // UPOS, below CoarseTags
	Fine   []uint8  // fine tag of the Vocabulary
	Punct  []uint8  // kind of punctuation
	Case   []uint8  // value of Case, hashed to 1..255; 0 none
	Marker []uint64 // lemma of the adposition or subordinator that marks a word from its left; 0 none
	feats  []uint64 // FEATS items of all words
	fstart []int32  // FEATS items of position p: feats[fstart[p+1]:fstart[p+2]]
	commas []int32  // number of commas at positions <= p
	parity []uint32 // depth of brackets (low 16) and count of quotes (high 16) at positions <= p

	templates int // version of the Vocabulary that has encoded the sentence
}

// at converts a position to an index.
func at(p int) int { return p + outside }

// Encode fills c from the words of s under v.
func (v *Vocabulary) Encode(s *syntax.Sentence, c *Codes) {
	n := len(s.Words)
	c.N, c.templates = n, v.templates
	size := n + 3
	c.Form = resize(c.Form, size)
	c.Lemma = resize(c.Lemma, size)
	c.Coarse = resize(c.Coarse, size)
	c.Fine = resize(c.Fine, size)
	c.Punct = resize(c.Punct, size)
	c.Case = resize(c.Case, size)
	c.Marker = resize(c.Marker, size)
	c.fstart = resize(c.fstart, size+1)
	c.commas = resize(c.commas, size)
	c.parity = resize(c.parity, size)
	c.feats = c.feats[:0]
	for _, p := range [...]int{-1, 0, n + 1} {
		i := at(p)
		tag := uint8(coarseOutside)
		if p == 0 {
			tag = coarseRoot
		}
		c.Coarse[i], c.Fine[i], c.Punct[i], c.Case[i] = tag, tag, punctNone, 0
		c.Marker[i] = 0
		w := uint64(p+2) * role3
		if p > 0 {
			w = role4
		}
		c.Form[i], c.Lemma[i] = w, w
		c.commas[i], c.parity[i] = 0, 0
	}
	c.fstart[0], c.fstart[1], c.fstart[2] = 0, 0, 0
	for m := 1; m <= n; m++ {
		v.encodeWord(&s.Words[m-1], c, at(m))
	}
	last := at(n + 1)
	c.commas[last], c.parity[last] = c.commas[last-1], c.parity[last-1]
	c.fstart[last+1] = int32(len(c.feats))
	for m := 1; m <= n; m++ {
		c.Marker[at(m)] = c.marker(m)
	}
}

// marker guesses, before there is a tree, the function word that marks word
// m: the nearest ADP, SCONJ or PART up to five words to its left with no
// clause or phrase boundary between. In UD these are leaves under m, so an
// arc alone would not see them.
func (c *Codes) marker(m int) uint64 {
	switch c.Coarse[at(m)] {
	case tagADP, tagSCONJ, tagPUNCT, tagCCONJ, tagDET, tagPART:
		return 0
	}
	nominal := c.Coarse[at(m)] == tagNOUN || c.Coarse[at(m)] == tagPROPN
	for q := m - 1; q >= max(1, m-5); q-- {
		switch c.Coarse[at(q)] {
		case tagADP, tagSCONJ, tagPART:
			return c.Lemma[at(q)]
		case tagVERB, tagPUNCT, tagCCONJ, tagPRON:
			return 0
		case tagNOUN, tagPROPN:
			if !nominal {
				return 0
			}
		}
	}
	return 0
}

func (v *Vocabulary) encodeWord(w *syntax.Word, c *Codes, i int) {
	c.Coarse[i] = coarseOf(w.UPOS)
	c.Fine[i] = v.fineOf(w)
	c.Form[i] = v.lexical(w.Form)
	if w.Lemma != "" {
		c.Lemma[i] = v.lexical(w.Lemma)
	} else {
		c.Lemma[i] = c.Form[i]
	}
	c.Case[i] = 0
	rest := w.Feats
	for k := 0; rest != "" && k < syntax.MaxFeats; k++ {
		var item string
		item, rest, _ = strings.Cut(rest, "|")
		h := HashString(item)
		c.feats = append(c.feats, h)
		if strings.HasPrefix(item, "Case=") {
			c.Case[i] = uint8(h>>8)%255 + 1
		}
	}
	c.fstart[i+1] = int32(len(c.feats))
	k := punctKind(w)
	c.Punct[i] = k
	c.commas[i], c.parity[i] = c.commas[i-1], c.parity[i-1]
	switch k {
	case punctComma:
		c.commas[i]++
	case punctOpen:
		c.parity[i]++
	case punctClose:
		// In version 1 one without its opening bracket borrows from the quotes.
		if v.templates < 2 || c.parity[i]&0xffff != 0 {
			c.parity[i]--
		}
	case punctQuote:
		c.parity[i] += 1 << 16
	}
}

// pairsBetween says how brackets and quotes differ at indices lo and hi: bit 0
// if the depth of brackets does, bit 1 if a quote is open that was not.
func (c *Codes) pairsBetween(lo, hi int) uint64 {
	d := c.parity[hi] ^ c.parity[lo]
	if c.templates < 2 { // a depth that falls borrows from the quotes
		d = c.parity[hi] - c.parity[lo]
	}
	balance := uint64(0)
	if d&0xffff != 0 {
		balance = 1
	}
	return balance + uint64(d>>16&1<<1)
}

// Feats returns the hashed FEATS items of position p, at most syntax.MaxFeats.
func (c *Codes) Feats(p int) []uint64 {
	return c.feats[c.fstart[at(p)]:c.fstart[at(p)+1]]
}

// lexical returns the code of a form or lemma: its hash if training saw it
// twice, else its ending and shape, so that features of rare words are
// trained on the singletons.
func (v *Vocabulary) lexical(s string) uint64 {
	if isNumber(s) {
		return role5
	}
	h := HashString(s)
	if v.known(uint32(h >> 32)) {
		return h
	}
	return rareCode(s)
}

func rareCode(s string) uint64 {
	tail := s
	for i, k := len(s), 0; i > 0; {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
		if k++; k == 2 {
			tail = s[i:]
			break
		}
	}
	return Combine(HashString(tail), uint64(shape(s)))
}

// shape is 1 for an upper-case start, 2 for upper case throughout, 4 for a
// digit, 8 for a hyphen, 16 for any other sign, added up.
func shape(s string) uint8 {
	var f uint8
	upper, letters := 0, 0
	for i, r := range s {
		switch {
		case unicode.IsUpper(r):
			upper++
			letters++
			if i == 0 {
				f |= 1
			}
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			f |= 4
		case r == '-':
			f |= 8
		default:
			f |= 16
		}
	}
	if upper > 1 && upper == letters {
		f |= 2
	}
	return f
}

// isNumber reports a form of ASCII digits with . or , inside.
func isNumber(s string) bool {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if (s[i] < '0' || s[i] > '9') && s[i] != '.' && s[i] != ',' {
			return false
		}
	}
	return true
}

func coarseOf(upos string) uint8 {
	for i, name := range uposNames {
		if name == upos {
			return uint8(i)
		}
	}
	return coarseOther
}

func punctKind(w *syntax.Word) uint8 {
	if w.UPOS != "PUNCT" && w.UPOS != "" {
		return punctNone
	}
	switch w.Form {
	case ",", "،", "、", "，":
		return punctComma
	case ":", ";", "·", "—", "–", "-", "--":
		return punctColon
	case ".", "!", "?", "...", "…", "。":
		return punctFinal
	case "(", "[", "{", "«", "“", "‘", "``", "-LRB-":
		return punctOpen
	case ")", "]", "}", "»", "”", "’", "''", "-RRB-":
		return punctClose
	case "\"", "'", "`":
		return punctQuote
	}
	if w.UPOS == "PUNCT" {
		return punctOther
	}
	return punctNone
}

// distances is the number of bins of Distance, with 0 for none.
const distances = 15

// Distance is the signed distance bin (as in Lei et al. 2014) for d = h - m:
// 1..5 for 1..5, 6 for 6..10, 7 beyond; 8..14 likewise when the head is left.
func Distance(h, m int) uint64 {
	d, base := h-m, uint64(0)
	if d < 0 {
		d, base = -d, 7
	}
	switch {
	case d <= 5:
		return base + uint64(d)
	case d <= 10:
		return base + 6
	}
	return base + 7
}

func resize[T any](a []T, n int) []T {
	if cap(a) < n {
		return make([]T, n, n+n/2)
	}
	return a[:n]
}

// Clause says what word m is to a count of clauses between two words: 1 for
// a VERB or AUX, 1 for a comma or colon, 1 for a NOUN, PROPN or PRON.
func (c *Codes) Clause(m int) (verb, comma, noun int32) {
	switch c.Coarse[at(m)] {
	case tagVERB, tagAUX:
		verb = 1
	case tagNOUN, tagPROPN, tagPRON:
		noun = 1
	case tagPUNCT:
		if k := c.Punct[at(m)]; k == punctComma || k == punctColon {
			comma = 1
		}
	}
	return verb, comma, noun
}
