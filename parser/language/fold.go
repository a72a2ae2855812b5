package language

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// looked is the largest number of characters that Identify reads. Of a longer text it
// reads the beginning of each quarter.
const looked = 4000

const parts = 4

// Marks of a table of characters, in place of a letter.
const (
	gap     = 0      // no letter: ends a word
	nothing = 0xFFFF // belongs to a word, and says nothing: marks of vowels, joiners
)

// letters maps the characters below its length to the letter that features see, gap or
// nothing.
var letters = sync.OnceValue(func() []uint16 {
	table := make([]uint16, 0x3100)
	for i := range table {
		table[i] = uint16(letter(rune(i)))
	}
	return table
})

// letter returns the letter that features see: lower case, so that a word looks the
// same in capitals. Greek letters lose their accents and Turkish ones their dots for the
// same reason. It returns gap for what is no letter, and nothing for what writers may
// leave out.
func letter(r rune) rune {
	switch {
	case r >= 0x0591 && r <= 0x05C7 && unicode.Is(unicode.Mn, r), // Hebrew vowels
		r >= 0x064B && r <= 0x0652, r == 0x0640, r == 0x0670, // Arabic vowels, stretching
		r >= 0x200B && r <= 0x200D, r == 0x00AD, r == 0xFEFF: // joiners, soft hyphens
		return nothing
	case r == '\'', r == 0x2019, r == 0x02BC:
		return '\''
	case !unicode.IsLetter(r) && !unicode.IsMark(r):
		return gap
	}
	switch r = unicode.ToLower(r); r {
	case 'ı':
		return 'i'
	case 'ς':
		return 'σ'
	case 'ά':
		return 'α'
	case 'έ':
		return 'ε'
	case 'ή':
		return 'η'
	case 'ί', 'ϊ', 'ΐ':
		return 'ι'
	case 'ό':
		return 'ο'
	case 'ύ', 'ϋ', 'ΰ':
		return 'υ'
	case 'ώ':
		return 'ω'
	}
	return r
}

// fold appends the letters of a text to dst: words of folded letters, each between
// spaces, of at most looked characters of the text. It leaves out digits, punctuation,
// markup, and what no language has: addresses, names of files, of variables and of
// functions.
func fold(dst []rune, text string) []rune {
	dst = append(dst, ' ')
	if len(text) <= looked {
		return space(foldPart(dst, text, looked))
	}
	start := 0
	for part := 1; part <= parts; part++ {
		end := len(text) / parts * part
		if part == parts {
			end = len(text)
		}
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		dst = foldPart(dst, text[start:end], looked/parts)
		start = end
	}
	return space(dst)
}

// foldPart appends the letters of at most limit characters. If more are left, a space
// follows.
func foldPart(dst []rune, text string, limit int) []rune {
	table := letters()
	for i := 0; i < len(text); {
		if limit <= 0 {
			return space(dst)
		}
		if c := text[i]; c < utf8.RuneSelf {
			size := 1
			if tag := markup(text[i:min(len(text), i+limit)]); tag > 0 {
				dst, size = space(dst), tag
			} else if c <= ' ' {
				dst = space(dst)
			} else {
				size = typed(text[i:min(len(text), i+limit)])
				dst = foldTyped(dst, text[i:i+size])
			}
			i, limit = i+size, limit-size
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i, limit = i+size, limit-1
		last := &dst[len(dst)-1]
		if r >= 0x0300 && r <= 0x036F && *last != ' ' { // decomposed, as some file systems have it
			*last = letter(composed(*last, r))
			continue
		}
		if int(r) < len(table) {
			r = rune(table[r])
		} else {
			r = letter(r)
		}
		switch r {
		case gap:
			dst = space(dst)
		case nothing:
		default:
			dst = append(dst, r)
		}
	}
	return dst
}

// space ends a word.
func space(dst []rune) []rune {
	if dst[len(dst)-1] == '\'' {
		dst = dst[:len(dst)-1]
	}
	if dst[len(dst)-1] == ' ' {
		return dst
	}
	return append(dst, ' ')
}

// composed returns the letter that a letter and a mark make, or the letter.
func composed(r, mark rune) rune {
	var from, to [4 * utf8.UTFMax]byte
	x := utf8.AppendRune(utf8.AppendRune(from[:0], r), mark)
	c, size := utf8.DecodeRune(norm.NFC.Append(to[:0], x...))
	if size < len(x) && c != utf8.RuneError {
		return c
	}
	return r
}

// markup returns the length of the tag that a text begins with, or 0.
func markup(text string) int {
	if len(text) < 3 || text[0] != '<' || !isLetter(text[1]) && text[1] != '/' && text[1] != '!' {
		return 0
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '<':
			return 0
		case '>':
			return i + 1
		}
	}
	return 0
}

// typed returns the length of the run of visible ASCII characters that a text begins
// with. It ends before a tag may begin.
func typed(text string) (n int) {
	for n < len(text) && text[n] > ' ' && text[n] < utf8.RuneSelf && (n == 0 || text[n] != '<') {
		n++
	}
	return n
}

// foldTyped appends the letters of a run of visible ASCII characters. A run with anything
// but letters, apostrophes, hyphens and commas between its first letter or digit and its
// last is no word, and a run like camelCase is none, either.
func foldTyped(dst []rune, run string) []rune {
	first, last := 0, len(run)-1
	for first <= last && !isLetter(run[first]) && !isDigit(run[first]) {
		first++
	}
	for last > first && !isLetter(run[last]) && !isDigit(run[last]) {
		last--
	}
	if first > 0 {
		dst = space(dst)
	}
	if first > last {
		return dst
	}
	word := run[first : last+1]
	for i := range len(word) {
		c := word[i]
		humped := i > 0 && c >= 'A' && c <= 'Z' && word[i-1] >= 'a' && word[i-1] <= 'z'
		if humped || !isLetter(c) && c != '\'' && c != '-' && c != ',' {
			return space(dst)
		}
	}
	for i := range len(word) {
		switch c := word[i]; {
		case isLetter(c):
			dst = append(dst, rune(c|0x20))
		case c == '\'' && dst[len(dst)-1] != ' ':
			dst = append(dst, '\'')
		default:
			dst = space(dst)
		}
	}
	switch {
	case last+1 == len(run):
	case run[last+1] == '\'' && last+2 == len(run): // l' before a letter beyond ASCII
		dst = append(dst, '\'')
	default:
		dst = space(dst)
	}
	return dst
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
