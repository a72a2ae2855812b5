package families

import (
	"strings"
	"testing"
)

// Columns go beside those of earlier tables, wherever these stand in a text.
func TestExtend(t *testing.T) {
	list := []measured{{
		families:  []Family{{Name: "quotes", Sentences: 1, Words: 8, UAS: 4, LAS: 2, UPOS: 8}, {Name: "all", Words: 0}},
		everyday:  LemmaCount{Words: 4, Right: 3, Nonsense: 1},
		hard:      LemmaCount{Words: 4, Right: 0, Nonsense: 2},
		shapes:    []Shape{{Kind: "mail", Right: 3, Cases: 5}, {Kind: "all", Right: 3, Cases: 5}},
		questions: []Shape{{Kind: "question", Right: 7, Cases: 9}},
	}}
	text := func(r rows) string {
		var b strings.Builder
		for _, x := range r {
			b.WriteString(x.text() + "\n")
		}
		return b.String()
	}
	before := text(tables(list, []string{"before"}))
	if !strings.Contains(before, "\n| quotes | 1 | 8 | 50.0 / 25.0 / 100.0 |\n") || !strings.Contains(before, "\n| all | 8 | 37.5 / 37.5 |\n") {
		t.Errorf("got\n%s", before)
	}
	list[0].shapes[0].Right = 5
	r := tables(list, []string{"now"})
	if err := r.extend("# Title\n\n| other | table |\n\n" + before + "\ntext\n"); err != nil {
		t.Fatal(err)
	}
	got := text(r)
	for _, want := range []string{"| family | sentences | words | before: UAS / LAS / UPOS | now: UAS / LAS / UPOS |\n| --- | ---: | ---: | ---: | ---: |\n",
		"| mail | 5 | 3 | 5 |\n", "| hard words | 4 | 0.0 / 50.0 | 0.0 / 50.0 |\n",
		"| question | 9 | 7 | 7 |\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if err := tables(list, []string{"now"}).extend(strings.Replace(before, "| mail |", "| male |", 1)); err == nil || !strings.Contains(err.Error(), "mail") {
		t.Errorf("a row that is not there: %v", err)
	}
}
