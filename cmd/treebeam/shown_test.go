package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/conllu"
)

// TestShownTreesAreRight holds the trees that README.md and make run show, as
// the golden test has them, against trees by hand: form, head, deprel.
func TestShownTreesAreRight(t *testing.T) {
	sents, err := conllu.ReadAll("testdata/sample.conllu")
	if err != nil {
		t.Fatal(err)
	}
	trees := map[string]string{}
	for i := range sents {
		var b strings.Builder
		for _, w := range sents[i].Words {
			fmt.Fprintf(&b, "%s %d %s, ", w.Form, w.Head, w.Deprel)
		}
		trees[strings.Split(b.String(), " ")[0]+fmt.Sprint(len(sents[i].Words))] = strings.TrimSuffix(b.String(), ", ")
	}
	for name, want := range map[string]string{
		"Dear3":  "Dear 2 amod, Ines 0 root, , 2 punct",
		"Thank6": "Thank 0 root, you 1 obj, for 5 case, the 5 det, seeds 1 obl, ! 1 punct",
		"The8":   "The 2 det, slugs 3 nsubj, found 0 root, them 3 obj, on 7 case, the 7 det, tenth 3 obl, . 3 punct",
	} {
		if trees[name] != want {
			t.Errorf("%s: %q, want %q: choose other trees to show", name, trees[name], want)
		}
	}
}
