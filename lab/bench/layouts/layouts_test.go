package layouts

import (
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/parser/syntax"
)

// sentence makes a sentence of the words of a text.
func sentence(comment, text string) syntax.Sentence {
	var s syntax.Sentence
	if comment != "" {
		s.Comments = []string{comment}
	}
	for _, form := range strings.Fields(text) {
		s.Words = append(s.Words, syntax.Word{Form: form})
	}
	return s
}

func TestLayouts(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", 20))
	sents := []syntax.Sentence{
		sentence("# newdoc", "One ."), sentence("", long+" ."), sentence("# newpar", "Two ."), sentence("# newdoc id = b", "Three ."),
	}
	if docs := documents(sents); len(docs) != 2 || len(docs[0]) != 3 || !conllu.BeginsParagraph(docs[1][0].Comments) {
		t.Fatalf("%d documents", len(docs))
	}
	all, err := layouts(sents)
	if err != nil {
		t.Fatal(err)
	}
	broken := "One . " + strings.TrimSpace(strings.Repeat("word ", 13)) + "\n" + strings.TrimSpace(strings.Repeat("word ", 7)) + " ."
	for i, want := range []string{
		"One . " + long + " .\n\nTwo .\n\nThree .\n",
		broken + "\n\nTwo .\n\nThree .\n",
		"One . " + long + " .\nTwo .\nThree .\n",
		broken + "\nTwo .\nThree .\n",
		"One .\n" + long + " .\nTwo .\nThree .\n",
		"One .\n" + long + " .\n\nTwo .\n\nThree .\n",
	} {
		if got := string(all[i]); got != want {
			t.Errorf("%s: got %q, want %q", layoutNames[i], got, want)
		}
	}
}
