package word

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Lengths of the affixes of a Form, in runes.
const (
	MaxSuffix = 8
	maxPrefix = 7
)

// Signs of a form, added up.
const (
	Capital  = 1 << iota // it begins in upper case
	AllUpper             // it has several letters, all in upper case
	Digit
	Hyphen
	Letter
	Sign // any other character
)

// A Form has all properties that depend only on a form or a lemma, in which plain
// characters replace typographic ones (Plain). Hashes are by hash.String. Affixes are
// of the lower case. Prefix[k] and Suffix[k] have k+1 runes, and are 0 if the form is
// shorter.
type Form struct {
	Hash   uint64
	Lower  uint64 // of the lower case
	Folded uint64 // of the lower case with every digit 0
	Prefix [maxPrefix]uint64
	Suffix [MaxSuffix]uint64 // hash.Runes of the suffix read backwards
	Broad  [MaxSuffix]uint64 // the same with broad letters, see broad
	Shape  uint64            // classes of characters, each run as one
	Long   uint64            // the same, with runs of up to 3
	Runes  []rune            // the lower case
	Code   uint64            // set by a Vocabulary

	First rune // class of the first character, see class
	// Twin is the number of runes from the second rune of the last doubled rune to the
	// end; 0 if there is none within MaxSuffix.
	Twin   uint8
	Signs  uint8
	Punct  uint8 // kind of punctuation, if it is one
	Number bool  // ASCII digits with . or , inside
	Differ bool  // the lower case differs from the form
}

// Read fills all fields of f except Code. f must be zero. Read uses
// Plain(s), so features do not depend on typographic variants of characters.
func (f *Form) Read(s string, c Casing) {
	s = Plain(s)
	f.Punct, f.Number = punct(s), isNumber(s)
	f.Runes = make([]rune, 0, utf8.RuneCountInString(s))
	h, folded := uint64(hash.Start), uint64(hash.Start)
	f.Shape, f.Long = 1, 1
	last, run, upper, others := rune(0), 0, 0, 0 // letters in upper case, and others
	for _, r := range s {
		h = hash.Step(h, r)
		k := class(r)
		if len(f.Runes) == 0 {
			f.First = k
		}
		if k != last {
			f.Shape = hash.Pair(f.Shape, uint64(k))
			run = 0
		}
		if run++; run <= 3 {
			f.Long = hash.Pair(f.Long, uint64(k))
		}
		last = k
		switch k {
		case 'X':
			f.Signs |= Letter
			upper++
		case 'x', 'o':
			f.Signs |= Letter
			others++
		case 'd':
			f.Signs |= Digit
		case '-':
			f.Signs |= Hyphen
		default:
			f.Signs |= Sign
		}
		lower := c.Lower(r)
		f.Differ = f.Differ || lower != r
		f.Runes = append(f.Runes, lower)
	}
	f.Hash = hash.Mix(h)
	if f.First == 'X' {
		f.Signs |= Capital
	}
	if upper > 1 && others == 0 {
		f.Signs |= AllUpper
	}
	if n := len(f.Runes); n > 1 && f.Runes[n-1] == 'σ' {
		f.Runes[n-1], f.Differ = 'ς', true
	}
	h = hash.Start
	for i, r := range f.Runes {
		h = hash.Step(h, r)
		if i < maxPrefix {
			f.Prefix[i] = hash.Mix(h)
		}
		if unicode.IsDigit(r) {
			r = '0'
		}
		folded = hash.Step(folded, r)
	}
	f.Lower, f.Folded = hash.Mix(h), hash.Mix(folded)
	f.readSuffixes()
}

func (f *Form) readSuffixes() {
	h, b := uint64(hash.Start), uint64(hash.Start)
	n := len(f.Runes)
	for k := 0; k < MaxSuffix && k < n; k++ {
		r := f.Runes[n-1-k]
		h, b = hash.Step(h, r), hash.Step(b, broad(r))
		f.Suffix[k], f.Broad[k] = hash.Mix(h), hash.Mix(b)
		if i := n - 1 - k; f.Twin == 0 && i >= 2 && r == f.Runes[i-1] {
			f.Twin = uint8(k + 1)
		}
	}
}

// class maps a letter or digit to its class, 'X' upper, 'x' lower, 'o' other
// letters, 'd' digits, and any other character to itself.
func class(r rune) rune {
	switch {
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

// broad maps letters that vowel harmony, voicing or lenition exchange to one of
// them, so that the allomorphs of a suffix look alike. Vowels stay open or close, and
// stops keep their place of articulation. The Turkish -dan, -den, -tan and -ten
// become one.
func broad(r rune) rune {
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

func isNumber(s string) bool {
	return s != "" && '0' <= s[0] && s[0] <= '9' && strings.Trim(s, "0123456789.,") == ""
}

// A Casing says whether I is the upper case of dotless ı in a language, as in Turkish.
type Casing bool

// Lower returns r in lower case.
func (c Casing) Lower(r rune) rune {
	if c {
		return unicode.TurkishCase.ToLower(r)
	}
	return unicode.ToLower(r)
}

// LowerForm returns a form in lower case.
func (c Casing) LowerForm(form string) string {
	lower := strings.Map(c.Lower, form)
	if rest, ok := strings.CutSuffix(lower, "σ"); ok && rest != "" {
		return rest + "ς"
	}
	return lower
}

// Upper returns r in upper case.
func (c Casing) Upper(r rune) rune {
	if c {
		return unicode.TurkishCase.ToUpper(r)
	}
	return unicode.ToUpper(r)
}

// LearnCasing returns the Casing of a treebank. It is true if more than 2 of 1,000
// characters are dotless ı.
func LearnCasing(train []syntax.Sentence) Casing {
	all, dotless := 0, 0
	for w := range syntax.Words(train) {
		all += utf8.RuneCountInString(w.Form)
		dotless += strings.Count(w.Form, "ı")
	}
	return dotless*500 > all
}
