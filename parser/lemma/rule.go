package lemma

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/word"
)

// What a rule rewrites.
const (
	caseLower = iota // the lower case of the form
	caseAsIs
	caseTitle // lower case but for the first character
	caseUpper
	ungroup // the form, without the separator addPrefix between groups of three digits
	ruleModes
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

// ruleFor returns the rule with the least cost that makes lemma of form. Runes
// at the front cost more than those at the end, where most languages inflect:
// held is hold by eld and old, not by he and ho. Without asIs the rule reads
// the lower case only, so that it fits a form in any case. Of a form or lemma of
// more than word.MaxRun runes it looks at the front alone.
func ruleFor(form, lower, lemma []rune, casing word.Casing, asIs bool) rule {
	for i, r := range form[:min(len(form), word.MaxRun)] {
		if !unicode.IsDigit(r) && i > 0 && unicode.IsDigit(form[i-1]) {
			if made, ok := withoutGroups(nil, form, r); ok && slices.Equal(made, lemma) {
				return rule{mode: ungroup, addPrefix: string(r)}
			}
		}
	}
	best, cost := rule{mode: caseLower, cutSuffix: wholeWord, addSuffix: string(lemma)}, 1<<30
	for mode := range uint8(ungroup) {
		if mode == caseAsIs && !asIs {
			continue
		}
		base := cased(nil, form, lower, mode, casing)
		try := func(i, j, n int) { // base[i:i+n] is lemma[j:j+n]
			cut, added := len(base)-i-n, len(lemma)-j-n
			c := cut + added + 2*(i+j)
			if i > 0 {
				c++ // a rule at one end only is the better one
			}
			if n > 0 && i < wholeWord && cut < wholeWord && c < cost {
				best, cost = rule{mode, uint8(i), uint8(cut), string(lemma[:j]), string(lemma[j+n:])}, c
			}
		}
		try(0, 0, commonPrefix(base, lemma))
		try(word.CommonRun(base, lemma))
	}
	return best
}

// withoutGroups appends form without the rune sep where it stands between two
// digits, as in 1,234,567. It reports whether there are such places, and
// exactly three digits behind each.
func withoutGroups(dst, form []rune, sep rune) ([]rune, bool) {
	groups := false
	for i, r := range form {
		if r != sep || i == 0 || !unicode.IsDigit(form[i-1]) || i+1 == len(form) || !unicode.IsDigit(form[i+1]) {
			dst = append(dst, r)
			continue
		}
		n := i + 1
		for n < len(form) && unicode.IsDigit(form[n]) {
			n++
		}
		if n-i-1 != 3 {
			return dst, false
		}
		groups = true
	}
	return dst, groups
}

func hasDigit(runes []rune) bool { return slices.ContainsFunc(runes, unicode.IsDigit) }

// commonPrefix returns how many runes at the front of a and b are the same.
func commonPrefix(a, b []rune) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// cased appends the form in the mode's case.
func cased(dst, form, lower []rune, mode uint8, casing word.Casing) []rune {
	if mode == caseAsIs {
		return append(dst, form...)
	}
	n := len(dst)
	dst = append(dst, lower...)
	for i := n; i < len(dst) && (mode == caseUpper || mode == caseTitle && i == n); i++ {
		dst[i] = casing.Upper(dst[i])
	}
	return dst
}

// doubled reports whether the first rune that the rule cuts off the end equals
// the rune before it.
func (r *rule) doubled(lower []rune) bool {
	at := len(lower) - int(r.cutSuffix)
	return r.cutSuffix > 0 && at > 0 && at < len(lower) && lower[at] == lower[at-1]
}

// keepsEnd reports whether the rule leaves the end of a form alone.
func (r *rule) keepsEnd() bool { return r.cutSuffix == 0 && r.addSuffix == "" }

// kept returns how many of a form's n runes the rule leaves, or a negative
// number if it does not fit. The rule must not replace the whole form.
func (r *rule) kept(n int) int { return n - int(r.cutPrefix) - int(r.cutSuffix) }

// keeps reports whether the rule fits a form of n runes, leaves at least 2 of
// them if there were 2, and makes a lemma of which at least half is from the
// form.
func (r *rule) keeps(n int) bool {
	kept := r.kept(n)
	return r.cutSuffix != wholeWord && kept >= max(1, min(n, 2)) &&
		kept >= utf8.RuneCountInString(r.addPrefix)+utf8.RuneCountInString(r.addSuffix)
}

// learnable reports whether a rule may be tried on unknown forms: it makes a
// lemma of a part of the form and adds no digit.
func (r *rule) learnable() bool {
	return r.cutSuffix != wholeWord && !hasDigit([]rune(r.addPrefix+r.addSuffix))
}

// apply appends the lemma that the rule makes of a form. It reports whether
// there is one: the rule must not cut off more runes than the form has, the
// lemma must not be empty, and to remove group separators the form must have
// groups.
func (r *rule) apply(dst, form, lower []rune, casing word.Casing) ([]rune, bool) {
	kept := r.kept(len(lower))
	switch {
	case r.mode == ungroup:
		sep, _ := utf8.DecodeRuneInString(r.addPrefix)
		return withoutGroups(dst, form, sep)
	case r.cutSuffix == wholeWord:
		return append(dst, []rune(r.addSuffix)...), true
	case kept < 0 || kept == 0 && len(r.addPrefix)+len(r.addSuffix) == 0:
		return dst, false
	}
	dst = append(dst, []rune(r.addPrefix)...)
	n := len(dst)
	dst = cased(dst, form, lower, r.mode, casing)
	dst = slices.Delete(dst, n, n+int(r.cutPrefix))
	return append(dst[:n+kept], []rune(r.addSuffix)...), true
}
