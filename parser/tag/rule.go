package tag

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// Case modes of a rule: what is cut and added to.
const (
	caseLower = iota // the lower case of the form
	caseAsIs
	caseTitle // lower case but for the first character
	caseUpper
	caseModes
)

// wholeWord as rule.cutSuffix replaces the form by addSuffix.
const wholeWord = 255

// A rule rewrites a form as its lemma: choose the case, leave out separators
// between digits, cut runes off both ends, add others.
type rule struct {
	mode                 uint8
	cutPrefix, cutSuffix uint8 // runes
	addPrefix, addSuffix string
	drop                 string // the rune between groups of three digits that goes, or ""
}

// ruleFor returns the rule with the least cost that makes lemma of form. Runes
// at the front cost more than those at the end, where most languages inflect:
// held is hold by eld and old, not by he and ho. Without asIs the rule reads
// the lower case only, so that it fits a form in any case.
func ruleFor(form, lower, lemma []rune, turkish, asIs bool) rule {
	best, cost := rule{mode: caseLower, cutSuffix: wholeWord, addSuffix: string(lemma)}, 1<<30
	if r := droppedRune(form, lemma); r != "" {
		return rule{mode: caseAsIs, drop: r}
	}
	for mode := range uint8(caseModes) {
		if mode == caseAsIs && !asIs {
			continue
		}
		base := cased(nil, form, lower, mode, turkish)
		try := func(i, j, n int) {
			cut, added := len(base)-i-n, len(lemma)-j-n
			if n == 0 || i >= wholeWord || cut >= wholeWord {
				return
			}
			c := cut + added + 2*(i+j)
			if i > 0 {
				c++ // a rule at one end only is the better one
			}
			if c < cost {
				cost = c
				best = rule{mode: mode, cutPrefix: uint8(i), cutSuffix: uint8(cut), addPrefix: string(lemma[:j]), addSuffix: string(lemma[j+n:])}
			}
		}
		try(0, 0, commonPrefix(base, lemma))
		try(commonRun(base, lemma))
	}
	return best
}

// droppedRune returns the rune that form has between digits and lemma has
// not, if nothing else differs; else "".
func droppedRune(form, lemma []rune) string {
	for i := range form {
		if betweenDigits(form, i) {
			r := string(form[i])
			if groupsOfThree(form, r) && string(dropBetweenDigits(nil, form, r)) == string(lemma) {
				return r
			}
		}
	}
	return ""
}

// betweenDigits reports whether form[i] is no digit and stands between two.
func betweenDigits(form []rune, i int) bool {
	return i > 0 && i+1 < len(form) && unicode.IsDigit(form[i-1]) && !unicode.IsDigit(form[i]) && unicode.IsDigit(form[i+1])
}

// dropBetweenDigits appends form without the rune r where it stands between
// two digits.
func dropBetweenDigits(dst, form []rune, r string) []rune {
	for i, c := range form {
		if string(c) != r || !betweenDigits(form, i) {
			dst = append(dst, c)
		}
	}
	return dst
}

// groupsOfThree reports whether exactly three digits follow the rune r
// wherever it stands between two digits, as in 1,234,567.8.
func groupsOfThree(form []rune, r string) bool {
	groups := 0
	for i, c := range form {
		if string(c) != r || !betweenDigits(form, i) {
			continue
		}
		n := 0
		for i+1+n < len(form) && unicode.IsDigit(form[i+1+n]) {
			n++
		}
		if n != 3 {
			return false
		}
		groups++
	}
	return groups > 0
}

func hasDigit(runes []rune) bool { return slices.ContainsFunc(runes, unicode.IsDigit) }

// commonPrefix returns how many runes a and b have in common at the front.
func commonPrefix(a, b []rune) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// commonRun returns the longest common run of runes: a[i:i+n] == b[j:j+n],
// the first in a of those.
func commonRun(a, b []rune) (i, j, n int) {
	for x := range a {
		for y := range b {
			k := 0
			for x+k < len(a) && y+k < len(b) && a[x+k] == b[y+k] {
				k++
			}
			if k > n {
				i, j, n = x, y, k
			}
		}
	}
	return i, j, n
}

// cased appends the form in the mode's case.
func cased(dst []rune, form, lower []rune, mode uint8, turkish bool) []rune {
	switch mode {
	case caseAsIs:
		return append(dst, form...)
	case caseUpper:
		for _, r := range lower {
			dst = append(dst, upperRune(r, turkish))
		}
		return dst
	}
	n := len(dst)
	dst = append(dst, lower...)
	if mode == caseTitle && len(lower) > 0 {
		dst[n] = upperRune(dst[n], turkish)
	}
	return dst
}

func upperRune(r rune, turkish bool) rune {
	if turkish {
		return unicode.TurkishCase.ToUpper(r)
	}
	return unicode.ToUpper(r)
}

// fits reports whether the rule can be applied to a form and leaves
// something.
func (r *rule) fits(lower []rune) bool {
	if r.cutSuffix == wholeWord {
		return true
	}
	if r.drop != "" && !groupsOfThree(lower, r.drop) {
		return false
	}
	n := len(lower)
	cut := int(r.cutPrefix) + int(r.cutSuffix)
	return cut < n || cut == n && len(r.addPrefix)+len(r.addSuffix) > 0
}

// cuts returns what the rule, which must fit, cuts off.
func (r *rule) cuts(lower []rune) (prefix, suffix []rune) {
	if r.cutSuffix == wholeWord {
		return nil, lower
	}
	return lower[:r.cutPrefix], lower[len(lower)-int(r.cutSuffix):]
}

// end returns the end of a form that the rule changes: what it cuts off, with
// what stands before it if that is less than the given number of runes; nil if
// it leaves the end alone. The rule must fit.
func (r *rule) end(lower []rune, least int) []rune {
	if r.cutSuffix == 0 && r.addSuffix == "" {
		return nil
	}
	return lower[max(0, len(lower)-max(least, int(r.cutSuffix))):]
}

// kept returns how many runes of a form of n runes the rule leaves. It must fit,
// and not replace the whole.
func (r *rule) kept(n int) int { return n - int(r.cutPrefix) - int(r.cutSuffix) }

// keeps reports whether at least half of the lemma that the rule makes of a
// form of n runes is the form's, and 2 runes of the form are left if there were.
func (r *rule) keeps(n int) bool {
	if r.cutSuffix == wholeWord {
		return false
	}
	kept := r.kept(n)
	return kept >= min(n, 2) && kept >= utf8.RuneCountInString(r.addPrefix)+utf8.RuneCountInString(r.addSuffix)
}

// apply appends the lemma that the rule makes. The rule must fit.
func (r *rule) apply(dst, form, lower []rune, turkish bool) []rune {
	if r.drop != "" {
		return dropBetweenDigits(dst, form, r.drop)
	}
	if r.cutSuffix != wholeWord {
		for _, c := range r.addPrefix {
			dst = append(dst, c)
		}
		n := len(dst)
		dst = cased(dst, form, lower, r.mode, turkish)
		cut := min(int(r.cutPrefix), len(dst)-n)
		dst = append(dst[:n], dst[n+cut:]...)
		dst = dst[:max(n, len(dst)-int(r.cutSuffix))]
	}
	for _, c := range r.addSuffix {
		dst = append(dst, c)
	}
	return dst
}
