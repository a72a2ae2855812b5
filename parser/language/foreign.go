package language

import (
	_ "embed"
	"strings"
)

// foreign has a code, a tab and a text in each line.
//
//go:embed foreign.txt
var foreign string

// Foreign returns a sample of sentences in each of some languages that a model may not
// know. Train learns None from those that it has no other samples of.
func Foreign() (list []Sample) {
	for line := range strings.Lines(foreign) {
		code, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		list = append(list, Sample{code, text})
	}
	return list
}
