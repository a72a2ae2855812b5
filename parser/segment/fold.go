package segment

import (
	"strings"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/word"
)

// Characters that a typewriter does not have. Features see one code point for one
// character (word.PlainRune), so characters that a typewriter writes with several
// keep their own. A token that is one of these has the word, the shape and the
// suffix of its typewritten form.
const (
	ellipsis = word.Ellipsis
	longDash = word.LongDash
)

// foldLower returns a form in lower case, folded. It has as many characters.
func foldLower(form string) string {
	return strings.Map(word.PlainRune, strings.ToLower(form))
}

// plainRunes returns the normal characters of a token as a typewriter has them.
func plainRunes(norm []rune) []rune {
	switch r := norm[0]; {
	case r < ellipsis && r != longDash:
	case len(norm) == 1 && r == ellipsis:
		return typewriterEllipsis
	case len(norm) == 1 && r == longDash:
		return typewriterDash
	case isEmoji(r):
		return emoji
	}
	return norm
}

var typewriterEllipsis, typewriterDash, emoji = []rune("..."), []rune("--"), []rune{anEmoji}

// withTypography returns changed copies: of the paragraphs that typography
// changes, and of the paragraphs with abbreviations of a list, half of which
// become others of the list.
func withTypography(all []paragraph, list []string, seed uint64) (blocks []*goldBlock) {
	r := hash.Rand(seed + 1)
	listed := map[string]bool{}
	for _, form := range list {
		listed[strings.ToLower(form)] = true
	}
	for _, p := range all {
		q, ok := typography(p, &r)
		for i := range q {
			if len(list) > 0 && listed[strings.ToLower(q[i].form)] && q[i].words == "" && r.Float() < 0.5 {
				q[i].form, ok = list[r.Below(uint32(len(list)))], true
			}
		}
		if ok {
			blocks = append(blocks, newGoldBlock(q))
		}
	}
	return blocks
}

// typography returns a copy of a paragraph with some of its dashes and ellipses
// as typography has them, and with dashes for some of its commas; ok is false
// if nothing changed. Most dashes stand between words without spaces: few
// treebanks write them so, and some have none.
func typography(p paragraph, r *hash.Rand) (q paragraph, ok bool) {
	q = append(q, p...)
	for i := range q {
		t := &q[i]
		inner := i > 0 && i+1 < len(q) && !q[i-1].ends && !t.ends && t.words == ""
		switch {
		case t.form == "..." || t.form == "." && t.ends && r.Float() < 0.05:
			t.form, ok = string(ellipsis), true
		case t.form == "$" && t.after == "" && i+1 < len(q) && !t.ends && q[i+1].words == "" && r.Float() < 0.3:
			// Elsewhere the sign stands behind the number.
			*t, q[i+1] = q[i+1], *t
			t.after, q[i+1].after = q[i+1].after, t.after
			t.ends, q[i+1].ends = false, t.ends
			ok = true
		case !inner:
		case t.form == "--", t.form == "-" && t.after != "" && q[i-1].after != "", t.form == "," && t.after != "" &&
			r.Float() < 0.1:
			t.form, ok = string(longDash), true
			if r.Float() < 0.8 {
				t.after, q[i-1].after = "", ""
			}
		}
	}
	return q, ok
}
