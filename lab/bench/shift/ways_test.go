package shift

import (
	"strings"
	"testing"

	"golang.org/x/text/language"

	"github.com/treebeam/treebeam/lab/bench/layouts"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Every way to write a text is that of the trees with changed forms: their own
// words are found in it.
func TestWays(t *testing.T) {
	s := syntax.Sentence{MWTs: []syntax.MultiwordToken{{First: 6, Last: 7, Form: "İsn't"}}}
	for _, form := range strings.Fields("“ ILIK \" su \" İs n't -- ev $ 5 ... " + strings.Repeat("uzun ", 20)) {
		s.Words = append(s.Words, syntax.Word{Form: form, UPOS: "X", Head: int32(len(s.Words)), Deprel: "dep"})
	}
	sents := []syntax.Sentence{s, s}
	want := map[string]string{
		"plain":   "“ ILIK \" su \" İsn't -- ev $ 5 ... uzun",
		"wrapped": "“ ILIK \" su \" İsn't -- ev $ 5 ... uzun",
		"lower":   "“ ılık \" su \" isn't -- ev $ 5 ... uzun",
		"upper":   "“ ILIK \" SU \" İSN'T -- EV $ 5 ... UZUN",
		"curly":   "“ ILIK “ su ” İsn’t -- ev $ 5 ... uzun",
		"dashes":  "“ ILIK \" su \" İsn't—ev $ 5 ... uzun",
		"signs":   "“ ILIK \" su \" İsn't -- ev € 5 … uzun",
		"printed": "“ ILIK “ su ” İsn’t—ev € 5 … uzun",
	}
	for _, x := range ways(language.Turkish) {
		gold := x.apply(sents)
		raw, err := x.text(gold)
		if err != nil || !strings.HasPrefix(string(raw), want[x.name]) {
			t.Errorf("%s: %q, %v; want %q", x.name, raw, err, want[x.name])
		}
		lines := strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
		for _, line := range lines {
			if x.wrapped && len([]rune(line)) > layouts.Columns {
				t.Errorf("a line of %d characters: %q", len(line), line)
			}
		}
		if x.wrapped != (len(lines) > 1) {
			t.Errorf("%s: %d lines", x.name, len(lines))
		}
		words := strings.Fields(string(raw))
		system := syntax.Sentence{}
		for i, form := range words {
			system.Words = append(system.Words, syntax.Word{Form: form, Head: int32(i), Deprel: "dep"})
		}
		if _, err := eval.Evaluate(gold, []syntax.Sentence{system}); err != nil {
			t.Errorf("%s: %v", x.name, err)
		}
	}
	if sents[0].Words[1].Form != "ILIK" || sents[0].MWTs[0] != s.MWTs[0] || sents[0].Words[7].Misc != "" {
		t.Error("the trees themselves were changed")
	}
}
