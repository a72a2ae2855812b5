package word

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Typographic characters with a plain form of several characters.
const (
	Ellipsis = '…' // ...
	LongDash = '—' // --
)

// PlainRune returns the plain form of a character: ' for apostrophes and single quotes,
// " for double quotes, - for hyphens, short dashes and the minus sign, $ for currency
// signs, and LongDash for long dashes. « and » stay, because they show which end of a
// quotation they are.
func PlainRune(r rune) rune {
	switch {
	case r < 0x80:
		return r
	case r >= '‐' && r <= '″':
		return general[r-'‐']
	case r == 'ʼ' || r == '＇':
		return '\''
	case r == '−':
		return '-'
	case unicode.Is(unicode.Sc, r):
		return '$'
	}
	return r
}

// general has the characters from U+2010 to U+2033.
var general = func() (list ['″' - '‐' + 1]rune) {
	for i := range list {
		list[i] = '‐' + rune(i)
	}
	for from, to := range map[rune]rune{
		'‐': '-', '‑': '-', '‒': '-', '–': '-', '—': LongDash, '―': LongDash,
		'‘': '\'', '’': '\'', '‚': '\'', '‛': '\'', '′': '\'',
		'“': '"', '”': '"', '„': '"', '‟': '"', '″': '"',
	} {
		list[from-'‐'] = to
	}
	return list
}()

// Plain returns the plain form of a word (PlainRune), with -- for a long dash and ...
// for an ellipsis. A currency sign changes only if it is the whole word. All features
// and tables of forms use plain forms, so typographic variants of a text have the same
// tags and trees. Plain returns forms without such characters unchanged, without
// allocation.
func Plain(form string) string {
	if !strings.ContainsFunc(form, typographic) {
		return form
	}
	alone := utf8.RuneCountInString(form) == 1
	var b strings.Builder
	for i, r := range form {
		switch x := PlainRune(r); {
		case x == LongDash:
			b.WriteString("--")
		case r == Ellipsis:
			b.WriteString("...")
		case x == r || x == '$' && !alone:
			_, n := utf8.DecodeRuneInString(form[i:]) // invalid UTF-8 stays
			b.WriteString(form[i : i+n])
		default:
			b.WriteRune(x)
		}
	}
	return b.String()
}

// typographic reports whether Plain may replace r.
func typographic(r rune) bool {
	return r >= 0x80 && (PlainRune(r) != r || r == LongDash || r == Ellipsis)
}
