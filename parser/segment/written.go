package segment

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// All that is said about the ends of sentences in all languages but English is in this
// file. Sentences of small treebanks are few and stand alone, so a classifier hardly learns
// what follows a question or an initial.

// uncased lists languages without capitals whose words have spaces between them.
var uncased = formsOf("ar fa he hi ko")

// Languages whose treebanks have sentences that go on behind a question or a shout, or behind a
// period.
var (
	lenient = formsOf("mr te tr ug")
	joining = formsOf("fi hy is")
)

// counting lists words that are abbreviations before a number, but may end a sentence before
// another one: art. 5.
var counting = formsOf("art cap kap fig hal par et ap ust рис böl")

// Lengths in letters.
const (
	minEnding = 5 // of a word in lower case that is hardly an abbreviation
	maxBrief  = 4 // of an abbreviation without a vowel
)

// mostInitials bounds the tokens of initials.
const mostInitials = 16

// endsAsWritten says whether a sentence that begins with token first ends behind token i,
// before another one on the same line, if the classifier says ends. open says that a
// quote or a bracket is open.
func (w *workspace) endsAsWritten(first, i int, ends, open bool, language string) bool {
	t, next := &w.tokens[i], &w.tokens[i+1]
	text := w.layout.text(t.span)
	switch {
	case ends && t.gap == gapNone && next.gap != gapNone && (next.role&roleClose != 0 || next.role&roleQuote != 0 && open):
		return false // the quote or the bracket closes first
	case !ends && !open && t.gap != gapNone && strings.Trim(text, "?!؟") == "":
		return !lenient[language] && w.opensAt(i+1, language)
	case !ends && !open && t.gap != gapNone && (text == "..." || text == "…") && i > first && w.tokens[i-1].gap == gapNone:
		return !uncased[language] && language != "de" && w.opensAt(i+1, language) // a German noun has a capital, too
	case !strings.HasSuffix(text, "."):
		return ends
	}
	word := w.abbreviated(i)
	if ends {
		number := w.layout.class[next.start] == classDigit
		goesOn := next.role&roleLower != 0 || number
		return !(goesOn && isBrief(word) || number && (counting[strings.ToLower(word)] || strings.HasSuffix(word, "str")) || next.role&roleCapital != 0 && w.isInitial(i) && w.isOfName(first, i))
	}
	return text == "." && !joining[language] && !open && t.gap != gapNone && isLetters(word) && w.opensAt(i+1, language) &&
		(utf8.RuneCountInString(word) >= minEnding && word == strings.ToLower(word) || strings.Trim(w.lower(i+1), "-–—") == "")
}

// abbreviated returns the word before the period of token i, which may be of the same token.
func (w *workspace) abbreviated(i int) string {
	text := strings.TrimSuffix(w.layout.text(w.tokens[i].span), ".")
	if text == "" && i > 0 && w.tokens[i-1].gap == gapNone {
		text = w.layout.text(w.tokens[i-1].span)
	}
	return text
}

// isBrief reports whether a word before a period looks like an abbreviation in Latin or Cyrillic
// letters, or like the number of a day or a month.
func isBrief(word string) bool {
	n := utf8.RuneCountInString(word)
	if strings.Trim(word, "0123456789") == "" {
		return n == 1 || n == 2
	}
	foreign := func(r rune) bool { return !unicode.In(r, unicode.Latin, unicode.Cyrillic) }
	return n > 0 && n <= maxBrief && strings.IndexFunc(word, foreign) < 0 &&
		(n == 1 || word != strings.ToUpper(word) && !strings.ContainsAny(strings.ToLower(word), vowels))
}

const vowels = "aeiouyáéíóúýàèìòùâêîôûäëïöüãõåæøąęėįųūāēīěůőűıăаеёиоуыэюяіїє"

func isLetters(word string) bool {
	return word != "" && strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// isInitial reports whether token i is the end of an initial: A.
func (w *workspace) isInitial(i int) bool {
	if i >= len(w.tokens) || !strings.HasSuffix(w.layout.text(w.tokens[i].span), ".") {
		return false
	}
	r, size := utf8.DecodeRuneInString(w.abbreviated(i))
	return size > 0 && size == len(w.abbreviated(i)) && unicode.IsUpper(r)
}

// isOfName reports whether another initial follows the one that ends with token i, or only
// initials precede it in its sentence: A. S. Popov.
func (w *workspace) isOfName(first, i int) bool {
	if w.isInitial(i+1) || w.isInitial(i+2) {
		return true
	}
	for k := i; k >= first; k-- {
		if w.tokens[k].role&roleWord != 0 && !w.isInitial(k) && !w.isInitial(k+1) || i-k > mostInitials {
			return false
		}
	}
	return true
}

// opensAt reports whether token i looks like the beginning of a sentence on the same line: a
// word with a capital, or a word in writing without capitals, behind emoji, dashes and marks that open.
func (w *workspace) opensAt(i int, language string) bool {
	for ; i < len(w.tokens); i++ {
		t := &w.tokens[i]
		switch text := w.layout.text(t.span); {
		case t.role&roleWord != 0:
			return t.role&roleCapital != 0 || uncased[language] && w.layout.class[t.start] == classLetter
		case t.gap >= gapNewline, !(t.word == anyEmoji || t.role&roleOpen != 0 || t.role&roleQuote != 0 && t.gap == gapNone ||
			strings.Trim(text, "-–—¿¡") == ""):
			return false
		}
	}
	return false
}

// isQuote reports whether token i is a mark that opens or closes a quotation.
func (w *workspace) isQuote(i int) bool {
	return strings.Trim(w.layout.text(w.tokens[i].span), `"«»„“”`) == ""
}
