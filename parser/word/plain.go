package word

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Characters of typography that a typewriter writes with several.
const (
	Ellipsis = '…' // ...
	LongDash = '—' // --
)

// PlainRune returns a character as a typewriter writes it: apostrophes and single
// quotes as ', double ones as ", hyphens, short dashes and the minus sign as -,
// currency signs as $. Long dashes are LongDash. « and » stay: where they are used,
// they say which end of a quotation they are.
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

// Plain returns a form as all features and all memories of forms see it: as a
// typewriter writes it (PlainRune), with -- for a long dash and ... for an ellipsis.
// Currency signs change only where they stand alone. So a text has the same tags and
// trees however it was typed. Plain returns forms without such characters as they
// are, without allocation.
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
