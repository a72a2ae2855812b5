package tag

import (
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// The keys are part of every model file: a model trained before a change of a
// template would read the weights of other features. If this test fails and
// the change is meant, put in the new hash and raise version: older models are
// refused then, and must be trained again. The templates of lemmas have a test
// of their own.
func TestTemplatesAreStable(t *testing.T) {
	const want, of = 0x1e31b1262fa996da, 2
	// An empty lexicon, so that classes come from suffixes and shapes, and one
	// that knows a word.
	known := &lexicon{prints: []uint32{uint32(hashString("Haus")) | 1, 0}, class: []uint16{3, 0}, morph: []uint16{5, 0}, sure: []uint16{0, 0}, sureM: []uint16{0, 0}}
	s := syntax.Sentence{MWTs: []syntax.MultiwordToken{{First: 2, Last: 4, Form: "im"}}}
	for _, form := range []string{"Haus", "in", "de", "m", "NATO-3", "überall", "İstanbul'da", ".", "x", "λόγος"} {
		s.Words = append(s.Words, syntax.Word{Form: form})
	}
	tags := []uint16{1, 2, 3, 3, 4, 5, 1, 0, 2, 1}
	var h uint64
	var keys []uint64
	for _, lex := range []*lexicon{{}, known, {turkish: true}} {
		var x text
		x.analyze(&s, lex)
		for i := range s.Words {
			keys = tagKeys(keys[:0], &x, i)
			keys = tagEdgeKeys(keys, &x, i)
			keys = append(keys, edgeKey(keys[0], 7))
			keys = morphKeys(keys, &x, i, tags)
			for _, k := range keys {
				h = mix(h ^ k)
			}
		}
	}
	if h != want || version != of {
		t.Errorf("the keys of version %d hash to %#016x, want version %d, %#016x", version, h, of, uint64(want))
	}
}
