package word

import (
	"testing"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Under a bare vocabulary, words with letters differ only in their signs, and marks are
// themselves; so it stays when it was written and read.
func TestBare(t *testing.T) {
	train := []syntax.Sentence{{Words: []syntax.Word{{Form: "house", UPOS: "NOUN"}, {Form: "house", UPOS: "NOUN"}, {Form: ",", UPOS: "PUNCT"}}}}
	var b pack.Builder
	Learn(train).Bare().Pack(b.Sub("word"))
	v, err := Open(pack.NewView(b.Sections), "word")
	if err != nil {
		t.Fatal(err)
	}
	s := syntax.Sentence{Words: []syntax.Word{{Form: "house"}, {Form: "дом"}, {Form: "Haus"}, {Form: ","}, {Form: "!"}, {Form: "12"}}}
	c := NewEncoder(v).Encode(&s)
	code := func(p int) uint64 { return c.At(p).Form }
	if code(1) != code(2) || c.At(1).OfForm.Folded != c.At(2).OfForm.Folded || c.At(1).OfForm.Suffix != c.At(2).OfForm.Suffix {
		t.Error("two words in small letters differ")
	}
	if code(1) == code(3) || code(4) == code(5) || code(1) == code(6) {
		t.Error("signs do not count")
	}
	if full := NewEncoder(Learn(train)).Encode(&syntax.Sentence{Words: s.Words}); full.At(1).Form == full.At(2).Form {
		t.Error("words are alike in a full vocabulary, too")
	}
}
