package tag

import (
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A word of a silver sentence is in the lexicon, but not of its own fold.
func TestSilverWordsAreKnown(t *testing.T) {
	sents := toyTreebank()
	silver := syntax.Clone(sents[:1])[0]
	silver.Weight = 1
	silver.Words[1].Form = "zebra"
	sents = append(sents, silver)
	m := newModel()
	lex := m.learnLexicons(sents, m.takeInventory(sents), Options{})
	key := hash.Key1(keyForm, hash.String("zebra"))
	if m.lex.find(key) == nil {
		t.Error("the lexicon does not know a silver word")
	}
	for f, x := range lex.list {
		if own := f == len(lex.list)-1; (x.find(key) == nil) != own {
			t.Errorf("fold %d of %d: a silver word is known: %t", f, len(lex.list), !own)
		}
	}
}
