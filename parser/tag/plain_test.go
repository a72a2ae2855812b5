package tag

import (
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A text has the same tags and lemmas however its characters were typed, and
// what was typed changes nothing of what is learned.
func TestTypographicFormsAreTaggedAsPlain(t *testing.T) {
	bank := toyTreebank()
	for i := range bank {
		s := &bank[i]
		quote := syntax.Word{Form: `"`, Lemma: `"`, UPOS: "PUNCT", XPOS: "''"}
		price := syntax.Word{Form: "$", Lemma: "$", UPOS: "SYM", XPOS: "$"}
		s.Words = append(s.Words, quote, syntax.Word{Form: "’s", Lemma: "’s", UPOS: "PART", XPOS: "POS"}, price, quote)
		if i%2 == 0 {
			s.Words[len(s.Words)-1].Form = "”"
		}
	}
	m, err := Train(bank, nil, Options{Epochs: 6})
	if err != nil {
		t.Fatal(err)
	}
	plainMarks := true
	tagged := func(forms ...string) []syntax.Word {
		var s syntax.Sentence
		for _, f := range forms {
			s.Words = append(s.Words, syntax.Word{Form: f})
		}
		m.Tag(&s, Request{Retag: true, PlainMarks: plainMarks})
		return s.Words
	}
	plain := tagged("the", "dog", "'s", "walks", "$", `"`, "cat's", "...")
	typed := tagged("the", "dog", "’s", "walks", "€", "“", "cat’s", "…")
	for i := range plain {
		p, q := plain[i], typed[i]
		if p.Form == "$" {
			p.Lemma = q.Form // of a currency of its own
		}
		if p.Form = q.Form; p != q {
			t.Errorf("%+v, typed plainly %+v", q, p)
		}
	}
	if plain[2].UPOS != "PART" || plain[2].Lemma != "'s" || typed[4].UPOS != "SYM" || plain[4].Lemma != "$" {
		t.Errorf("learned %+v", plain)
	}
	plainMarks = false
	for i, q := range tagged("“", "€", "’s", `"`) {
		if want := []string{"“", "€", "'s", `"`}[i]; q.Lemma != want {
			t.Errorf("%s has the lemma %s, want %s", q.Form, q.Lemma, want)
		}
	}
	w := typed[2]
	if n := testing.AllocsPerRun(10, func() { m.Tag(&syntax.Sentence{Words: typed}, Request{Retag: true, PlainMarks: true}) }); n > 3 &&
		!underRace || typed[2] != w {
		t.Errorf("%v allocations for forms that were met before", n)
	}
}
