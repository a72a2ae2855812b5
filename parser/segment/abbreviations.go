package segment

import (
	_ "embed"
	"strings"
	"sync"
)

// The abbreviations of a language behind which no sentence ends. Small treebanks have few
// of them.
type abbreviations struct {
	phrases
	cut bool // the period is a token of its own
}

//go:embed abbreviations.txt
var abbreviationsText string

// abbreviationsOf returns the abbreviations of each language, by its code. English has a
// lexicon instead.
var abbreviationsOf = sync.OnceValue(func() map[string]*abbreviations {
	all := map[string]*abbreviations{}
	for line := range strings.Lines(abbreviationsText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		code, list, _ := strings.Cut(line, " ")
		a := &abbreviations{}
		for form := range strings.FieldsSeq(list) {
			if form == "+" {
				a.cut = true
			} else {
				a.addAnyCase(strings.ReplaceAll(form, "_", " ") + ".")
			}
		}
		all[code] = a
	}
	return all
})
