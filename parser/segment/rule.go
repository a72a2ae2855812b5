package segment

import (
	"strings"
	"unicode"
)

// A rule spells out a multiword token in lower case: with stem the form
// without the prefix pre and the suffix suf, the words are those before, then
// left+stem+right, then those after. "wouldn't" -> "would n't" is the rule
// {suf: "n't", after: ["n't"]}.
type rule struct {
	pre, suf      string
	before, after []string
	left, right   string
}

// minStem is the least length of a stem in characters.
const minStem = 2

// ruleSeparator separates the fields of an encoded rule, and words.
const (
	ruleSeparator = "\x00"
	wordSeparator = "\x01"
)

func (r *rule) encode() string {
	return strings.Join([]string{r.pre, r.suf, strings.Join(r.before, wordSeparator),
		strings.Join(r.after, wordSeparator), r.left, r.right}, ruleSeparator)
}

// decodeRule is the inverse of encode; ok is false for anything else.
func decodeRule(s string) (r rule, ok bool) {
	f := strings.Split(s, ruleSeparator)
	if len(f) != 6 {
		return rule{}, false
	}
	return rule{pre: f[0], suf: f[1], before: splitWords(f[2]), after: splitWords(f[3]), left: f[4], right: f[5]}, true
}

func splitWords(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, wordSeparator)
}

// inferRule finds the rule that explains a lower-case form and its words by
// the longest stem they share; ok is false if the stem is too short.
func inferRule(form string, words []string) (r rule, ok bool) {
	f := []rune(form)
	best, bestWord, bestForm, bestAt := 0, 0, 0, 0
	for k, word := range words {
		w := []rune(word)
		for i := range f {
			for j := range w {
				n := 0
				for i+n < len(f) && j+n < len(w) && f[i+n] == w[j+n] {
					n++
				}
				if n > best {
					best, bestWord, bestForm, bestAt = n, k, i, j
				}
			}
		}
	}
	if best < minStem || best == len(f) {
		return rule{}, false
	}
	w := []rune(words[bestWord])
	return rule{
		pre: string(f[:bestForm]), suf: string(f[bestForm+best:]),
		before: words[:bestWord], after: words[bestWord+1:],
		left: string(w[:bestAt]), right: string(w[bestAt+best:]),
	}, true
}

// fits says whether the rule applies to a lower-case form.
func (r *rule) fits(form string) bool {
	if len(form) <= len(r.pre)+len(r.suf) || !strings.HasPrefix(form, r.pre) || !strings.HasSuffix(form, r.suf) {
		return false
	}
	n := 0
	for range form[len(r.pre) : len(form)-len(r.suf)] {
		n++
	}
	return n >= minStem
}

// apply returns the words of a lower-case form that the rule fits.
func (r *rule) apply(form string) []string {
	words := make([]string, 0, len(r.before)+1+len(r.after))
	words = append(words, r.before...)
	words = append(words, r.left+form[len(r.pre):len(form)-len(r.suf)]+r.right)
	return append(words, r.after...)
}

// lowerCase lowers character by character, so that their number is kept.
func lowerCase(form string) string { return strings.Map(unicode.ToLower, form) }

// copyCase gives lower-case words the casing of the form that they spell out.
func copyCase(form string, words []string) []string {
	lower := lowerCase(form)
	if strings.Join(words, "") == lower {
		return slicesOf(form, words)
	}
	var upper, other int
	first := false
	for i, r := range form {
		switch {
		case unicode.IsUpper(r):
			upper++
			first = first || i == 0
		case unicode.IsLower(r):
			other++
		}
	}
	out := make([]string, len(words))
	for i, w := range words {
		switch {
		case upper > 1 && other == 0:
			w = strings.Map(unicode.ToUpper, w)
		case first && i == 0:
			w = title(w)
		}
		out[i] = w
	}
	return out
}

// slicesOf cuts the form where the words, which have as many characters, end.
func slicesOf(form string, words []string) []string {
	out := make([]string, len(words))
	rest := form
	for i, w := range words {
		n := 0
		for range w {
			n++
		}
		end := len(rest)
		for at := range rest {
			if n == 0 {
				end = at
				break
			}
			n--
		}
		out[i], rest = rest[:end], rest[end:]
	}
	return out
}

func title(w string) string {
	for i, r := range w {
		if i > 0 {
			return string(unicode.ToUpper([]rune(w)[0])) + w[i:]
		}
		_ = r
	}
	return strings.Map(unicode.ToUpper, w)
}
