package segment

import (
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
)

// The features are part of every model file: a model trained before a change
// of a template would read the weights of other features. If this test fails
// and the change is meant, put in the new hash and raise pack.Templates: older
// models are refused then, and must be trained again.
func TestTemplatesAreStable(t *testing.T) {
	const want, of = 0xf22de289ce29c074, 4
	var keys []hash.Key
	var values []uint16
	for i, form := range []string{"the", "house", "etc", ".", "don't", "10"} {
		keys, values = append(keys, hash.Runes(normalRunes(form))), append(values, uint16(0x123*i+1))
	}
	m := &Model{lexicon: lexicon{stats: hash.NewMap(keys, values, false)}}
	var l layout
	l.read("The House (3,5 km)  etc. isn't — “Größe”\r\n10. A http://x.de/a_b @me\n\n...")
	var h uint64
	add := func(list []hash.Key) {
		for _, k := range list {
			h = hash.Pair(h, k)
		}
	}
	var toks []token
	for i, s := range l.chunks {
		c := newChunk(&l, i)
		last := 0
		for g := 1; g < len(c.norm); g++ {
			add(c.features(nil, &m.lexicon, g, last))
			if c.class[g] != c.class[g-1] {
				toks = append(toks, newToken(&l, span{s.start + int32(last), s.start + int32(g)}))
				last = g
			}
		}
		toks = append(toks, newToken(&l, span{s.start + int32(last), s.end}))
	}
	for i := range toks {
		toks[i].recall(m.lexicon.look(toks[i].word))
	}
	l.setGaps(toks)
	ahead := terminalAhead(nil, toks)
	var p progress
	for i := range toks[:len(toks)-1] {
		p.add(&toks[i])
		add(sentenceFeatures(nil, toks, ahead, &p, i))
		add(joinFeatures(nil, toks, i))
		var split proposal
		split.propose(&m.split, &l, toks, i, true)
		add(split.features(nil, &m.lexicon, &expansion{words: stemMark + wordMark + "n't"}))
		if i%5 == 4 {
			p.reset(&toks[i])
		}
	}
	if h != want || pack.Templates != of {
		t.Errorf("the features of version %d hash to %#016x, want version %d, %#016x", pack.Templates, h, of, uint64(want))
	}
}
