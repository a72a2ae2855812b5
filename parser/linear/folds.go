package linear

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Folds returns the bounds of contiguous folds with about the same number of words.
// Fold f is list[bounds[f]:bounds[f+1]]. To keep documents in one fold, a bound moves
// to the nearest start of a document ("# newdoc") that is at most a third of a fold
// away. Neighbours with the same forms, such as a sentence with gold and with predicted
// tags, stay together. No fold is empty; with few sentences there are fewer folds.
func Folds(list []syntax.Sentence, folds int) []int {
	before := make([]int, len(list)+1) // words before a sentence
	for i := range list {
		before[i+1] = before[i] + len(list[i].Words)
	}
	total := before[len(list)]
	bounds := []int{0}
	for f := 1; f < folds; f++ {
		want := total * f / folds
		at, _ := slices.BinarySearch(before, want)
		nearest := total/folds/3 + 1
		for i := range list {
			if d := max(before[i]-want, want-before[i]); d < nearest && startsDocument(&list[i]) {
				at, nearest = i, d
			}
		}
		for at > 0 && at < len(list) && sameForms(&list[at-1], &list[at]) {
			at++
		}
		if at > bounds[len(bounds)-1] && at < len(list) {
			bounds = append(bounds, at)
		}
	}
	return append(bounds, len(list))
}

// FoldOf returns the fold of sentence i.
func FoldOf(bounds []int, i int) int {
	f, _ := slices.BinarySearch(bounds, i+1)
	return f - 1
}

// sameForms compares forms in any case and without accents: a language may have its
// own rules of case, and capitals without accents.
func sameForms(a, b *syntax.Sentence) bool {
	return slices.EqualFunc(a.Words, b.Words, func(x, y syntax.Word) bool {
		return x.Form == y.Form ||
			bare(x.Form) == bare(y.Form)
	})
}

func bare(form string) string {
	return cases.Fold().String(strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case r == 'ı': // whose capital is I
			return 'i'
		}
		return r
	}, norm.NFD.String(form)))
}

func startsDocument(s *syntax.Sentence) bool {
	return slices.ContainsFunc(s.Comments, func(c string) bool {
		return strings.HasPrefix(strings.TrimLeft(c, "# \t"), "newdoc")
	})
}
