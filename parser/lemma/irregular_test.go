package lemma

import (
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/word"
)

// A verb that the treebank lacks has the lemma of the list; what the treebank says comes first.
func TestIrregularVerbs(t *testing.T) {
	z := Train(someEnglish(), nil, false, options)
	lemma := func(s, upos string) string {
		var f word.Form
		f.Read(s, false)
		return z.Lemma(&Scratch{}, s, &f, TagsOf(upos, "", ""))
	}
	for _, language := range []string{"de", "en"} {
		z.SetLanguage(language)
		for _, x := range [][4]string{
			{"Kannst", "AUX", "können", "kannst"}, {"gibst", "VERB", "geben", "gibst"}, {"hast", "NOUN", "hast", "hast"},
			{"held", "VERB", "hold", "hold"},
		} {
			want := x[2]
			if language == "en" {
				want = x[3]
			}
			if got := lemma(x[0], x[1]); got != want {
				t.Errorf("%s %s %s: %s, want %s", language, x[0], x[1], got, want)
			}
		}
	}
}

func TestListOfIrregularVerbs(t *testing.T) {
	seen, last := map[string]string{}, ""
	for line := range strings.Lines(irregularText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if line <= last || line != strings.ToLower(line) {
			t.Errorf("%s stands behind %s", line, last)
		}
		last = line
		f := strings.Fields(line)
		for _, form := range f[2:] {
			if other := seen[f[0]+" "+form]; other != "" || form == f[1] {
				t.Errorf("%s is a form of %s, too", form, other)
			}
			seen[f[0]+" "+form] = f[1]
		}
	}
	if len(irregular()) != 6 || string(irregular()["fr"]["pleut"]) != "pleuvoir" {
		t.Error("languages")
	}
}
