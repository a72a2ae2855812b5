package model_test

import (
	"os"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
)

// TestLemmasOfEverydayWords counts wrong lemmas of the embedded model in
// testdata/everyday.tsv: form, UPOS, lemma and a sentence of our own, written
// down before any of them was tried. A third of the words are irregular, and
// those that are wrong do not occur in the treebank: the limit is what the
// model reaches.
func TestLemmasOfEverydayWords(t *testing.T) {
	const limit = 20
	m := must(model.Open(model.Embedded))
	lines := must(os.ReadFile("testdata/everyday.tsv"))
	words, wrong, tags := 0, 0, 0
	for line := range strings.Lines(string(lines)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		s := syntax.Sentence{}
		at := -1
		for i, form := range strings.Fields(f[3]) {
			s.Words = append(s.Words, syntax.Word{Form: form})
			if form == f[0] && at < 0 {
				at = i
			}
		}
		if at < 0 {
			t.Fatalf("%q has no word %s", f[3], f[0])
		}
		m.Tag(&s, false)
		words++
		if w := &s.Words[at]; w.Lemma != f[2] {
			wrong++
			if w.UPOS != f[1] {
				tags++
			}
			t.Logf("%s %s: lemma %q, not %q", w.Form, w.UPOS, w.Lemma, f[2])
		}
	}
	t.Logf("%d of %d lemmas are wrong, %d of them with a wrong tag", wrong, words, tags)
	if words == 0 || wrong > limit {
		t.Errorf("%d of %d lemmas are wrong, limit %d", wrong, words, limit)
	}
}
