package eval

import (
	"strings"
	"testing"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Small and capital letters are those of the language of the treebank.
func TestRecased(t *testing.T) {
	of := func(forms ...string) []syntax.Sentence {
		s := syntax.Sentence{MWTs: []syntax.MultiwordToken{{First: 1, Last: 1, Form: forms[0]}}}
		for _, f := range forms {
			s.Words = append(s.Words, syntax.Word{Form: f})
		}
		return []syntax.Sentence{s}
	}
	for _, c := range []struct{ form, lower, upper string }{
		{"Iris", "iris", "IRIS"},
		{"ılık Ilık iri", "ılık ılık iri", "ILIK ILIK İRİ"},
		{"Πρόεδρε ΟΔΟΣ été", "πρόεδρε οδος été", "ΠΡΟΕΔΡΕ ΟΔΟΣ ÉTÉ"},
	} {
		gold := of(strings.Fields(c.form)...)
		for _, x := range []struct {
			change func(language.Tag, ...cases.Option) cases.Caser
			want   string
		}{{cases.Lower, c.lower}, {cases.Upper, c.upper}} {
			got, want := Recased(gold, x.change(LanguageOf(gold)))[0], strings.Fields(x.want)
			for i, w := range got.Words {
				if w.Form != want[i] || got.MWTs[0].Form != want[0] {
					t.Errorf("%s became %s, in the multiword token %s; want %s", gold[0].Words[i].Form, w.Form, got.MWTs[0].Form, want[i])
				}
			}
		}
	}
}
