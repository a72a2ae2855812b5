package lemma

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed irregular.txt
var irregularText string

// irregular maps irregular forms of verbs to their infinitives, by the code of the language.
var irregular = sync.OnceValue(func() map[string]map[string][]rune {
	all := map[string]map[string][]rune{}
	for line := range strings.Lines(irregularText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Fields(line)
		if all[f[0]] == nil {
			all[f[0]] = map[string][]rune{}
		}
		for _, form := range f[2:] {
			all[f[0]][form] = []rune(f[1])
		}
	}
	return all
})

// SetLanguage lets z know irregular verbs of a language, by its code, behind its memory. Some
// languages have none.
func (z *Model) SetLanguage(code string) { z.verbs = irregular()[code] }

// isIrregular looks a verb up among the irregular ones of the language.
func (z *Model) isIrregular(sc *Scratch, lower []rune, t Tags) bool {
	if !t.verb || len(z.verbs) == 0 {
		return false
	}
	infinitive := z.verbs[string(lower)]
	sc.lemma = append(sc.lemma[:0], infinitive...)
	return len(infinitive) > 0
}
