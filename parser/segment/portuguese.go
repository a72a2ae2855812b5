package segment

import (
	"regexp"
	"strings"
	"sync"
)

// All that is said about Portuguese is in this file: a pronoun behind the hyphen of a verb is
// a token of its own, and so is the hyphen: diga-me, ajudá-lo, encontraram-no, far-se-á. Its
// treebank has few of these pairs. Elsewhere no is em and o.
var verbWithPronoun = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\pL{2,}(-)([mst]e|lhes?|[nv]os)|\pL{2,}[aeiouáéêô](-)([ao]s?)|\pL+[áéêíôi](-)(l[ao]s?)|` +
		`\pL+(?:m|ão|õe)(-)(n[ao]s?))(?:(-)(ei|ás?|emos|eis|ão|ia[ms]?|íamos))?$`)
})

// splitPortuguese makes such pronouns and hyphens tokens, but not inside a unit.
func (w *workspace) splitPortuguese() {
	l := &w.layout
	w.fixed = w.fixed[:0]
	w.asked = span{}
	toks := w.tokens
	for i := int32(0); int(i) < len(l.class); i++ {
		word := span{i, i} // of letters and hyphens
		for i < int32(len(l.class)) && (isWordly(l.class[i]) || l.norm[i] == '-') {
			i++
		}
		word.end = i
		text := l.text(word)
		if !strings.Contains(text, "-") {
			continue
		}
		at := verbWithPronoun().FindStringSubmatchIndex(text)
		for k := 2; k < len(at); k += 2 {
			if at[k] < 0 {
				continue
			}
			start := word.start + runes(text[:at[k]])
			for len(toks) > 1 && toks[1].start <= start {
				toks = toks[1:]
			}
			if !w.inUnit(toks, start) {
				w.fixed = append(w.fixed, fixedSpan{span{start, start + runes(text[at[k]:at[k+1]])}, unsplit})
			}
		}
	}
	if len(w.fixed) > 0 {
		w.cutOut()
	}
}
