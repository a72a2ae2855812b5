package main

import (
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

func TestCount(t *testing.T) {
	w := func(form, lemma, upos string) syntax.Word { return syntax.Word{Form: form, Lemma: lemma, UPOS: upos} }
	of := func(words ...syntax.Word) []syntax.Sentence { return []syntax.Sentence{{Words: words}} }
	train := of(w("The", "the", "DET"), w("circle", "circle", "NOUN"), w("fires", "fire", "NOUN"), w("went", "go", "VERB"))
	gold := of(w("the", "the", "DET"), w("Circle", "circle", "VERB"), w("goes", "go", "VERB"), w("zapped", "zap", "VERB"), w("gulls", "gull", "NOUN"))
	tagged := of(w("the", "", "PRON"), w("Circle", "", "NOUN"), w("goes", "", "VERB"), w("zapped", "", "VERB"), w("gulls", "", "VERB"))
	want := [len(groups)]tally{{5, 2}, {3, 2}, {2, 2}, {1, 0}, {2, 1}, {1, 1}}
	if got := count(train, gold, tagged); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}
