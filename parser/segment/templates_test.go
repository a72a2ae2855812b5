package segment

import "testing"

// The features are part of every model file: a model trained before a change
// of a template would read the weights of other features. If this test fails
// and the change is meant, put in the new hash and raise version: older models
// are refused then, and must be trained again.
func TestTemplatesAreStable(t *testing.T) {
	const want, of = 0x173769228e6c2a8c, 1
	keys, values := []uint64{}, []uint16{}
	for i, form := range []string{"the", "house", "etc", ".", "don't", "10"} {
		keys, values = append(keys, hashRunes(normalRunes(form))), append(values, uint16(0x123*i+1))
	}
	m := &Model{lexicon: lexicon{table: newTable(keys, values)}}
	var l layout
	l.read("The House (3,5 km)  etc. isn't — “Größe”\r\n10. A http://x.de/a_b @me\n\n...")
	var h uint64
	add := func(list []uint64) {
		for _, k := range list {
			h = mix(h, k)
		}
	}
	var v chunkView
	var toks []token
	for i, s := range l.chunk {
		v.view(&l, s, l.outside(i))
		last := 0
		for g := 1; g < int(s.end-s.start); g++ {
			add(v.gapFeatures(nil, &m.lexicon, g, last))
			if v.class[g] != v.class[g-1] {
				toks = append(toks, token{span: span{s.start + int32(last), s.start + int32(g)}})
				last = g
			}
		}
		toks = append(toks, token{span: span{s.start + int32(last), s.end}})
	}
	for i := range toks {
		toks[i].describe(&l)
		toks[i].recall(m.lexicon.look(toks[i].word))
	}
	l.setGaps(toks)
	var o outlook
	o.read(toks)
	var p progress
	for i := range toks[:len(toks)-1] {
		p.add(&toks[i])
		add(sentenceFeatures(nil, toks, &o, &p, i))
		add(joinFeatures(nil, toks, i))
		norm := l.norm[toks[i].start:toks[i].end]
		add(multiwordFeatures(nil, &m.lexicon, toks, norm, i, &rule{after: []string{"n't"}}))
		if i%5 == 4 {
			p.reset(&toks[i])
		}
	}
	if h != want || version != of {
		t.Errorf("the features of version %d hash to %#016x, want version %d, %#016x", version, h, of, uint64(want))
	}
}
