package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// hiddenShare is the share of hidden words from which on they are many.
const hiddenShare = 0.05

// HidesWords reports whether an encoder has to find the words of a treebank, as in
// Chinese, Japanese, Thai and Vietnamese. This is so if many words are not marked by
// white space or punctuation: they are joined to the next word, or have a space inside.
// Sentences with multiword tokens are ignored.
func HidesWords(list []Sentence) bool {
	words, hidden := 0, 0
	for _, s := range list {
		if len(s.MWTs) > 0 {
			continue
		}
		words += len(s.Words)
		for i, w := range s.Words {
			joined := i+1 < len(s.Words) && NoSpaceAfter(w.Misc) && endsInLetter(w.Form) && beginsWithLetter(s.Words[i+1].Form)
			if joined || strings.ContainsRune(w.Form, ' ') {
				hidden++
			}
		}
	}
	return float64(hidden) > hiddenShare*float64(words)
}

func beginsWithLetter(form string) bool {
	r, _ := utf8.DecodeRuneInString(form)
	return unicode.IsLetter(r)
}

func endsInLetter(form string) bool {
	r, _ := utf8.DecodeLastRuneInString(form)
	return unicode.In(r, unicode.L, unicode.M)
}
