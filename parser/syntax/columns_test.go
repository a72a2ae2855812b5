package syntax_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

func TestUniversal(t *testing.T) {
	for deprel, want := range map[string]string{"": "", "nmod": "nmod", "nmod:poss": "nmod", "obl:of:late": "obl", ":x": ""} {
		if got := syntax.Universal(deprel); got != want {
			t.Errorf("%q is a subtype of %q, not of %q", deprel, want, got)
		}
	}
}

// TestValue holds Value against all columns of up to three items.
func TestValue(t *testing.T) {
	items := []string{"", "A", "A=", "A=x", "A=x=y", "AB=z", "B=A=x", "SpaceAfter=No", "SpaceAfter=Yes"}
	for _, a := range items {
		for _, b := range items {
			for _, c := range items {
				column := strings.Join([]string{a, b, c}, "|")
				for _, name := range []string{"A", "B", "AB", "SpaceAfter"} {
					want, found := "", false
					for item := range strings.SplitSeq(column, "|") {
						if value, ok := strings.CutPrefix(item, name+"="); ok && !found {
							want, found = value, true
						}
					}
					if got, ok := syntax.Value(column, name); got != want || ok != found {
						t.Errorf("%s of %q is %q, %v, want %q, %v", name, column, got, ok, want, found)
					}
					if got := syntax.NoSpaceAfter(column); name == "SpaceAfter" && got != (want == "No") {
						t.Errorf("no space after %q: %v", column, got)
					}
				}
			}
		}
	}
}

func TestTokens(t *testing.T) {
	s := syntax.Sentence{
		Words: []syntax.Word{{Form: "a"}, {Form: "b"}, {Form: "c", Misc: "x"}, {Form: "d"}, {Form: "e"}},
		MWTs:  []syntax.MultiwordToken{{First: 1, Last: 2, Form: "ab", Misc: "y"}, {First: 4, Last: 4, Form: "D"}},
	}
	want := []syntax.Token{{"ab", "y", 1, 2}, {"c", "x", 3, 3}, {"D", "", 4, 4}, {"e", "", 5, 5}}
	if got := slices.Collect(s.Tokens()); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
