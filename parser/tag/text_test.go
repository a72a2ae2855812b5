package tag

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

func analyzed(lex *lexicon, mwts []syntax.MultiwordToken, forms ...string) *text {
	s := syntax.Sentence{MWTs: mwts}
	for _, f := range forms {
		s.Words = append(s.Words, syntax.Word{Form: f})
	}
	t := &text{}
	t.read(&s, lex)
	return t
}

func TestPlacesInMultiwordTokens(t *testing.T) {
	for _, x := range []struct {
		mwts []syntax.MultiwordToken
		want []uint64
	}{
		{nil, []uint64{whole, whole, whole, whole}},
		{[]syntax.MultiwordToken{{First: 1, Last: 2}}, []uint64{firstPart, lastPart, whole, whole}},
		{[]syntax.MultiwordToken{{First: 2, Last: 4}}, []uint64{whole, firstPart, middlePart, lastPart}},
		{[]syntax.MultiwordToken{{First: -3, Last: 1}, {First: 4, Last: 9}}, []uint64{lastPart, whole, whole, firstPart}}, // damaged input
	} {
		a := analyzed(&lexicon{}, x.mwts, "a", "b", "c", "d")
		var got []uint64
		for i := range 4 {
			got = append(got, a.at(i).part)
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("%+v: places %v, want %v", x.mwts, got, x.want)
		}
	}
}

// TestTrainingDoesNotSeeItsOwnWords checks that a word that stands in one
// sentence alone is unknown there while features are learned, and known to
// the finished lexicon.
func TestTrainingDoesNotSeeItsOwnWords(t *testing.T) {
	sents := toyTreebank()
	sents[50].Words[1].Form = "zebra"
	m := newModel()
	lex := m.learnLexicons(sents, m.takeInventory(sents), Options{})
	at := 0
	lex.each(sents, func(x *text, s *syntax.Sentence) {
		for i := range s.Words {
			if got := x.at(i).known; got == (s.Words[i].Form == "zebra") {
				t.Errorf("sentence %d: %q known in training: %t", at, s.Words[i].Form, got)
			}
		}
		at++
	})
	if at != len(sents) {
		t.Errorf("%d sentences of %d", at, len(sents))
	}
	if !analyzed(m.lex, nil, "zebra").at(0).known {
		t.Error("the finished lexicon does not know a word of the treebank")
	}
	// Classes have the same numbers in all lexicons.
	for f, x := range lex.list {
		if a, b := analyzed(x, nil, "the").at(0).class, analyzed(m.lex, nil, "the").at(0).class; a != b {
			t.Errorf("fold %d: another class of \"the\" than in the whole lexicon", f)
		}
	}
}

// Words that begin with a letter are counted, and those of them that are not
// in the lexicon in any case; the counts are those of the last sentence.
func TestUnknownWordsAreCounted(t *testing.T) {
	sents := toyTreebank()
	m := newModel()
	m.learnLexicons(sents, m.takeInventory(sents), Options{})
	x := analyzed(m.lex, nil, "The", "DOG", "zebra", "visits", "4", "été", ",", "$")
	if x.lexical != 5 || x.unknown != 2 {
		t.Errorf("%d of %d words are unknown, want 2 of 5", x.unknown, x.lexical)
	}
	s := syntax.Sentence{Words: []syntax.Word{{Form: "dogs"}, {Form: "."}}}
	x.read(&s, m.lex)
	if x.lexical != 1 || x.unknown != 0 {
		t.Errorf("%d of %d words of the second sentence are unknown, want 0 of 1", x.unknown, x.lexical)
	}
	trained := trainToy(t)
	s.Words = append(s.Words, syntax.Word{Form: "zebra"})
	trained.Tag(&s, Request{})
	if s.Lexical != 2 || s.Unknown != 1 {
		t.Errorf("Tag counted %d of %d unknown words, want 1 of 2", s.Unknown, s.Lexical)
	}
}
