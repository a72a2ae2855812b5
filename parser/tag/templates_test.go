package tag

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// The keys are part of every model file: a model trained before a change of a
// template would read the weights of other features. If this test fails and
// the change is meant, put in the new hash and raise pack.Templates: older
// models are refused then, and must be trained again.
func TestTemplatesAreStable(t *testing.T) {
	const want = 0xc64ff6a006c07ce8
	// An empty lexicon, so that classes come from suffixes and shapes, and one
	// that knows a word and a stem.
	known := &lexicon{}
	var places []int
	known.words, places = hash.NewSet([]hash.Key{hash.Key1(keyForm, hash.String("Haus")),
		hash.Key1(keyStem, hash.String("istan"))}, false)
	known.facts = make([]uint16, entry*known.words.Len())
	copy(known.facts[entry*places[0]:], []uint16{3, 5, 0, 0})
	s := syntax.Sentence{MWTs: []syntax.MultiwordToken{{First: 2, Last: 4, Form: "im"}}}
	for _, form := range []string{"Haus", "in", "de", "m", "NATO-3", "überall", "İstanbul'da", ".", "x", "λόγος"} {
		s.Words = append(s.Words, syntax.Word{Form: form})
	}
	tags := []uint16{1, 2, 3, 3, 4, 5, 1, 0, 2, 1}
	var h uint64
	for _, lex := range []*lexicon{{}, known, {casing: true}} {
		var x text
		x.read(&s, lex)
		for i := range s.Words {
			f := x.at(i).form
			keys := tagKeys(ownTagKeys(nil, f), &x, i)
			keys = morphKeys(ownMorphKeys(keys, f, tags[i]), &x, i, tags)
			slices.Sort(keys) // a model does not know their order
			for _, k := range keys {
				h = hash.Pair(h, k)
			}
		}
	}
	if h != want {
		t.Errorf("the keys hash to %#016x, want %#016x", h, uint64(want))
	}
}
