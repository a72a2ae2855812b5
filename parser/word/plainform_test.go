package word

import (
	"reflect"
	"slices"
	"testing"
	"unicode"

	"github.com/treebeam/treebeam/parser/syntax"
)

// However a form was typed, it is the same Form, in every field.
func TestTypographicFormsReadAsPlain(t *testing.T) {
	for _, s := range []string{"They’re", "’s", "l’homme", "“", "„", "’", "…", "–", "—", "€",
		"O’Neill", "5′", "ANKARA’DA", "Το…"} {
		for _, c := range []Casing{false, true} {
			if a, b := read(s, c), read(Plain(s), c); !reflect.DeepEqual(a, b) {
				t.Errorf("%q is %+v, plain it is %+v", s, a, b)
			}
		}
	}
}

// A sentence with typographic characters, in forms and lemmas, has the atoms of
// the plain one, and teaches the same Vocabulary.
func TestTypographicSentenceEncodesAsPlain(t *testing.T) {
	typed := sentence(`“/“/PUNCT/''/_/2/punct Anna’s/Anna’s/PROPN/NNP/_/0/root –/–/PUNCT/,/_/2/punct …/…/PUNCT/,/_/2/punct €/€/SYM/$/_/2/dep`)
	plain := syntax.Clone([]syntax.Sentence{typed})[0]
	for i := range plain.Words {
		w := &plain.Words[i]
		w.Form, w.Lemma = Plain(w.Form), Plain(w.Lemma)
	}
	v := Learn([]syntax.Sentence{typed, typed, plain})
	a, b := NewEncoder(v).encode(&typed), NewEncoder(v).encode(&plain)
	if !reflect.DeepEqual(a.words, b.words) {
		t.Errorf("atoms differ:\n%+v\n%+v", a.words, b.words)
	}
	if a.At(1).Punct != Quote || a.At(2).Form != a.At(2).OfForm.Hash {
		t.Error("a quote, or a known form, is none")
	}
	if other := Learn([]syntax.Sentence{plain, plain, plain}); !reflect.DeepEqual(v, other) {
		t.Error("what was typed changes the Vocabulary")
	}
}

// A long sentence has the same windows as its plain version.
func TestTypographicWindowsAreThoseOfPlain(t *testing.T) {
	words := make([]syntax.Word, syntax.MaxWholeWords+200)
	for i := range words {
		words[i].Form = "w"
	}
	cut := map[string]bool{}
	s := syntax.Sentence{Words: words}
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		form := string(r)
		plain := Plain(form)
		if plain == form {
			continue
		}
		words[79].Form = form
		typed := s.Windows()
		words[79].Form = plain
		if want := s.Windows(); !slices.Equal(typed, want) {
			t.Errorf("%q ends a window: %v, %q %v", form, typed[0].To == 80, plain, want[0].To == 80)
		}
		if typed[0].To == 80 {
			cut[plain] = true
		}
	}
	if !cut["..."] || !cut["--"] || !cut["-"] || len(cut) != 3 {
		t.Errorf("windows end at %v", cut)
	}
}
