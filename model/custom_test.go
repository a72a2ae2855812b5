package model_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/segment"
	"github.com/treebeam/treebeam/parser/tag"
)

func TestReadLists(t *testing.T) {
	const text = "\ufeff# of our reports\r\napprox.\r\n\r\n  Fig. \t\n#\n#1\n \t\n\ufeffNew  York\n\t# end\nC++"
	want := []string{"approx.", "Fig.", "#1", "New  York", "C++"}
	for name, read := range map[string]func([]byte) ([]string, error){"abbreviations": model.ReadAbbreviations, "together": model.ReadKeepTogether} {
		if got, err := read([]byte(text)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		for _, nothing := range []string{"", "\n", "\ufeff", "# only a comment"} {
			if got, err := read([]byte(nothing)); err != nil || len(got) > 0 {
				t.Errorf("%s of %q: %q, %v", name, nothing, got, err)
			}
		}
		for bad, want := range map[string]string{
			"a\n\nb\xff":                     "line 3 is not UTF-8",
			"a\rb\n":                         "line 1: ",
			"a\n" + strings.Repeat("b", 201): "line 2: ",
		} {
			if got, err := read([]byte(bad)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s of %.20q: %q, %v", name, bad, got, err)
			}
		}
	}
}

func TestReadExceptions(t *testing.T) {
	const text = "# form, UPOS, lemma\nGIF\tNOUN\tgif\r\n\nran \t VERB\t run \nUNO\t_\tuno\nuno\tPRON\nuno\tNUM\t\n#\tSYM\t#\nad hoc\tADV\t_"
	var want []tag.Exception
	for _, x := range [][3]string{{"GIF", "NOUN", "gif"}, {"ran", "VERB", "run"}, {"UNO", "", "uno"}, {"uno", "PRON", ""}, {"uno", "NUM", ""},
		{"#", "SYM", "#"}, {"ad hoc", "ADV", ""}} {
		want = append(want, tag.Exception{Form: x[0], UPOS: x[1], Lemma: x[2]})
	}
	if got, err := model.ReadExceptions([]byte(text)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	for bad, want := range map[string]string{
		"a\tNOUN\ta\nGIF NOUN gif":     `line 2, "GIF NOUN gif", has 1 columns`,
		"a\tNOUN\tNN\t_\ta":            "line 1, ... has 5 columns ... tabs",
		"\n\ta\tb\n":                   "line 2 has no form",
		"a\t_\t_":                      `line 1, "a", has neither UPOS nor lemma`,
		"a\n":                          "has 1 columns",
		"b\tX\n# c\nform\tUPOS\tlemma": `line 3, "form": "UPOS" is no UPOS`,
		"a\tNOUN\t" + strings.Repeat("a", 1000) + "\n": "line 1, ... at most 1000",
		"a\tNOUN\t\xe4":            "line 1 is not UTF-8",
		"\xff\xfea\x00\t\x00X\x00": "line 1 is not UTF-8",
		"a\tNOUN\ta\rb":            "line 1, ... holds a control character or a line break",
		"a\tNOUN\ta\x00":           "line 1, ... holds a control character",
		"a\tNOUN\ta\n" + strings.Repeat("\n", 9) + "b\t": "line 11, ",
	} {
		_, err := model.ReadExceptions([]byte(bad))
		for _, part := range strings.Split(want, " ... ") {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%.30q: no %q in %v", bad, part, err)
			}
		}
	}
}

func TestListsMakeCustom(t *testing.T) {
	c, err := new(model.Lists).Custom()
	if err != nil || c != (model.Custom{}) || !new(model.Lists).Empty() {
		t.Errorf("of nothing: %+v, %v", c, err)
	}
	for name, l := range map[string]model.Lists{
		"abbreviations": {Abbreviations: []string{"x."}}, "together": {KeepTogether: []string{"x y"}},
		"exceptions": {Exceptions: []tag.Exception{{Form: "x", UPOS: "NOUN"}}}, "unconstrained": {Unconstrained: true},
	} {
		c, err := l.Custom()
		if err != nil || c == (model.Custom{}) || l.Empty() {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
	many := make([]string, segment.MaxRules/2+1)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	for want, l := range map[string]model.Lists{
		"at most 100000 are supported": {Abbreviations: many, KeepTogether: many},
		"abbreviations: ":              {Abbreviations: []string{" x"}},
		"strings to keep together: ":   {Abbreviations: []string{"x"}, KeepTogether: []string{""}},
		"exceptions: row 1":            {Exceptions: []tag.Exception{{}}},
	} {
		if _, err := l.Custom(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}
