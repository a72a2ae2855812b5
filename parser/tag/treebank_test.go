package tag

import (
	"os"
	"testing"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/parser/syntax"
)

// treebank reads a part of a treebank of the shared folder, or skips.
func treebank(tb testing.TB, name, part string) []syntax.Sentence {
	path := "../../../shared/treebanks/" + name + "/" + name + "-ud-" + part + ".conllu"
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("no treebank beside the repository: %v", err)
	}
	sents, err := conllu.ReadAll(path)
	if err != nil {
		tb.Fatal(err)
	}
	return sents
}

// TestSmallTreebank guards accuracy: limits are a point below what a
// training on 600 sentences reaches.
func TestSmallTreebank(t *testing.T) {
	train, dev := treebank(t, "fr_sequoia", "train")[:600], treebank(t, "fr_sequoia", "dev")
	m, err := Train(train, nil, Options{Epochs: 4})
	if err != nil {
		t.Fatal(err)
	}
	a := m.measure(dev)
	t.Log(a)
	if a.UPOS < 93 || a.Feats < 88 || a.Lemma < 94 {
		t.Errorf("accuracy fell: %v", a)
	}
}
