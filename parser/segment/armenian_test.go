package segment

import (
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

func TestArmenianMarks(t *testing.T) {
	for form, want := range map[string][]string{
		"Ո՞րն": {"Որն", "՞"}, "Ամերիկա՞": {"Ամերիկա", "՞"}, "ի՞՜նչ": {"ինչ", "՞", "՜"}, "այս": nil, "՞": nil, "": nil,
		"a\xff՛b": {"a\xffb", "՛"},
	} {
		if got := splitArmenian(form); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", form, got, want)
		}
	}
	block := "Ո՞րն Ada sees."
	list := model(t).Segment(block, Request{Language: "hy"})
	check(t, block, list)
	if s := list[0]; len(s.MWTs) == 0 || s.MWTs[0] != (syntax.MultiwordToken{First: 1, Last: 2, Form: "Ո՞րն"}) || s.Words[1].Form != "՞" {
		t.Errorf("%+v", s)
	}
	for _, s := range model(t).Segment("Ո"+strings.Repeat("՜", 2000)+"վ", Request{Language: "hy", MaxWords: 100}) {
		if len(s.Words) > 100 {
			t.Errorf("a sentence has %d words", len(s.Words))
		}
	}
	if s := model(t).Segment(block, Request{})[0]; len(s.MWTs) > 0 {
		t.Errorf("not in Armenian: %+v", s)
	}
}
