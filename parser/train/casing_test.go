package train

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/syntax"
)

// sentenceOf returns a sentence of forms.
func sentenceOf(text string) (s syntax.Sentence) {
	for i, form := range strings.Fields(text) {
		s.Words = append(s.Words, syntax.Word{Form: form, Lemma: form, UPOS: "X", Head: int32(i), Deprel: "dep"})
	}
	return s
}

func formsOf(s *syntax.Sentence) string { return words(s) }

// Of gold sentences some stand once more in one case, of silver ones some are in
// one case; which ones depends on their forms alone.
func TestCases(t *testing.T) {
	var list []syntax.Sentence
	const n = 2000
	for i := range n {
		s := sentenceOf(fmt.Sprintf("Saw number%d", i/2))
		s.Comments = []string{"# newdoc"}
		s.Weight = float32(i % 2)
		list = append(list, s)
	}
	got := withCases(list, 10)
	count := map[string]int{}
	before := ""
	for i := range got {
		s := &got[i]
		form, kind := formsOf(s), "as it is"
		switch form {
		case strings.ToUpper(form):
			kind = "upper"
		case strings.ToLower(form):
			kind = "lower"
		}
		count[fmt.Sprintf("%s %t", kind, s.Gold())]++
		if s.Words[0].Lemma != "Saw" || s.Words[1].Head != 1 || (len(s.Comments) == 0) != (kind != "as it is") {
			t.Fatalf("%q: %+v", form, s)
		}
		if kind != "as it is" && s.Gold() && !strings.EqualFold(form, before) {
			t.Errorf("%q stands behind %q", form, before)
		}
		before = form
	}
	if count["as it is true"] != n/2 || count["as it is false"]+count["upper false"]+count["lower false"] != n/2 {
		t.Errorf("%v", count)
	}
	for _, kind := range []string{"upper", "lower"} {
		if c := count[kind+" true"]; c != count[kind+" false"] || c < n/2*7/100 || c > n/2*13/100 {
			t.Errorf("%v: want a tenth of gold, and as many of silver", count)
		}
	}
	slices.Reverse(list)
	back := withCases(list, 10)
	if len(back) != len(got) {
		t.Error("which sentences are changed depends on their order")
	}
	if list[0].Words[0].Form != "Saw" {
		t.Error("the treebank was changed")
	}
	same := withCases([]syntax.Sentence{sentenceOf("1 2 3"), sentenceOf("...")}, MaxCased)
	if len(same) != 2 {
		t.Errorf("sentences without letters were copied: %d", len(same))
	}
}

// Capitals and small letters are those of the treebank's language.
func TestCasesOfLanguages(t *testing.T) {
	for text, want := range map[string][2]string{
		"ılık Su içtin mi": {"ILIK SU İÇTİN Mİ", "ılık su içtin mi"},
		"Ο Νίκος ήρθε":     {"Ο ΝΙΚΟΣ ΗΡΘΕ", "ο νίκος ήρθε"},
		"L' été d' Émile":  {"L' ÉTÉ D' ÉMILE", "l' été d' émile"},
	} {
		s := sentenceOf(text)
		x := newCaseFolder([]syntax.Sentence{s})
		upper, lower := eval.Recased([]syntax.Sentence{s}, x.upper), eval.Recased([]syntax.Sentence{s}, x.lower)
		if got := [2]string{formsOf(&upper[0]), formsOf(&lower[0])}; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// All phases but the segmenter learn from cases, and other shares are other phases.
func TestCasesReachPhases(t *testing.T) {
	store := memory{}
	saw := map[string][]int{}
	for _, percent := range []int{0, MaxCased, MaxCased} {
		var r rig
		data, err := trainToy(&r, Options{Cased: percent, Store: store})
		if err != nil || len(data) == 0 {
			t.Fatal(err)
		}
		for _, phase := range []string{"segmenter", "words", "tagger", "pruner", "parser", "labels"} {
			if slices.Contains(r.ran, phase) {
				saw[phase] = append(saw[phase], len(r.seen[phase]))
			}
		}
	}
	want := map[string][]int{"segmenter": {12}}
	for _, phase := range []string{"words", "tagger"} {
		want[phase] = []int{12, 20} // eight of them are written in capitals
	}
	for _, phase := range []string{"pruner", "parser", "labels"} {
		want[phase] = []int{22, 36} // one sentence has two roots
	}
	if !reflect.DeepEqual(saw, want) {
		t.Errorf("phases saw %v sentences, want %v", saw, want)
	}
	for _, percent := range []int{-1, MaxCased + 1} {
		if _, err := trainToy(&rig{}, Options{Cased: percent}); err == nil {
			t.Errorf("%d percent were accepted", percent)
		}
	}
}

// No fold holds a sentence whose copy in another case is in the next one, whatever
// the rules of case of the language.
func TestCasedTwinsShareAFold(t *testing.T) {
	for language, forms := range map[string]string{
		"English": "the dog sees cats", "German": "die große Straße heißt Süd",
		"Turkish": "ışık için şiir iğne", "Greek": "ο άνθρωπος είδε τους δρόμους",
	} {
		var list []syntax.Sentence
		for i := range 200 {
			s := syntax.Sentence{ID: fmt.Sprint(i)}
			for _, f := range append(strings.Fields(forms), "w"+fmt.Sprint(i)) {
				s.Words = append(s.Words, syntax.Word{Form: f})
			}
			list = append(list, s)
		}
		list = withCases(list, MaxCased)
		for folds := 2; folds < 100; folds++ {
			for _, at := range linear.Folds(list, folds) {
				if at > 0 && at < len(list) && list[at-1].ID == list[at].ID {
					t.Errorf("%s: of %d folds, one begins with the copy of %s", language, folds, list[at].ID)
				}
			}
		}
	}
}
