package tag

import (
	"testing"

	"github.com/treebeam/treebeam/parser/lemma"
	"github.com/treebeam/treebeam/parser/syntax"
)

// The tagger looks words of entries up, but for those that it has often.
func TestLexiconOfTheTagger(t *testing.T) {
	sents := toyTreebank()
	entries, err := lemma.ReadEntries(`zorks	VERB	VBZ	_	zork
gnu	NOUN	_	_	gnu
gnu	INTJ	UH	_	gnu
dog	VERB	_	_	dog
the	NOUN	_	_	the
`)
	if err != nil {
		t.Fatal(err)
	}
	lex := func(entries []lemma.Entry) *lexicon {
		m := newModel()
		m.learnLexicons(sents, m.takeInventory(sents), Options{Lexicon: entries})
		return m.lex
	}
	with, without := lex(entries), lex(nil)
	look := func(x *lexicon, s string) *form {
		var f form
		f.readPlain(s, x)
		return &f
	}
	verb := look(with, "kicks")
	for form, known := range map[string]bool{"zorks": true, "Zorks": true, "gnu": true, "gnus": false, "dog": true} {
		if f := look(with, form); f.known != known {
			t.Errorf("%s: known is %v", form, f.known)
		}
	}
	if f := look(with, "zorks"); f.class != verb.class || f.morph != verb.morph {
		t.Error("an entry has another class than a form of the treebank with the same tags")
	}
	if look(without, "zorks").known {
		t.Error("without entries zorks is known")
	}
	a, b := look(with, "the"), look(without, "the")
	if a.class != look(with, "some").class || a.sure != b.sure || a.sureMorph != b.sureMorph || b.sure == 0 {
		t.Error("an entry changed a frequent word")
	}
	m, err := Train(sents, nil, Options{Epochs: 6, Lexicon: entries})
	if err != nil {
		t.Fatal(err)
	}
	s := syntax.Sentence{Words: []syntax.Word{{Form: "the"}, {Form: "dog"}, {Form: "zorks"}, {Form: "the"},
		{Form: "gnu"}, {Form: "."}}}
	m.Tag(&s, Request{Retag: true})
	if w := s.Words[2]; w.UPOS != "VERB" || w.XPOS != "VBZ" || w.Lemma != "zork" {
		t.Errorf("%+v", w)
	}
}
