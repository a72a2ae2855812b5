package lemma

import (
	"testing"

	"github.com/treebeam/treebeam/parser/word"
)

func lowered(form string, c word.Casing) []rune {
	var f word.Form
	f.Read(form, c)
	return f.Runes
}

func TestRulesMakeTheirLemma(t *testing.T) {
	const turkish, plain = word.Casing(true), word.Casing(false)
	for _, x := range []struct {
		form, lemma string
		casing      word.Casing
	}{
		{"Walks", "walk", plain}, {"went", "go", plain}, {"London", "London", plain}, {"LONDON", "London", plain},
		{"nato", "NATO", plain}, {"gekauft", "kaufen", plain}, {"Ισχυρούς", "ισχυρός", plain}, {"ΛΟΓΟΣ", "λόγος", plain},
		{"Irak'ta", "Irak", turkish}, {"IŞIKLAR", "ışık", turkish}, {"İzmir'de", "İzmir", turkish}, {"a", "", plain},
		{"", "x", plain}, {"_", "_", plain}, {"'s", "be", plain}, {"日本", "日本", plain},
	} {
		lower := lowered(x.form, x.casing)
		r := ruleFor([]rune(x.form), lower, []rune(x.lemma), x.casing, true)
		if got, ok := r.apply(nil, []rune(x.form), lower, x.casing); !ok || string(got) != x.lemma {
			t.Errorf("%q: rule %+v makes %q, want %q", x.form, r, string(got), x.lemma)
		}
	}
}

func TestRulesAreShared(t *testing.T) {
	of := func(form, lower, lemma string) rule {
		return ruleFor([]rune(form), []rune(lower), []rune(lemma), false, true)
	}
	want := of("walks", "walks", "walk")
	for _, r := range []rule{of("Talks", "talks", "talk"), of("dogs", "dogs", "dog")} {
		if r != want {
			t.Errorf("%+v, want %+v", r, want)
		}
	}
	if r := of("Paris", "paris", "Paris"); r.mode != caseAsIs {
		t.Errorf("a name is not kept as it is: %+v", r)
	}
}

func FuzzRule(f *testing.F) {
	f.Add("Walks", "walk", false)
	f.Add("IŞIK", "ışık", true)
	f.Add("ΛΟΓΟΣ", "λόγος", false)
	f.Fuzz(func(t *testing.T, form, lemma string, tr bool) {
		if len(form) > 400 || len(lemma) > 400 {
			return
		}
		casing := word.Casing(tr)
		lower := lowered(form, casing)
		r := ruleFor([]rune(form), lower, []rune(lemma), casing, true)
		if got, ok := r.apply(nil, []rune(form), lower, casing); !ok || string(got) != string([]rune(lemma)) {
			t.Fatalf("%q: rule %+v makes %q, want %q", form, r, string(got), lemma)
		}
	})
}
