package segment

import (
	"slices"
	"strings"
)

// All that is said about French is in this file: pronouns behind their verb are tokens of
// their own, with their hyphens, as in all of its treebanks: vas -tu, parla -t-elle. Small
// treebanks lack most of these pairs.
var (
	clitics = strings.Fields("-t-il -t-elle -t-on -t-ils -t-elles -je -tu -il -elle -on -nous -vous -ils -elles -ce -moi -toi -lui -leur -le -la -les -en -y")
	// whole lists words that look the same.
	whole = formsOf("rendez-vous garde-à-vous chez-moi chez-toi chez-nous chez-vous quant-à-moi quant-à-toi")
)

// splitFrench cuts pronouns off tokens, but none out of a unit.
func (w *workspace) splitFrench() {
	w.fixed = w.fixed[:0]
	for i := range w.tokens {
		t := w.tokens[i].span
		text := strings.ReplaceAll(strings.ToLower(w.layout.text(t)), "‑", "-")
		if whole[text] || !strings.Contains(text, "-") {
			continue
		}
		first, units, from := len(w.fixed), w.unitsOf(t), t.start
		for range 2 { // donne-le-moi
			k := slices.IndexFunc(clitics, func(c string) bool { return len(text) > len(c) && strings.HasSuffix(text, c) })
			if k < 0 || strings.HasSuffix(text, "-t"+clitics[k]) {
				break
			}
			text = strings.TrimSuffix(text, clitics[k])
			start := t.end - runes(clitics[k])
			if units[start-from] == never {
				break
			}
			w.fixed, t.end = append(w.fixed, fixedSpan{span: span{start, t.end}}), start
		}
		slices.Reverse(w.fixed[first:])
	}
	if len(w.fixed) > 0 {
		w.cutOut()
	}
}
