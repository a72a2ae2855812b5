package tag

import "unicode"

// suits reports whether a form that the treebank does not have may have a UPOS.
func (m *Model) suits(f *form, upos string) bool {
	return !m.english || !f.foreign || upos == "X" || upos == "PROPN"
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
