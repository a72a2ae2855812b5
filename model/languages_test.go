package model_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/model/modeltest"
	"github.com/treebeam/treebeam/parser/language"
	"github.com/treebeam/treebeam/parser/syntax"
)

// text is a function that returns s.
func text(s string) func() string { return func() string { return s } }

// guess reads "de 0.9" at the beginning of a text, and the odds after it, as in "de 0.7x800".
func guess(s string) (g model.Guess) {
	if len(s) > 5 {
		g.Code = strings.TrimSpace(s[:3])
		fmt.Sscan(s[3:6], &g.Conf)
		fmt.Sscanf(s[6:], "x%f", &g.Odds)
	}
	return g
}

func TestChooser(t *testing.T) {
	all := model.Chooser{Identify: guess}
	some := model.Chooser{Identify: guess, Among: []string{"fr", "de"}}
	english := model.Chooser{Identify: guess, Among: []string{"en", "de"}}
	one := model.Chooser{Among: []string{"el"}}
	for _, c := range []struct {
		of    model.Chooser
		texts []string
		want  string
	}{
		{all, []string{"de 0.9"}, "de 0.9"},
		{all, []string{"de 0.8", "fr 0.9"}, "fr 0.9"},
		{all, []string{"de 0.8", "fr 0.8"}, "en 0"},
		{all, []string{"und1.0"}, "und 1"},
		{all, []string{"fi 1.0!"}, "en 0"}, // too short
		{all, []string{"fi 1.0!", "de 0.9"}, "de 0.9"},
		{all, nil, "en 0"},
		{all, []string{"zh 0.6我去了北京"}, "zh 0.6"}, // not in Latin letters, so not in English
		{all, []string{"zh 0.6我去了北京", "ja 0.9"}, "ja 0.9"},
		{all, []string{"de 0.7x1000"}, "de 0.7"}, // hardly English
		{all, []string{"de 0.7x999"}, "en 0"},
		{all, []string{"und0.7x9000"}, "en 0"},
		{all, []string{"fi 1.0x1e4!"}, "fi 1"}, // short, but not too short for that
		{all, []string{"de 0.7x1000", "fr 0.9"}, "fr 0.9"},
		{all, []string{"fr 0.7", "de 0.7x1000"}, "en 0"}, // a file does not say what its documents are not
		{some, []string{"de 0.7x1000"}, "fr 0"},
		{english, []string{"de 0.7x1000"}, "de 0.7"},
		{some, []string{"zh 0.6我去了北京"}, "fr 0"},
		{some, []string{"de 1.0"}, "de 1"},
		{some, []string{"en 1.0", "de 1.0"}, "de 1"},
		{some, []string{"en 1.0", "und1.0"}, "fr 0"},
		{one, []string{"de 1.0"}, "el 0"},
	} {
		var texts []func() string
		for _, s := range c.texts {
			if !strings.HasSuffix(s, "!") {
				s += strings.Repeat(" ", 20)
			}
			texts = append(texts, text(s))
		}
		if g := c.of.Document(texts...); fmt.Sprintf("%s %.2g", g.Code, g.Conf) != c.want && fmt.Sprint(g.Code, " ", g.Conf) != c.want {
			t.Errorf("%v: %v, want %s", c.texts, g, c.want)
		}
	}
	long := strings.Repeat(" x", 60)
	for _, c := range []struct {
		of         model.Chooser
		text, want string
	}{
		{all, "de 1.0" + long, "de"},
		{all, "de 1.0", "en"},
		{all, "de 0.9" + long, "en"},
		{all, "und1.0" + long, "en"},
		{all, "en 1.0" + long, "en"},
		{some, "el 1.0" + long, "en"},
		{one, "de 1.0" + long, "en"},
	} {
		if g := c.of.Paragraph(model.Guess{Code: "en", Conf: 0.5}, c.text); g.Code != c.want || (g.Conf == 0.5) != (c.want == "en") {
			t.Errorf("%.20s: %v, want %s", c.text, g, c.want)
		}
	}
	if all.Note("en") != "" || all.Note("de") != "# language = de" || some.Note("fr") != "" || some.Note("en") == "" || one.Note("el") != "" {
		t.Error("comments are not those of all languages but the first")
	}
}

