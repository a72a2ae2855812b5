package tag

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// bound reports whether a form has not all labels (suits).
func (m *Model) bound(f *form) bool { return m.english && (f.foreign || f.mark || f.past != anything) }

// suits reports whether a form, none that the treebank often has, may have a label.
func (m *Model) suits(f *form, label int) bool {
	upos := m.upos[label]
	switch {
	case m.english && f.foreign:
		return upos == "X" || upos == "PROPN"
	case m.english && f.mark:
		return upos == "PUNCT"
	}
	return !m.english || f.past.allows(upos, m.xpos[label])
}

// isForeign reports whether s has letters, none of them Latin or of no script (𝐇, µ). A Greek
// letter alone is most often a sign.
func isForeign(s string) bool {
	letters, only := 0, rune(0)
	for _, r := range s {
		switch {
		case !unicode.IsLetter(r):
		case unicode.In(r, unicode.Latin, unicode.Common):
			return false
		default:
			letters++
			only = r
		}
	}
	return letters > 1 || letters == 1 && !unicode.Is(unicode.Greek, only)
}

// nouns are characters that Unicode calls punctuation and that are read aloud as words.
const nouns = "§¶‰‱٪؉؊％﹪＆﹠⁊＠﹫＃﹟"

// isMark reports whether s has only punctuation that is not ASCII (。, «, ؟). Of the latter
// people make emoticons.
func isMark(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r < utf8.RuneSelf || !unicode.IsPunct(r) || strings.ContainsRune(nouns, r)
	})
}
