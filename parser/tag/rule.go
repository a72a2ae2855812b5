package tag

import "unicode"

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

// A rule rewrites a form as its lemma: choose the case, cut runes off both
// ends, add others.
type rule struct {
	mode                 uint8
	cutPrefix, cutSuffix uint8 // runes
	addPrefix, addSuffix string
}

// ruleFor returns the rule with the fewest cut and added runes that makes
// lemma of form.
func ruleFor(form, lower, lemma []rune, turkish bool) rule {
	best, cost := rule{mode: caseLower, cutSuffix: wholeWord, addSuffix: string(lemma)}, 1<<30
	for mode := range uint8(caseModes) {
		base := cased(nil, form, lower, mode, turkish)
		i, j, n := commonRun(base, lemma)
		if n == 0 || len(base)-n >= wholeWord {
			continue
		}
		c := len(base) + len(lemma) - 2*n
		if i > 0 {
			c++ // a rule at one end only is the better one
		}
		if c < cost {
			cost = c
			best = rule{mode, uint8(i), uint8(len(base) - i - n), string(lemma[:j]), string(lemma[j+n:])}
		}
	}
	return best
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

// fits reports whether the rule can be applied to a form of n runes and
// leaves something.
func (r *rule) fits(n int) bool {
	if r.cutSuffix == wholeWord {
		return true
	}
	cut := int(r.cutPrefix) + int(r.cutSuffix)
	return cut < n || cut == n && len(r.addPrefix)+len(r.addSuffix) > 0
}

// apply appends the lemma that the rule makes. The rule must fit.
func (r *rule) apply(dst, form, lower []rune, turkish bool) []rune {
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
