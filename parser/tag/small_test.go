package tag

import (
	"cmp"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// In English, words in other scripts become names or foreign words, and marks punctuation,
// also where the encoder or their relation wants another tag.
func TestForeignWords(t *testing.T) {
	sents := toyTreebank()
	for w := range syntax.Words(sents) {
		if w.Lemma == "river" {
			w.UPOS, w.XPOS = "PROPN", "NNP"
		}
	}
	m, err := Train(sents, nil, Options{Epochs: 6})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ language, form, only string }{
		{"en", "שלום", "PROPN"}, {"en", "я", "PROPN"}, {"en", "世界", "PROPN"}, {"en", "Κόσμε", "PROPN"}, {"en", "да-да", "PROPN"},
		{"en", "α", ""}, {"en", "𝐫𝐮𝐧", ""}, {"en", "µ", ""}, {"en", "été", ""}, {"en", "۴۲", ""}, {"ru", "шум", ""},
		{"en", "。", "PUNCT"}, {"en", "？！", "PUNCT"}, {"en", "«", "PUNCT"}, {"en", "؟", "PUNCT"}, {"en", "—", "PUNCT"},
		{"en", "٪", ""}, {"en", "§", ""}, {"en", "©", ""}, {"en", ":'(", ""}, {"en", "!", ""}, {"zh", "。", ""},
	} {
		m.SetLanguage(x.language)
		s := syntax.Sentence{Words: []syntax.Word{{Form: "the"}, {Form: x.form}}}
		s.Dense.Tags = make([]int32, len(s.Words)*m.NumTags())
		for l := range m.upos {
			if m.upos[l] != cmp.Or(x.only, "PUNCT") {
				s.Dense.Tags[m.NumTags()+l] = 100 * scoreUnit
			}
		}
		m.Tag(&s, Request{})
		_, _, found := m.Other(&s, 1, Request{}, 1<<40, func(upos string) bool { return upos == "NOUN" || upos == "VERB" })
		if upos := s.Words[1].UPOS; found != (x.only == "") || x.only != "" && upos != x.only || x.only == "" && upos == "PUNCT" {
			t.Errorf("%s in %s: %s, and another tag: %t", x.form, x.language, upos, found)
		}
	}
}

// In English, an irregular past is no present of a verb, whatever the encoder says, and most
// are nothing but verbs.
func TestPasts(t *testing.T) {
	sents := toyTreebank()
	for w := range syntax.Words(sents) {
		if w.Lemma == "river" {
			w.UPOS, w.XPOS = "PROPN", "NNP"
		}
	}
	m, err := Train(sents, nil, Options{Epochs: 6})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ language, form, wanted, got string }{
		{"en", "sank", "VBZ", "VBD"}, {"en", "Sank", "NN", "VBD"}, {"en", "Sank", "NNP", "NNP"}, {"en", "sank", "NNP", "VBD"}, {"en", "broken", "VBZ", "NN"}, {"en", "broken", "NN", "NN"},
		{"en", "found", "VBZ", "VBZ"}, {"de", "sank", "NN", "NN"},
	} {
		m.SetLanguage(x.language)
		s := syntax.Sentence{Words: []syntax.Word{{Form: "the"}, {Form: x.form}}}
		s.Dense.Tags = make([]int32, len(s.Words)*m.NumTags())
		for l, xpos := range m.xpos {
			switch xpos {
			case x.wanted:
				s.Dense.Tags[m.NumTags()+l] = 100 * scoreUnit
			case x.got:
				s.Dense.Tags[m.NumTags()+l] = 50 * scoreUnit
			}
		}
		if m.Tag(&s, Request{}); s.Words[1].XPOS != x.got {
			t.Errorf("%s in %s: %s, want %s", x.form, x.language, s.Words[1].XPOS, x.got)
		}
	}
	mixed, plain := strings.Fields(mixedPasts), strings.Fields(plainPasts)
	if len(pasts) != len(mixed)+len(plain) {
		t.Error("a past stands twice")
	}
}

// A sentence is in small letters if it has words enough and no capital. What
// its words are in any case is seen there alone.
func TestSmallLetters(t *testing.T) {
	sents := toyTreebank()
	sents[0].Words[0].Form = "Dogs" // a determiner, once: dogs are else nouns
	m := newModel()
	m.learnLexicons(sents, m.takeInventory(sents), Options{})
	keys := func(forms ...string) int { return len(tagKeys(nil, analyzed(m.lex, nil, forms...), 0)) }
	usual := keys("Dogs", "visits", "trees")
	for _, x := range []struct {
		forms []string
		small bool
	}{
		{[]string{"dogs", "visits", "trees"}, true},
		{[]string{"dogs", "visits", "3", "été"}, true},
		{[]string{"dogs", "visits", "Trees"}, false},
		{[]string{"dogs", "visits", "4"}, false},
		{[]string{"4", "5", "6"}, false},
	} {
		if got := analyzed(m.lex, nil, x.forms...).small; got != x.small {
			t.Errorf("%q in small letters: %t", x.forms, got)
		}
		if more := keys(x.forms...) - usual; (more > 0) != x.small {
			t.Errorf("%q has %d features more", x.forms, more)
		}
	}
	at := func(form string) uint64 { return analyzed(m.lex, nil, form).at(0).anyCase }
	if at("dogs") == 0 || at("dogs") != at("Dogs") || at("dogs") != at("DOGS") {
		t.Error("what a word is in any case depends on its case")
	}
	if f := analyzed(m.lex, nil, "zebras").at(0); f.known || f.anyCase != f.class {
		t.Error("an unknown word has no stand-in")
	}
}