func TestLanguages(t *testing.T) {
	_, data := toyWorld(t)
	w, err := model.OpenWorldBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	english, err := model.Open(model.Embedded)
	if err != nil {
		t.Skip(err)
	}
	l, err := model.NewLanguages(english, w, "xebnian,xa,en")
	if err != nil || l.First() != "xb" {
		t.Fatal(l, err)
	}
	var all []*syntax.Sentence
	for _, code := range []string{"xb", "en", "xa", "xb"} {
		found, err := l.Segment(model.Guess{Code: code}, modeltest.Text(strings.Replace(code, "en", "xc", 1), 2), false, 1000, 1)
		if err != nil || len(found) == 0 || found[0].Language != code {
			t.Fatal(code, found, err)
		}
		for i := range found {
			all = append(all, &found[i])
		}
	}
	if err := l.Run(context.Background(), all, model.Request{}); err != nil { // no effort: English alone is parsed without an encoder
		t.Fatal(err)
	}
	for _, s := range all {
		m, err := l.Of(s.Language)
		if err != nil {
			t.Fatal(err)
		}
		alone := *s
		alone.Words = append([]syntax.Word(nil), s.Words...)
		effort := 1.0
		if s.Language == syntax.English {
			effort = 0
		}
		if err := m.Run(context.Background(), []*syntax.Sentence{&alone}, model.Request{Effort: effort, Retag: true}); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(alone.Words) != fmt.Sprint(s.Words) {
			t.Errorf("%s: %v, alone %v", s.Language, s.Words, alone.Words)
		}
	}
	if tagged, err := model.NewLanguages(english, w, "XA,en-GB"); err != nil || !slices.Equal(tagged.Among, []string{"xa", "en"}) {
		t.Error(tagged, err)
	}
	for option, why := range map[string]string{"": "empty", "xz": "not known", "xa,Xalan": "twice", "eng,en-US": "twice"} {
		if _, err := model.NewLanguages(english, w, option); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v", option, err)
		}
	}
	if _, err := model.NewLanguages(english, nil, "xa"); err == nil {
		t.Error("a language without a world")
	}
	if alone, err := model.NewLanguages(english, nil, model.AutoLanguage); err != nil || alone.First() != "en" {
		t.Error(alone, err)
	}
}

// A language may be given by its code, its name or the only first word of a name, without case.
func TestChoose(t *testing.T) {
	known := model.Choices([]model.Language{{Code: "no", Name: "Norwegian Bokmaal"}, {Code: "zh", Name: "Chinese (simplified)"},
		{Code: "hsb", Name: "Upper Sorbian"}, {Code: "xu", Name: "Upper Xalan"}, {Code: "up", Name: "Up"}})
	for option, want := range map[string]string{
		"norwegian": "no", "NORWEGIAN BOKMAAL": "no", "nb": "no", "chinese, ENGLISH": "zh,en", "zh-CN": "zh", "upper sorbian": "hsb", "up": "up",
		"upper": "", "bokmaal": "", "Norw": "", "chinese,zh": "", ",": "",
	} {
		if _, got, err := model.Choose(option, known); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", option, got, err)
		}
	}
}

// Short texts are English unless they are far likelier in another language.
func TestShortTexts(t *testing.T) {
	l, err := model.OpenLanguages("", model.AutoLanguage)
	if err != nil {
		t.Fatal(err)
	}
	if l.Identify == nil {
		t.Skip("the program has no other languages")
	}
	for s, want := range map[string]string{
		"Der alte Kahn sank im Hafen.": "de", "Ich weiß nicht.": "de", "Non è vero.": "it", "¿Dónde está el baño?": "es",
		"Hello world": "en", "John Smith": "en", "thanks!!": "en", "Ja.": "en", "OK": "en", "New York": "en", "README": "en", "": "en", "7 %": "en",
	} {
		g := l.Document(text(s))
		if g.Code != want || (g.Conf > 0) != (want != "en") {
			t.Errorf("%q is called %+v, want %s", s, g, want)
		}
		if o := l.Identify(s).Odds; o < 0 || o > language.MaxOdds {
			t.Errorf("%q has odds of %v", s, o)
		}
	}
}

// Every language in the program parses the example that it shows.
func TestLanguagesInProgram(t *testing.T) {
	l, err := model.OpenLanguages("", model.AutoLanguage)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := model.OpenWorld(model.EmbeddedWorld); errors.Is(err, model.ErrNoWorld) {
		t.Skip(err)
	}
	for _, of := range l.Others() {
		one, err := l.Again(of.Name)
		if err != nil {
			t.Fatal(err)
		}
		found, err := one.Segment(one.Document(), of.Example, false, 1000, 1)
		if err != nil || len(found) == 0 || found[0].Language != of.Code {
			t.Fatalf("%s: %v, %v", of.Code, found, err)
		}
		m, err := one.Of(of.Code)
		if err != nil {
			t.Fatal(err)
		}
		if want := m.Segment(of.Example, 1000); !slices.Equal(forms(found), forms(want)) {
			t.Errorf("%s: %q, and the stage finds %q", of.Code, forms(found), forms(want))
		}
		if err := one.Run(context.Background(), []*syntax.Sentence{&found[0]}, model.Request{Effort: 1}); err != nil {
			t.Errorf("%s: %v", of.Code, err)
		}
	}
}

// forms are the words of sentences.
func forms(sentences []syntax.Sentence) (list []string) {
	for i := range sentences {
		for j := range sentences[i].Words {
			list = append(list, sentences[i].Words[j].Form)
		}
	}
	return list
}
