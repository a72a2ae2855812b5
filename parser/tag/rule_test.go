package tag

import "testing"

func TestRulesMakeTheirLemma(t *testing.T) {
	turkish := &lexicon{turkish: true}
	plain := &lexicon{}
	for _, x := range []struct {
		form, lemma string
		lex         *lexicon
	}{
		{"Walks", "walk", plain}, {"went", "go", plain}, {"London", "London", plain}, {"LONDON", "London", plain},
		{"nato", "NATO", plain}, {"gekauft", "kaufen", plain}, {"Ισχυρούς", "ισχυρός", plain}, {"ΛΟΓΟΣ", "λόγος", plain},
		{"Irak'ta", "Irak", turkish}, {"IŞIKLAR", "ışık", turkish}, {"İzmir'de", "İzmir", turkish}, {"a", "", plain},
		{"", "x", plain}, {"_", "_", plain}, {"'s", "be", plain}, {"日本", "日本", plain},
	} {
		lower := []rune{}
		for _, r := range x.form {
			lower = append(lower, x.lex.lowerRune(r))
		}
		finalSigma(lower)
		r := ruleFor([]rune(x.form), lower, []rune(x.lemma), x.lex.turkish, true)
		if got := string(r.apply(nil, []rune(x.form), lower, x.lex.turkish)); got != x.lemma {
			t.Errorf("%q: rule %+v makes %q, want %q", x.form, r, got, x.lemma)
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
		lex := &lexicon{turkish: tr}
		var lower []rune
		for _, r := range form {
			lower = append(lower, lex.lowerRune(r))
		}
		finalSigma(lower)
		r := ruleFor([]rune(form), lower, []rune(lemma), tr, true)
		if got := string(r.apply(nil, []rune(form), lower, tr)); got != string([]rune(lemma)) {
			t.Fatalf("%q: rule %+v makes %q, want %q", form, r, got, lemma)
		}
	})
}
