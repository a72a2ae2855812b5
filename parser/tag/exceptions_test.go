package tag

import (
	"reflect"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

func exceptions(t *testing.T, rows ...Exception) *Exceptions {
	x, err := NewExceptions(rows)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func sentence(forms string) syntax.Sentence {
	var s syntax.Sentence
	for f := range strings.FieldsSeq(forms) {
		s.Words = append(s.Words, syntax.Word{Form: f})
	}
	return s
}

func TestExceptions(t *testing.T) {
	m := trainToy(t)
	plain := sentence("the dog walks some cat’s .")
	m.Tag(&plain, Request{Retag: true})
	if w := plain.Words[2]; w.UPOS != "VERB" || w.Lemma != "walk" {
		t.Fatalf("without exceptions: %+v", w)
	}
	x := exceptions(t,
		Exception{"walks", "NOUN", "stroll"}, Exception{"walks", "", "WALK"},
		Exception{"dog", "", "hound"},
		Exception{"cat's", "VERB", "cat"}, Exception{"cat's", "DET", "none"},
		Exception{"Some", "NOUN", "other"}, Exception{".", "SYM", ""})
	s := sentence("the dog walks some cat’s .")
	m.Tag(&s, Request{Retag: true, Exceptions: x})
	for i, want := range []syntax.Word{
		{Form: "the", UPOS: "DET", Lemma: "the"},
		{Form: "dog", UPOS: "NOUN", Lemma: "hound"},
		{Form: "walks", UPOS: "NOUN", Lemma: "stroll"},
		{Form: "some", UPOS: "DET", Lemma: "some"},
		{},
		{Form: ".", UPOS: "SYM", Lemma: "."},
	} {
		if w := s.Words[i]; want.Form != "" && (w.UPOS != want.UPOS || w.Lemma != want.Lemma) {
			t.Errorf("%+v, want %+v", w, want)
		}
	}
	w := s.Words[4] // a typographic apostrophe; the model has both UPOS
	if lemma := map[string]string{"VERB": "cat", "DET": "none"}[w.UPOS]; lemma == "" || w.Lemma != lemma {
		t.Errorf("%+v, want one of the two rows", w)
	}
	if w := s.Words[2]; w.XPOS != "NNS" || w.Feats != "Number=Plur" {
		t.Errorf("%+v: XPOS and FEATS do not follow the UPOS", w)
	}
	for i, fixed := range []bool{false, false, true, false, false, true} {
		if p := s.TagProb[i]; (p == 1) != fixed || p <= 0 || p > 1 {
			t.Errorf("%q has TagProb %v", s.Words[i].Form, p)
		}
	}
	if s.TagsGiven {
		t.Error("all tags are given, it says")
	}
}

// What the input has goes before exceptions, unless it is to be replaced.
func TestExceptionsLeaveWhatIsGiven(t *testing.T) {
	m := trainToy(t)
	x := exceptions(t, Exception{"walks", "NOUN", "stroll"}, Exception{"dog", "DET", ""})
	s := sentence("dog walks")
	s.Words[1].UPOS = "VERB"
	m.Tag(&s, Request{Exceptions: x})
	if s.Words[0].UPOS != "DET" || s.Words[1].UPOS != "VERB" || s.Words[1].Lemma != "walk" {
		t.Errorf("%+v", s.Words)
	}
	if !s.TagsGiven || s.TagProb[0] != 1 || s.TagProb[1] != 1 {
		t.Errorf("no tag is the tagger's, but %v and %v", s.TagsGiven, s.TagProb)
	}
	m.Tag(&s, Request{Retag: true, Exceptions: x})
	if s.Words[1].UPOS != "NOUN" || s.Words[1].Lemma != "stroll" {
		t.Errorf("%+v", s.Words)
	}
	for xpos, want := range map[string]string{"VBZ": "VERB", "zork": "NOUN"} { // one that the model has, one unknown
		s.Words[1] = syntax.Word{Form: "walks", XPOS: xpos}
		if m.Tag(&s, Request{Exceptions: x}); s.Words[1].UPOS != want || s.Words[1].XPOS != xpos {
			t.Errorf("%+v", s.Words[1])
		}
	}
}

// A form without a row is tagged as if there were no exceptions.
func TestExceptionsOfOtherForms(t *testing.T) {
	m := trainToy(t)
	x := exceptions(t, Exception{"zork", "VERB", "zork"}, Exception{"€", "SYM", "euro"})
	for _, s := range toyTreebank() {
		a, b := syntax.Clone([]syntax.Sentence{s}), syntax.Clone([]syntax.Sentence{s})
		m.Tag(&a[0], Request{Retag: true, Exceptions: x})
		m.Tag(&b[0], Request{Retag: true})
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v, without exceptions %+v", a, b)
		}
	}
	s := sentence("$ €")
	m.Tag(&s, Request{Retag: true, Exceptions: x})
	if s.Words[0].Lemma == "euro" || s.Words[1].Lemma != "euro" {
		t.Errorf("%+v: one sign is not another", s.Words)
	}
}

func TestNewExceptions(t *testing.T) {
	for _, r := range []Exception{{"", "NOUN", "x"}, {"x", "", ""}, {"x", "XPOS", ""}, {"x", "", "a\tb"},
		{"x\n", "NOUN", ""}} {
		if _, err := NewExceptions([]Exception{{"ok", "NOUN", ""}, r}); err == nil ||
			!strings.Contains(err.Error(), "row 2") {
			t.Errorf("%q: %v", r, err)
		}
	}
	if _, err := NewExceptions(make([]Exception, maxExceptions+1)); err == nil {
		t.Error("no error of too many rows")
	}
}
