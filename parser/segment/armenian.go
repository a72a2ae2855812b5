package segment

import (
	"slices"
	"strings"
)

// All that is said about Armenian is in this file: the marks of a question, an exclamation
// and stress stand on the vowel of a word, and are words behind it, as in all of its
// treebanks: Ո՞րն is Որն and ՞. No affix of a form tells that.
const armenianMarks = "՞՜՛"

// splitArmenian returns the words of a form with such marks, mostMarks of them at most, or nil
// if it is one word.
func splitArmenian(form string) []string {
	parts := strings.FieldsFunc(form, func(r rune) bool { return strings.ContainsRune(armenianMarks, r) })
	marks := strings.FieldsFunc(form, func(r rune) bool { return !strings.ContainsRune(armenianMarks, r) })
	if all := strings.Join(marks, ""); len(parts) > 0 && all != "" && runes(all) <= mostMarks {
		return slices.Insert(strings.Split(all, ""), 0, strings.Join(parts, ""))
	}
	return nil
}
